"""What the hands of all calls share: the scene, the opened roots, the tape, the board process from first use on.

The roots are opened once: whatever is put in their place later, a call works in the folder of the start.
"""

from __future__ import annotations

import os

from edge.call import Decision
from edge.faults import Refused, ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Union

    from edge.call import Call, Effect, Scene
    from edge.catalogue import Catalogue
    from edge.hands.gpio import Header
    from edge.hands.jobs import Shells
    from edge.hands.net_resolve import Resolver
    from edge.hands.ports import Ports
    from edge.peripherals.guard.client import Board as Process
    from edge.peripherals.guard.inprocess import InProcessBoard
    from edge.tape.journal import Tape
    from edge.tape.memory import Memory
    from edge.tape.spill import Spill
    from edge.tape.unkept import Unkept

    Board = Union[Process, InProcessBoard]


class World:
    """One per run. `start_board` makes the board; it is called once, by the first call that needs it.

    Set by whoever puts a run together: `judge` asks the gate about what is found in the act, `stopping` says that
    the operator wants everything to end, `forbidden` that a stop of a part came to hold for this call, `sandbox` is
    what the policy wants of the wall (require, prefer, off), `proxy` the operator's proxy for the network,
    `resolve` what finds addresses (None: the operating system, made at first use), `catalogue` the tools of this
    run, `spill` keeps long results (None: nothing does), `memory` is what is remembered once that was asked for,
    `heard` tells where untrusted words came from in this conversation ("": from nowhere), `hear` is told where such
    come from now, `redact` takes known secrets out of a text, `child` is told pid, start ticks and tag
    (edge.hands.wall.tree) of each program that was started, `over` the call and the facts (edge.hands.jobs) of each
    shell that ended in the background, where one may run for `job_seconds` at most (0: none goes there), and of each
    serial port (edge.hands.ports) that was closed, `ca_file`
    what TLS trusts beside the system's authorities. `cuts` counts how often running calls were told to end.
    """

    def __init__(self, scene: Scene, tape: Tape | Unkept, start_board: Callable[[], Board]) -> None:
        import _thread

        self.scene = scene
        self.tape = tape
        self._roots = {root.name: _opened(root.path) for root in scene.roots}
        self.judge: Callable[[Call, Effect], Decision] = _no_gate
        self.stopping: Callable[[], bool] = _never
        self.forbidden: Callable[[Call], bool] = _never
        self.child: Callable[[int, int, int], None] = _untold
        self.over: Callable[[Call, Mapping[str, Any]], None] = _unheard
        self.job_seconds = 0.0
        self.sandbox = "prefer"
        self.proxy = ""
        self.ca_file = ""
        self.resolve: Resolver | None = None
        self.catalogue: Catalogue | None = None
        self.spill: Spill | None = None
        self.memory: Memory | None = None
        self.heard: Callable[[], str] = _nowhere
        self.hear: Callable[[str], object] = _never
        self.redact: Callable[[str], str] = str
        self.cuts = 0
        self._start = start_board
        self._board: Board | None = None
        self._lock: Any = _thread.allocate_lock()
        self._making: Any = _thread.allocate_lock()
        self._shells: Shells | None = None
        self._ports: Ports | None = None
        self._header: Header | None = None
        self._label = ""  # of the chip that had the header: when it is gone, no other one is it

    def root(self, name: str) -> int:
        """The descriptor of an opened root. ToolFault when it could not be opened, Refused when there is none."""
        found = self._roots.get(name)
        if isinstance(found, int):
            return found
        if found is None:
            raise Refused(f"there is no opened folder called {name!r}", "hands.no-root")
        raise ToolFault(found, "start Fieldhand in a folder that can be used")

    def board(self) -> Board:
        """The running board; HardwareFault when it cannot be started. A dead one is replaced by `renew` alone."""
        with self._lock:
            if self._board is None:
                self._board = self._start()
            return self._board

    def renew(self) -> None:
        """Start the board anew whose process crashed: that makes every output safe. HardwareFault."""
        with self._lock:
            old, self._board = self._board, self._start()
        if old is not None:
            old.close()

    def header(self) -> Header:
        """The chip with the header's lines, found at first use and open from then on; HardwareFault."""
        with self._making:
            if self._header is None:
                from edge.hands.gpio import Header
                from edge.record import replace

                gpio = self.scene.gpio
                self._header = Header(replace(gpio, chip=self._label) if gpio is not None and self._label else gpio)
            return self._header

    def forget_header(self) -> None:
        """Look for the chip anew next time: it failed, and may have been another since."""
        with self._making:
            header, self._header = self._header, None
        if header is not None:
            self._label = header.chip.label
            header.close()

    def cut(self) -> None:
        """Have the calls that run now end what they started."""
        self.cuts += 1

    def running_board(self) -> Board | None:
        """The board when one was started; never starts one and never waits."""
        return self._board

    def shells(self) -> Shells:
        """The shells in the background."""
        from edge.hands.jobs import Shells

        with self._making:
            if self._shells is None:
                self._shells = Shells(self)
            return self._shells

    def lasting(self) -> Shells | None:
        """The same when there ever was one; never makes anything."""
        return self._shells

    def ports(self) -> Ports:
        """The serial ports that were opened."""
        from edge.hands.ports import Ports

        with self._making:
            if self._ports is None:
                self._ports = Ports(self)
            return self._ports

    def opened(self) -> Ports | None:
        """The same when one was ever asked for; never makes anything."""
        return self._ports

    def close(self) -> None:
        """End the board process, safe values first, then shells in the background and ports, and let the roots go."""
        if self._board is not None:
            self._board.close()
            self._board = None
        if self._shells is not None:
            self._shells.close()
        if self._ports is not None:
            self._ports.close()
        self.forget_header()
        self.__del__()

    def __del__(self) -> None:
        roots, self._roots = self._roots, {}
        for found in roots.values():
            if isinstance(found, int):
                os.close(found)


def _no_gate(call: Call, effect: Effect) -> Decision:
    return Decision("deny", "high", "hands.no-gate", f"nobody judges {effect.verb} {effect.on} here")


def _untold(_pid: int, _start: int, _tag: int) -> None:
    return


def _unheard(_call: object, _facts: object) -> None:
    return


def _nowhere() -> str:
    return ""


def _never(_call: object = None) -> bool:
    return False


def _opened(path: str) -> int | str:
    """The descriptor of a folder, good for walking from it; the sentence of why there is none."""
    try:
        return os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        return f"the workspace {path} could not be opened at the start: {(error.strerror or 'unknown error').lower()}"
