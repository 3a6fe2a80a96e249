"""Where tapes lie and what they are called.

Rules:
1. A tape is `NAME.jsonl` in the folder `tapes` of the state folder; what was cut off it is `NAME.torn-N` beside it.
2. NAME is YYYYMMDD-HHMMSS-xxxx, local time and four random hex digits, unless it was given.
3. Names sort in the order of birth even when the clock went back (a board without a clock chip may start an
   hour behind): a new name is later than every name of this form in the folder.
"""

from __future__ import annotations

import os
import time

from edge.faults import TapeFault, UsageFault

SUFFIX = ".jsonl"
LONGEST = 64
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def tapes(state: str) -> str:
    """The folder of tapes of a state folder."""
    return os.path.join(state, "tapes")


def path_of(folder: str, name: str) -> str:
    """The file of a tape. UsageFault when `name` is none: 1 to 64 letters, digits, `.`, `_`, `-`, no `.` first."""
    if not name or len(name) > LONGEST or name[0] == "." or not _ALLOWED.issuperset(name):
        raise UsageFault(f"{name!r} is no name of a tape", "use at most 64 letters, digits, dots and dashes")
    return os.path.join(folder, name + SUFFIX)


def names(folder: str) -> list[str]:
    """The tapes in `folder`, the oldest first; none when the folder is not there yet."""
    try:
        found = os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TapeFault(f"the folder of tapes {folder} cannot be read: {error.strerror}") from error
    return sorted(name[: -len(SUFFIX)] for name in found if name.endswith(SUFFIX) and name[0] != ".")


def new_name(folder: str, wall: float) -> str:
    """A name for a tape born at `wall` (seconds since 1970) that sorts after those in `folder` (rule 3)."""
    now = _stamp(wall)
    latest = max((name[:15] for name in names(folder) if _is_stamped(name)), default="")
    if now <= latest:
        now = _stamp(_seconds(latest) + 1)
    return f"{now}-{os.urandom(2).hex()}"


def find(folder: str, name: str) -> str:
    """The one tape that `name` means: its name, a beginning that only it has, or `last`.

    UsageFault, with the newest names, when there is none or more than one.
    """
    known = names(folder)
    if name == "last" and known:
        return known[-1]
    hits = [one for one in known if one.startswith(name)] if name else []
    if name in hits or len(hits) == 1:
        return name if name in hits else hits[0]
    newest = ", ".join((hits or known)[-5:][::-1])
    if not known:
        raise UsageFault(f"there is no tape yet: nothing was recorded in {folder}")
    if hits:
        raise UsageFault(f"{len(hits)} tapes begin with {name}", f"the newest are {newest}")
    raise UsageFault(f"there is no tape {name}", f"the newest are {newest}; `last` is the newest")


def _stamp(wall: float) -> str:
    try:
        return time.strftime("%Y%m%d-%H%M%S", time.localtime(max(0.0, wall)))
    except (OverflowError, ValueError):
        return "19700101-000000"


def _is_stamped(name: str) -> bool:
    return len(name) == 20 and name[8] == name[15] == "-" and (name[:8] + name[9:15]).isdigit()


def _seconds(stamp: str) -> float:
    """Seconds since 1970 of a stamp; a field out of range carries over (mktime(3))."""
    year, month, day, hour, minute, second = (int(stamp[a:b]) for a, b in _FIELDS)
    try:
        return time.mktime((year, month, day, hour, minute, second, 0, 0, -1))
    except (OverflowError, ValueError):
        return 0.0


_FIELDS = ((0, 4), (4, 6), (6, 8), (9, 11), (11, 13), (13, 15))
