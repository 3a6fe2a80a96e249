"""The values in the tables of a described world: types, ranges, names, times. ValueError names the key."""

from __future__ import annotations

from edge.peripherals.sim.parts import MOST as MOST_BY
from edge.peripherals.sim.plan import AIR, ENDLESS, KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Table = Mapping[str, Any]

MOST = 32  # sensors, outputs, tanks, contacts
DAY = 86400.0
LONG = 31 * DAY
NAME = 32  # characters
WIRED = ("chip", "line", "active", "bias", "debounce")

# key -> lowest and highest; whole numbers where the lowest is one
_RANGE = {
    **{"max_on": (0.1, LONG), "min_off": (0.0, DAY), "max_per_hour": (0, 3600), "max_age": (0.1, 3600.0)},
    **{"settle": (0.0, 60.0), "rate": (0.0, 1e6), "volume": (0.1, 1e6), "level": (0.0, 100.0), "inflow": (0.0, 1e4)},
    **{"outflow": (0.0, 1e4), "catches": (0.0, 1e4), "vents": (10.0, DAY), "delay": (0.0, 10.0), "above": (-1e6, 1e6)},
    **{"low": (-1e6, 1e6), "high": (-1e6, 1e6), "places": (0, 6), "seed": (0, 2**31), "day_hours": (1.0, 23.0)},
    **{"mean": (-60.0, 60.0), "swing": (0.0, 40.0), "cloudiness": (0.0, 1.0), "rain": (0.0, 200.0)},
    **{"noon": (0.0, 150000.0), "glass": (0.0, 40.0), "closed": (10.0, DAY), "air": (-60.0, 80.0)},
    **{"humidity": (5.0, 98.0), "soil": (0.0, 100.0), "after": (0.0, LONG), "lasts": (0.0, LONG)},
    **{"by": (-MOST_BY, MOST_BY), "reads": (0, 10000)},
}
_WORDS = {"risk": ("low", "medium", "high"), "on_start": ("safe", "hold"), "on_exit": ("safe", "hold"), "drives": KINDS}
_LISTS = ("words", "interlock", "states")


def fields(row: Table, takes: tuple[str, ...], key: str) -> dict[str, Any]:
    """The fields of one table, each of its type and within its range; wiring is dropped."""
    only(row, takes, key)
    return {name: _value(name, value, f"{key}.{name}") for name, value in row.items() if name not in WIRED}


def _value(name: str, value: Any, key: str) -> Any:
    """One value, checked by the name of its key."""
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise ValueError(f"{key} is one of {', '.join(filter(None, _WORDS[name]))}")
        return value
    if name == "at":
        return value
    if name == "safe":
        return _one(value, {"off": False, "on": True, False: False, True: True}, key)
    if name == "pwm":
        return value is True or isinstance(value, dict)
    if name in _LISTS:
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) and len(text) <= 80 for text in texts):
            raise ValueError(f"{key} is a list of texts")
        return tuple(texts)
    if name in _RANGE:
        return _number(value, *_RANGE[name], key)
    if name == "value" and type(value) in (int, float):
        return value
    if not isinstance(value, str) or len(value) > 80 or not value.isprintable():
        raise ValueError(f"{key} is a text of at most 80 characters")
    return value


def _number(value: Any, low: float, high: float, key: str) -> Any:
    """A number in its range; whole where the range is of whole numbers."""
    whole = isinstance(low, int)
    if type(value) is not int and (whole or type(value) is not float):
        raise ValueError(f"{key} is a {'whole ' if whole else ''}number")
    if not low <= value <= high:
        raise ValueError(f"{key} goes from {low:g} to {high:g}")
    return value if whole else float(value)


def _one(value: Any, words: Mapping[Any, Any], key: str) -> Any:
    if not isinstance(value, (str, bool)) or value not in words:
        raise ValueError(f"{key} is one of {', '.join([word for word in words if isinstance(word, str)])}")
    return words[value]


def pair(states: tuple[str, ...], key: str) -> tuple[str, str]:
    if len(states) != 2 or states[0] == states[1] or not all(states):
        raise ValueError(f'{key}.states are two words, for open and closed contact: ["open", "closed"]')
    return states[0], states[1]


def moment(value: Any, key: str) -> float:
    """Board seconds of `16:00`, `day 2 16:00:30` or seconds since midnight of day 1."""
    if type(value) in (int, float) and 0 <= value <= 366 * DAY:
        return float(value)
    words = value.split() if isinstance(value, str) else []
    day = 1
    if len(words) == 3 and words[0] == "day" and words[1].isdecimal() and 0 < len(words[1]) < 4:
        day, words = int(words[1]), words[2:]
    marks = words[0].split(":") if len(words) == 1 else []
    if len(marks) in (2, 3) and all(mark.isascii() and mark.isdecimal() and len(mark) <= 2 for mark in marks):
        hour, minute, second = (*map(int, marks), 0)[:3]
        if hour < 24 and minute < 60 and second < 60 and day > 0:
            return (day - 1) * DAY + hour * 3600.0 + minute * 60.0 + second
    raise ValueError(f'{key} is a time: "16:00", or "day 2 16:00"')


def rows(tables: Table, group: str) -> list[tuple[str, str, Table]]:
    """(key, name, table) of each `[group.NAME]`."""
    found = table(tables, group, "")
    if len(found) > MOST:
        raise ValueError(f"{group} has more than {MOST} names")
    for name, row in found.items():
        named(name, f"{group}.{name[:NAME]}")
        if not isinstance(row, dict):
            raise ValueError(f"{group}.{name} is a table: [{group}.{name}]")
    return [(f"{group}.{name}", name, row) for name, row in found.items()]


def table(tables: Table, name: str, above: str) -> Table:
    found = tables.get(name, {})
    if not isinstance(found, dict):
        raise ValueError(f"{above}{name} is a table: [{above}{name}]")
    return found


def only(row: Any, takes: tuple[str, ...], key: str) -> None:
    if not isinstance(row, dict):
        raise ValueError(f"{key or 'a board'} is a table")
    for name in row:
        if name not in takes:
            shown = ascii(str(name)[:NAME])[1:-1]
            raise ValueError(f"{key}{'.' if key else ''}{shown} is no key; there are {', '.join(takes)}")


def named(value: Any, key: str) -> str:
    plain = isinstance(value, str) and value.isascii() and value.replace("_", "a").isalnum() and len(value) <= NAME
    if not plain or value != value.lower():
        raise ValueError(f"{ascii(key)[1:-1]} is no name: small letters, digits and _, at most {NAME}")
    return str(value)


def apart(things: list[str], rest: list[str]) -> None:
    """Every name means one thing; `things`, tanks and contacts, are not called like a quantity either."""
    seen = {*AIR, *ENDLESS, "soil"}
    for name in things:
        if name in seen:
            raise ValueError(f"{name} is declared twice, or is the name of a quantity")
        seen.add(name)
    seen = set(things)
    for name in rest:
        if name in seen:
            raise ValueError(f"{name} is declared twice")
        seen.add(name)


def plain(value: Any) -> Any:
    """Values of TOML as those of JSON: a time of day is its text."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value.isoformat() if hasattr(value, "isoformat") else value
