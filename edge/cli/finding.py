"""What doctor finds: one thing, its state, a sentence, and what to do about it on which system."""

from __future__ import annotations

from edge.record import Record

PI, DEBIAN, MINIMAL = "Raspberry Pi OS", "Debian", "minimal image"


class Finding(Record):
    """state: ok, absent (not needed for what was asked for), wrong (something asked for does not work)."""

    what: str
    state: str
    sentence: str
    fix: str = ""


def remedy(pi: str, debian: str, minimal: str) -> str:
    """What to do on each of the three systems, those that need the same together.

    `Raspberry Pi OS, Debian: sudo ...; minimal image: ...`.
    """
    found: dict[str, list[str]] = {}
    for system, act in ((PI, pi), (DEBIAN, debian), (MINIMAL, minimal)):
        found.setdefault(act, []).append(system)
    return "; ".join(f"{', '.join(systems)}: {act}" for act, systems in found.items())
