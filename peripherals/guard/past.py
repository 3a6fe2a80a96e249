"""What the record of an earlier guard says about outputs that this one has to know of: limits go on over every restart.

Rules this file keeps:
1. Of a real board only this boot counts (`boot`); its board time is the same clock still. Nothing is known of a record
   that cannot be read.
2. Loaded at a start where an output needs it, and let go again: the guard's process is small.
"""

from __future__ import annotations

from edge.peripherals.guard.journal import LIMIT, NAME, read, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from edge.call import Output

HOUR = 3600.0


def known(
    folder: str, boot: str, now: float, outputs: Iterable[Output]
) -> tuple[dict[str, list[float]], dict[str, float], dict[str, float]]:
    """`leavings`, `since` and `rests`; nothing without a folder. This module is let go of then."""
    from edge.peripherals.guard.stands import forget

    told = leavings(folder, boot, now, outputs), since(folder, boot, outputs), rests(folder, boot, outputs)
    forget(__name__)
    return told


def leavings(folder: str, boot: str, now: float, outputs: Iterable[Output]) -> dict[str, list[float]]:
    """When each output left its safe value in the last HOUR before `now` (board s), by the record in `folder`.

    For outputs that may do so a number of times; of a real board only within this boot. Nothing when the record cannot
    be read: what is not known cannot be counted.
    """
    found: dict[str, list[float]] = {output.name: [] for output in outputs if output.max_per_hour}
    for name, away, at in _switches(folder, boot, [output for output in outputs if output.max_per_hour]):
        if away and at > now - HOUR:
            found[name].append(at)
    return found


def since(folder: str, boot: str, outputs: Iterable[Output]) -> dict[str, float]:
    """When each output that the record leaves away from safe had left it (board s); of those held at a start."""
    found: dict[str, float] = {}
    for name, away, at in _switches(folder, boot, [output for output in outputs if output.on_start == "hold"]):
        if away:
            found[name] = at
        else:
            found.pop(name, None)
    return found


def rests(folder: str, boot: str, outputs: Iterable[Output]) -> dict[str, float]:
    """When each output that the record leaves at its safe value came to it (board s); of those with a `min_off`."""
    found: dict[str, float] = {}
    safe = {output.name: output.safe for output in outputs if output.min_off}
    for row in _rows(folder, boot, safe):
        if row["state"] != safe[row["name"]]:
            found.pop(row["name"], None)
        else:
            found.setdefault(row["name"], float(row["board"]))
    return found


def _switches(folder: str, boot: str, outputs: Iterable[Output]) -> Iterator[tuple[str, bool, float]]:
    """Each time that one of these outputs left its safe value or came back to it: name, away from safe now, board s."""
    safe = {output.name: output.safe for output in outputs}
    away = dict.fromkeys(safe, False)
    for row in _rows(folder, boot, safe):
        name, now = row["name"], row["state"] != safe[row["name"]]
        if away[name] != now:
            away[name] = now
            yield name, now, float(row["board"])


def _rows(folder: str, boot: str, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The transitions of these outputs in this boot, oldest first."""
    for file in (NAME + ".1", NAME) if folder and names else ():
        try:
            for row in read(tail(f"{folder}/{file}", LIMIT), names):
                if not row.get("kind") and row.get("boot", "") == boot:
                    yield row
        except OSError:
            continue
