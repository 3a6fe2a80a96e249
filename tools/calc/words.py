"""An expression cut into words: numbers, names, signs. Linear, nothing is computed."""

from __future__ import annotations

from fractions import Fraction

from edge.faults import ToolFault
from edge.record import Record

LONGEST = 4000  # characters of an expression
_DIGITS = frozenset("0123456789")
_BASES = {"0x": (16, "0123456789abcdefABCDEF"), "0b": (2, "01"), "0o": (8, "01234567")}
_SIGNS = ("**", "//", "<<", ">>")
_ONE = frozenset("+-*/%^&|~!()[],")
_LETTERS = "\u00b0\u03a9\u2126\u00b5\u03bc_"
_SAME = {"\u2212": "-", "\u00d7": "*", "\u00b7": "*", "\u00f7": "/"}


class Word(Record):
    """`kind`: number, name, sign or end. `at`: the place in the text, from 1."""

    kind: str
    text: str
    at: int
    value: Fraction = Fraction(0)


def cut(text: str) -> list[Word]:
    """The words of an expression, with an end. ToolFault names what cannot be read, and where."""
    if len(text) > LONGEST:
        raise ToolFault(f"the expression has {len(text)} characters; at most {LONGEST} are read")
    words: list[Word] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter.isspace():
            at += 1
            continue
        word, at = _word(text, at)
        words.append(word)
    return [*words, Word("end", "the end", len(text) + 1)]


def _word(text: str, at: int) -> tuple[Word, int]:
    letter = text[at]
    if letter in _DIGITS or (letter == "." and text[at + 1 : at + 2] in _DIGITS and text[at + 1 : at + 2]):
        return _number(text, at)
    if letter.isalpha() or letter in _LETTERS:
        end = at
        while end < len(text) and (text[end].isalnum() or text[end] in _LETTERS):
            end += 1
        return Word("name", text[at:end], at + 1), end
    sign = _SAME.get(letter, letter)
    if text[at : at + 2] in _SIGNS:
        return Word("sign", text[at : at + 2], at + 1), at + 2
    if sign in _ONE:
        return Word("sign", sign, at + 1), at + 1
    raise ToolFault(f"{letter!a} at place {at + 1} belongs to no expression")


def _number(text: str, at: int) -> tuple[Word, int]:
    base, letters = _BASES.get(text[at : at + 2].lower(), (10, ""))
    if base != 10:
        end = _run(text, at + 2, letters + "_")
        digits = text[at + 2 : end].replace("_", "")
        if not digits or text[end : end + 1].isalnum():
            raise ToolFault(f"the number at place {at + 1} is no number of base {base}")
        return Word("number", text[at:end], at + 1, Fraction(int(digits, base))), end
    end = _run(text, at, "0123456789_")
    if text[end : end + 1] == "." and text[end + 1 : end + 2] != ".":
        end = _run(text, end + 1, "0123456789")
    mantissa = text[at:end].replace("_", "")
    power = 0
    if text[end : end + 1] in ("e", "E"):
        sign = end + 1 + (text[end + 1 : end + 2] in ("+", "-"))
        stop = _run(text, sign, "0123456789")
        if stop > sign:
            power, end = int(text[end + 1 : stop][:8]), stop
    if abs(power) > 4000:
        raise ToolFault(f"the exponent of the number at place {at + 1} is beyond 4000")
    return Word("number", text[at:end], at + 1, Fraction(mantissa.rstrip(".") or "0") * Fraction(10) ** power), end


def _run(text: str, at: int, letters: str) -> int:
    while at < len(text) and text[at] in letters:
        at += 1
    return at
