"""When a request is worth another try, and after how long. Pure.

Rules:
1. Only a request of which no reply arrived is tried again, or one that was answered with one of these statuses.
2. Full jitter: a random part of a span that doubles from try to try, so that many boards that lost the same server
   do not come back together.
3. What the server asks for (Retry-After) is kept, never shortened.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STATUSES = frozenset((408, 409, 425, 429))
FIRST = 0.5  # seconds
LONGEST = 8.0


def worth(status: int) -> bool:
    """True for the statuses that may go away by themselves."""
    return status in STATUSES or 500 <= status <= 599


def span(tries: int, chance: Callable[[], float], asked: float | None) -> float:
    """Seconds to wait after `tries` tries (1, 2, ...). `chance` gives 0..1; `asked` is what the server wants."""
    jitter = chance() * min(LONGEST, FIRST * 2.0 ** (min(tries, 16) - 1))
    return jitter if asked is None else asked + 0.1 * jitter


def asked(retry_after: str, date: str, now: float) -> float | None:
    """Retry-After (RFC 9110, 10.2.3) in seconds: a number, or a date against the server's own Date. None if neither.

    `now` (wall clock) serves only where the server sent no Date: the clock of a board may be wrong.
    """
    value = retry_after.strip()
    if not value:
        return None
    if value.replace(".", "", 1).isdigit() and value.isascii():
        return min(float(value[:16]), 1e9)
    until = _moment(value)
    if until is None:
        return None
    server = _moment(date)
    return max(0.0, until - (now if server is None else server))


def _moment(date: str) -> float | None:
    from email.utils import mktime_tz, parsedate_tz

    try:
        parsed = parsedate_tz(date)
        return None if parsed is None else float(mktime_tz(parsed))
    except (ValueError, OverflowError, IndexError):
        return None
