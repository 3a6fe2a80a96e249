"""What doctor finds: one thing, its state, a sentence, and what to do about it on which system."""

from __future__ import annotations

from edge.record import Record, replace

PI, DEBIAN, MINIMAL = "Raspberry Pi OS", "Debian", "minimal image"


class Finding(Record):
    """state: ok, absent (not needed for what was asked for), wrong (something asked for does not work)."""

    what: str
    state: str
    sentence: str
    fix: str = ""


class Remedy(str):
    """What to do on a system that may be any of the three; `card`: what on a card of ours, where it is known."""

    card: str


def remedy(pi: str, debian: str, minimal: str, card: str) -> Remedy:
    """What to do on each of the three systems, those that need the same together, and on a card of ours.

    `Raspberry Pi OS, Debian: sudo ...; minimal image: ...`. On a card nothing is installed, and what is written to /etc
    is gone at the next start: provision.toml, another image or a login is all there is.
    """
    found: dict[str, list[str]] = {}
    for system, act in ((PI, pi), (DEBIAN, debian), (MINIMAL, minimal)):
        found.setdefault(act, []).append(system)
    told = "; ".join(f"{', '.join(systems)}: {act}" for act, systems in found.items())
    made = Remedy(told if len(found) > 1 else pi)
    made.card = card
    return made


def on_card(finding: Finding) -> Finding:
    """The finding with what to do on a card."""
    fix = finding.fix
    return replace(finding, fix=fix.card) if isinstance(fix, Remedy) else finding
