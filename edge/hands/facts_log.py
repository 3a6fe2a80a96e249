"""Log files of text, read from their end.

Rules:
1. A line is taken as it is; its time is read from its beginning, in the two forms that syslog daemons write
   (RFC 3164 without a year, RFC 3339) and the kernel's seconds since boot. A line without a time belongs to the line
   before it.
2. The newest lines are found first and told last. At most MOST bytes are looked through.
3. A clock that was wrong at a boot puts lines out of order: looking goes on behind a few that are too old.
4. A time without a year is the last such time before now; without a zone it is local.
"""

from __future__ import annotations

import os
import time

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = 65536
MOST = 64 << 20  # bytes of one file
LINE = 4096  # bytes of one line
OUTSIDE = 500  # lines in a row that end the search, and that wait for their time
PRIORITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Query(Record):
    """What is looked for. `since` and `until` are seconds since 1970, `priority` the least important that counts.

    Empty texts and None ask for nothing. `boot`: only what was written since this start.
    """

    limit: int
    text: str = ""
    unit: str = ""
    priority: int | None = None
    since: float | None = None
    until: float | None = None
    boot: str = ""


class Line(Record):
    """One line of a log: `at` in seconds since 1970, None when it is not told."""

    at: float | None
    text: str
    priority: int | None = None
    unit: str = ""


def backwards(descriptor: int, late: Callable[[], str], most: int = MOST) -> Iterator[bytes]:
    """The lines of an open file from its last to its first; ends early when time or bytes are up."""
    place = os.lseek(descriptor, 0, os.SEEK_END)
    end, rest = place, b""
    while place > 0 and end - place < most and not late():
        size = min(BLOCK, place)
        place -= size
        block = os.pread(descriptor, size, place)
        if len(block) < size:
            return  # it was cut off meanwhile
        lines = (block + rest).split(b"\n")
        rest = lines[0]
        if len(rest) > 2 * BLOCK:  # no line end for long: the beginning of the line is what counts
            rest = rest[:LINE]
        yield from reversed(lines[1:])
    if place == 0 and rest:
        yield rest


def tail(descriptor: int, query: Query, now: float, late: Callable[[], str]) -> list[Line]:
    """The newest lines that fit, the newest last. Ends after OUTSIDE lines in a row that are older than `since`."""
    found: list[Line] = []
    waiting: list[str] = []  # lines without a time, whose line with a time is still to come
    older = 0
    timed = query.since is not None or query.until is not None
    for raw in backwards(descriptor, late):
        if not raw:
            continue
        text = raw[:LINE].decode("utf-8", "replace").rstrip("\r")
        at = stamp(text, now) if timed else None
        if timed and at is None and len(waiting) < OUTSIDE:
            waiting.append(text)
            continue
        before = at is not None and query.since is not None and at < query.since
        older = older + 1 if before else 0
        if before or (at is not None and query.until is not None and at > query.until):
            waiting.clear()
        else:
            found += [Line(at, one) for one in (*waiting, text) if _holds(one, query)]
            waiting.clear()
        if older > OUTSIDE or len(found) >= query.limit:
            break
    found += [Line(None, one) for one in waiting if _holds(one, query)]
    return found[: query.limit][::-1]


def _holds(text: str, query: Query) -> bool:
    low = text.lower()
    return query.text.lower() in low and query.unit.lower() in low


def stamp(text: str, now: float) -> float | None:
    """When a line was written, in seconds since 1970; None when it does not begin with a time."""
    if text[:1] == "<":
        text = text.partition(">")[2]
    if text[:3] in _MONTHS:
        return _without_year(text, now)
    return iso(text) if text[:4].isdecimal() and text[4:5] == "-" else None


def _without_year(text: str, now: float) -> float | None:
    parts = text.split(None, 3)
    clock = parts[2].split(":") if len(parts) > 2 else []
    if len(clock) != 3 or not all(word.isdecimal() and len(word) < 3 for word in (parts[1], *clock)):
        return None
    month = _MONTHS.index(parts[0]) + 1
    year = time.localtime(now).tm_year
    hour, minute, second = map(int, clock)
    for one in (year, year - 1):
        at = time.mktime((one, month, int(parts[1]), hour, minute, second, 0, 0, -1))
        if at <= now + 86400:
            return at
    return None


def iso(text: str) -> float | None:
    """`2026-05-20T10:00:00.5+02:00`, `2026-05-20 10:00`, `2026-05-20` in seconds since 1970; local without a zone."""
    date, clock = text[:10].split("-"), text[10:]
    if len(date) != 3 or not all(word.isdecimal() for word in date):
        return None
    hours, zone = [0.0, 0.0, 0.0], None
    if clock[:1] in ("T", " ", "t") and clock[1:3].isdecimal():
        word = clock[1:].split(" ")[0]
        word, zone = _zone(word)
        parts = word.replace(",", ".").split(":")
        if len(parts) not in (2, 3) or not all(part.replace(".", "", 1).isdecimal() for part in parts):
            return None
        hours = [*[float(part) for part in parts], 0.0][:3]
    year, month, day = map(int, date)
    if not (1970 <= year < 2200 and 1 <= month <= 12 and 1 <= day <= 31 and hours[0] < 25 and max(hours[1:]) < 61):
        return None
    if zone is None:
        local = time.mktime((year, month, day, int(hours[0]), int(hours[1]), 0, 0, 0, -1))
        return local + hours[2]
    return days(year, month, day) * 86400 + hours[0] * 3600 + hours[1] * 60 + hours[2] - zone


def _zone(word: str) -> tuple[str, int | None]:
    """The clock without its zone, and the zone in seconds east; None when it has none."""
    if word[-1:] in ("Z", "z"):
        return word[:-1], 0
    at = max(word.rfind("+"), word.rfind("-"))
    digits = word[at + 1 :].replace(":", "")
    if at <= 0 or len(digits) != 4 or not digits.isdecimal():
        return word, None
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return word[:at], seconds if word[at] == "+" else -seconds


def days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 in the Gregorian calendar."""
    year -= month <= 2
    era, month = year // 400, (month + 9) % 12
    of_era = year - era * 400
    of_year = (153 * month + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def moment(text: str, now: float) -> float | None:
    """When the caller means: a date and time, `90s`, `15min`, `2h`, `3d` (ago), or seconds since 1970."""
    word = text.strip().lower()
    if word[4:5] == "-":
        return iso(text.strip())
    word = word[:-3].strip() if word.endswith("ago") else word
    stem = word.rstrip("abcdefghijklmnopqrstuvwxyz ")
    units = {"": 0, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "hour": 3600, "hours": 3600, "d": 86400}
    scale = units.get(word[len(stem) :].strip(), {"day": 86400, "days": 86400}.get(word[len(stem) :].strip(), -1))
    if scale < 0 or not 0 < len(stem) < 16 or not stem.replace(".", "", 1).isdecimal():
        return None
    return now - float(stem) * scale if scale else float(stem)
