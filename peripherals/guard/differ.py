"""In what two descriptions of a guard differ, for a sentence. Text in, text out."""

from __future__ import annotations

from edge.peripherals.guard import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MOST = 3


def difference(theirs: str, ours: str) -> str:
    """The first few differences: `pump.max_on is 600 there and 300 here`."""
    try:
        there, here = line.read(theirs), line.read(ours)
    except ValueError:
        return "one of the descriptions cannot be read"
    if not isinstance(there, dict) or not isinstance(here, dict):
        return "one of the descriptions is none"
    found = list(_fields("", there, here))
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    return "; ".join(found[:MOST]) + more


def _fields(where: str, there: dict[str, Any], here: dict[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*there, *here)):
        one, other = there.get(name), here.get(name)
        if one == other:
            continue
        if _named(one) and _named(other):
            yield from _rows(name, one, other)
        else:
            yield f"{where}{name} is {_short(one)} there and {_short(other)} here"


def _rows(kind: str, there: Any, here: Any) -> Iterator[str]:
    """Lists of records that have names: outputs, sensors, lines."""
    ones, others = ({row["name"]: row for row in rows} for rows in (there, here))
    for name in dict.fromkeys((*ones, *others)):
        if name not in others:
            yield f"{kind} has {name} only there"
        elif name not in ones:
            yield f"{kind} has {name} only here"
        else:
            yield from _fields(f"{name}.", ones[name], others[name])


def _named(rows: Any) -> bool:
    return isinstance(rows, list) and all(isinstance(row, dict) and isinstance(row.get("name"), str) for row in rows)


def _short(value: Any) -> str:
    text = line.write(value)
    return text if len(text) <= 60 else text[:57] + "..."
