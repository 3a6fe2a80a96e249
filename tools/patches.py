"""Unified diffs: read into hunks, and applied to bytes. Pure.

Rules:
1. A file is `--- OLD`, `+++ NEW` and its hunks; `a/` and `b/` before the names are taken off, /dev/null makes or
   deletes a file. Renames, modes and binary parts are refused by name, not passed over.
2. Every line of a hunk must stand in the file as it is (no fuzz); it may have drifted: the nearest place counts, never
   before the end of the hunk above.
3. The numbers of a header only say where to look first. When they do not fit the lines below, the lines count.
4. Ends of lines are the file's: a patch without CR fits a file with CRLF, and leaves it so. A last line without an
   end stays without one unless the patch says otherwise. A file in Latin-1 stays in it.
5. A fault names the file, the hunk and the line of the patch.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.record import Record
from edge.tools.edits import UNCHANGED, is_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOTHING = "/dev/null"
_FILES, _SHOWN = 64, 80
_WORK = 10_000_000  # lines that are compared to find where one hunk fits
_NO_END = "\\"
_REFUSED = ("rename from ", "rename to ", "copy from ", "copy to ", "old mode ", "GIT binary patch", "Binary files ")


class Hunk(Record):
    """Where it begins in the old and the new file, from 1; `rows`: (mark, text with its end); `at`: line in the patch.

    `counted`: the numbers of its header were right.
    """

    start: int
    new_start: int
    rows: tuple[tuple[str, str], ...]
    at: int
    counted: bool = True

    def side(self, without: str) -> list[str]:
        """The lines of one side: those whose mark is not `without`."""
        return [text for mark, text in self.rows if mark != without]


class FilePatch(Record):
    """What becomes of one file. `made`: it is new; `gone`: nothing of it is left."""

    path: str
    hunks: tuple[Hunk, ...]
    made: bool = False
    gone: bool = False


def read(patch: str) -> tuple[FilePatch, ...]:
    """The files of a unified diff. ToolFault when it is none, naming the line."""
    lines = patch.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    found: list[FilePatch] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith(_REFUSED):
            raise ToolFault(f"line {at + 1} of the patch: {lines[at][:_SHOWN]!r} is not done here", "file_move renames")
        if lines[at].startswith("@@ "):
            raise ToolFault(
                f"line {at + 1} of the patch: a hunk of no file", "--- a/PATH and +++ b/PATH stand before it"
            )
        if _head(lines, at):
            one, at = _file(lines, at)
            found.append(one)
        else:
            at += 1
    if not found:
        raise ToolFault("the patch holds no file", "a unified diff begins with --- a/PATH and +++ b/PATH")
    if len(found) > _FILES:
        raise ToolFault(f"the patch changes {len(found)} files", f"at most {_FILES} at once")
    return tuple(found)


def _head(lines: Sequence[str], at: int) -> bool:
    return lines[at].startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ ")


def _file(lines: Sequence[str], at: int) -> tuple[FilePatch, int]:
    old, new = _name(lines[at][4:], at), _name(lines[at + 1][4:], at + 1)
    if old == NOTHING and new == NOTHING:
        raise ToolFault(f"line {at + 1} of the patch: both names are {NOTHING}", "one of them is a file")
    if (old.startswith("a/") and new.startswith("b/")) or NOTHING in (old, new):
        old, new = (name[2:] if name.startswith(("a/", "b/")) else name for name in (old, new))
        if NOTHING not in (old, new) and old != new:
            raise ToolFault(f"line {at + 1} of the patch: {old} would become {new}", "file_move renames")
    path = old if new == NOTHING else new
    hunks: list[Hunk] = []
    start = at
    at += 2
    while at < len(lines) and lines[at].startswith("@@"):
        hunk, at = _hunk(lines, at, path, len(hunks) + 1)
        hunks.append(hunk)
    if not hunks:
        raise ToolFault(f"line {start + 1} of the patch: {path} has no hunk", "@@ -1,3 +1,4 @@ begins one")
    return FilePatch(path, tuple(hunks), old == NOTHING, new == NOTHING), at


def _name(text: str, at: int) -> str:
    """The path in a header: without a time behind a tab, and out of git's quotes."""
    name = text.split("\t")[0].rstrip("\r")
    name = name.rstrip(" ") or name
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        name = _unquoted(name[1:-1])
    if not name:
        raise ToolFault(f"line {at + 1} of the patch names no file", "--- a/PATH")
    return name


def _unquoted(text: str) -> str:
    """git's quoting: octal bytes and a backslash before quotes, tabs and the like."""
    out = bytearray()
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 4].isdecimal() and max(text[at + 1 : at + 4]) < "8":
            out.append(int(text[at + 1 : at + 4], 8) & 255)
            at += 4
        elif text[at] == "\\" and at + 1 < len(text):
            out += {"t": "\t", "n": "\n", "r": "\r"}.get(text[at + 1], text[at + 1]).encode()
            at += 2
        else:
            out += text[at].encode()
            at += 1
    return out.decode("utf-8", "replace")


def _hunk(lines: Sequence[str], at: int, path: str, number: int) -> tuple[Hunk, int]:
    starts, olds, news = _header(lines[at], at, path, number)
    end = _strict_end(lines, at + 1, olds, news)
    counted = end >= 0 and not (end < len(lines) and lines[end][:1] in (" ", "+", "-") and not _head(lines, end))
    if not counted:
        end = _loose_end(lines, at + 1)
    rows: list[tuple[str, str]] = []
    for line in range(at + 1, end):
        mark, text = lines[line][:1] or " ", lines[line][1:]
        if mark == _NO_END and rows:
            rows[-1] = rows[-1][0], rows[-1][1][:-1]
        else:
            rows.append((mark, text + "\n"))
    if not any(mark in "+-" for mark, _ in rows):
        raise ToolFault(
            f"{path}, hunk {number} (line {at + 1} of the patch) changes nothing", "+ adds, - removes a line"
        )
    return Hunk(*starts, tuple(rows), at + 1, counted), end


def _header(line: str, at: int, path: str, number: int) -> tuple[tuple[int, int], int, int]:
    """The first old and the first new line, and how many old and new lines follow."""
    parts = line.split(" ")
    try:
        if parts[0] != "@@" or parts[3].rstrip("\r")[:2] != "@@" or parts[1][0] != "-" or parts[2][0] != "+":
            raise ValueError
        old, _, olds = parts[1][1:].partition(",")
        new, _, news = parts[2][1:].partition(",")
        values = int(old), int(new), int(olds or 1), int(news or 1)
        if min(values) < 0 or max(values) > 1 << 40:
            raise ValueError
    except (ValueError, IndexError):
        raise ToolFault(
            f"{path}, hunk {number} (line {at + 1} of the patch): {line[:_SHOWN]!r} is no header",
            "@@ -FIRST,COUNT +FIRST,COUNT @@",
        ) from None
    return values[:2], values[2], values[3]


def _strict_end(lines: Sequence[str], at: int, olds: int, news: int) -> int:
    """Where a hunk ends by its numbers; -1 when its lines are others."""
    while (olds > 0 or news > 0) and at < len(lines):
        mark = lines[at][:1] or " "
        if mark not in " +-\\":
            return -1
        olds -= mark in " -"
        news -= mark in " +"
        at += 1
    while at < len(lines) and lines[at][:1] == _NO_END:
        at += 1
    return at if olds == news == 0 else -1


def _loose_end(lines: Sequence[str], at: int) -> int:
    """Where a hunk ends by its lines alone."""
    start = at
    while at < len(lines) and (lines[at][:1] or " ") in " +-\\" and not _head(lines, at):
        at += 1
    while at > start and not lines[at - 1]:
        at -= 1  # empty lines between files
    return at


def apply(
    data: bytes, one: FilePatch, back: bool = False, late: Callable[[], str] | None = None
) -> tuple[bytes, tuple[str, ...]]:
    """The new content and what is to be said of it. ToolFault (rule 5) when a hunk does not fit.

    back: the other way round, to see whether the patch was applied already. late: why it is time to stop, or "".
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ToolFault(f"{one.path} is UTF-16, which no patch is made for", f"{UNCHANGED}; file_edit edits it")
    told: list[str] = []
    lines, file = _split(data), _File(data)
    out: list[bytes] = []
    done = drift = 0
    for number, hunk in enumerate(one.hunks, 1):
        where = f"{one.path}, hunk {number} (line {hunk.at} of the patch)"
        why = late() if late else ""
        if why:
            raise ToolFault(f"{where}: stopped {why}", f"{UNCHANGED}; make a smaller patch")
        old, new = _sides(hunk, back, data)
        wanted = max(0, (hunk.new_start if back else hunk.start) - bool(old)) + drift
        at, sides = _place(lines, _ways(old, new, file, where), done, wanted)
        if at < 0:
            raise ToolFault(f"{where} does not fit", _why(lines, old, max(done, wanted)))
        if at != wanted and not back:
            told.append(
                f"hunk {number} of {one.path} fitted {abs(at - wanted)} lines {'below' if at > wanted else 'above'}"
            )
        drift += at - wanted
        if not hunk.counted:
            told.append(f"the header of hunk {number} of {one.path} counted wrong: its lines were taken")
        out += lines[done:at] + _ended(lines, at, sides)
        done = at + len(sides[0])
    return b"".join(out + lines[done:]), tuple(told)


def _split(data: bytes) -> list[bytes]:
    """Lines with their ends; only a newline ends a line."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _sides(hunk: Hunk, back: bool, data: bytes) -> tuple[list[bytes], list[bytes]]:
    sides = [[line.encode("utf-8", "replace") for line in hunk.side(mark)] for mark in ("+", "-")]
    return (sides[1], sides[0]) if back else (sides[0], sides[1])


class _File:
    """How a file ends its lines, and whether it is in Latin-1: looked at once, however many hunks there are."""

    def __init__(self, data: bytes) -> None:
        ends = data.count(b"\r\n")
        self.has_crlf, self.most_crlf = ends > 0, ends * 2 > data.count(b"\n")
        self._data = data
        self._latin: bool | None = None

    @property
    def is_latin(self) -> bool:
        if self._latin is None:
            self._latin = not is_utf8(self._data)
        return self._latin


def _ways(old: list[bytes], new: list[bytes], file: _File, where: str) -> list[tuple[list[bytes], list[bytes]]]:
    """The hunk as it is, with the ends of lines, and in the encoding, that the file may have; the likeliest first."""
    found = [(old, new)]
    if file.has_crlf and not any(line.endswith(b"\r\n") for line in old):
        found.append((_crlf(old), _crlf(new)))
        if not old and file.most_crlf:
            found.reverse()  # nothing of the file says which: most of its lines do
    if all(line.isascii() for line in old + new) or not file.is_latin:
        return found
    try:
        latin = [(_latin(one), _latin(other)) for one, other in found]
    except UnicodeEncodeError:
        latin = []
    if all(line.isascii() for line in old):
        if not latin:
            raise ToolFault(f"{where} holds letters that Latin-1, which the file is in, does not have", UNCHANGED)
        return latin
    return [*latin, *found]


def _crlf(lines: list[bytes]) -> list[bytes]:
    return [line[:-1] + b"\r\n" if line.endswith(b"\n") and not line.endswith(b"\r\n") else line for line in lines]


def _latin(lines: list[bytes]) -> list[bytes]:
    return [line.decode("utf-8").encode("latin-1") for line in lines]


def _place(
    lines: list[bytes], ways: list[tuple[list[bytes], list[bytes]]], first: int, wanted: int
) -> tuple[int, tuple[list[bytes], list[bytes]]]:
    """The nearest line, from 0, where one of the ways fits, and that way; -1 when none does."""
    if wanted > len(lines) and not ways[0][0]:
        return -1, ways[0]
    wanted = min(wanted, len(lines))
    farthest = min(max(len(lines) - wanted, wanted - first, 0), _WORK // (len(ways[0][0]) + 1))
    for away in range(farthest + 1):
        for at in (wanted + away, wanted - away)[: 1 + bool(away)]:
            if not first <= at <= len(lines):
                continue
            for way in ways:
                if not way[0]:
                    if away == 0:
                        return at, way
                elif _fits(lines, at, way[0]):
                    return at, way
    return -1, ways[0]


def _fits(lines: list[bytes], at: int, old: list[bytes]) -> bool:
    last = at + len(old) - 1
    if last >= len(lines) or (len(old) > 1 and (lines[at] != old[0] or lines[last][:1] != old[-1][:1])):
        return False
    there = lines[at : at + len(old)]
    if there == old:
        return True
    ends = last == len(lines) - 1 and there[:-1] == old[:-1]
    return ends and not there[-1].endswith(b"\n") and there[-1] == old[-1].rstrip(b"\r\n")


def _ended(lines: list[bytes], at: int, sides: tuple[list[bytes], list[bytes]]) -> list[bytes]:
    """The new lines; a last one that the hunk leaves as it is keeps the file's end (rule 4)."""
    old, new = sides
    if not old and new and at and not lines[at - 1].endswith(b"\n"):
        return [b"\r\n" if new[0].endswith(b"\r\n") else b"\n", *new]  # behind a last line without an end
    if old and new and lines[at : at + len(old)] != old and new[-1] == old[-1]:
        return [*new[:-1], lines[at + len(old) - 1]]
    return new


def _why(lines: list[bytes], old: list[bytes], at: int) -> str:
    """What stands at the place where the hunk should fit, at the first line that differs."""
    for number, wanted in enumerate(old):
        there = lines[at + number] if at + number < len(lines) else None
        if there is None:
            return f"nothing was changed; the file ends before line {at + number + 1}, the patch has {_shown(wanted)}"
        if there != wanted:
            return f"nothing was changed; line {at + number + 1} is {_shown(there)}, the patch has {_shown(wanted)}"
    return "nothing was changed; it lies before the end of the hunk above"


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").rstrip("\n")
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
