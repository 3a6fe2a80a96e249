"""echo, printf, test and [ touch nothing; what the first two write, where that is plain. Pure.

Source: POSIX.1-2017 and the manuals of dash, bash and busybox ash.
"""

from __future__ import annotations

from edge.gate.shell.marks import ANY, MARKS, SPLIT, TOKEN
from edge.gate.shell.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk


_BINARY = frozenset(("=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"))
_JOINS = frozenset(("-a", "-o", "("))
_NUMERIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))


def printf(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """printf: its output where that is plain."""
    if words[:1] == ("--",):
        words = words[1:]
    first = words[0] if words else ""
    if first[:1] == "-" or (first[:1] in MARKS and SPLIT in first) or (first in MARKS and len(words) > 2):
        walk.sink.unknown("program:printf", "its first word may set a variable")
    walk.sink.add("run", f"program:{name}")
    return Stream(_formatted(words))


def _formatted(words: tuple[str, ...]) -> tuple[str, ...] | None:
    if not words:
        return ("",)
    form, rest = _decode(words[0]), list(words[1:])
    pieces = form.split("%s")
    if "%" in "".join(pieces).replace("%b", "").replace("%%", ""):
        return None
    made = ""
    while True:
        for index, piece in enumerate(pieces):
            if index:
                made += rest.pop(0) if rest else ""
            while "%b" in piece:
                piece = piece.replace("%b", _decode(rest.pop(0)) if rest else "", 1)
            made += piece
        if not rest or (len(pieces) == 1 and "%b" not in form) or len(made) > 8192:
            return (made.replace("%%", "%").replace(SPLIT, ANY),)


def _decode(text: str) -> str:
    """Backslash sequences of printf and of echo in dash."""
    if "\\" not in text:
        return text
    made, at = [], 0
    while at < len(text):
        letter = text[at]
        if letter != "\\" or at + 1 == len(text):
            made.append(letter)
            at += 1
            continue
        kind = text[at + 1]
        at += 2
        digits = ""
        base = 16 if kind == "x" else 8
        if kind in "01234567":
            digits = kind
        while (kind == "x" or digits) and at < len(text) and len(digits) < (2 if base == 16 else 4):
            if text[at] not in "0123456789abcdefABCDEF"[: 22 if base == 16 else 8]:
                break
            digits += text[at]
            at += 1
        if digits:
            made.append(chr(int(digits, base) % 256))
        else:
            made.append({"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "c": ""}.get(kind, "\\" + kind))
    return "".join(made)


def echo(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    walk.sink.add("run", f"program:{name}")
    walk.named(words)
    ends = "\n"
    while words and words[0] in ("-n", "-e", "-E", "-ne", "-en"):
        ends = "" if "n" in words[0] else ends
        words = words[1:]
    text = " ".join(words)
    plain, decoded = text.replace(SPLIT, ANY) + ends, _decode(text).replace(SPLIT, ANY) + ends
    return Stream((plain,) if plain == decoded else (plain, decoded))


def test(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """test and [: they open nothing; `-v` with a subscript runs commands in bash."""
    split = name != "[[" and any(SPLIT in word for word in words)
    if "-v" in words or "-R" in words or (split and (not _BINARY & set(words) or _JOINS & set(words))):
        walk.sink.unknown(f"program:{name}", "-v is not for every shell")
    if name == "[[" and _NUMERIC & set(words):
        for word in words:
            if word not in _NUMERIC and not word.strip(TOKEN + "-]").isdigit() and word.strip(TOKEN + "-]"):
                walk.strange("some shells evaluate what [[ compares as numbers")
    walk.sink.add("run", f"program:{'test' if name != '[[' else name}")
    return Stream(("",))
