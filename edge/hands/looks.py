"""What a file is by its first bytes: text of which encoding, or which kind of binary. Pure.

Rules:
1. Text is what a person could read: UTF-8, UTF-16 with its mark, Latin-1 where the bytes leave no doubt. Zeros alone
   are no kind: a log that lost power holds runs of them between its lines.
2. What is not sure is not claimed: bytes that are no UTF-8 are then shown as U+FFFD, and that is said.
3. A byte-order mark is told and not shown.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

HEAD = 4096
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# (offset, bytes, what): the marks that file formats publish; the first that fits.
_MAGIC = (
    (0, b"\x7fELF", "an ELF program or library"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"\xfd7zXZ\0", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "zstd data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"PK\x03\x04", "a zip archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF8", "a GIF image"),
    (8, b"WEBP", "a WebP image"),
    (8, b"WAVE", "a WAV sound"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"LPKSHHRH", "a systemd journal"),
    (0, b"\xd0\x0d\xfe\xed", "a device tree blob"),
    (0, b"\x27\x05\x19\x56", "a U-Boot image"),
    (0, b"hsqs", "a squashfs image"),
    (0, b"LUKS\xba\xbe", "a LUKS volume"),
    (0, b"OggS", "an Ogg sound"),
    (0, b"fLaC", "a FLAC sound"),
    (0, b"\xd4\xc3\xb2\xa1", "a packet capture"),
    (4, b"ftyp", "an MP4 or HEIF file"),
)
_CONTROLS = bytes([*range(9), *range(14, 27), *range(28, 32), 127])
_PRINTED = 20  # at least so many bytes in all for each control character of a text
_ASCII, _C1 = bytes(range(128)), bytes(range(128, 160))


def codec(head: bytes) -> str:
    """By the byte-order mark: utf-8-sig, utf-16-le, utf-16-be; "" without one."""
    for mark, name in _BOMS:
        if head.startswith(mark) and not head.startswith(b"\xff\xfe\0\0"):
            return name
    return ""


def binary(head: bytes, kernel: bool = False) -> str:
    """Which kind of binary a file is that begins so, "" when it is text. kernel: words there end with a zero."""
    for at, mark, what in _MAGIC:
        if head.startswith(mark, at):
            return what
    if codec(head).startswith("utf-16"):
        return ""
    rest = head.replace(b"\0", b"")
    pieces = sum(1 for piece in head.split(b"\0") if piece) if len(rest) != len(head) else 0
    if pieces > 3 and not kernel:
        return "data of no known kind"
    controls = len(rest) - len(rest.translate(None, _CONTROLS))
    return "data of no known kind" if controls * _PRINTED > len(rest) else ""


def decoded(raw: bytes, told: Iterable[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The text of `raw`, and what is to be said of it, in words after those of `told`."""
    said = list(told)
    if b"\0" in raw:
        said.append("NUL bytes left out")
        raw = raw.replace(b"\0", b"")
    try:
        return raw.decode("utf-8"), tuple(said)
    except UnicodeDecodeError:
        if is_latin(raw):
            return raw.decode("latin-1"), (*said, "no UTF-8: read as Latin-1")
        return raw.decode("utf-8", "replace"), (*said, "bytes that are no UTF-8 are shown as \ufffd")


def is_latin(raw: bytes) -> bool:
    """True when bytes that are no UTF-8 are Latin-1 for sure: few high ones, no controls, none of them valid UTF-8."""
    high = raw.translate(None, _ASCII)
    if len(high) * 3 >= len(raw) or len(high.translate(None, _C1)) != len(high):
        return False
    return raw.decode("utf-8", "ignore").isascii()
