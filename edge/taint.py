"""What of the workspace was written from untrusted words, and whether this conversation has heard any.

Rules:
1. A conversation that has heard untrusted words stays tainted to its end, and when it is resumed.
2. A path is marked before it is written; a mark outlives the conversation, in `taint.jsonl` of the state folder.
3. What a command wrote that is not understood is found by its time of change afterwards. When there is too much to
   look through, the whole root is marked: more is asked then, never less.
4. Marks that cannot be kept or read taint everything: the sentence says so.
5. A path counts as it is spelled and as it really is: a file that is written through a link is read without it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 4096  # marks
_LOOKS = 20_000  # entries of a workspace that are looked at for rule 3
_TICK = 0.02  # seconds by which a file's time may lie before the clock: it is that of the kernel's last tick
_LARGEST = 4 << 20  # bytes of the file of marks


class Taint:
    """`source` is where the first untrusted words of this conversation came from, "" when there were none."""

    def __init__(self, state: str = "", source: str = "") -> None:
        self.source = source
        self._path = state + "/taint.jsonl" if state else ""
        self._marks: dict[str, tuple[bool, str]] | None = None

    @property
    def marked(self) -> bool:
        """True when anything is: else `of` need not be asked."""
        return bool(self._known())

    def heard(self, source: str) -> bool:
        """Untrusted words came from `source`; True when they are the first."""
        first = bool(source) and not self.source
        if first:
            self.source = source
        return first

    def of(self, paths: Iterable[tuple[str, bool]]) -> str:
        """Where the words in one of these (path, with all below) came from, "" when from nowhere untrusted."""
        marks = self._known()
        if not marks:
            return ""
        for path, deep in _real(paths):
            for marked, (below, source) in marks.items():
                if marked == path or (below and _inside(path, marked)) or (deep and _inside(marked, path)):
                    return source
        return ""

    def mark(self, paths: Iterable[tuple[str, bool]]) -> None:
        """These are about to be written from what this conversation has heard."""
        marks = self._known()
        if not self.source:
            return
        import json

        told = _real(paths)
        fresh = [(path, deep) for path, deep in told if marks.get(path, (False, ""))[0] < deep or path not in marks]
        if not fresh:
            return
        if len(marks) + len(fresh) > MOST:
            fresh = [("/", True)]
        lines = [json.dumps({"path": path, "deep": deep, "source": self.source}) + "\n" for path, deep in fresh]
        for path, deep in fresh:
            marks[path] = (deep, self.source)
        if self._path:
            self._append(("\n" + "".join(lines)).encode())  # never glued to a torn line

    def changed(self, roots: Iterable[str], since: float) -> None:
        """Mark what changed below the roots since the wall-clock time `since` (rule 3)."""
        for root in roots:
            found = _changed(root, since - _TICK)
            self.mark([(root, True)] if found is None else [(path, False) for path in found])

    def _append(self, lines: bytes) -> None:
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                if os.write(handle, lines) != len(lines):
                    raise OSError  # a card that is nearly full takes a part
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError:
            self._marks = {"/": (True, "what was written earlier; the marks could not be kept")}

    def _known(self) -> dict[str, tuple[bool, str]]:
        if self._marks is None:
            self._marks = _read(self._path) if self._path else {}
        return self._marks


def _real(paths: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """The paths as they are spelled and as they really are (rule 5)."""
    told = [(one, deep) for path, deep in paths for one in (path, os.path.realpath(path))]
    return list(dict.fromkeys(told))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _read(path: str) -> dict[str, tuple[bool, str]]:
    """The marks that were kept; a torn line is passed over, anything worse marks everything (rule 4)."""
    all_of_it = {"/": (True, "what was written earlier; its marks cannot be read")}
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return {}
    except OSError:
        return all_of_it
    try:
        raw = b""
        while len(raw) <= _LARGEST and (block := os.read(handle, 1 << 20)):
            raw += block
    except OSError:
        return all_of_it
    finally:
        os.close(handle)
    import json

    marks: dict[str, tuple[bool, str]] = {}
    for line in raw.split(b"\n"):
        if not line.endswith(b"}"):
            continue  # empty, or torn by a power cut: what it would have marked was never written
        try:
            mark = json.loads(line)
            marks[str(mark["path"])] = (bool(mark["deep"]), str(mark["source"]))
        except (ValueError, KeyError, TypeError):
            return all_of_it
    return all_of_it if len(raw) > _LARGEST else marks


def _changed(root: str, since: float) -> list[str] | None:
    """Files below `root` whose status changed at `since` or later; None when there are too many to look at."""
    found: list[str] = []
    folders = [root]
    looked = 0
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    looked += 1
                    if looked > _LOOKS:
                        return None
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.stat(follow_symlinks=False).st_ctime >= since:
                        found.append(entry.path)
        except OSError:
            continue  # a folder that is gone or shut holds nothing that a tool could read
    return found
