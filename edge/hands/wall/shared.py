"""A start in which the thread has to share its table of descriptors, its folder and its mask with the agent.

Rules:
1. Needed where unshare(2) is refused even for what is the caller's own, as in most containers. The wall itself is of
   a thread all the same; what the thread cannot change is changed in the child.
2. Descriptors: the three streams by actions of posix_spawn; what is inheritable besides is closed in the child, all
   else closes by itself at the exec.
3. Folder and mask: by a shell that stands behind the wall already and then becomes the program. A program that is not
   there ends with code 127 then, a folder that cannot be entered with 126.
4. There is no mount name space, and so no user of its own.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_BECOME = 'cd -- "$1" || exit 126; umask "$2"; shift 2; unset OLDPWD; exec "$@"'


def words(argv: Sequence[str], cwd: str, umask: int) -> list[str]:
    """What to start so that `argv` runs in `cwd` with this mask; no word is read by the shell on the way."""
    return ["/bin/sh", "-c", _BECOME, "sh", cwd, f"{umask:04o}", *argv]


class Handed:
    """The descriptors of a child, as actions of posix_spawn. `close` when it was started."""

    def __init__(self, streams: Sequence[int]) -> None:
        # Of so many copies the last three lie above what is filled in the child: 0 to 2.
        self._copies = [os.dup(fd) for fd in (*streams, *streams)]
        self.actions: list[tuple[Any, ...]] = [
            (os.POSIX_SPAWN_DUP2, fd, target) for target, fd in enumerate(self._copies[3:])
        ]
        self.actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable()]

    def close(self) -> None:
        """Let the copies go."""
        for fd in self._copies:
            os.close(fd)
        self._copies = []


def _inheritable() -> list[int]:
    """Descriptors above the streams that an exec would leave open: those the agent itself was started with."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2 and os.get_inheritable(int(name)):
                found.append(int(name))
        except OSError:
            continue  # the one that listed them
    return found
