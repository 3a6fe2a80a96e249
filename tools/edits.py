"""Exact replacing in bytes: found once or said where, and nothing else of the file is touched. Pure.

Rules:
1. Text is encoded as the file is: UTF-8, also where some bytes of it are broken, else Latin-1; UTF-16 with its mark is
   read and written back. What Latin-1 cannot say is not put into such a file. All other bytes stay as they are.
2. Occurrences are counted where they overlap: `aa` stands twice in `aaa`, so it is not unique.
3. What is missing is looked for once more without regard to blanks and ends of lines, to say where it nearly stands.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGEST = 16 << 20  # bytes of a file that is edited, before and after
SPANS = 64
UNCHANGED = "nothing was changed"
_SHOWN = 5
_COUNTED = 10_000
_SEARCHED = 1 << 20  # bytes that are looked through for what nearly fits
_WORK = 5_000_000  # lines that are compared for it


class Change(Record):
    """What one edit did: how often, the first `spans` of the text before it, and what stands there now.

    `code`: how they are encoded.
    """

    before: bytes
    count: int
    spans: tuple[tuple[int, int], ...]
    new: bytes
    code: str = "utf-8"


def edit(
    data: bytes,
    edits: list[tuple[str, str]],
    every: bool,
    from_line: int,
    shown: str,
    each: Callable[[Change], object] | None = None,
) -> tuple[bytes, list[Change]]:
    """`data` with each pair of old and new replaced, one after the other, from line `from_line` (from 1) on.

    ToolFault unless an old stands there exactly once, or at least once with `every`; shown: the file, for sentences.
    each: is given every change as it is made; none of them is kept then, for each holds the text before it.
    """
    wide = _wide(data)
    text = _narrow(data, wide, shown) if wide else data
    changes: list[Change] = []
    take = each or changes.append
    for number, (old, new) in enumerate(edits, 1):
        where = f"edit {number} of {len(edits)} in {shown}" if len(edits) > 1 else shown
        text, change = _one(text, old, new, every, from_line, where)
        take(change)
    return text.decode("utf-8").encode(wide) if wide else text, changes


def _wide(data: bytes) -> str:
    """The name of UTF-16 when the file has its mark."""
    if data.startswith(b"\xff\xfe") and not data.startswith(b"\xff\xfe\0\0"):
        return "utf-16-le"
    return "utf-16-be" if data.startswith(b"\xfe\xff") else ""


def _narrow(data: bytes, code: str, shown: str) -> bytes:
    """UTF-16 as UTF-8, when it can be written back as it was."""
    try:
        return data.decode(code).encode("utf-8")
    except UnicodeError as error:
        raise ToolFault(f"{shown} begins like {code} and is not whole", "nothing was changed") from error


def _one(data: bytes, old: str, new: str, every: bool, from_line: int, where: str) -> tuple[bytes, Change]:
    if not old:
        raise ToolFault(f"{where}: old is empty", "give the exact text to be replaced; file_write makes a new file")
    if old == new:
        raise ToolFault(f"{where}: old and new are the same", "nothing would change")
    code = _code(data, old)
    sought, put = _encoded(old, code), new.encode(code, "replace")
    if code == "latin-1" and put.decode(code) != new:
        raise ToolFault(f"{where}: new holds letters that Latin-1, which the file is in, does not have", UNCHANGED)
    start = _line_start(data, from_line, where)
    count = data.count(sought, start)
    spans = _spans(data, sought, start) if every else _single(data, sought, start, where)
    if not spans:
        there = f" from line {from_line} on" if from_line > 1 else ""
        raise ToolFault(f"{where}: old does not stand in the file{there}", _missing(data, old, code, start))
    size = len(data) + count * (len(put) - len(sought))
    if size > max(LARGEST, len(data)):
        raise ToolFault(f"{where} would be {size:,} bytes long", f"nothing was changed; at most {LARGEST:,}")
    return data[:start] + data[start:].replace(sought, put), Change(data, count, spans, put, code)


def _spans(data: bytes, sought: bytes, start: int) -> tuple[tuple[int, int], ...]:
    """The first spans that are replaced: what a diff shows."""
    found: list[tuple[int, int]] = []
    for at in _places(data, sought, start, len(sought)):
        found.append((at, at + len(sought)))
        if len(found) == SPANS:
            break
    return tuple(found)


def _single(data: bytes, sought: bytes, start: int, where: str) -> tuple[tuple[int, int], ...]:
    """The one span, or none. ToolFault with the lines when there are several."""
    found: list[int] = []
    for at in _places(data, sought, start, 1):
        found.append(at)
        if len(found) > _COUNTED:
            break
    if len(found) > 1:
        lines = ", ".join([str(data.count(b"\n", 0, at) + 1) for at in found[:_SHOWN]])
        count = f"more than {_COUNTED}" if len(found) > _COUNTED else str(len(found))
        more = ", ..." if len(found) > _SHOWN else ""
        raise ToolFault(
            f"{where}: old stands {count} times, in lines {lines}{more}",
            "nothing was changed; give more of the text around it, from_line, or all=true",
        )
    return tuple([(at, at + len(sought)) for at in found])


def _places(data: bytes, sought: bytes, start: int, on: int) -> Iterator[int]:
    """Where it stands from `start` on; looked for again `on` bytes further."""
    at = data.find(sought, start)
    while at >= 0:
        yield at
        at = data.find(sought, at + on)


def _code(data: bytes, old: str) -> str:
    """How the file is encoded, as far as it matters for `old` (rule 1)."""
    if not old.isascii() and old.encode("utf-8", "replace") in data:
        return "utf-8"
    return "utf-8" if is_utf8(data) else "latin-1"


def is_utf8(data: bytes) -> bool:
    """True when bytes are UTF-8, at least for the most part: more letters of it than bytes that are none."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        known = data.decode("utf-8", "ignore")
        letters = len(known) - len(known.encode("ascii", "ignore"))
        return letters > len(data) - len(known.encode("utf-8"))
    return True


def _encoded(text: str, code: str) -> bytes:
    try:
        return text.encode(code)
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _line_start(data: bytes, line: int, where: str) -> int:
    """The offset of the first byte of a line, from 1. ToolFault when there are not so many."""
    at = 0
    for count in range(1, line):
        at = data.find(b"\n", at) + 1
        if not at:
            raise ToolFault(f"{where}: there is no line {line}", f"the file has {count} lines; nothing was changed")
    return at


def _missing(data: bytes, old: str, code: str, start: int) -> str:
    """Where it nearly stands (rule 3), and what to do."""
    wanted = [_blank(line) for line in old.strip("\r\n").split("\n")]
    part = data[start : start + _SEARCHED]
    if any(wanted):
        lines = [_blank(line) for line in part.decode(code, "replace").split("\n")]
        above = data.count(b"\n", 0, start) + 1
        for number in range(min(len(lines) - len(wanted) + 1, _WORK // len(wanted))):
            if _near(wanted, lines, number):
                crlf = b"\r\n" in data and "\n" in old and "\r\n" not in old
                ends = " (the file ends its lines with CRLF)" if crlf else ""
                at = above + number
                what = f"line {at} differs in blanks or ends of lines only{ends}"
                return f"{what}; nothing was changed; file_read offset={at} shows it"
    return "nothing was changed; file_read shows the exact text"


def _near(wanted: list[str], lines: list[str], number: int) -> bool:
    """Do the wanted lines stand from `number` on but for blanks; the first from within a line, the last into one?"""
    if len(wanted) == 1:
        return wanted[0] in lines[number]
    there = lines[number : number + len(wanted)]
    return there[0].endswith(wanted[0]) and there[-1].startswith(wanted[-1]) and there[1:-1] == wanted[1:-1]


def _blank(line: str) -> str:
    return "".join(line.split())
