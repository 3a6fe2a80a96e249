"""JSON text for the guard's lines, without the json module.

Rules this file keeps:
1. What `write` writes every JSON reader reads; it is plain ASCII on one line.
2. `read` takes strict JSON of a small depth. It refuses what JSON libraries let pass and a guard must not
   guess about: NaN and infinities, whole numbers beyond every float (whoever reckons with one would fail), a name that
   stands twice in one object, text after the value.
3. The only error is ValueError with a sentence.
4. Nothing is imported. The json module brings re and enum and 1.2 MiB of private memory into a process whose
   whole allowance over the bare interpreter is 1 MiB (measured on 3.9, 3.11 and 3.13).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEPTH = 6
WHOLE = 300  # digits of a whole number; a float ends at 309
SPACE = " \t\r\n"
WORDS = (("true", True), ("false", False), ("null", None))
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
HEX = frozenset("0123456789abcdefABCDEF")
DIGITS = frozenset("0123456789")


def write(value: Any) -> str:
    """`value` (None, bool, int, finite float, str, list, tuple, dict with text names) as JSON text."""
    if value is None or value is True or value is False:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value - value != 0.0:
            raise ValueError("a number that is not finite has no JSON form")
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([write(part) for part in value]) + "]"
    if isinstance(value, dict):
        return "{" + ",".join([_quoted(str(name)) + ":" + write(part) for name, part in value.items()]) + "}"
    raise ValueError(f"a {type(value).__name__} has no JSON form")


def _quoted(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    parts = []
    for char in text:
        code = ord(char)
        if char in '"\\':
            parts.append("\\" + char)
        elif 0x20 <= code < 0x7F:
            parts.append(char)
        elif code < 0x10000:
            parts.append(f"\\u{code:04x}")
        else:
            code -= 0x10000
            parts.append(f"\\u{0xD800 | code >> 10:04x}\\u{0xDC00 | code & 0x3FF:04x}")
    return '"' + "".join(parts) + '"'


def read(text: str) -> Any:
    """The value of one JSON text; ValueError with a sentence when it is none."""
    value, at = _value(text, _skip(text, 0), DEPTH)
    if _skip(text, at) != len(text):
        raise ValueError(f"text follows the JSON value at character {at + 1}")
    return value


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    char = text[at : at + 1]
    if char == '"':
        return _string(text, at + 1)
    if char == "{" or char == "[":
        if not depth:
            raise ValueError(f"the JSON is nested deeper than {DEPTH} levels")
        return _object(text, at + 1, depth - 1) if char == "{" else _list(text, at + 1, depth - 1)
    for word, value in WORDS:
        if text.startswith(word, at):
            return value, at + len(word)
    if char and char in "-0123456789":
        return _number(text, at)
    raise ValueError(f"no JSON value at character {at + 1}" if char else "the JSON text ends too early")


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = _skip(text, at)
    if text[at : at + 1] == "}":
        return found, at + 1
    while True:
        if text[at : at + 1] != '"':
            raise ValueError(f"a name in quotes was expected at character {at + 1}")
        name, at = _string(text, at + 1)
        if name in found:
            raise ValueError(f"the name {name[:40]!r} stands twice")
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError(f"a colon was expected at character {at + 1}")
        found[name], at = _value(text, _skip(text, at + 1), depth)
        at, more = _comma(text, at, "}")
        if not more:
            return found, at


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = _skip(text, at)
    if text[at : at + 1] == "]":
        return found, at + 1
    while True:
        value, at = _value(text, at, depth)
        found.append(value)
        at, more = _comma(text, at, "]")
        if not more:
            return found, at


def _comma(text: str, at: int, closing: str) -> tuple[int, bool]:
    at = _skip(text, at)
    char = text[at : at + 1]
    if char == ",":
        return _skip(text, at + 1), True
    if char == closing:
        return at + 1, False
    raise ValueError(f"a comma or {closing} was expected at character {at + 1}")


def _string(text: str, at: int) -> tuple[str, int]:
    end = text.find('"', at)
    plain = text[at:end] if end >= 0 else ""
    if end >= 0 and "\\" not in plain and (plain.isprintable() or min(plain) >= " "):
        return plain, end + 1
    parts: list[str] = []
    while at < len(text):
        char = text[at]
        if char == '"':
            return "".join(parts), at + 1
        if char < " ":
            raise ValueError(f"a bare control character stands in a string at character {at + 1}")
        if char == "\\":
            char, at = _escape(text, at + 1)
        else:
            at += 1
        parts.append(char)
    raise ValueError("a string has no closing quote")


def _escape(text: str, at: int) -> tuple[str, int]:
    char = text[at : at + 1]
    if char in ESCAPES:
        return ESCAPES[char], at + 1
    if char != "u":
        raise ValueError(f"an unknown escape stands at character {at + 1}")
    high = _hex(text, at + 1)
    if 0xD800 <= high < 0xDC00 and text.startswith("\\u", at + 5):
        low = _hex(text, at + 7)
        if 0xDC00 <= low < 0xE000:
            return chr(0x10000 + (high - 0xD800 << 10) + (low - 0xDC00)), at + 11
    return chr(high), at + 5


def _hex(text: str, at: int) -> int:
    digits = text[at : at + 4]
    if len(digits) != 4 or not HEX.issuperset(digits):
        raise ValueError(f"four hexadecimal digits were expected at character {at + 1}")
    return int(digits, 16)


def _number(text: str, at: int) -> tuple[int | float, int]:
    start = at
    at += text[at] == "-"
    at = at + 1 if text[at : at + 1] == "0" else _digits(text, at)
    whole = at
    if text[at : at + 1] == ".":
        at = _digits(text, at + 1)
    if text[at : at + 1] in ("e", "E"):
        at += 1
        at = _digits(text, at + (text[at : at + 1] in ("+", "-")))
    if at == whole:
        if at - start > WHOLE:
            raise ValueError(f"the number at character {start + 1} is too large")
        return int(text[start:at]), at
    number = float(text[start:at])
    if number - number != 0.0:
        raise ValueError(f"the number at character {start + 1} is too large")
    return number, at


def _digits(text: str, at: int) -> int:
    """The end of the run of digits at `at`; at least one."""
    end = at
    while text[end : end + 1] in DIGITS:
        end += 1
    if end == at:
        raise ValueError(f"a digit was expected at character {at + 1}")
    return end
