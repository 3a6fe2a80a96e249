"""How facts stand in a text: sizes, aligned columns, name and value, at most so many bytes."""

from __future__ import annotations

from edge.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

ROOM = 4096  # bytes of one text
DATA = 16000  # bytes of JSON
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def size(count: int | float | None) -> str:
    """Bytes as a person reads them: `948 MiB`, `1.5 GiB`; `-` when it is not known."""
    if count is None:
        return "-"
    amount, place = float(count), 0
    while amount >= 1023.95 and place < len(_UNITS) - 1:
        amount /= 1024
        place += 1
    return f"{amount:.0f} {_UNITS[place]}" if place == 0 or amount >= 99.95 else f"{amount:.1f} {_UNITS[place]}"


def table(rows: Iterable[Sequence[str]], right: str = "") -> list[str]:
    """Columns with two blanks between them; `right` holds a letter `r` at the place of each that ends in line."""
    cells = [[line(cell) for cell in row] for row in rows]
    if not cells:
        return []
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return [
        "  ".join(
            cell.rjust(width) if right[column : column + 1] == "r" else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in cells
    ]


def named(rows: Iterable[tuple[str, str]]) -> list[str]:
    """`name  value` with the values in one column; rows without a value are left out."""
    return table([row for row in rows if row[1]])


def line(text: str) -> str:
    """`text` on one line, without what a terminal would act on."""
    return plain(text).replace("\n", " ").replace("\t", " ")


def fitted(lines: Sequence[str], room: int = ROOM, newest_last: bool = False, more: str = "narrow it") -> str:
    """The lines that fit into `room` bytes, the cut stated: the first of them, or the last when `newest_last`."""
    kept: list[str] = []
    left = room - 80
    for one in reversed(lines) if newest_last else lines:
        left -= len(one.encode("utf-8", "replace")) + 1
        if left < 0:
            break
        kept.append(one)
    if newest_last:
        kept.reverse()
    if len(kept) == len(lines):
        return "\n".join(kept)
    said = f"[{len(kept):,} of {len(lines):,} lines shown; {more}]"
    return "\n".join([said, *kept] if newest_last else [*kept, said])


def bounded(found: Mapping[str, Any], name: str, last: bool = False) -> dict[str, Any]:
    """The facts with as many of the rows `name` as fit into DATA bytes of JSON, the first or the last of them."""
    import json

    rows = found[name]
    left = DATA - len(json.dumps({key: value for key, value in found.items() if key != name}))
    count = 0
    for row in reversed(rows) if last else rows:
        left -= len(json.dumps(row)) + 2
        if left < 0:
            break
        count += 1
    if count == len(rows):
        return dict(found)
    return {**found, name: rows[len(rows) - count :] if last else rows[:count], f"{name}_left_out": len(rows) - count}
