"""Which agents are at work on a state folder, told by their tapes: nobody is asked, so a hung one is seen as well.

Rules:
1. A tape that a process holds for writing belongs to a living agent (edge.tape.disk).
2. Its last record of a turn says whether a turn is open: `line` opens one, `answer` and `fault` end it.
"""

from __future__ import annotations

import os

from edge.record import Record
from edge.tape.disk import held, holder, regular
from edge.tape.form import backward, kind_of
from edge.tape.names import names, path_of, tapes

_OPENS = ("line",)
_ENDS = ("answer", "fault", "open", "close")


class Writer(Record):
    """A living agent: its tape, its process (0: not known), whether it is in the middle of a turn."""

    tape: str
    pid: int
    busy: bool


def writers(state: str) -> list[Writer]:
    """The agents that hold a tape of `state`, the oldest first. A tape that cannot be read counts as busy.

    TapeFault when the folder of tapes cannot be read.
    """
    folder = tapes(state)
    found = []
    for name in names(folder):
        path = path_of(folder, name)
        try:
            if held(path):
                found.append(_writer(name, path))
        except FileNotFoundError:
            continue  # archived or taken away in this instant
        except OSError:
            found.append(Writer(name, 0, True))
    return found


def _writer(name: str, path: str) -> Writer:
    fd = regular(path)
    try:
        return Writer(name, holder(fd), _busy(fd))
    finally:
        os.close(fd)


def _busy(fd: int) -> bool:
    """True when the last record of a turn opens one."""
    for _, block in backward(lambda count, offset: os.pread(fd, count, offset), os.fstat(fd).st_size):
        for line in reversed(block.split(b"\n")):
            kind = kind_of(line)
            if kind in _OPENS or kind in _ENDS:
                return kind in _OPENS
    return False
