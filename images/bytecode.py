"""Byte code that was compiled before, by what it was made of: a build after a small change compiles the change alone.

Rules:
1. The key is the hash of everything that decides the bytes: the Python that compiles, the program it compiles by, the
   source that is compiled first, the path on the board, and the source itself.
2. An entry carries the hash of its content; one that does not hold is as good as none, and is written anew.
3. At most LARGEST bytes stay, those that were used last: the newest builds of every product have all of theirs (a build
   uses 25 MB), and what no build asks for any more goes.
4. A build that is to be compared with another one uses no entry (`image build --twice`): what stands here is checked
   by it, like all else.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "images" / "bytecode"
MARK = 32  # bytes of a sha256
LARGEST = 200_000_000  # bytes


class Bytecode:
    """Entries in one folder, for one Python and its compiler; `folder` None: there are none and none are kept."""

    def __init__(self, folder: Path | None, python: Path, program: str, first: bytes) -> None:
        self._folder = folder
        made = hashlib.sha256()
        for part in (python.read_bytes() if folder else b"", program.encode("utf-8"), first):
            made.update(hashlib.sha256(part).digest())
        self._by = made.digest()

    def _path(self, folder: Path, name: str, source: bytes) -> Path:
        named = hashlib.sha256(name.encode("utf-8")).digest()
        key = hashlib.sha256(self._by + named + hashlib.sha256(source).digest()).hexdigest()
        return folder / key[:2] / key[2:]

    def taken(self, name: str, source: bytes) -> bytes | None:
        """The byte code of the source at this path on the board; None when it is not here, or not whole."""
        if self._folder is None:
            return None
        path = self._path(self._folder, name, source)
        try:
            held = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(path)  # used now
        code = held[MARK:]
        return code if hashlib.sha256(code).digest() == held[:MARK] else None

    def keep(self, name: str, source: bytes, code: bytes) -> None:
        """Keep it; a folder that takes nothing costs the next build its time and this one nothing."""
        if self._folder is None:
            return
        path = self._path(self._folder, name, source)
        aside = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(hashlib.sha256(code).digest() + code)
            os.replace(aside, path)
        except OSError:
            with suppress(OSError):
                aside.unlink()

    def tidy(self) -> None:
        """Rule 3, at the end of a build. Another build that looks for what goes here compiles it anew."""
        if self._folder is None:
            return
        entries = []
        for path in self._folder.rglob("*"):
            with suppress(OSError):
                told = path.lstat()
                if S_ISREG(told.st_mode):
                    entries.append((told.st_mtime_ns, told.st_size, path))
        left = LARGEST
        for _, size, path in sorted(entries, reverse=True):
            left -= size
            if left < 0:
                with suppress(OSError):
                    path.unlink()
