"""The system's journal: all its files together, the newest entries first.

Rules:
1. Files are merged by their times from the end; none is looked at before its newest entry could be next.
2. A clock that was wrong at a boot puts entries out of order: a file is given up only after OUTSIDE entries in a row
   that lie before what is asked for.
3. Looking ends with the time of the call; that is told, with how far it came.
4. A message that cannot be unpacked is told as such, not left out.
"""

from __future__ import annotations

import os

from edge.faults import ToolFault
from edge.hands.facts_log import LINE, Line
from edge.hands.journal_file import Journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from edge.hands.facts_log import Query
    from edge.hands.facts_reader import Reader
    from edge.hands.journal_file import Entry

FOLDERS = ("/var/log/journal", "/run/log/journal")
FILES = 256
OUTSIDE = 2000
LOOK = 32  # entries between two looks at the time
_UNITS = ("_SYSTEMD_UNIT", "UNIT", "USER_UNIT", "_SYSTEMD_USER_UNIT", "OBJECT_SYSTEMD_UNIT", "COREDUMP_UNIT")
_BARE = ("SYSLOG_IDENTIFIER", "_COMM")  # what a program calls itself
_SOURCES = (*_BARE, "_EXE")
_WANTED = frozenset(("MESSAGE", "PRIORITY", "_PID", "SYSLOG_PID", *_UNITS, *_SOURCES))


class Stream:
    """One file in the merge: `next` is the time of its next entry, as far as it is known without looking."""

    def __init__(self, journal: Journal, query: Query) -> None:
        self.journal = journal
        self.next = journal.last or 1 << 62
        self.outside = 0
        self._entries = journal.entries(candidates(journal, query))
        self._ahead: Entry | None = None

    def look(self) -> bool:
        """Have the next entry at hand; False when there is none."""
        if self._ahead is None:
            self._ahead = next(self._entries, None)
        if self._ahead is not None:
            self.next = self._ahead.at
        return self._ahead is not None

    def take(self) -> Entry | None:
        found, self._ahead = self._ahead, None
        return found


def paths(reader: Reader) -> list[str]:
    """The journal files of this machine, whole and damaged ones."""
    found = []
    for top in FOLDERS:
        for machine in reader.names(top, 64):
            if machine == "remote":
                continue  # what other machines sent here
            folder = f"{top}/{machine}"
            found += [f"{folder}/{name}" for name in reader.names(folder) if name.endswith((".journal", ".journal~"))]
    return found


def search(opened: list[tuple[int, str]], query: Query, late: Callable[[], str]) -> dict[str, Any]:
    """`lines` (Line, the newest last) of these open files, `looked_at` entries, `damaged` files, `cut`."""
    streams, damaged = [], []
    for descriptor, name in opened:
        try:
            streams.append(Stream(Journal(descriptor, name), query))
        except ToolFault:
            damaged.append(name)
    found: list[Line] = []
    looked = 0
    cut = ""
    for stream, entry in merged(list(streams)):
        looked += 1
        if looked % LOOK == 0:
            cut = late()
            if cut:
                break
        line = _fitting(stream, entry, query)
        if line is not None:
            found.append(line)
            if len(found) >= query.limit:
                break
    damaged += [name for (_, name), stream in zip(opened, streams) if stream.journal.torn]
    return {"lines": found[::-1], "looked_at": looked, "damaged": damaged, "cut": cut}


def candidates(journal: Journal, query: Query) -> list[int] | None:
    """The data objects of which an entry must have one; None when every entry has to be looked at."""
    if query.unit:
        names = spellings(query.unit)
        found = [place for field in _UNITS for place, value in journal.values(field) if value in names]
        return found + [place for field in _BARE for place, value in journal.values(field) if value == query.unit]
    if query.priority is not None and query.priority < 5:
        levels = "01234"[: query.priority + 1]
        return [place for place, value in journal.values("PRIORITY") if len(value) == 1 and value in levels]
    return None


def merged(streams: list[Stream]) -> Iterator[tuple[Stream, Entry]]:
    """The entries of all, the newest first; a stream that is outside for long is dropped by who reads it."""
    while streams:
        newest = max(streams, key=lambda stream: stream.next)
        before = newest.next
        if newest.outside > OUTSIDE or not newest.look():
            streams.remove(newest)
            continue
        if newest.next < before and any(other.next > newest.next for other in streams):
            continue  # it is older than it seemed: another one may be newer
        entry = newest.take()
        if entry is not None:
            yield newest, entry


def _fitting(stream: Stream, entry: Entry, query: Query) -> Line | None:
    """The line of an entry when it is what is asked for."""
    at = entry.at / 1e6
    before = (query.since is not None and at < query.since) or (query.boot and entry.boot != query.boot)
    stream.outside = stream.outside + 1 if before else 0
    if before or (query.until is not None and at > query.until):
        return None
    fields = fields_of(stream.journal, entry)
    if query.unit and not is_unit(fields, query.unit):
        return None
    priority = fields.get("PRIORITY", "")
    level = int(priority) if len(priority) == 1 and priority in "01234567" else None
    if query.priority is not None and (level is None or level > query.priority):
        return None
    text = message(fields)
    if query.text.lower() not in text.lower():
        return None
    return Line(at, text, level, next((fields[name] for name in _UNITS if name in fields), ""))


def fields_of(journal: Journal, entry: Entry) -> dict[str, str]:
    """The fields that are used, as text; of a name that comes twice the first."""
    found: dict[str, str] = {}
    known = journal.known
    for place in entry.fields:
        name, value = known.get(place) or journal.field(place)
        if (name in _WANTED or name[:1] == "?") and name not in found:
            found[name] = value[:LINE]
    return found


def is_unit(fields: dict[str, str], unit: str) -> bool:
    """True when an entry is of, or about, the unit; `nginx` means `nginx.service` and what calls itself nginx."""
    names = spellings(unit)
    return any(fields.get(name) in names for name in _UNITS) or any(fields.get(name) == unit for name in _BARE)


def spellings(unit: str) -> tuple[str, ...]:
    """What the field of a unit may hold when a person says `unit`."""
    return (unit,) if "." in unit else (unit, f"{unit}.service")


def message(fields: dict[str, str]) -> str:
    """`source[pid]: text`, as syslog writes it."""
    source = next((fields[name].rpartition("/")[2] for name in _SOURCES if name in fields), "")
    pid = fields.get("SYSLOG_PID") or fields.get("_PID") or ""
    text = fields.get("MESSAGE")
    if text is None:
        packed = next((name[1:] for name in fields if name[:1] == "?"), "")
        text = f"[message compressed by {packed}, which is not readable here]" if packed else "[no message]"
    head = f"{source}[{pid}]: " if source and pid else f"{source}: " if source else ""
    return head + text


def close(opened: list[tuple[int, str]]) -> None:
    """Close what was opened."""
    for descriptor, _ in opened:
        os.close(descriptor)
