"""`$'...'`: text with the escapes of C, as bash and busybox decode it. Pure."""

from __future__ import annotations

from edge.gate.shell.marks import MARKS
from edge.gate.shell.nodes import ShellFault

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_KINDS = {"x": (2, 16, ""), "u": (4, 16, ""), "U": (8, 16, "")}
_OCTAL = frozenset("01234567")
_HEX = frozenset("0123456789abcdefABCDEF")


def decoded(text: str, start: int, odd: list[str]) -> tuple[str, str, int]:
    """The text from `start` decoded, as it stands, and the place behind it; ShellFault when it does not end."""
    made: list[str] = []
    at = start
    while text[at : at + 1] != "'":
        if at >= len(text):
            raise ShellFault("a quotation mark does not end")
        if text[at] == "\\":
            letter, at = _escape(text, at + 1, odd)
            made.append(letter)
        else:
            made.append(text[at])
            at += 1
    raw = text[start:at]
    if "\\'" in raw:
        odd.append("shells disagree where $'...' ends")
    return "".join(made), raw, at + 1


def _escape(text: str, at: int, odd: list[str]) -> tuple[str, int]:
    """The letter that the escape behind a backslash means, and the place behind it."""
    kind = text[at : at + 1]
    at += 1
    if kind not in _KINDS and kind not in _OCTAL:
        if kind == "c":
            odd.append("a control character is written")
        return _ESCAPES.get(kind, kind), at
    longest, base, digits = _KINDS.get(kind, (3, 8, kind))
    allowed = _HEX if base == 16 else _OCTAL
    while len(digits) < longest and text[at : at + 1] in allowed:
        digits += text[at]
        at += 1
    value = int(digits, base) if digits else 0
    if not 0 < value < 0x110000 or 0xD800 <= value < 0xE000 or chr(value) in MARKS:
        odd.append("a character is written that no text holds")
        return "", at
    return chr(value), at
