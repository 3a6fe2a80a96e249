"""Windows of a large file through the tool, against reading all of it.

The file is generated: 100 MB of lines as a log has them, the same on every machine. The anchor reads it and splits
it into lines, which is what a window costs who does not look for it. Each row is the real tool's run behind the real
gate, or the hand alone; what it brings has to be the lines that the anchor has there, else the row is broken.
"""

from __future__ import annotations

import os
import time

from bench import scratch
from bench.harness import Broken, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bench.harness import Measure

TITLE = "Windows of a 100 MB file"
UNIT = "ms"
ROUNDS = 9
WARM = True
SIZE = 100 << 20
WINDOW = 100  # lines

ALL = "read all, split into lines"
FIRST, LAST, MIDDLE = "file_read, first 100 lines", "file_read, last 100 lines", "file_read, 100 lines in the middle"
HAND_FIRST, HAND_LAST, HAND_MIDDLE = "hand, first 100", "hand, last 100", "hand, middle"
TARGETS = {
    FIRST: (Target(ratio=0.01),),
    LAST: (Target(ratio=0.01),),
    MIDDLE: (Target(ratio=0.35),),
    HAND_FIRST: (Target(ratio=0.01),),
    HAND_LAST: (Target(ratio=0.01),),
    HAND_MIDDLE: (Target(ratio=0.35),),
}


def _made(folder: str) -> list[bytes]:
    """Write the file; its lines, which are of 40 to 100 bytes."""
    block = [
        b"2024-03-01T12:%02d:%02d node pump[%d]: %s" % (n // 60 % 60, n % 60, n, b"x" * (n * 7 % 60))
        for n in range(9973)
    ]
    data = b"\n".join(block) + b"\n"
    with open(os.path.join(folder, "big.log"), "wb") as out:
        for _ in range(SIZE // len(data) + 1):
            out.write(data)
    return block


class _Work:
    """The file, the world around it, and the lines that are to come."""

    def __init__(self) -> None:
        from edge.call import Root, Scene
        from edge.gate.policy import Policy
        from edge.hands.world import World
        from edge.tape.unkept import Unkept

        self.folder = scratch.folder()
        self.block = _made(self.folder)
        self.lines = (SIZE // (sum(map(len, self.block)) + len(self.block)) + 1) * len(self.block)
        self.scene = Scene(self.folder, "", (Root("files", self.folder),))
        self.world = World(self.scene, Unkept(), _no_board)
        self.policy = Policy()

    def line(self, number: int) -> str:
        """A line of the file, from 1."""
        return self.block[(number - 1) % len(self.block)].decode()

    def hands(self, args: dict[str, Any]) -> tuple[Any, Any]:
        """The hands of one call of file_read as the gate grants them, and the call."""
        from edge.call import Call
        from edge.gate.decide import decide
        from edge.gate.policy import State
        from edge.hands import Hands
        from edge.registry import find

        call = Call("file_read", args, "c1")
        decision = decide(call, find("file_read").effects(args, self.scene), self.policy, State(), self.scene)
        if decision.permit is None:
            raise Broken(decision.sentence)
        return Hands(decision.permit, call, self.world), call

    def by_tool(self, offset: int, first: int) -> Callable[[], float]:
        """A run of the tool from `offset`; line `first` is the first that has to come."""
        from edge.registry import find

        def measure() -> float:
            args = {"path": "big.log", "offset": offset, "limit": WINDOW}
            begun = time.perf_counter()
            hands, call = self.hands(args)
            found = find("file_read").run(call.args, hands)
            spent = time.perf_counter() - begun
            return self._checked(found.text.split("\n"), first, spent, "[")

        return measure

    def by_hand(self, offset: int, first: int) -> Callable[[], float]:
        """The same by the hand alone, all of the lines."""

        def measure() -> float:
            hands, _ = self.hands({"path": "big.log"})
            begun = time.perf_counter()
            found = hands.files.read("big.log", offset, WINDOW, 1 << 20)
            spent = time.perf_counter() - begun
            lines = found["text"].split("\n")
            if len(lines) != WINDOW:
                raise Broken(f"{len(lines)} lines came")
            return self._checked(lines, first, spent, "\0")

        return measure

    def _checked(self, lines: list[str], first: int, spent: float, notes: str) -> float:
        text = [line for line in lines if not line.startswith(notes)]
        if len(text) < 50 or text != [self.line(first + number) for number in range(len(text))]:
            raise Broken(f"other lines came than stand at line {first}")
        return spent * 1000

    def all(self) -> float:
        """The anchor."""
        begun = time.perf_counter()
        with open(os.path.join(self.folder, "big.log"), "rb") as file:
            lines = file.read().split(b"\n")
        spent = time.perf_counter() - begun
        if len(lines) != self.lines + 1:
            raise Broken(f"the file has {len(lines) - 1} lines, not {self.lines}")
        return spent * 1000


def _no_board() -> Any:
    raise Broken("no board is needed")


def rows() -> list[tuple[str, Measure]]:
    """The anchor, then the tool, then the hand."""
    work = _Work()
    last, middle = work.lines - WINDOW + 1, work.lines // 2
    return [
        (ALL, work.all),
        (FIRST, work.by_tool(1, 1)),
        (LAST, work.by_tool(-WINDOW, last)),
        (MIDDLE, work.by_tool(middle, middle)),
        (HAND_FIRST, work.by_hand(1, 1)),
        (HAND_LAST, work.by_hand(-WINDOW, last)),
        (HAND_MIDDLE, work.by_hand(middle, middle)),
    ]
