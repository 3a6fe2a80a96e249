"""Finding a guard that runs already, and becoming one of its agents.

Rules this file keeps:
1. A guard is joined only when it was told to own the same, text for text. Else what differs is said, and nobody is
   joined: two agents that read different settings would each expect other limits.
2. A guard that is just ending is none: whoever asks starts the next one.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.guard import differ, door, folder
from edge.peripherals.guard.spawn import Elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.peripherals.guard.client import Board

SECONDS = 5.0


def running(cls: type[Board], where: str, said: str, run: str, state: str) -> Board | None:
    """The board that runs in the folder `where`, joined; None when none does, or it is just ending.

    HardwareFault: it does not answer, or it was told to own something else than `said`.
    """
    path = folder.asked_at(where)
    theirs = door.description(path) if path else None
    if theirs is None:
        return None
    if theirs != said:
        how = differ.difference(theirs, said)
        raise HardwareFault(
            f"another {folder.what(where)} is using {where}, and it was told to own something else ({how})",
            "end that one, or use --state DIR with another folder",
        )
    return joined(cls, path, run, state)


def joined(cls: type[Board], path: str, run: str, state: str) -> Board | None:
    """The guard at the socket `path`, as an agent; None when nobody listens there (any more). HardwareFault."""
    try:
        socket = door.connect(path, SECONDS)
    except OSError as error:
        raise door.mute(path, error) from error
    if socket is None:
        return None
    board = cls(Elsewhere(door.credentials(socket)[0]), socket)
    try:
        board.greet(run, state)
    except HardwareFault:
        if board.ended:
            return None
        raise
    board.path = path
    return board
