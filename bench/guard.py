"""Memory that belongs to the guard's process alone (RssAnon of /proc/PID/status), in MiB.

Each guard is started as an agent starts it, and has served a look, a switch and a reading before it is looked at. The
anchor is a bare interpreter that waits for a line. The lines are those of the double of the chips, a process of its
own; what its client takes in the guard's process is measured in a bare interpreter, stands in a row of its own, and is
taken off before the target is judged: behind real chips it is not there.
"""

from __future__ import annotations

import os
import subprocess
import sys

from bench import forms, memory, scratch
from bench.chips import Chips
from bench.harness import Absent, Broken, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.harness import Measure
    from edge.peripherals.guard.client import Board
    from edge.peripherals.guard.owned import Owned

TITLE = "Private memory of the guard"
UNIT = "MiB"
ROUNDS = 9
WARM = True

BARE, SIM, LINES = "python -I, waiting for a line", "guard of the simulated board", "guard of real lines"
DOUBLE, WITHOUT = "the client of the double, alone", "guard of real lines, without the double"
TARGETS = {SIM: (Target(plus=1.0),), WITHOUT: (Target(plus=1.0),)}

_WAITS = "print(flush=True); sys.stdin.readline()"
_HEAD = "import sys; sys.path.insert(0, sys.argv[1]); import edge.faults, edge.peripherals.guard.line, _socket, errno\n"
_CLIENT = "import edge.peripherals.gpiochip.remote as r; made = r.Remote(sys.argv[2]); made.open(made.chips()[0])\n"


def owned(setting: str) -> Owned:
    """Two outputs and a contact, as settings declare them."""
    from edge.call import Output, Sensor
    from edge.peripherals.guard.owned import GpioLine, Owned

    pump, fan = Output("pump", "pump", "GPIO17", max_on=60.0), Output("fan", "fan", "GPIO27")
    door = Sensor("door", "door", "", "GPIO5", (), ("closed", "open"))
    wired = (GpioLine("pump", "", "GPIO17"), GpioLine("fan", "", "GPIO27"), GpioLine("door", "", "GPIO5", bias="up"))
    return Owned("lines", (pump, fan), (door,), wired, chips=setting)


def waiting(code: str, *words: str) -> float:
    """Private memory of an interpreter that waits after `code`."""
    argv = [sys.executable, "-I", "-c", f"{code or 'import sys'}\n{_WAITS}", *words]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        if not child.stdout.readline():
            raise Broken("the interpreter did not come to wait")
        found = memory.private(child.pid)
        child.stdin.close()
    return found


def compiled(start: Callable[[], Board]) -> Board:
    """The guard that `start` starts, as installed: what it loads is compiled."""
    ours, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        return start()
    finally:
        sys.dont_write_bytecode = ours


def served(owned: Owned | None, output: str, sensor: str) -> float:
    """Private memory of a guard that has served its agent. Absent where what it loads cannot be kept compiled."""
    from edge.peripherals.guard.client import Board

    if not os.access(os.path.join(forms.ROOT, "edge", "peripherals", "guard"), os.W_OK):
        raise Absent("the checkout cannot be written, so each start compiles, and keeps what that leaves behind")
    board = compiled(lambda: Board.start(scratch.folder(), owned=owned))
    try:
        board.set(output, True, 10.0, "c1")
        board.sense(sensor)
        board.states()
        return memory.private(board.pid)
    finally:
        board.close()


class Lines:
    """The guard of lines over the double, and what the double takes of it."""

    def __init__(self, chips: Chips) -> None:
        self._chips = chips
        self._guard = self._double = 0.0

    def guard(self) -> float:
        self._guard = served(owned(self._chips.setting), "pump", "door")
        return self._guard

    def double(self) -> float:
        with_client = waiting(_HEAD + _CLIENT, forms.ROOT, self._chips.socket)
        self._double = with_client - waiting(_HEAD, forms.ROOT)
        return self._double

    def without(self) -> float:
        if not (self._guard and self._double):
            raise Absent("what it is the difference of was not measured")
        return self._guard - self._double


def rows() -> list[tuple[str, Measure]]:
    """The double runs until this process ends."""
    import atexit

    chips = Chips(scratch.folder())
    atexit.register(chips.__exit__)
    lines = Lines(chips.__enter__())
    return [
        (BARE, lambda: waiting("")),
        (SIM, lambda: served(None, "fan", "temperature")),
        (LINES, lines.guard),
        (DOUBLE, lines.double),
        (WITHOUT, lines.without),
    ]
