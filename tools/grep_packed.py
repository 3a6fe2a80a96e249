"""What is in a file that was packed by gzip, bzip2 or xz, block after block, in constant memory. Pure.

Rules:
1. What a file is, its first bytes say, not its name (RFC 1952; bzip2's `BZh`; the .xz file format, 2.1.1.1).
2. At most BLOCK bytes come at once and MOST in all, however much a small file claims to hold; beyond that ToolFault.
3. A file may hold several packed parts, as rotated logs do that were appended to.
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


def kind(head: bytes) -> str:
    """gzip, bzip2 or xz by the first bytes of a file, "" for anything else."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), "")


def unpacked(name: str, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The content, in blocks of at most BLOCK bytes. ToolFault for what is broken, cut off, or too much."""
    import zlib

    try:
        total = 0
        for block in _pieces(name, blocks):
            total += len(block)
            if total > MOST:
                raise ToolFault(f"it holds more than {MOST >> 20} MiB")
            yield block
    except (zlib.error, OSError, EOFError, ValueError) as error:
        raise ToolFault(f"what {name} packed is broken: {error}") from error


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
