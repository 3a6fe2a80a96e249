"""The hand on the catalogue: what tools there are, and to show more of them to the model."""

from __future__ import annotations

from edge.catalogue import definition
from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from edge.catalogue import Catalogue
    from edge.hands import Holder


class Shelf:
    """Finds tools and loads them; the gate judges every call of them as before."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def search(self, query: str, most: int) -> list[str]:
        """At most `most` names of tools that fit the words of `query`, the best first."""
        return self._catalogue().search(query, most)

    def load(self, names: Sequence[str]) -> Mapping[str, Any]:
        """Show these tools from the next step on: `tools` (their definitions), `already_loaded` and `unknown` names."""
        found, already, unknown = self._catalogue().load(names)
        return {"tools": [definition(tool) for tool in found], "already_loaded": already, "unknown": unknown}

    def _catalogue(self) -> Catalogue:
        self._holder.grant("read", "memory", "catalogue")
        if self._holder.world.catalogue is None:
            raise ToolFault("this run has no catalogue of tools")
        return self._holder.world.catalogue
