"""Processes from /proc.

Rules:
1. Of each process only `stat` is read; more only of those that are shown, or where a text is looked for.
2. A process that ends meanwhile is left out. At most MOST are looked at, and a cap that bites is told.
3. CPU is measured over a stated interval, or since the process was started; 100 is one processor.
4. Command lines may hold secrets: what an option's name or an address says is one is taken out (facts_words.py
   has how). The environment is never read.
"""

from __future__ import annotations

import os
import time

from edge.faults import ToolFault
from edge.hands.facts_reader import known, number, pairs
from edge.hands.facts_words import hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.hands.facts_reader import Reader

    Facts = dict[str, Any]

MOST = 5000  # processes
LINE = 300  # characters of a command line
STATES = {
    "R": "running",
    "S": "sleeping",
    "D": "waiting for a device",
    "Z": "zombie",
    "T": "stopped",
    "t": "traced",
    "I": "idle",
    "X": "dead",
}


def processes(
    reader: Reader,
    seconds: float,
    sort: str,
    text: str,
    limit: int,
    wait: Callable[[float], None],
    late: Callable[[], str],
) -> Facts:
    """The first `limit` processes by `cpu`, `memory` or `pid` whose name or command line holds `text`."""
    pids = tuple(name for name in reader.names("/proc", MOST + 4096) if name.isdigit())
    if not pids:
        raise ToolFault("this system tells of no processes", "process_list needs /proc to be mounted and readable")
    looked = pids[:MOST]
    rows = stats(reader, looked, late)
    uptime = _uptime(reader)
    measured = _measured(reader, rows, seconds, wait, late) if seconds > 0 else 0.0
    for row in rows:
        _cpu(row, uptime, measured)
    users = names_of(reader.text("/etc/passwd", 1 << 20))
    if text:
        for row in rows:
            _describe(reader, row, users)
        rows = [row for row in rows if text.lower() in f"{row['name']} {row.get('command', '')}".lower()]
    rows.sort(key=_ORDERS[sort])
    shown = rows[:limit]
    for row in shown:
        if not text:
            _describe(reader, row, users)
        _finish(row, uptime)
    rest = {
        "matching": len(rows),
        "looked_at": len(looked),
        "not_looked_at": len(pids) - len(looked) or None,
        "cpu_over_seconds": round(measured, 2) if measured else None,
        "cut": late() or None,
    }
    return {"processes": shown, **known(rest)}


_ORDERS: dict[str, Callable[[Facts], Any]] = {
    "cpu": lambda row: (-row.get("cpu_percent", 0.0), -row["ticks"], row["pid"]),
    "memory": lambda row: (-row["rss_bytes"], row["pid"]),
    "pid": lambda row: row["pid"],
}


def stats(reader: Reader, pids: tuple[str, ...], late: Callable[[], str]) -> list[Facts]:
    """The facts of /proc/PID/stat for each that is still there."""
    found = []
    for place, pid in enumerate(pids):
        if place % 256 == 255 and late():
            break
        row = stat(reader.data(f"/proc/{pid}/stat", 4096))
        if row is not None:
            found.append(row)
    return found


def stat(raw: bytes | None) -> Facts | None:
    """One line of /proc/PID/stat (proc(5)); the name may hold blanks, brackets and line ends. None when it is none."""
    head, closed, rest = (raw or b"").rpartition(b")")
    pid, opened, name = head.partition(b" (")
    words = rest.split()
    if not closed or not opened or len(words) < 22 or not pid.isdigit():
        return None
    numbers = [number(word.decode("ascii", "replace")) for word in words[1:22]]
    parent, user, system, threads, started, pages = (numbers[place] for place in (0, 10, 11, 16, 18, 20))
    if parent is None or user is None or system is None or threads is None or started is None or pages is None:
        return None
    return {
        "pid": int(pid),
        "parent": parent,
        "name": name.decode("utf-8", "replace"),
        "state": words[0].decode("ascii", "replace"),
        "threads": threads,
        "rss_bytes": max(0, pages) * os.sysconf("SC_PAGE_SIZE"),
        "ticks": user + system,
        "start": started,
    }


def _measured(
    reader: Reader, rows: list[Facts], seconds: float, wait: Callable[[float], None], late: Callable[[], str]
) -> float:
    """Let `seconds` pass and put into each row what it used meanwhile (`used`, in ticks); the seconds measured."""
    begun = time.monotonic()
    wait(seconds)
    after = {row["pid"]: row for row in stats(reader, tuple(str(row["pid"]) for row in rows), late)}
    for row in rows:
        again = after.get(row["pid"])
        if again is not None and again["start"] == row["start"]:
            row["used"] = again["ticks"] - row["ticks"]
    return time.monotonic() - begun


def _cpu(row: Facts, uptime: float, measured: float) -> None:
    """The share of one processor: over the interval, else over the life of the process; none when neither is known."""
    ticks = os.sysconf("SC_CLK_TCK")
    if measured:
        if "used" in row:
            row["cpu_percent"] = round(100 * row.pop("used") / ticks / measured, 1)
        return
    lived = uptime - row["start"] / ticks
    if lived > 0:
        row["cpu_percent"] = round(100 * row["ticks"] / ticks / lived, 1)


def _describe(reader: Reader, row: Facts, users: dict[int, str]) -> None:
    """User, swap and command line, as far as they are told."""
    told = pairs(reader.text(f"/proc/{row['pid']}/status", 8192))
    uid = number((told.get("Uid") or "").split("\t")[0])
    swapped = number((told.get("VmSwap") or "").partition(" ")[0])
    if uid is not None:
        row["user"] = users.get(uid, str(uid))
    if swapped:
        row["swap_bytes"] = swapped * 1024
    line = reader.data(f"/proc/{row['pid']}/cmdline", 8192)
    if line:
        words = [word.decode("utf-8", "replace") for word in line.rstrip(b"\0").split(b"\0")]
        command = " ".join(hidden(words))
        row["command"] = command if len(command) <= LINE else command[:LINE] + " [cut]"


def _finish(row: Facts, uptime: float) -> None:
    """Names and units for who reads it."""
    ticks = os.sysconf("SC_CLK_TCK")
    lived = uptime - row.pop("start") / ticks
    row["cpu_seconds"] = round(row.pop("ticks") / ticks, 2)
    if lived >= 0 and uptime:
        row["age_seconds"] = round(lived)
    row["state"] = STATES.get(row["state"], row["state"])


def _uptime(reader: Reader) -> float:
    words = (reader.text("/proc/uptime", 128) or "").split()
    return float(words[0]) if words and words[0].replace(".", "", 1).isdigit() else 0.0


def names_of(passwd: str | None) -> dict[int, str]:
    """User number -> name, from passwd(5); the first line of a number counts."""
    found: dict[int, str] = {}
    for line in (passwd or "").splitlines():
        parts = line.split(":")
        uid = number(parts[2]) if len(parts) > 3 else None
        if uid is not None:
            found.setdefault(uid, parts[0])
    return found
