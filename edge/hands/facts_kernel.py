"""The kernel's messages: read from the ring by syslog(2), action 3, which takes nothing out of it.

It needs CAP_SYSLOG, or a kernel with dmesg_restrict=0 (kernel documentation, sysctl/kernel). A line is
`<priority>[seconds since boot] text`; lines without a head continue the one before.
"""

from __future__ import annotations

from edge.hands.facts_log import Line, Query

_READ_ALL, _SIZE = 3, 10
_MOST = 4 << 20  # bytes of the ring


def ring() -> tuple[bytes, str]:
    """The messages, and why there are none (a sentence)."""
    try:
        import ctypes

        library = ctypes.CDLL(None, use_errno=True)
        size = min(_MOST, max(4096, library.klogctl(_SIZE, None, 0)))
        room = ctypes.create_string_buffer(size)
        count = library.klogctl(_READ_ALL, room, size)
    except (ImportError, OSError, AttributeError):
        return b"", "the C library has no way to read the kernel's messages"
    if count < 0:
        return b"", "the kernel does not show its messages to this user (CAP_SYSLOG, or kernel.dmesg_restrict=0)"
    return room.raw[:count], ""


def lines(raw: bytes, query: Query, booted: float | None) -> list[Line]:
    """The newest messages that fit, the newest last; `booted` is when the kernel started, in seconds since 1970."""
    found: list[Line] = []
    needle = query.text.lower()
    unit = query.unit.lower()
    for text in reversed(raw.decode("utf-8", "replace").splitlines()):
        line = parsed(text, booted)
        if line.at is not None and query.since is not None and line.at < query.since:
            break
        late = line.at is not None and query.until is not None and line.at > query.until
        low = line.text.lower()
        if late or needle not in low or unit not in low:
            continue
        if query.priority is not None and (line.priority is None or line.priority > query.priority):
            continue
        found.append(line)
        if len(found) >= query.limit:
            break
    return found[::-1]


def parsed(text: str, booted: float | None) -> Line:
    """One message: its priority is the lower three bits of the number, its time is counted from the boot."""
    level, closed, rest = text[1:].partition(">")
    if text[:1] != "<" or not closed or not level.isdecimal() or len(level) > 4:
        return Line(None, text)
    clock = rest[1:].partition("]")[0].strip() if rest[:1] == "[" else ""
    seconds = float(clock) if clock.replace(".", "", 1).isdecimal() and len(clock) < 24 else None
    at = None if seconds is None or booted is None else booted + seconds
    return Line(at, rest, int(level) & 7)
