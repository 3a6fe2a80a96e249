"""What a child behind the wall sees otherwise than it is, told to whoever reads its output.

Rules:
1. Told on success as well, but only where it matters: the sentence about mounts when the output speaks of them, about
   other users when it names nobody, about processes and network when the command is one that looks at those.
2. What was kept closed is told beside whatever copies whole folders: the copy holds a stand-in for it.
3. Where no wall holds the files that is told always.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT_CLOSED = "kept closed: "
READ_ONLY = "behind this wall every mount shows as read-only, whatever it is"
OTHERS = "the board's processes, mounts and network are not to be seen from this child, which may write"
NOBODY = "files of other users show as nobody's behind this wall"
_MOUNTS = re.compile(r"\bro\b|read-only", re.IGNORECASE)
_NOBODY = re.compile(r"\b(nobody|nogroup|65534)\b")
_BOARD = re.compile(
    r"/proc/|\b(ps|pgrep|pidof|p?kill|killall|h?top|lsof|fuser|mount|findmnt|df|lsblk|ip|ss|netstat|ifconfig|"
    r"iw|ping|systemctl|service)\b"
)
_COPIES = re.compile(r"\b(tar|cp|rsync|zip|7z|cpio|pax|scp|install|git|busybox|find|dd|mv)\b")


def copies(said: Sequence[str], text: str) -> tuple[str, ...]:
    """Of the sentences on what the wall closes, those that whoever reads of a copy must know too."""
    if not _COPIES.search(text):
        return ()
    return tuple([f"{one}; a copy has only a stand-in for it" for one in said if one.startswith(KEPT_CLOSED)])


def notes(level: str, only_reads: bool, root: bool, text: str, output: str) -> tuple[str, ...]:
    """The sentences for a command `text` that wrote `output` on a level; `root`: the agent is. None where all is so."""
    if level not in ("landlock", "namespaces"):
        return (f"no wall held the files (level {level}), only the rights of the user it ran as",)
    if level == "landlock":
        return ()
    found = []
    if only_reads and _MOUNTS.search(output):
        found.append(READ_ONLY)
    if not only_reads and _BOARD.search(text):
        found.append(OTHERS)
    if not root and _NOBODY.search(output):
        found.append(NOBODY)
    return tuple(found)
