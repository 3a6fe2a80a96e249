"""The hand on this conversation's own record."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands import Holder


class TapeReader:
    """Finds earlier records; the tape's own lock and bounds hold."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def search(self, query: str, limit: int) -> list[Mapping[str, Any]]:
        """Records that hold `query`, as seq, role, content; the newest last."""
        self._holder.grant("read", "memory", "tape")
        return list(self._holder.world.tape.search(query, limit))

    def around(self, seq: int, context: int) -> list[Mapping[str, Any]]:
        """The record numbered `seq` with `context` records before and after."""
        self._holder.grant("read", "memory", "tape")
        return list(self._holder.world.tape.around(seq, context))
