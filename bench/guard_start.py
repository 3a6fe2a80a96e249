"""From the call that starts a guard until its first output is driven safe, in ms of wall time. There is no target.

The wires of the outputs are pulled away from safe from outside; the double of the chips, a process of its own, writes
down when a wire changed. The guard's process is started as an agent starts it, over `-I -S`.
"""

from __future__ import annotations

import os
import sys
import time

from bench import guard, scratch
from bench.chips import LABEL, PATIENCE, Chips
from bench.harness import Absent, Broken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bench.harness import Measure, Target

TITLE = "From the start of a guard to its first safe output"
UNIT = "ms"
ROUNDS = 21
WARM = True

BARE, SAFE, ANSWERS = "python3 -I -S -c pass", "the first output is safe", "the agent has its first answer"
TARGETS: dict[str, tuple[Target, ...]] = {}
WIRES = ("GPIO17", "GPIO27")


def bare() -> float:
    """From the start of an interpreter that does nothing to its end."""
    begin = time.monotonic_ns()
    pid = os.posix_spawn(sys.executable, [sys.executable, "-I", "-S", "-c", "pass"], {})
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
        raise Broken("the interpreter failed")
    return (time.monotonic_ns() - begin) / 1e6


class Starts:
    """Starts of a guard; `answered` is of the start before."""

    def __init__(self, chips: Chips) -> None:
        self._chips = chips
        self._answered = 0.0

    def safe(self) -> float:
        from edge.peripherals.guard.client import Board

        for wire in WIRES:
            self._chips.pull(wire, True)
        owned, state = guard.owned(self._chips.setting), scratch.folder()
        begin = time.monotonic_ns()
        board = guard.compiled(lambda: Board.start(state, owned=owned))
        try:
            board.states()
            self._answered = (time.monotonic_ns() - begin) / 1e6
            stamps = [self._chips.outside.wait(LABEL, wire, False, PATIENCE) for wire in WIRES]
        finally:
            board.close()
        return (min(stamps) - begin) / 1e6

    def answered(self) -> float:
        if not self._answered:
            raise Absent("no start was measured")
        return self._answered


def rows() -> list[tuple[str, Measure]]:
    """The double runs until this process ends."""
    import atexit

    chips = Chips(scratch.folder())
    atexit.register(chips.__exit__)
    starts = Starts(chips.__enter__())
    return [(BARE, bare), (SAFE, starts.safe), (ANSWERS, starts.answered)]
