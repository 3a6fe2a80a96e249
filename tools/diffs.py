"""What an edit changed, as a small unified diff: the places with a line of context, bounded. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.tools.edits import Change

CONTEXT = 1
_WIDEST = 160  # characters of one line
_PLACES = 8


def diff(change: Change, limit: int) -> str:
    """The hunks of a change in at most about `limit` characters; what was left out is said."""
    shown: list[str] = []
    size = left = 0
    shift = 0
    for number, (begin, end, after) in enumerate(_groups(change)):
        before = change.before[begin:end]
        if number < _PLACES and size < limit:
            hunk = _hunk(change, begin, before, after, shift, limit - size)
            size += len(hunk)
            shown.append(hunk)
        else:
            left += 1
        shift += _lines(after) - _lines(before)
    if left:
        shown.append(f"[{left} more places changed]")
    return "\n".join(shown)


def _groups(change: Change) -> Iterator[tuple[int, int, bytes]]:
    """Whole lines that changed: begin, end, and what stands there now. Spans that share a line are one."""
    data = change.before
    begin = end = -1
    parts: list[bytes] = []
    last = 0
    for first, behind in change.spans:
        start = data.rfind(b"\n", 0, first) + 1
        if begin >= 0 and start >= end:
            yield begin, end, b"".join([*parts, data[last:end]])
            begin = -1
        if begin < 0:
            begin, parts, last = start, [], start
        parts += [data[last:first], change.new]
        last = behind
        stop = data.find(b"\n", max(first, behind - 1))
        end = len(data) if stop < 0 else stop + 1
        if behind > end:
            end = len(data)
    if begin >= 0:
        yield begin, end, b"".join([*parts, data[last:end]])


def _hunk(change: Change, begin: int, before: bytes, after: bytes, shift: int, limit: int) -> str:
    data, code = change.before, change.code
    above = begin
    for _ in range(CONTEXT):
        above = data.rfind(b"\n", 0, max(0, above - 1)) + 1 if above else 0
    below = begin + len(before)
    for _ in range(CONTEXT):
        stop = data.find(b"\n", below)
        below = len(data) if stop < 0 else stop + 1
    line = data.count(b"\n", 0, above) + 1
    head, foot = data[above:begin], data[begin + len(before) : below]
    around = _lines(head) + _lines(foot)
    title = f"@@ -{line},{_lines(before) + around} +{line + shift},{_lines(after) + around} @@"
    rows = [
        row for mark, part in ((" ", head), ("-", before), ("+", after), (" ", foot)) for row in _rows(mark, part, code)
    ]
    return "\n".join([title, *_fitting(rows, limit)])


def _fitting(rows: list[str], limit: int) -> list[str]:
    size = 0
    for number, row in enumerate(rows):
        size += len(row) + 1
        if size > limit and number:
            return [*rows[:number], f"[{len(rows) - number} more lines]"]
    return rows


def _lines(data: bytes) -> int:
    return data.count(b"\n") + bool(data and not data.endswith(b"\n"))


def _rows(mark: str, data: bytes, code: str) -> list[str]:
    """The lines with their mark; ends that are not plain are written out."""
    if not data:
        return []
    lines = data.split(b"\n")
    whole = not lines[-1]
    if whole:
        lines.pop()
    rows = []
    for line in lines:
        text = line.replace(b"\0", b"").decode(code, "replace")
        rows.append(mark + (text if len(text) <= _WIDEST else text[:_WIDEST] + "..."))
    return rows if whole else [*rows, "\\ No newline at end of file"]
