"""Long results, kept beside the tape: each in a file of its own, read back in blocks.

Rules:
1. What is kept was cleaned of secrets before. It never goes into the context by itself: only what is read of it does.
2. A file is `TAPE.HANDLE`: one line of JSON (bytes, characters, lines, CRC-32, tool), then the text as UTF-8. It
   appears whole, by a rename; what a power cut left damaged is said when it is read.
3. All files together have at most MOST bytes; the oldest go first. FREE bytes of the card stay free: what was said and
   done must still find room. A result that cannot be kept is no fault of its call: it is only clipped.
4. Blocks have BLOCK bytes and begin and end between characters.
"""

from __future__ import annotations

import errno
import os

from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLOCK = 16384  # bytes
MOST = 256 << 20  # bytes of all files together
FREE = 8 << 20  # bytes of the card
_HANDLE = frozenset("0123456789abcdef")
_LONGEST_HEAD = 512  # bytes


class Spill:
    """The long results of one tape. `threshold`: characters from which on one is kept; 0 keeps none anew.

    `hint`: bytes that the sentence of `put` needs at most.
    """

    hint = 160

    def __init__(self, folder: str, tape: str, threshold: int, most: int = MOST) -> None:
        self.threshold = threshold
        self._folder = folder
        self._tape = tape
        self._most = most

    def put(self, text: str, tool: str) -> str:
        """Keep `text`; the sentence that says where it is, or why it is not kept."""
        raw = text.encode("utf-8", "surrogatepass")
        if len(raw) > self._most:
            return f"[all of it would be {len(raw)} bytes, too much to be kept]"
        try:
            handle = self._kept(raw, text, tool)
        except OSError as error:
            return f"[all of it, {len(raw)} bytes, could not be kept: {(error.strerror or 'unknown error').lower()}]"
        blocks = (len(raw) + BLOCK - 1) // BLOCK
        return f"[this result unclipped, {len(raw)} bytes: spill_read handle={handle}, blocks 0 to {blocks - 1}]"

    def _kept(self, raw: bytes, text: str, tool: str) -> str:
        import binascii
        import json

        os.makedirs(self._folder, 0o700, exist_ok=True)
        self._make_room(len(raw))
        handle = os.urandom(4).hex()
        head = {"bytes": len(raw), "chars": len(text), "lines": text.count("\n") + 1, "crc": binascii.crc32(raw)}
        line = json.dumps({**head, "tool": tool}).encode() + b"\n"
        path = self._path(handle)
        descriptor = os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            _write(descriptor, line)
            _write(descriptor, raw)
        except OSError:
            os.unlink(path + ".new")
            raise
        finally:
            os.close(descriptor)
        os.rename(path + ".new", path)
        return handle

    def _path(self, handle: str) -> str:
        return f"{self._folder}/{self._tape}.{handle}"

    def _make_room(self, wanted: int) -> None:
        """Let the oldest files go until there is room for `wanted` bytes. OSError when the card has none to spare."""
        card = os.statvfs(self._folder)
        files = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime_ns, status.st_size, entry.path))
        total = sum(size for _, size, _ in files)
        short = max(total + wanted - self._most, wanted + FREE - card.f_bavail * card.f_frsize)
        if short > total:
            raise OSError(errno.ENOSPC, "the card is nearly full")
        for _, size, path in sorted(files):
            if short <= 0:
                return
            os.unlink(path)
            short -= size

    def blocks(self, handle: str, cursor: int, count: int, from_end: bool) -> dict[str, Any]:
        """`count` blocks from `cursor` on: `text cursor next_cursor complete bytes chars lines tool blocks`.

        With `from_end` blocks are counted from the last one backwards, and the text is still in its own order.
        ToolFault for a handle that nothing is kept under, a cursor beyond the end, and for what was damaged.
        """
        raw, head = self._read(handle)
        total = max(1, (len(raw) + BLOCK - 1) // BLOCK)
        if not 0 <= cursor < total:
            raise ToolFault(f"{handle} has {total} blocks, and the cursor is {cursor}", f"cursor is 0 to {total - 1}")
        last = min(cursor + count, total)
        first, end = (total - last, total - cursor) if from_end else (cursor, last)
        piece = raw[_border(raw, first * BLOCK) : _border(raw, end * BLOCK)]
        return {
            "text": piece.decode("utf-8", "replace"),
            "cursor": cursor,
            "next_cursor": last if last < total else None,
            "complete": last == total,
            "blocks": total,
            **{key: head[key] for key in ("bytes", "chars", "lines", "tool")},
        }

    def _read(self, handle: str) -> tuple[bytes, dict[str, Any]]:
        import binascii
        import json

        unknown = ToolFault(
            f"nothing is kept under {handle[:40]!r} in this conversation", "the handle stands in brackets"
        )
        if not handle or not _HANDLE.issuperset(handle):
            raise unknown
        try:
            descriptor = os.open(self._path(handle), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError as error:
            raise unknown from error
        try:
            whole = b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
        except OSError as error:
            raise ToolFault(f"{handle} cannot be read: {(error.strerror or 'unknown error').lower()}") from error
        finally:
            os.close(descriptor)
        line, _, raw = whole.partition(b"\n")
        try:
            head = json.loads(line[:_LONGEST_HEAD])
            good = (head["bytes"], head["crc"]) == (len(raw), binascii.crc32(raw))
        except (ValueError, KeyError, TypeError):
            good = False
        if not good:
            raise ToolFault(f"what was kept under {handle} is damaged", "make the call again")
        return raw, head


def _border(raw: bytes, at: int) -> int:
    """The first place from `at` on where a character begins."""
    while at < len(raw) and raw[at] & 0xC0 == 0x80:
        at += 1
    return at


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
