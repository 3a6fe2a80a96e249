"""What is in a file that was packed by gzip, bzip2 or xz, or is UTF-16, block after block, in constant memory. Pure.

Rules:
1. What a file is, its first bytes say, not its name (RFC 1952; bzip2's `BZh`; the .xz file format, 2.1.1.1).
2. At most BLOCK bytes come at once and MOST in all, however much a small file claims to hold; beyond that ToolFault.
3. A file may hold several packed parts, as rotated logs do that were appended to.
4. UTF-16 with its mark comes as the UTF-8 that says the same; halves of pairs that stand alone as U+FFFD.
"""

from __future__ import annotations

from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    # What makes an unpacker, and one step of it: what came, and the rest of the data that it did not take in.
    Kind = tuple[Callable[[], Any], Callable[[Any, bytes], tuple[bytes, bytes]]]

BLOCK = 256 * 1024
MOST = 512 << 20
_MEMORY = 32 << 20  # what xz may take for its window; `xz -9` wants 65 MiB and is refused
_MARKS = ((b"\x1f\x8b\x08", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"))
_WIDE = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def kind(head: bytes) -> str:
    """gzip, bzip2, xz, utf-16-le or utf-16-be by the first bytes of a file, "" for anything else."""
    if head.startswith(b"\xff\xfe\0\0"):
        return ""  # the mark of UTF-32
    return next((name for mark, name in (*_MARKS, *_WIDE) if head.startswith(mark)), "")


def unpacked(name: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The content, in blocks of at most BLOCK bytes. ToolFault for what is broken, cut off, or too much."""
    import zlib

    if name.startswith("utf-16"):
        yield from _narrow(name, blocks)
        return
    try:
        total = 0
        for block in _pieces(name, blocks):
            total += len(block)
            if total > MOST:
                raise ToolFault(f"it holds more than {MOST >> 20} MiB")
            yield block
    except (zlib.error, OSError, EOFError, ValueError) as error:
        raise ToolFault(f"what {name} packed is broken: {error}") from error


def _narrow(name: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    rest, first = b"", True
    for block in blocks:
        data = rest + block
        end = len(data) & ~1
        if end > 1 and data[end - 1 if name == "utf-16-le" else end - 2] & 0xFC == 0xD8:
            end -= 2  # the first half of a pair waits for the other
        rest = data[end:]
        text = data[:end].decode(name, "replace")
        if first and text:
            text, first = text[1:], False  # the mark
        if text:
            yield text.encode("utf-8", "replace")
    if rest:
        yield rest.decode(name, "replace").encode("utf-8", "replace")


def _pieces(name: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    make, step = _gzip() if name == "gzip" else _bzip2() if name == "bzip2" else _xz()
    machine: Any = make()
    for block in blocks:
        if machine.eof:
            if not block.strip(b"\0"):
                continue
            machine = make()
        found, waiting = step(machine, block)
        while True:
            if found:
                yield found
            if machine.eof:
                waiting = machine.unused_data
                if not waiting.strip(b"\0"):
                    break
                machine = make()
            elif not found and not waiting:
                break
            found, waiting = step(machine, waiting)
    if not machine.eof:
        raise EOFError("it ends too early")


def _gzip() -> Kind:
    from zlib import decompressobj

    def step(machine: Any, data: bytes) -> tuple[bytes, bytes]:
        return machine.decompress(data, BLOCK), machine.unconsumed_tail

    return lambda: decompressobj(31), step


def _bzip2() -> Kind:
    try:
        from bz2 import BZ2Decompressor
    except ImportError as error:
        raise ToolFault("this Python was built without bzip2") from error
    return BZ2Decompressor, lambda machine, data: (machine.decompress(data, BLOCK), b"")


def _xz() -> Kind:
    try:
        from lzma import LZMADecompressor, LZMAError
    except ImportError as error:
        raise ToolFault("this Python was built without xz") from error

    def step(machine: Any, data: bytes) -> tuple[bytes, bytes]:
        try:
            return machine.decompress(data, BLOCK), b""
        except LZMAError as error:
            raise ValueError(str(error)) from error

    return lambda: LZMADecompressor(memlimit=_MEMORY), step
