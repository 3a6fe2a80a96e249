"""The names of a repository: HEAD, branches, tags, and what moved them.

Rules:
1. A ref is a regular file of one line, or a line of `packed-refs`; `ref: NAME` is followed at most LINKS times.
2. Only `HEAD` and names below `refs/` are read. A change takes the lock, looks again, and replaces only what it
   expected there.
3. What moved a ref stands in its log, as git writes it: HEAD and branches.
"""

from __future__ import annotations

import os

from edge.faults import ToolFault
from edge.hands.open import said
from edge.hands.repo_names import is_id, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.hands.repo_folder import Folder
    from edge.hands.repo_objects import Person

LINKS = 5
_LINE = 4096
_PACKED = 16 << 20
_LOG = 4 << 20
_MOST = 10_000
ZERO = b"0" * 40


class Refs:
    """The names below the folder of a repository (`.git`)."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._old: dict[bytes, bytes] | None = None

    def head(self) -> tuple[bytes, bytes | None]:
        """The branch that HEAD names ("" when it names none) and its commit (None when there is none yet)."""
        name, value = self.follow(b"HEAD")
        return (b"" if name == b"HEAD" else name), value

    def follow(self, name: bytes) -> tuple[bytes, bytes | None]:
        """The name at the end of symbolic ones, and its object."""
        for _ in range(LINKS):
            value = self._value(name)
            if value is None or not value.startswith(b"ref:"):
                return name, value
            name = value[4:].strip()
            if not fits(name):
                break
        raise ToolFault("HEAD or a ref of the repository leads round in a circle, or to no ref", "git fsck tells more")

    def _value(self, name: bytes) -> bytes | None:
        try:
            text = self._folder.perhaps(name, _LINE)
        except IsADirectoryError:
            text = None
        except OSError as error:
            if os.path.isabs(name):
                raise
            raise ToolFault(f"the ref {shown(name)} cannot be read: {said(error)}") from error
        if text is None:
            return self.packed().get(name)
        text = text.strip()
        if text.startswith(b"ref:") or is_id(text):
            return text
        raise ToolFault(f"the ref {shown(name)} of the repository is broken", "git fsck tells more")

    def packed(self) -> dict[bytes, bytes]:
        if self._old is None:
            self._old = {}
            for line in (self._folder.perhaps(b"packed-refs", _PACKED) or b"").split(b"\n"):
                name, value = line[41:].strip(), line[:40]
                if is_id(value) and line[40:41] == b" " and fits(name):
                    self._old[name] = value
        return self._old

    def under(self, start: bytes) -> dict[bytes, bytes]:
        """Names below `start` (`refs/heads`) without it, and their objects; what is broken is left out."""
        found = {name: value for name, value in self.packed().items() if name.startswith(start + b"/")}
        waiting = [start]
        while waiting:
            folder = waiting.pop()
            try:
                listed = self._folder.names(folder)
            except (FileNotFoundError, NotADirectoryError):
                continue
            for name, is_folder, _ in listed:
                path = folder + b"/" + name
                if is_folder and path.count(b"/") < 20:
                    waiting.append(path)
                elif not is_folder and not name.endswith(b".lock"):
                    try:
                        value = self.follow(path)[1]
                    except ToolFault:
                        value = None
                    if value is not None:
                        found[path] = value
                if len(found) > _MOST:
                    raise ToolFault(f"the repository has more than {_MOST:,} names below {start.decode()}")
        return {name[len(start) + 1 :]: found[name] for name in sorted(found)}

    # --- changing ---

    def move(self, name: bytes, old: bytes | None, new: bytes, who: Person, why: str) -> None:
        """Let a ref stand for `new` instead of `old` (None: it must not be there). ToolFault when it does not."""
        with self._folder.lock(name) as lock:
            if self._value(name) != old:
                raise ToolFault(f"{shown(name)} was moved by something else meanwhile", "nothing was changed")
            lock.done(new + b"\n")
        self.log(name, old or ZERO, new, who, why)

    def attach(self, branch: bytes, old: bytes | None, new: bytes | None, who: Person, why: str) -> None:
        """Let HEAD name a branch (`refs/heads/...`), or a commit when `branch` is nothing."""
        with self._folder.lock(b"HEAD") as lock:
            lock.done(b"ref: " + branch + b"\n" if branch else (new or ZERO) + b"\n")
        self.log(b"HEAD", old or ZERO, new or ZERO, who, why)

    def drop(self, name: bytes) -> None:
        """A ref goes, with its log."""
        with self._folder.lock(name) as lock:
            if name in self.packed():
                with self._folder.lock(b"packed-refs") as old:
                    lines = (self._folder.perhaps(b"packed-refs", _PACKED) or b"").splitlines(keepends=True)
                    old.done(b"".join([line for line in lines if line[41:].strip() != name]))
                self._old = None
            lock.drop()
        with self._folder.lock(b"logs/" + name) as lock:
            lock.drop()

    def log(self, name: bytes, old: bytes, new: bytes, who: Person, why: str) -> None:
        sign, zone = ("-" if who.zone < 0 else "+"), abs(who.zone) // 60
        line = f"{who.name} {who.seconds} {sign}{zone // 60:02}{zone % 60:02}\t{why.splitlines()[0] if why else ''}\n"
        self._folder.add(b"logs/" + name, old + b" " + new + b" " + line.encode("utf-8", "replace"))

    def logged(self, name: bytes) -> list[bytes]:
        """The lines of a ref's log, the oldest first."""
        return (self._folder.perhaps(b"logs/" + name, _LOG) or b"").splitlines()


def fits(name: bytes) -> bool:
    """True for the name of a ref below `refs/` that leads nowhere else."""
    parts = name.split(b"/")
    return parts[0] == b"refs" and len(parts) < 24 and not {b"", b".", b".."} & set(parts) and b"\0" not in name
