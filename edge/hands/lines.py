"""Lines out of an open file, and names out of an open folder: bounded in bytes, in memory and in time.

Rules:
1. The size that a file claims is never believed: /proc and /sys claim 0 or a page. Reading goes on to the end.
2. Memory is constant: lines are cut from blocks, a longer line than _LONGEST_LINE is cut and marked.
3. A hole is not read: what a sparse file has not written is passed over.
4. A bound that bites is said in the text.
"""

from __future__ import annotations

import os

from edge.gate.paths import is_odd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_BLOCK = 65536
_ENTRIES = 500
_LONGEST_LINE = 4096
_SCAN = 256 << 20
# Of a huge folder no more names than these are even looked at.
_LOOKED_AT = 20000


def entries(descriptor: int) -> list[str]:
    """Names in a folder, sorted, folders with a slash; at most _ENTRIES, and the cut is said."""
    names: list[str] = []
    more = False
    with os.scandir(descriptor) as found:
        for entry in found:
            if len(names) == _LOOKED_AT:
                more = True
                break
            names.append(entry.name + "/" * entry.is_dir(follow_symlinks=False))
    plain = [ascii(name)[1:-1] if is_odd(name) else name for name in sorted(names)]
    if len(plain) > _ENTRIES:
        left = f"{'more than ' * more}{len(plain) - _ENTRIES}"
        return [*plain[:_ENTRIES], f"[{left} more names left out]"]
    return plain


def window(descriptor: int, first: int, count: int, limit: int, late: Callable[[], str]) -> dict[str, Any]:
    """`count` lines from line `first` (from 1), at most `limit` bytes: text, first, lines, more. OSError as it comes.

    late: asked between two blocks; a reason to stop, in words, or "".
    """
    kept: list[str] = []
    size = 0
    more = False
    for number, line in enumerate(_lines(descriptor, late), 1):
        if number < first and not line.startswith(b"[reading stopped"):
            continue
        size += len(line) + 1
        if len(kept) == count or (size > limit and kept):
            more = True
            break
        kept.append(line.decode("utf-8", "replace"))
    return {"text": "\n".join(kept), "first": first, "lines": len(kept), "more": more}


def _lines(descriptor: int, late: Callable[[], str]) -> Iterator[bytes]:
    """Lines without their ends; the last one may say why reading stopped."""
    rest = b""
    cut = False
    why = ""
    for block in _blocks(descriptor, late):
        if isinstance(block, str):
            why = block
            break
        whole = (rest + block).split(b"\n")
        rest = whole.pop()
        for line in whole:
            yield _shortened(line, cut)
            cut = False
        if len(rest) > _LONGEST_LINE:
            rest, cut = rest[: _LONGEST_LINE + 1], True
    if rest:
        yield _shortened(rest, cut)
    if why:
        yield b"[reading stopped " + why.encode() + b"]"


def _blocks(descriptor: int, late: Callable[[], str]) -> Iterator[bytes | str]:
    """The blocks of a file; in the end perhaps why there are no more of them, as text."""
    scanned = 0
    while True:
        reason = late()
        if reason:
            yield reason
            return
        block = os.read(descriptor, _BLOCK)
        if not block:
            return
        if scanned >= _SCAN:
            yield f"after {_SCAN >> 20} MiB"
            return
        scanned += len(block)
        yield block
        if not block.strip(b"\0") and not _pass_hole(descriptor):
            yield "where the file holds nothing more but a hole"
            return


def _pass_hole(descriptor: int) -> bool:
    """Go to the next byte that was ever written; False when there is none. True where holes are not known."""
    try:
        here = os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:
        return True
    try:
        os.lseek(descriptor, here, os.SEEK_DATA)
    except OSError as error:
        from errno import ENXIO

        if error.errno != ENXIO:
            return True
        return os.fstat(descriptor).st_size <= here  # at the end anyway: the next read says so
    return True


def _shortened(line: bytes, cut: bool) -> bytes:
    if cut or len(line) > _LONGEST_LINE:
        return line[:_LONGEST_LINE] + b" [line cut]"
    return line[:-1] if line.endswith(b"\r") else line
