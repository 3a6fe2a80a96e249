"""How a backup is packed: by gzip, by xz, or not at all. Its name says so when it is made, its first bytes later.

gzip is fast on the smallest board; xz at its first preset is smaller and still needs 3 MiB of memory only.
"""

from __future__ import annotations

import os

from edge.faults import CardFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

KINDS = {".xz": "xz", ".gz": "gz", ".tgz": "gz", ".tar": "tar"}
MAGIC = ((b"\x1f\x8b", "gz"), (b"\xfd7zXZ\0", "xz"))


def packing(raw: BinaryIO, kind: str) -> Any:
    """A context in which what is written is packed onto `raw`; kind: gz, xz or tar."""
    if kind == "gz":
        from gzip import GzipFile

        return GzipFile("", "wb", 6, raw, 0)
    if kind == "xz":
        from lzma import LZMAFile

        return LZMAFile(raw, "wb", preset=1)
    from contextlib import nullcontext

    return nullcontext(raw)


class Opened:
    """A backup as a reader of its tar; `named` in sentences. It closes `fd`. CardFault: it is damaged."""

    def __init__(self, fd: int, named: str) -> None:
        self._fd, self._named = fd, named

    def __enter__(self) -> Callable[[int], bytes]:
        self._raw = os.fdopen(self._fd, "rb")
        try:
            head = self._raw.peek(6)[:6]
        except OSError as error:
            self._raw.close()
            raise CardFault(f"{self._named} cannot be read: {(error.strerror or 'unknown').lower()}") from error
        kind = next((kind for magic, kind in MAGIC if head.startswith(magic)), "tar")
        self._file = _unpacking(self._raw, kind)
        return self._read

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def _read(self, size: int) -> bytes:
        import lzma
        import zlib

        found = b""
        try:
            while len(found) < size and (piece := self._file.read(size - len(found))):
                found += piece
        except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
            raise CardFault(f"{self._named} is damaged: {error}; nothing was changed", "copy it again") from error
        return found


def _unpacking(raw: Any, kind: str) -> Any:
    if kind == "gz":
        from gzip import GzipFile

        return GzipFile("", "rb", fileobj=raw)
    if kind == "xz":
        from lzma import LZMAFile

        return LZMAFile(raw, "rb")
    return raw
