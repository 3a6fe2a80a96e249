"""What an edit changed, as a small unified diff: the places with a line of context, bounded. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.tools.edits import Change

    Group = tuple[int, int, bytes]

CONTEXT = 1
_WIDEST = 160  # characters of one line
_PLACES = 8


def diff(change: Change, limit: int) -> str:
    """The hunks of a change in at most about `limit` characters; what was left out is said."""
    groups = list(_groups(change))
    left = change.count - len(change.spans)
    if left:
        groups = groups[:-1]  # its line may hold more of them
    shown: list[str] = []
    size = shift = 0
    for cluster in _clusters(change.before, groups):
        if len(shown) < _PLACES and size < limit:
            shown.append(_hunk(change, cluster, shift, limit - size))
            size += len(shown[-1])
        else:
            left += len(cluster)
        shift += sum(_lines(after) - _lines(change.before[begin:end]) for begin, end, after in cluster)
    if left:
        shown.append(f"[{left} more places were changed]")
    return "\n".join(shown)


def _clusters(data: bytes, groups: list[Group]) -> Iterator[list[Group]]:
    """Groups whose lines of context would meet stand in one hunk."""
    cluster: list[Group] = []
    for group in groups:
        if cluster and data.count(b"\n", cluster[-1][1], group[0]) > 2 * CONTEXT:
            yield cluster
            cluster = []
        cluster.append(group)
    if cluster:
        yield cluster


def _groups(change: Change) -> Iterator[Group]:
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


def _hunk(change: Change, cluster: list[Group], shift: int, limit: int) -> str:
    data, code = change.before, change.code
    first, behind = cluster[0][0], cluster[-1][1]
    above, below = first, behind
    for _ in range(CONTEXT):
        above = data.rfind(b"\n", 0, max(0, above - 1)) + 1 if above else 0
        stop = data.find(b"\n", below)
        below = len(data) if stop < 0 else stop + 1
    rows: list[str] = []
    done = above
    for begin, end, after in cluster:
        for mark, part in ((" ", data[done:begin]), ("-", data[begin:end]), ("+", after)):
            rows += _rows(mark, part, code)
        done = end
    rows += _rows(" ", data[behind:below], code)
    olds, news = (sum(row[0] in marks for row in rows) for marks in (" -", " +"))
    line = data.count(b"\n", 0, above) + 1
    title = f"@@ -{line - (not olds)},{olds} +{line + shift - (not news)},{news} @@"
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
