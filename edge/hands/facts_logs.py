"""Which log answers a question: the kernel's ring, the journal, syslog's files, or one file that was named.

Rules:
1. The system's log is the journal where there is one, else the first file of TEXTS that can be read, with the one
   that was rotated away before it.
2. What a source cannot filter by is told in `notes`, never silently left out.
"""

from __future__ import annotations

import os
import time

from edge.faults import ToolFault
from edge.hands.facts_log import PRIORITIES, Line, Query, moment, tail
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.hands.facts_reader import Reader

    Facts = dict[str, Any]

_CLOSED = "{} journal files were not readable for this user or too many"
TEXTS = ("/var/log/syslog", "/var/log/messages", "/run/log/messages")


def query(limit: int, asked: Mapping[str, Any], now: float) -> Query:
    """What a caller asks for. ToolFault for a time that is none."""
    times = {}
    for name in ("since", "until"):
        wanted = name in asked and not (name == "since" and asked[name].strip().lower() == "boot")
        times[name] = moment(asked[name], now) if wanted else None
        if wanted and times[name] is None:
            raise ToolFault(f"{name} is no time: {asked[name][:60]!a}", "for example 2h, 30min, boot, 2026-05-20T10:00")
    boot = "this" if "since" in asked and times["since"] is None else ""
    words = asked.get("text", ""), asked.get("unit", "")
    return Query(limit, *words, asked.get("priority"), times["since"], times["until"], boot)


def booted(reader: Reader, now: float) -> float | None:
    """When this boot began by the present clock; None when /proc does not tell the uptime."""
    words = (reader.text("/proc/uptime", 128) or "").split()
    return now - float(words[0]) if words and words[0].replace(".", "", 1).isdigit() else None


def kernel(reader: Reader, query: Query, now: float) -> Facts:
    """The ring of this boot. ToolFault when the kernel does not show it."""
    from edge.hands.facts_kernel import lines, ring

    raw, why = ring()
    if why:
        raise ToolFault(why, "source=system may have what the kernel said")
    return told("kernel", lines(raw, query, booted(reader, now)), [], dated=True)


def system(reader: Reader, query: Query, now: float, late: Callable[[], str]) -> Facts:
    """The journal, else syslog's file. ToolFault when neither can be read."""
    from edge.hands import journal

    found = journal.paths(reader)
    opened = [(one, path) for path in found[: journal.FILES] for one in [reader.opened(path)] if one is not None]
    try:
        if opened:
            notes = [_CLOSED.format(len(found) - len(opened))] if len(found) > len(opened) else []
            return entries(reader, query, late, opened, notes)
    finally:
        journal.close(opened)
    for path in TEXTS:
        descriptor = reader.opened(path)
        if descriptor is not None:
            return _rotated(reader, descriptor, path, query, now, late)
    why = "its files are not readable for this user" if found else "there is no journal and no syslog file"
    raise ToolFault(f"the system's log cannot be read: {why}", "source=kernel, or source=PATH of a log file")


def entries(
    reader: Reader, query: Query, late: Callable[[], str], opened: list[tuple[int, str]], notes: list[str]
) -> Facts:
    """The entries of open journal files."""
    from edge.hands import journal

    boot = (reader.text("/proc/sys/kernel/random/boot_id", 64) or "").replace("-", "") if query.boot else ""
    found = journal.search(opened, replace(query, boot=boot), late)
    if query.boot and not boot:
        notes.append("since=boot had no effect: this kernel tells no boot id")
    if found["damaged"]:
        notes.append(f"{len(found['damaged'])} journal files are damaged; what could be read of them is here")
    if found["cut"]:
        notes.append(f"stopped after {found['looked_at']:,} entries {found['cut']}; older ones were not looked at")
    return told("journal", found["lines"], notes, dated=True)


def _rotated(reader: Reader, descriptor: int, path: str, query: Query, now: float, late: Callable[[], str]) -> Facts:
    """A file of syslog; what is missing of the lines asked for comes from the one before it."""
    found, notes = text(descriptor, reader, query, now, late)
    before = reader.opened(f"{path}.1") or reader.opened(f"{path}.0")
    if before is not None:
        if len(found) < query.limit and not late():
            older, _ = text(before, reader, replace(query, limit=query.limit - len(found)), now, late)
            found = older + found
        else:
            os.close(before)
    return told(path, found, notes)


def text(
    descriptor: int, reader: Reader, query: Query, now: float, late: Callable[[], str]
) -> tuple[list[Line], list[str]]:
    """The lines of one open text file, which is closed, and what it could not be asked."""
    notes = []
    if query.priority is not None:
        notes.append("priority had no effect: a text file does not tell it")
    if query.boot:
        start = booted(reader, now)
        if start is None:
            notes.append("since=boot had no effect: the uptime is not known")
        else:
            query = replace(query, since=max(start, query.since or 0.0))
    try:
        found = tail(descriptor, query, now, late)
    finally:
        os.close(descriptor)
    cut = late()
    return found, [*notes, f"stopped {cut}"] if cut else notes


def when(at: float) -> str:
    """The local date and time; "" for one that no calendar has."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
    except (OverflowError, OSError, ValueError):
        return ""


def told(source: str, lines: list[Line], notes: list[str], dated: bool = False) -> Facts:
    """The result of a source, as plain values; `dated`: its lines do not begin with their date."""
    rows = []
    for line in lines:
        row: Facts = {"text": line.text}
        if line.at is not None:
            row["unix_seconds"] = round(line.at, 3)
            row.update({"when": when(line.at)} if dated else {})
        if line.priority is not None:
            row["priority"] = PRIORITIES[line.priority]
        if line.unit:
            row["unit"] = line.unit
        rows.append(row)
    return {"source": source, "lines": rows, "notes": notes}
