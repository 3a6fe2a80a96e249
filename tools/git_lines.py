"""The difference of two texts as unified hunks: Myers' shortest edit, bounded. Pure.

Source: E. W. Myers, An O(ND) Difference Algorithm and Its Variations (1986). Rules:
1. Lines end at \\n alone; a last line without one is marked as git marks it.
2. Where the shortest way would take more than STEPS, the part between what both texts begin and end with is one hunk.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, int, int]

CONTEXT = 3
STEPS = 400_000


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a text, each with its end."""
    found = data.split(b"\n")
    last = found.pop()
    return [line + b"\n" for line in found] + [last] * bool(last)


def spans(old: list[bytes], new: list[bytes]) -> list[Span]:
    """What differs: (start, end) in old and (start, end) in new, in order, none empty on both sides."""
    first, ends = 0, [len(old), len(new)]
    while first < min(ends) and old[first] == new[first]:
        first += 1
    while min(ends) > first and old[ends[0] - 1] == new[ends[1] - 1]:
        ends = [ends[0] - 1, ends[1] - 1]
    a, b = old[first : ends[0]], new[first : ends[1]]
    if not a or not b:
        return [(first, ends[0], first, ends[1])] if a or b else []
    known: dict[bytes, int] = {}
    numbers = [[known.setdefault(line, len(known)) for line in side] for side in (a, b)]
    matched = _matched(numbers[0], numbers[1])
    if matched is None:
        return [(first, ends[0], first, ends[1])]
    found: list[Span] = []
    x = y = 0
    for here, there in [*matched, (len(a), len(b))]:
        if here > x or there > y:
            found.append((first + x, first + here, first + y, first + there))
        x, y = here + 1, there + 1
    return found


def _matched(a: list[int], b: list[int]) -> list[tuple[int, int]] | None:
    """Pairs of lines that stay, of a shortest edit; None when finding it takes too long."""
    width, height = len(a), len(b)
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    left = STEPS
    for edits in range(width + height + 1):
        trace.append({})
        left -= edits + 1
        if left < 0:
            return None
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            y = x - k
            begin = x
            while x < width and y < height and a[x] == b[y]:
                x += 1
                y += 1
            left -= x - begin
            reach[k] = trace[edits][k] = x
            if x >= width and y >= height:
                return _back(trace, width, height)
    return None


def _back(trace: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """The way to (x, y), gone back."""
    pairs: list[tuple[int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        k = x - y
        if edits:
            before = trace[edits - 1]
            down = k == -edits or (k != edits and before.get(k - 1, -1) < before.get(k + 1, -1))
            last = k + 1 if down else k - 1
            at = before[last]
            start = at if down else at + 1
        else:
            start, at, last = 0, 0, 0
        while x > start:
            x -= 1
            y -= 1
            pairs.append((x, y))
        x, y = at, at - last
    return pairs[::-1]


def hunks(before: bytes, after: bytes) -> Iterator[bytes]:
    """The lines of all hunks, each with its end."""
    old, new = lines_of(before), lines_of(after)
    group: list[Span] = []
    for span in spans(old, new):
        if group and span[0] - group[-1][1] > 2 * CONTEXT:
            yield from _hunk(old, new, group)
            group = []
        group.append(span)
    if group:
        yield from _hunk(old, new, group)


def _hunk(old: list[bytes], new: list[bytes], group: list[Span]) -> Iterator[bytes]:
    above = min(CONTEXT, group[0][0])
    below = min(CONTEXT, len(old) - group[-1][1])
    starts = group[0][0] - above, group[0][2] - above
    ends = group[-1][1] + below, group[-1][3] + below
    sides = [_place(start, end - start) for start, end in zip(starts, ends)]
    yield f"@@ -{sides[0]} +{sides[1]} @@\n".encode()
    at = starts[0]
    for first, stop, begin, end in group:
        yield from _marked(b" ", old[at:first])
        yield from _marked(b"-", old[first:stop])
        yield from _marked(b"+", new[begin:end])
        at = stop
    yield from _marked(b" ", old[at : ends[0]])


def _place(start: int, count: int) -> str:
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def _marked(mark: bytes, lines: list[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield mark + line
        if not line.endswith(b"\n"):
            yield b"\n\\ No newline at end of file\n"
