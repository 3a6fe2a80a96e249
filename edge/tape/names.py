"""Where tapes lie and what they are called.

Rules:
1. A tape is `NAME.jsonl` in the folder `tapes` of the state folder; what was cut off it is `NAME.torn-N` beside it.
2. NAME is YYYYMMDD-HHMMSS-xxxx, local time and four random hex digits, unless it was given.
3. Names sort in the order of birth even when the clock went back (a board without a clock chip may start an
   hour behind): a new name is later than every name of this form in the folder.
4. What is called like a tape but is none (a folder, a pipe, a link, a name that `path_of` refuses) is passed over.
"""

from __future__ import annotations

import os
import time

from edge.faults import TapeFault, UsageFault

SUFFIX = ".jsonl"
LONGEST = 64
HEAD = 64  # records among which the first line of the operator is looked for
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def tapes(state: str) -> str:
    """The folder of tapes of a state folder."""
    return os.path.join(state, "tapes")


def path_of(folder: str, name: str) -> str:
    """The file of a tape. UsageFault when `name` is none: 1 to 64 letters, digits, `.`, `_`, `-`, no `.` first."""
    if not _is_name(name):
        raise UsageFault(f"{name!r} is no name of a tape", "use at most 64 letters, digits, dots and dashes")
    return os.path.join(folder, name + SUFFIX)


def names(folder: str) -> list[str]:
    """The tapes in `folder`, the oldest first; none when the folder is not there yet. TapeFault: it cannot be read."""
    return sort(folder)[0]


def sort(folder: str) -> tuple[list[str], list[str]]:
    """The tapes in `folder`, the oldest first, and the names of files that only look like tapes (rule 4)."""
    tapes, odd = [], []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name[: -len(SUFFIX)]
                if not entry.name.endswith(SUFFIX) or entry.name[0] == ".":
                    continue
                if _is_name(name) and entry.is_file(follow_symlinks=False):
                    tapes.append(name)
                else:
                    odd.append(entry.name)
    except FileNotFoundError:
        return [], []
    except OSError as error:
        raise TapeFault(f"the folder of tapes {folder} cannot be read: {error.strerror}") from error
    return sorted(tapes), sorted(odd)


def new_name(folder: str, wall: float) -> str:
    """A name for a tape born at `wall` (seconds since 1970) that sorts after those in `folder` (rule 3)."""
    now = _stamp(wall)
    latest = max((name[:15] for name in names(folder) if _is_stamped(name)), default="")
    if now <= latest:
        now = _stamp(_seconds(latest) + 1)
    return f"{now}-{os.urandom(2).hex()}"


def find(folder: str, name: str) -> str:
    """The one tape that `name` means: its name, a beginning that only it has, or `last`.

    `last` is the newest tape on which somebody said something; where there is none, the newest that holds a record,
    or the newest of all. UsageFault, with the newest names, when there is none or more than one.
    """
    known = names(folder)
    if name == "last" and known:
        return _last(folder, known)
    hits = [one for one in known if one.startswith(name)] if name else []
    if name in hits or len(hits) == 1:
        return name if name in hits else hits[0]
    newest = ", ".join((hits or known)[-5:][::-1])
    if not known:
        raise UsageFault(f"there is no tape yet: nothing was recorded in {folder}")
    if hits:
        raise UsageFault(f"{len(hits)} tapes begin with {name}", f"the newest are {newest}")
    raise UsageFault(f"there is no tape {name}", f"the newest are {newest}; `last` is the newest")


def _last(folder: str, known: list[str]) -> str:
    written = ""
    for name in reversed(known):
        kinds = _kinds(path_of(folder, name))
        if "line" in kinds:
            return name
        written = written or (name if kinds else "")
    return written or known[-1]


def _kinds(path: str) -> set[str]:
    """The kinds among the first HEAD records of a tape; none when it cannot be read."""
    from edge.tape.disk import regular
    from edge.tape.form import valid

    try:
        fd = regular(path)
    except OSError:
        return set()
    try:
        records = valid(lambda count, offset: os.pread(fd, count, offset))
        return {record["kind"] for _, (*_, record) in zip(range(HEAD), records)}
    except OSError:
        return set()
    finally:
        os.close(fd)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST and name[0] != "." and _ALLOWED.issuperset(name)


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
