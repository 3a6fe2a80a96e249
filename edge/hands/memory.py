"""The hand on what the agent remembers beyond this conversation.

Rules:
1. Known secrets are taken out of what is stored, before it is written; so is a text whose key says that it is one.
2. What is stored after untrusted words were heard carries where they came from; to read it is to hear them again.
"""

from __future__ import annotations

import time

from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands import Holder
    from edge.tape.memory import Memory
    from edge.tape.memory_words import Entry

_DAY = 86400.0
_SET = 1_735_689_600  # 2025-01-01: an earlier time is that of a clock that was never set


class MemoryHand:
    """Stores, finds and forgets; ToolFault where nothing can be kept at all."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def store(self, key: str, content: str, category: str) -> Mapping[str, Any]:
        """Remember: `key category replaced dropped source redacted`."""
        memory, world = self._granted("write"), self._holder.world
        clean = [world.redact(part) for part in (key, content, category)]
        named = f'{key}="{content}"'
        if clean[1] == content and world.redact(named) != named:
            clean[1] = "[redacted]"
        done = memory.store(clean[0], clean[1], clean[2], world.heard())
        return {
            "key": done.entry.key,
            "category": clean[2],
            "replaced": done.replaced,
            "dropped": done.dropped,
            "source": done.entry.source,
            "redacted": clean != [key, content, category],
        }

    def recall(self, query: str, limit: int, since: str, until: str) -> Mapping[str, Any]:
        """Find: `entries` (key content category at date source), `some` words only, `more` than these."""
        memory = self._granted("read")
        bounds = {"since": moment(since, False)} if since else {}
        if until:
            bounds["until"] = moment(until, True)
        found = memory.recall(query, limit, **bounds)
        for entry in found.entries:
            if entry.source:
                self._holder.world.hear(entry.source)  # before anybody can read it
        return {"entries": [_shown(entry) for entry in found.entries], "some": found.some, "more": found.more}

    def forget(self, key: str) -> int:
        """Remove a key; how many versions of it went."""
        return self._granted("write").forget(self._holder.world.redact(key))

    def _granted(self, verb: str) -> Memory:
        self._holder.grant(verb, "memory", "store")
        world = self._holder.world
        if world.memory is None and world.scene.state:
            from edge.tape.memory import Memory

            world.memory = Memory(f"{world.scene.state}/memory")
        found = world.memory
        if found is None:
            raise ToolFault("nothing can be remembered here: there is no state folder", "start with --state DIR")
        return found


def _shown(entry: Entry) -> dict[str, Any]:
    return {
        "key": entry.key,
        "content": entry.content,
        "category": entry.category,
        "at": round(entry.at, 3),
        "date": _date(entry.at),
        "source": entry.source,
    }


def _date(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at)) if at > _SET else "the clock was not set"


def moment(text: str, end: bool) -> float:
    """Seconds since 1970 of a date, with or without time and zone; UTC without. `end`: of a day alone, its end.

    ToolFault for what is no date.
    """
    from edge.hands.facts_log import iso

    word = text.strip()
    zoned = word if len(word) <= 10 or word[-1:] in "Zz" or "+" in word or "-" in word[10:] else word + "Z"
    try:
        found = iso(word + "T00:00Z" if len(word) == 10 else zoned)
    except ValueError:
        found = None
    if found is None:
        raise ToolFault(f"{text[:40]!r} is no date", "for example 2026-05-20, or 2026-05-20T10:00")
    return found + _DAY if end and len(word) == 10 else found
