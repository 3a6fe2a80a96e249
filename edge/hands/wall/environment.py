"""What a child finds in its environment, and its private folder for temporary files.

Rules:
1. The environment is made from a list of names, never copied: no key of the agent can be in it.
2. PATH is fixed to folders that only root writes. Programs see no terminal.
3. The folder for temporary files is the child's alone, and goes with everything in it when the call ends. A call
   that only reads what all may read has none.
"""

from __future__ import annotations

import os
import re
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Pairs = tuple[tuple[str, str], ...]

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_LOCALE = re.compile(r"[A-Za-z0-9_.@:/+,-]{1,100}")  # what a locale or a time zone can look like
_NAMES = ("LANG", "LANGUAGE", "TZ")


def environment(own: Mapping[str, str], home: str, temporary: str = "") -> Pairs:
    """The pairs for a child, from the agent's `own` environment, its home, and its folder for temporary files."""
    user = _user()
    made = {"PATH": PATH, "HOME": home or "/", "USER": user, "LOGNAME": user, "SHELL": "/bin/sh", "TERM": "dumb"}
    for name, value in own.items():
        if (name in _NAMES or name.startswith("LC_")) and _LOCALE.fullmatch(value):
            made[name] = value
    if temporary:
        made["TMPDIR"] = temporary
    return tuple(sorted(made.items()))


def _user() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def temporary() -> str:
    """A new folder (mode 0700) for one call. OSError when none can be made."""
    import tempfile

    return tempfile.mkdtemp(prefix="fieldhand-")


def remove(folder: str) -> bool:
    """Remove a folder with all below it, following no link; False when something stayed.

    What a child made unreadable is made writable first; a tree that is deeper than the program's own stack allows
    is taken apart from the top without recursion.
    """
    todo = [(folder, False)]
    while todo:
        path, emptied = todo.pop()
        if emptied:
            _quietly(os.rmdir, path)
            continue
        todo.append((path, True))
        _quietly(_open_up, path)
        try:
            with os.scandir(path) as entries:
                found = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            continue
        for name, is_folder in found:
            if is_folder:
                todo.append((name, False))
            else:
                _quietly(os.unlink, name)
    return not os.path.lexists(folder)


def _open_up(path: str) -> None:
    mode = os.lstat(path).st_mode
    if stat.S_ISDIR(mode) and mode & 0o700 != 0o700:
        os.chmod(path, 0o700)


def _quietly(act: Callable[[str], None], path: str) -> None:
    try:
        act(path)
    except OSError:
        return  # what stays is seen by the caller
