"""The hand on declared outputs. The guard owns them; this hand only asks it."""

from __future__ import annotations

from edge.faults import HardwareFault, ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands import Holder


class Outputs:
    """Switches and lists what the permit names."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def set(self, name: str, state: bool, seconds: float | None) -> Mapping[str, Any]:
        """Switch, at most once, for at most `seconds`; what the guard read back afterwards.

        ToolFault when the guard refuses (too long, unknown), HardwareFault when the outcome is unknown.
        """
        grant = self._holder.grant("actuate", "output", name)
        now = self._holder.world.board().set(grant.path, state, seconds, self._holder.call.id)
        if now.get("state") is None:
            raise HardwareFault(f"the state of {name} is unknown", "read it back with output_list")
        if now["state"] is not state:
            raise ToolFault(f"{name} did not change: the board reads back {'on' if now['state'] else 'off'}")
        return now

    def states(self) -> Mapping[str, Mapping[str, Any]]:
        """name -> state (True, False, None = unknown), left (seconds or None), why."""
        self._holder.grant("list", "output", "all")
        return self._holder.world.board().states()
