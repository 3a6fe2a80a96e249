"""The card's first partition as a folder, mounted for the moment in which it is needed.

Rules:
1. Which card this board runs from, edge/card/slots.py says. Nothing is mounted that is not its first partition.
2. It is let go in any case; what was written is on the card before that (the writers flush).
"""

from __future__ import annotations

import os

from edge.card import programs
from edge.card.places import FIRST
from edge.faults import CardFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

SECONDS = 60.0
# umask: what lies there may hold a password until it is taken, and tools run as other users meanwhile.
OPTIONS = "rw,nosuid,nodev,noexec,noatime,umask=077"


class First:
    """`with First() as folder`: the folder it is mounted at. CardFault when there is none or it cannot be mounted."""

    def __init__(self, place: str = FIRST) -> None:
        self._place = place

    def __enter__(self) -> str:
        from edge.card import layout, slots

        node = layout.device(slots.disk(), layout.CONFIG)
        try:
            os.makedirs(self._place, 0o700, exist_ok=True)
        except OSError as fault:
            why = (fault.strerror or str(fault)).lower()
            raise CardFault(f"{self._place} cannot be made to mount {node}: {why}", "run it as root") from fault
        _run(["mount", "-t", "vfat", "-o", OPTIONS, node, self._place], f"{node} cannot be mounted")
        return self._place

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, _: TracebackType | None) -> None:
        try:
            _run(["umount", self._place], f"{self._place} cannot be let go")
        except CardFault:
            if fault is None:
                raise


def _run(words: list[str], what: str) -> None:
    code, lines = programs.run(words, SECONDS)
    if code:
        said = lines[-1][:200] if lines else f"{words[0]} ended with {code}"
        raise CardFault(f"{what}: {said}", "look at the card: dmesg, fieldhand doctor")
