"""JSON as models write it: strict first, then the repairs that lose nothing.

Rules:
1. Strict JSON (RFC 8259) is read by the standard library. What it refuses is read again here, and only these
   slips are mended: a comma after the last member, Python's True, False and None, single quotes, a raw line
   break or tab inside a string. Each is told in words.
2. Never mended, because it would be a guess: a missing bracket or quote, a key without quotes, a comment, an
   unknown escape, other number forms. Never accepted at all: a key twice, NaN or an infinite number, a number
   of more than 40 characters, more than 64 levels.
3. Every refusal is a StepFault whose sentence says what is wrong and where. The text never runs: no eval.
4. No recursion deeper than the levels; time is linear in what is read.
"""

from __future__ import annotations

from edge.faults import StepFault
from edge.schema import DEPTH, DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Pairs = list[tuple[str, Any]]

_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LAID = {"\n": "line break", "\r": "line break", "\t": "tab"}  # raw control characters whose meaning is plain


def attempt(text: str, at: int, flat: bool) -> tuple[Any, int, tuple[str, ...], StepFault | None]:
    """The JSON value that starts at `at` exactly, the place where reading stopped, the repairs, what is wrong.

    `flat`: the text has at most DEPTH opening brackets, so the C reader cannot go too deep. A fault is
    `truncated` when the text ends inside the value.
    """
    reader = None
    try:
        found = _strict(text, at) if flat else None
        if found:
            return found[0], found[1], (), None
        reader = _Reader(text, at)
        value = reader.value(0)
    except StepFault as fault:
        return None, reader.at if reader else at, (), fault
    return value, reader.at, tuple(reader.repairs), None


def flat(text: str) -> bool:
    """True when no value in the text can be nested deeper than DEPTH. O(n), fast."""
    return text.count("{") + text.count("[") <= DEPTH


def whole(text: str) -> tuple[Any, tuple[str, ...]]:
    """The one JSON value that `text` is, blanks around it aside; StepFault when something follows it."""
    body = text.strip()
    value, end, repairs, fault = attempt(body, 0, flat(body))
    if fault:
        raise fault
    if end == len(body):
        return value, repairs
    if body[end:].lstrip(" \t\r\n,;")[:1] in ("{", "["):
        raise StepFault("two_objects", "there are two values one after the other; give exactly one")
    raise StepFault("bad_json", f"something follows the JSON value: {body[end : end + 30]!a}")


def _strict(text: str, at: int) -> tuple[Any, int] | None:
    """Value and end by the standard library's reader, or None when this is not strict JSON."""
    try:
        return (_scan or _scanner())(text, at)
    except (ValueError, StopIteration):  # a malformed value; no value at all
        return None


_scan: Callable[[str, int], tuple[Any, int]] | None = None


def _scanner() -> Callable[[str, int], tuple[Any, int]]:
    """The standard reader with our checks, made at first use: json is not loaded before a reply is read."""
    global _scan
    if _scan is None:
        import json

        decoder: Any = json.JSONDecoder(
            object_pairs_hook=_members, parse_float=_float, parse_int=_int, parse_constant=_constant
        )
        _scan = decoder.scan_once
    return _scan


def _members(pairs: Pairs) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise StepFault("duplicate_key", f"the key {twice[:40]!a} stands twice in one object; give it once")
    return found


def _float(digits: str) -> float:
    number = float(digits)
    if len(digits) > DIGITS or number in (float("inf"), float("-inf")):
        raise StepFault("not_finite", f"the number {digits[:DIGITS]} is too large or too long")
    return number


def _int(digits: str) -> int:
    if len(digits) > DIGITS:
        raise StepFault("not_finite", f"the number {digits[:DIGITS]}... is too long")
    return int(digits)


def _constant(word: str) -> None:
    raise StepFault("not_finite", f"{word} is not a number JSON has; give a finite number or leave the argument out")


_marks: dict[str, Any] = {}


def _pattern(name: str) -> Any:
    """One of the compiled patterns, made at first use (json has loaded re by then)."""
    if not _marks:
        import re

        _marks["blank"] = re.compile(r"[ \t\r\n]*")
        _marks["number"] = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![0-9A-Za-z_.])")
        _marks["word"] = re.compile(r"-?[A-Za-z_][A-Za-z0-9_]*")
        _marks["hex"] = re.compile(r"[0-9A-Fa-f]{4}")
        _marks['"'] = re.compile(r'[^"\\\x00-\x1f]*')
        _marks["'"] = re.compile(r"[^'\\\x00-\x1f]*")
    return _marks[name]


class _Reader:
    """One pass over a text from `at`. After a StepFault, `at` is where the reading stopped."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.repairs: dict[str, None] = {}  # a set that keeps the order

    def value(self, depth: int) -> Any:
        mark = self._next("a value")
        if depth == DEPTH and mark in "{[":
            raise StepFault("too_deep", f"it is nested deeper than {DEPTH} levels")
        if mark == "{":
            return self._object(depth + 1)
        if mark == "[":
            return self._array(depth + 1)
        if mark in ('"', "'"):
            return self._string()
        return self._plain()

    def _next(self, wanted: str) -> str:
        """Skip blanks and look at the next character, without taking it."""
        self.at = _pattern("blank").match(self.text, self.at).end()
        if self.at >= len(self.text):
            raise StepFault("truncated", f"the text ends where {wanted} should follow; send the whole object again")
        return self.text[self.at]

    def _wrong(self, wanted: str) -> StepFault:
        around = ascii(self.text[self.at : self.at + 20])
        return StepFault("bad_json", f"{wanted} was expected at character {self.at + 1}, where {around} stands")

    def _object(self, depth: int) -> dict[str, Any]:
        self.at += 1
        pairs: Pairs = []
        while self._next("a key or }") != "}":
            if self.text[self.at] not in "\"'":
                raise self._wrong("a key in double quotes")
            key = self._string()
            if self._next("a colon") != ":":
                raise self._wrong("a colon")
            self.at += 1
            pairs.append((key, self.value(depth)))
            if self._comma("}"):
                return _members(pairs)
        self._close("}", bool(pairs))
        return _members(pairs)

    def _array(self, depth: int) -> list[Any]:
        self.at += 1
        items: list[Any] = []
        while self._next("a value or ]") != "]":
            items.append(self.value(depth))
            if self._comma("]"):
                return items
        self._close("]", bool(items))
        return items

    def _close(self, bracket: str, after_comma: bool) -> None:
        """Take the bracket that stands where a member could: behind a comma that is a repair."""
        self.at += 1
        if after_comma:
            self.repairs[f"a comma before {bracket} was left out"] = None

    def _comma(self, bracket: str) -> bool:
        """Take a comma or the closing bracket; True when it was the bracket."""
        mark = self._next(f"a comma or {bracket}")
        if mark not in (",", bracket):
            raise self._wrong(f"a comma or {bracket}")
        self.at += 1
        return mark == bracket

    def _string(self) -> str:
        text, quote = self.text, self.text[self.at]
        if quote == "'":
            self.repairs["single quotes were read as double quotes"] = None
        run = _pattern(quote)
        self.at += 1
        parts = []
        while True:
            end = run.match(text, self.at).end()
            parts.append(text[self.at : end])
            self.at = end + 1
            mark = text[end : end + 1]
            if mark == quote:
                return "".join(parts)
            parts.append(self._special(mark, quote))

    def _special(self, mark: str, quote: str) -> str:
        """What stands in a string but plain characters; `at` is behind `mark`."""
        if mark == "\\":
            return self._escape(quote)
        if mark in _LAID:
            self.repairs[f"a raw {_LAID[mark]} inside a string was kept"] = None
            return mark
        if not mark:
            raise StepFault("truncated", "the text ends inside a string; send the whole object again")
        self.at -= 1
        raise StepFault("bad_json", f"the control character {ascii(mark)[1:-1]} must be escaped inside a string")

    def _escape(self, quote: str) -> str:
        mark = self.text[self.at : self.at + 1]
        self.at += 1
        if mark == "u":
            return self._unicode()
        # JSON has \/ and no \', Python the other way round: each holds only inside its own quotes.
        if mark in _ESCAPES and mark != ("/" if quote == "'" else "'"):
            return _ESCAPES[mark]
        if not mark:
            raise StepFault("truncated", "the text ends inside an escape; send the whole object again")
        self.at -= 1
        raise StepFault(
            "bad_escape",
            f"\\{ascii(mark)[1:-1]} is not a JSON escape; to write a backslash in a string write two of them",
        )

    def _unicode(self) -> str:
        """The character of \\uXXXX, of two of them where they are a pair (a half stays a half: rejected later)."""
        unit = self._unit()
        if 0xD800 <= unit < 0xDC00 and self.text.startswith("\\u", self.at):
            before = self.at
            self.at += 2
            low = self._unit()
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
            self.at = before
        return chr(unit)

    def _unit(self) -> int:
        found = _pattern("hex").match(self.text, self.at)
        if found is None:
            if len(self.text) - self.at < 4:
                raise StepFault("truncated", "the text ends inside an escape; send the whole object again")
            raise StepFault("bad_escape", "after \\u four hexadecimal digits must follow")
        self.at = found.end()
        return int(found.group(), 16)

    def _plain(self) -> Any:
        """A number or a word."""
        found = _pattern("number").match(self.text, self.at)
        if found:
            self.at = found.end()
            return (_float if found.group(1) or found.group(2) else _int)(found.group())
        found = _pattern("word").match(self.text, self.at)
        word = found.group() if found else ""
        if word in _WORDS:
            self.at = found.end()
            if word[0].isupper():
                self.repairs[f"{word} was read as {'null' if word == 'None' else word.lower()}"] = None
            return _WORDS[word]
        if word.lstrip("-").lower() in ("nan", "inf", "infinity"):
            _constant(word)
        if found and found.end() == len(self.text) and any(known.startswith(word) for known in _WORDS):
            raise StepFault("truncated", f"the text ends inside the word {word[:20]}; send the whole object again")
        raise self._wrong("a value (true, false, null, a number, a list, an object or a text in double quotes)")
