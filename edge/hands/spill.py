"""The hand on long results that were kept aside."""

from __future__ import annotations

from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands import Holder


class SpillReader:
    """Reads blocks of what this conversation kept."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def blocks(self, handle: str, cursor: int, count: int, from_end: bool) -> Mapping[str, Any]:
        """As edge.tape.spill.Spill.blocks; ToolFault where nothing is kept at all."""
        self._holder.grant("read", "memory", "spill")
        if self._holder.world.spill is None:
            raise ToolFault("no long results are kept here: there is no state folder")
        return self._holder.world.spill.blocks(handle, cursor, count, from_end)
