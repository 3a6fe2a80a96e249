"""Who is there: the agents of one guard, each with its own sign of life.

Rules this file keeps:
1. An owner is a key that the guard's process chose for a connection; `shown` is what its run calls itself. Only the
   key decides anything; what an agent calls itself is for people.
2. Times are monotonic seconds and are handed in. An owner that was late is forgotten until its next sign of life.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOREVER = float("inf")
NAMELESS = "another conversation"


class Owners:
    """The keys of those who said hello, with when each was last heard (None: it was late)."""

    __slots__ = ("heard", "heartbeat", "names")

    def __init__(self, heartbeat: float) -> None:
        self.heartbeat = heartbeat
        self.heard: dict[str, float | None] = {}
        self.names: dict[str, str] = {}

    def joined(self, owner: str, shown: str, real: float) -> None:
        """An owner says hello, perhaps once more under another name."""
        self.heard[owner] = real
        self.names[owner] = shown

    def alive(self, owner: str, real: float) -> None:
        """A sign of life at `real`; of somebody who never said hello it is none. One older than the last is no news."""
        if owner not in self.heard:
            return
        last = self.heard[owner]
        if last is None or real > last:
            self.heard[owner] = real

    def forget(self, owner: str) -> None:
        self.heard.pop(owner, None)
        self.names.pop(owner, None)

    def shown(self, owner: str) -> str:
        return self.names.get(owner) or NAMELESS

    def late(self, real: float) -> list[str]:
        """Those who were not heard for too long; each is told once."""
        found = [key for key, heard in self.heard.items() if heard is not None and real >= heard + self.heartbeat]
        for key in found:
            self.heard[key] = None
        return found

    def next_late(self, owners: Iterable[str]) -> float:
        """When the first of `owners` will be late, infinite when none can be."""
        times = [heard for key in owners if (heard := self.heard.get(key)) is not None]
        return min(times) + self.heartbeat if times else FOREVER
