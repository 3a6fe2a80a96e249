"""An open file as blocks of whole lines: for tools that look at every line once, in constant memory.

Rules:
1. A block is bytes and ends where a line ends; only the last one of a file may lack its newline. No line is in two.
2. A line that is longer than LONGEST is cut to that; its newline stays, so that lines can be counted.
3. Reading is bounded as in edge/hands/lines.py; when it stopped early, `why` says so after the last block.
"""

from __future__ import annotations

import os

from edge.hands.lines import _blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST = 65536


class Blocks:
    """Iterate once. `why`: the reason for which reading stopped early, or "". `cut`: how many lines were cut.

    The descriptor is closed at the end, or with the object.
    """

    __slots__ = ("_descriptor", "_late", "cut", "why")

    def __init__(self, descriptor: int, late: Callable[[], str]) -> None:
        self._descriptor = descriptor
        self._late = late
        self.why = ""
        self.cut = 0

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back; what is not read by then is not read."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __iter__(self) -> Iterator[bytes]:
        """The blocks, none of them empty. OSError as reading gives it."""
        try:
            yield from self._whole()
        finally:
            self.close()

    def _whole(self) -> Iterator[bytes]:
        rest = b""
        dropping = False  # `rest` is what is kept of a line whose end has not come
        for block in _blocks(self._descriptor, self._late) if self._descriptor >= 0 else ():
            if isinstance(block, str):
                self.why = block
                break
            if dropping:
                end = block.find(b"\n")
                if end < 0:
                    continue
                block, dropping = block[end:], False
            end = block.rfind(b"\n") + 1
            if end:
                yield rest + block[:end]
                rest = block[end:]
            else:
                rest += block
            if len(rest) > LONGEST:
                rest, dropping = rest[:LONGEST], True
                self.cut += 1
        if rest:
            yield rest
