"""A table of TOML as a record: the fields of the record are the keys of the table.

Rules:
1. A key that the record has not, one that is missing, or a value of another kind is a ConfigFault that names file,
   line and key, and the near name where there is one.
2. The kinds are those that the fields of the records here have: text, whole number, list of texts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from edge import toml
from edge.faults import ConfigFault
from edge.record import Record
from edge.schema import near

R = TypeVar("R", bound=Record)


class Tables:
    """The tables of one file."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self._data, self._lines = toml.load(text, name)

    def fault(self, key: str, sentence: str, fix: str) -> ConfigFault:
        line = self._lines.get(key)
        return ConfigFault(sentence, fix, f"{self.name}:{line}" if line else self.name, key)

    def record(self, kind: type[R], at: str = "", **given: Any) -> R:
        """The table `at` ("" is the whole file) as such a record; the fields that are `given` are not looked for."""
        table = self._table(at)
        fields = kind.__annotations__
        for key in table:
            if key not in fields:
                raise self._unknown(_dotted(at, key), tuple(fields))
        missing = [key for key in fields if key not in (*table, *kind.__defaults__, *given)]
        if missing:
            raise self.fault(at, f"[{at}] has no {missing[0]}" if at else f"there is no {missing[0]}", "add it")
        read = {key: self._value(_dotted(at, key), table[key], fields[key]) for key in table if key not in given}
        return kind(**read, **given)

    def has(self, at: str) -> bool:
        return at in self._data

    def names(self, at: str) -> list[str]:
        """The tables below a table, as `[at.NAME]`."""
        return list(self._table(at))

    def texts(self, at: str) -> dict[str, str]:
        """The texts of a table; none where there is no such table."""
        return {key: self._value(f"{at}.{key}", value, "str") for key, value in self._table(at).items()}

    def _table(self, at: str) -> dict[str, Any]:
        found: Any = self._data
        for part in filter(None, at.split(".")):
            found = found.get(part, {})
            if not isinstance(found, dict):
                raise self.fault(at, f"{at} is not a table", f"write [{at}] and a line for each of its keys")
        return dict(found)

    def _unknown(self, key: str, known: tuple[str, ...]) -> ConfigFault:
        close = near(key.rpartition(".")[2], known)
        return self.fault(key, f"{key} is not known here", f"did you mean {close}?" if close else "remove it")

    def _value(self, key: str, value: Any, kind: str) -> Any:
        fits, words, made = KINDS[kind]
        if not fits(value):
            raise self.fault(key, f"{key} is {str(value)[:40]!r}", f"it must be {words}")
        return made(value)


def _dotted(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key


def _text(value: Any) -> bool:
    """What is shown to people and put onto command lines holds no command for a terminal."""
    return isinstance(value, str) and value.isprintable()


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(_text(one) for one in value)


# How a field is annotated -> whether a value fits, what fits in words, and how it is kept.
KINDS: dict[str, tuple[Callable[[Any], bool], str, Callable[[Any], Any]]] = {
    "str": (_text, "text on one line", str),
    "int": (lambda value: type(value) is int, "a whole number", int),
    "tuple[str, ...]": (_texts, "a list of texts, each on one line", tuple),
}
