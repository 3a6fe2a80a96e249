"""JSON in few bytes, clipped by its structure: still valid JSON that shows what is there, and how much is not.

Rules:
1. A long list keeps its first and last items, a long text its beginning, an object its first keys; what was left out
   stands in its place as a text `[... N more of M]`, so that the shape can be read.
2. Numbers stay as they are spelled: no digit is lost, no exponent overflows. So does half of a surrogate pair.
3. What is nested deeper than DEPTH is told by its kind and size. A text that no reader can take as JSON (too deep,
   broken) is none: "" is the answer.
"""

from __future__ import annotations

from edge.text import clip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEPTH = 24  # levels
# (items of a list or keys of an object, characters of a text, levels), from much to little
STEPS = (
    (200, 2000, DEPTH),
    (60, 800, DEPTH),
    (30, 400, 16),
    (16, 240, 12),
    (10, 120, 10),
    (6, 80, 8),
    (4, 60, 6),
    (3, 40, 4),
    (2, 30, 3),
    (1, 20, 2),
)


class Number(str):
    """A number as it is spelled."""

    __slots__ = ()


def shaped(text: str, limit: int) -> str:
    """`text` in at most `limit` bytes, clipped by structure; "" when it is no JSON."""
    import json

    try:
        value = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=str)
    except (ValueError, RecursionError):
        return ""
    made = ""
    for items, letters, levels in STEPS:
        room = [limit]
        made = _written(value, (items, letters), levels, room)
        if room[0] >= 0 and len(made.encode("utf-8", "replace")) <= limit:
            return made
    return clip(made, limit)


def _written(value: Any, most: tuple[int, int], levels: int, room: list[int]) -> str:
    """The value as JSON; `room` shrinks by what was written, and when it is used up nothing more is worth writing."""
    if room[0] < 0:
        return "null"
    if isinstance(value, Number) or value is None or isinstance(value, bool):
        return _plain(value, room)
    if isinstance(value, str):
        return _text(value, most[1], room)
    if levels <= 0 and value:
        kind = f"list of {len(value):,}" if isinstance(value, list) else f"object of {len(value):,} keys"
        return _text(f"[{kind}]", 80, room)
    if isinstance(value, list):
        return "[" + ", ".join(_items(value, most, levels, room)) + "]"
    return "{" + ", ".join(_fields(value, most, levels, room)) + "}"


def _plain(value: Any, room: list[int]) -> str:
    said = {None: "null", True: "true", False: "false"}.get(value) or str(value)
    if len(said) > 60:
        return _text(f"{said[:40]}[... a number of {len(said):,} letters]", 100, room)
    room[0] -= len(said) + 2
    return said


def _text(value: str, most: int, room: list[int]) -> str:
    import json

    if len(value) > most + 30:
        value = f"{value[:most]}[... {len(value) - most:,} more characters]"
    said = json.dumps(value, ensure_ascii=False)
    if not said.isascii() and said.encode("utf-8", "ignore").decode() != said:
        said = json.dumps(value)
    room[0] -= len(said) + 2
    return said


def _items(value: list[Any], most: tuple[int, int], levels: int, room: list[int]) -> list[str]:
    count, kept = len(value), most[0]
    whole = count <= kept + 1
    head = count if whole else kept - kept // 3
    tail = count if whole else count - kept // 3
    said = [_written(one, most, levels - 1, room) for one in value[:head]]
    if head < tail:
        said.append(_text(f"[... {tail - head:,} more of {count:,}]", 80, room))
        said += [_written(one, most, levels - 1, room) for one in value[tail:]]
    return said


def _fields(value: dict[str, Any], most: tuple[int, int], levels: int, room: list[int]) -> list[str]:
    shown = most[0] * 2 if len(value) > most[0] * 2 + 1 else len(value)
    said = []
    for number, (name, one) in enumerate(value.items()):
        if number >= shown or room[0] < 0:
            break
        said.append(f"{_text(name, most[1], room)}: {_written(one, most, levels - 1, room)}")
    if shown < len(value):
        said.append(f'"...": {_text(f"[{len(value) - shown:,} more of {len(value):,} keys]", 80, room)}')
    return said
