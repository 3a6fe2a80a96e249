"""Calls of which something goes on after they were told, and what the model does not know of it yet.

That is a shell in the background, or a serial port that is open.

Rules:
1. It is still of its call: a stop of its tool ends it (edge/calls.py asks `find`).
2. A cut of the turn before the model was told of it ends it: nobody would know its name.
3. Its end is kept as a note on the tape, and told to the model with the next result or the operator's next line.
4. Events come in any order: it may end before its call is told. All is done under the lock of the loop.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Call
    from edge.calls import Granted
    from edge.hands.world import World
    from edge.keeping import Keeper

MOST = 16  # sentences that wait for the model
_KEPT = ("shell_id", "port", "status", "exit_code", "why", "length")


class Lasting:
    """What the gate said of these calls, by their ids."""

    def __init__(self, world: World, keeper: Keeper) -> None:
        self._world = world
        self._keeper = keeper
        self._granted: dict[str, Granted] = {}
        self._early: set[str] = set()  # calls of what ended before they were told
        self._news: list[str] = []

    def find(self, call: Call) -> Granted | None:
        """What the gate said of a call of which something goes on."""
        return self._granted.get(call.id)

    def told(self, call: Call, granted: Granted, status: str) -> None:
        """A call is told now; nothing when nothing of it goes on."""
        shells, ports = self._world.lasting(), self._world.opened()
        job = shells.started_by(call) if shells is not None else None
        port = ports.opened_by(call) if ports is not None else None
        if job is None and port is None:
            return
        if job is not None and status in ("interrupted", "deadline"):
            job.ask("stopped", 0.0)
        if port is not None and status in ("interrupted", "deadline"):
            port.ask("stopped")
        if call.id in self._early:
            self._early.discard(call.id)
        else:
            self._granted[call.id] = granted

    def over(self, call: Call, facts: Mapping[str, Any]) -> Granted | None:
        """What went on of a call has ended; what the gate said of the call, when it was told already."""
        granted = self._granted.pop(call.id, None)
        if granted is None:
            self._early.add(call.id)
        self._news = [*self._news[1 - MOST :], f"[{facts['words']}]"]
        return granted

    def keep(self, call: Call, facts: Mapping[str, Any]) -> None:
        """Put its end on the tape. TapeFault."""
        kept = {name: facts[name] for name in _KEPT if name in facts}
        self._keeper.keep("note", {"text": facts["words"], "call": call.id, **kept})

    def news(self, told: str = "") -> list[str]:
        """What the model was not told yet, nor by `told`; it is told now."""
        found, self._news = self._news, []
        return [one for one in found if one[1:-1] not in told]
