"""Everyday TOML, read without importing anything.

Rules:
1. Read here: tables, bare keys, strings without escapes, whole and decimal numbers, booleans, one-line lists of
   these, comments. `read` says None to all else, and `load` then asks tomllib (Python 3.11) or tomli.
2. What is read here means exactly what tomllib says it means (TOML 1.0). In doubt it is not read here: control
   characters, repeated keys and repeated tables are left to tomllib, which refuses them.
3. The line of every key is kept, so that a fault can name it.
4. Nothing is imported at module level, faults when there is one: a settings file is read before the prompt, and
   tomllib costs more than the whole start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Found = tuple[dict[str, Any], dict[str, int]]

_BLANK = " \t"
_NOTHING = object()
_DIGITS = 18  # a whole number of so many digits is below 2**63, the range every TOML reader has


def read(text: str) -> Found | None:
    """The tables and the line (from 1) of each dotted key, or None when this is not everyday TOML."""
    data, lines, stuck = _read(text)
    return None if stuck else (data, lines)


# How tomllib and tomli say that a text of one line has no end.
_OPEN = (r"Illegal character '\n'", 'Expected "\'"', "Unterminated string")


def load(text: str, name: str) -> Found:
    """As `read`, with tomllib's or tomli's help where it is needed. ConfigFault names `name` and the line."""
    data, lines, stuck = _read(text)
    if not stuck:
        return data, lines
    from edge.faults import ConfigFault

    parse = _library()
    if parse is None:
        row = text.split("\n")[stuck - 1].strip()
        fix = f"install tomli, or write line {stuck} as {_everyday(row)}"
        raise ConfigFault("this Python has no TOML reader of its own for this line", fix, f"{name}:{stuck}")
    try:
        return parse(text), _lines(text)
    except RecursionError as fault:
        raise ConfigFault("lists are nested too deeply", "flatten them", f"{name}:{stuck}") from fault
    except ValueError as fault:  # TOMLDecodeError is one
        said = str(fault)
        number = said.rpartition("at line ")[2].partition(",")[0]
        where = f"{name}:{number}" if number.isdecimal() else f"{name}:{stuck}"
        what, _, _ = said.partition(" (at ")
        if what in _OPEN:
            what = "a quotation mark is missing: a text has no end"
        raise ConfigFault(f"not TOML: {what}", "correct this line", where) from fault


def _read(text: str) -> tuple[dict[str, Any], dict[str, int], int]:
    """Tables, lines, and the line that is not everyday TOML, 0 when all are."""
    data: dict[str, Any] = {}
    lines: dict[str, int] = {}
    table, prefix = data, ""
    number = 0
    for line in text.replace("\r\n", "\n").split("\n"):
        number += 1
        if not line.isprintable() and _controls(line):
            return data, lines, number
        line = line.strip(_BLANK)
        if not line or line[0] == "#":
            continue
        if line[0] == "[":
            opened = _header(line, data)
            if opened is None:
                return data, lines, number
            table, prefix = opened
            lines[prefix[:-1]] = number
            continue
        key, _, rest = line.partition("=")
        key = key.rstrip(_BLANK)
        value, rest = _value(rest.lstrip(_BLANK))
        if not _bare(key) or key in table or value is _NOTHING or not _ends(rest):
            return data, lines, number
        table[key] = value
        lines[prefix + key] = number
    return data, lines, 0


def _controls(line: str) -> bool:
    """True for a control character; a tab and odd blanks are none."""
    return any((char < " " and char != "\t") or char == "\x7f" for char in line)


def _bare(key: str) -> bool:
    return key.isascii() and key.replace("_", "").replace("-", "").isalnum()


def _ends(rest: str) -> bool:
    rest = rest.lstrip(_BLANK)
    return not rest or rest[0] == "#"


def _header(line: str, data: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
    """The new table that a `[a.b]` line opens and its dotted name with a dot, None when it is not simply new."""
    path, bracket, rest = line[1:].partition("]")
    names = [name.strip(_BLANK) for name in path.split(".")]
    if not bracket or not _ends(rest) or not all(map(_bare, names)):
        return None
    table = data
    for name in names[:-1]:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            return None
    if names[-1] in table:
        return None
    made: dict[str, Any] = {}
    table[names[-1]] = made
    return made, ".".join(names) + "."


def _value(text: str) -> tuple[Any, str]:
    """The value that begins `text` and what follows it; _NOTHING when it is not an everyday one."""
    mark = text[:1]
    if mark == '"' or mark == "'":
        inner, quote, rest = text[1:].partition(mark)
        if not quote or (mark == '"' and "\\" in inner) or (not inner and rest[:1] == mark):
            return _NOTHING, ""
        return inner, rest
    if mark == "[":
        return _list(text[1:].lstrip(_BLANK))
    end = len(text)
    for stop in " \t,]#":
        at = text.find(stop, 0, end)
        if at >= 0:
            end = at
    return _plain(text[:end]), text[end:]


def _list(text: str) -> tuple[Any, str]:
    """The rest of a one-line list behind its bracket."""
    found = []
    while text[:1] != "]":
        if text[:1] == "[":
            return _NOTHING, ""
        value, text = _value(text)
        text = text.lstrip(_BLANK)
        if value is _NOTHING or text[:1] not in (",", "]"):
            return _NOTHING, ""
        found.append(value)
        if text[0] == ",":
            text = text[1:].lstrip(_BLANK)
    return found, text[1:]


def _plain(token: str) -> Any:
    """A boolean or a number by TOML's grammar, without underscores."""
    if token == "true" or token == "false":
        return token == "true"
    if not token.isascii():
        return _NOTHING
    mantissa, power, exponent = _unsigned(token).replace("E", "e").partition("e")
    whole, point, part = mantissa.partition(".")
    if not whole.isdecimal() or (whole[0] == "0" and len(whole) > 1):
        return _NOTHING
    if not point and not power:
        return int(token) if len(whole) <= _DIGITS else _NOTHING
    if (point and not part.isdecimal()) or (power and not _unsigned(exponent).isdecimal()):
        return _NOTHING
    return float(token)


def _unsigned(digits: str) -> str:
    return digits[1:] if digits[:1] in ("+", "-") else digits


def _library() -> Callable[[str], dict[str, Any]] | None:
    """The full reader of this Python, or None."""
    for name in ("tomllib", "tomli"):
        try:
            loads: Callable[[str], dict[str, Any]] = __import__(name).loads
        except ImportError:
            continue
        return loads
    return None


def _lines(text: str) -> dict[str, int]:
    """The line of each key as far as a look at the beginnings of lines can tell: good enough for a message."""
    lines: dict[str, int] = {}
    prefix = ""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line[:1] == "[" and "]" in line:
            prefix = line.strip("[").partition("]")[0].replace(" ", "").replace('"', "") + "."
            lines.setdefault(prefix[:-1], number)
        elif "=" in line and line[:1] != "#":
            key = line.partition("=")[0].replace(" ", "").replace('"', "").replace("'", "")
            lines.setdefault(prefix + key, number)
    return lines


def _everyday(line: str) -> str:
    """How a line that is not everyday TOML could be written."""
    key, _, value = line.partition("=")
    value = value.strip()
    if line[:1] == "[":
        return "a [table] of plain words that stands once, above its keys"
    if value[:1] == "{" or "." in key:
        return "a [table] with its keys below it"
    if value[:3] in ('"""', "'''") or "\\" in value:
        return "one text without escapes, in single quotes"
    if value[:1] == "[":
        return "a list in one line"
    return 'key = "text", key = 12, key = 1.5, key = true or key = ["a", "b"]'
