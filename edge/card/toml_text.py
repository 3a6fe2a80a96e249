"""Tables -> TOML text, one key a line, with the dotted key of each line. Of values: what settings are made of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def write(data: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text, and the dotted key of each of its lines ("" for an empty one)."""
    rows: list[tuple[str, str]] = []
    _table(data, "", "", rows)
    return "".join([f"{line}\n" for line, _ in rows]), [key for _, key in rows]


def _table(table: Mapping[str, Any], written: str, dotted: str, rows: list[tuple[str, str]]) -> None:
    """Keys first, then tables: a key behind a table's header would be the table's."""
    below = {key: value for key, value in table.items() if isinstance(value, dict) or _is_tables(value)}
    for key, value in table.items():
        if key not in below:
            rows.append((f"{_key(key)} = {_value(value)}", f"{dotted}{key}"))
    for key, value in below.items():
        for one in [value] if isinstance(value, dict) else value:
            marks = "[]" if isinstance(value, dict) else ("[[", "]]")
            name = f"{written}{_key(key)}"
            only_tables = isinstance(value, dict) and one and all(isinstance(entry, dict) for entry in one.values())
            if not only_tables:
                rows += [("", "")] * bool(rows) + [(f"{marks[0]}{name}{marks[1]}", f"{dotted}{key}")]
            _table(one, f"{name}.", f"{dotted}{key}.", rows)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _key(key: str) -> str:
    plain = key.isascii() and key.replace("_", "a").replace("-", "a").isalnum()
    return key if plain else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join([_value(one) for one in value])}]"
    if isinstance(value, dict):
        return "{" + ", ".join([f"{_key(key)} = {_value(one)}" for key, one in value.items()]) + "}"
    if isinstance(value, (int, float)):
        return repr(value)
    shown: str = value.isoformat()  # what TOML has else: dates and times
    return shown


def _text(text: str) -> str:
    r"""A basic string; TOML 1.0 has the escapes \\ \" \uXXXX and forbids raw control characters."""
    if '"' not in text and "\\" not in text and text.isprintable():
        return f'"{text}"'
    escaped = []
    for letter in text:
        if letter in '"\\':
            escaped.append("\\" + letter)
        elif letter < " " or letter == "\x7f":
            escaped.append(f"\\u{ord(letter):04x}")
        else:
            escaped.append(letter)
    return f'"{"".join(escaped)}"'
