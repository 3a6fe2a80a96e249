"""Open serial ports: who reads them, how long they stay open, how they end.

Rules:
1. A port stays open over the calls of a conversation. A thread of its own reads what comes into a bounded store
   (received.py), so that nothing is lost while nobody asks, and notices at once when the device is gone.
2. It ends by `close`, when nobody used it for IDLE seconds, when the device is gone, when the operator stops everything
   or its tool, with the conversation, and with the agent. However it ends, `World.over` is told once.
3. Who ends it only asks: the thread that reads closes it, never another one beneath it.
4. What came before the end can still be read, until it is opened again.
"""

from __future__ import annotations

import _thread
import time

from edge.faults import HardwareFault, ToolFault
from edge.hands.ended import Ended
from edge.hands.received import Received

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.call import Call, Port
    from edge.hands.world import World
    from edge.peripherals.port.opening import Line

AT_ONCE = 8
IDLE = 900.0  # seconds
SLICE = 0.1  # seconds between two looks for a reason to end
PARTING = 5.0  # seconds within which a port that is asked to end has ended
_WHY = {
    "close": "by serial_close",
    "idle": f"because nobody used it for {IDLE / 60:.0f} minutes",
    "stopped": "because it was stopped",
    "quit": "with the conversation",
}


class Open(Ended):
    """One open port. `why`: what it ended by, "" while it is open; `trouble`: what failed, when that was it."""

    def __init__(self, port: Port, call: Call, line: Line) -> None:
        super().__init__()
        self.port = port
        self.call = call
        self.came = Received()
        self.why = ""
        self.trouble: HardwareFault | None = None
        self.used = time.monotonic()
        self._line = line
        self._asked = ""

    def serve(self, world: World) -> None:
        """In the port's own thread: until it is over."""
        why = "stopped"
        try:
            why = self._reading(world)
        except OSError as error:
            self.trouble, why = self._fault(error), "trouble"
        finally:
            self._line.close()
            self.why = why
            try:
                world.over(self.call, self.facts())
            finally:
                self.over()

    def _reading(self, world: World) -> str:
        """Read until it has to end: why."""
        while True:
            self.came.add(self._line.read(SLICE))
            if self._asked:
                return self._asked
            if world.stopping() or world.forbidden(self.call):
                return "stopped"
            if time.monotonic() - self.used > IDLE:
                return "idle"

    def write(self, data: bytes, seconds: float) -> int:
        """How many of these bytes left within that time; HardwareFault."""
        self.there()
        try:
            return self._line.write(data, seconds)
        except OSError as error:
            raise self._fault(error) from error

    def use(self) -> None:
        """Somebody wants something of it now (rule 2)."""
        self.used = time.monotonic()

    def there(self) -> None:
        """It is used now; the fault of a port that has ended."""
        self.use()
        if self.trouble is not None:
            raise HardwareFault(self.trouble.sentence, self.trouble.fix)
        if self.why:
            raise ToolFault(self.words(), "serial_open opens it again")

    def _fault(self, error: OSError) -> HardwareFault:
        from edge.peripherals.port.opening import fault

        return fault(error, self.port)

    def drop(self) -> None:
        """Close what no thread ever read."""
        self._line.close()

    def ask(self, why: str) -> None:
        """Have it end; returns at once."""
        self._asked = self._asked or why

    def facts(self) -> dict[str, Any]:
        return {"words": self.words(), "port": self.port.name, "why": self.why, "length": self.came.came}

    def words(self) -> str:
        """In one sentence, how it stands with it."""
        name = f"the serial port {self.port.name}"
        if not self.why:
            return f"{name} is open"
        if self.trouble is not None:
            return f"{name} was closed: {self.trouble.sentence}"
        return f"{name} was closed {_WHY[self.why]}"


class Ports:
    """The ports of a conversation, by their names. `opening`: what opens one."""

    def __init__(self, world: World, opening: Callable[[Port], Line] | None = None) -> None:
        self._world = world
        self._opening = opening or _real
        self._ports: dict[str, Open] = {}
        self._lock: Any = _thread.allocate_lock()
        self._closed = False

    def open(self, name: str, call: Call) -> tuple[Open, bool]:
        """The open port, and whether it was opened now. ToolFault, HardwareFault, Refused."""
        with self._lock:
            found = self._ports.get(name)
            if found is not None and not found.why:
                found.there()
                return found, False
            port = next(one for one in self._world.scene.ports if one.name == name)
            self._room(port)
            made = Open(port, call, self._opening(port))
            self._ports[name] = made
            self._start(made)
            return made, True

    def _room(self, port: Port) -> None:
        from edge.peripherals.port.ttys import same_device

        open_ = [one.port for one in self._ports.values() if not one.why]
        same = [one.name for one in open_ if same_device(one.device, port.device)]
        if self._closed:
            raise ToolFault("the conversation ends: no serial port is opened any more")
        if same:
            raise ToolFault(f"{port.device} is open already, as {same[0]}", f"close {same[0]} by serial_close first")
        if len(open_) >= AT_ONCE:
            raise ToolFault(f"{AT_ONCE} serial ports are open, and that is the most", "close one by serial_close")

    def _start(self, made: Open) -> None:
        try:
            _thread.start_new_thread(made.serve, (self._world,))
        except RuntimeError as error:
            del self._ports[made.port.name]
            made.drop()
            raise ToolFault("no thread can be started that would read the port", "close what runs besides") from error

    def find(self, name: str) -> Open:
        """The port, open or ended; ToolFault when it never was."""
        found = self._ports.get(name)
        if found is None:
            raise ToolFault(f"the serial port {name} is not open", "serial_open opens it")
        return found

    def opened_by(self, call: Call) -> Open | None:
        """The port that this call opened, if it did."""
        return next((one for one in list(self._ports.values()) if one.call.id == call.id), None)

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._closed = True
        for one in self._ports.values():
            one.ask("quit")
        until = time.monotonic() + PARTING
        for one in self._ports.values():
            one.wait(max(0.0, until - time.monotonic()))


def _real(port: Port) -> Line:
    from edge.peripherals.port.opening import open_port

    return open_port(port)
