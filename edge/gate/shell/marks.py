"""Marks inside the text of a word that stand for what only shows when the shell runs. Pure.

Rules:
1. A mark is one character that no command text can hold: `clean` takes such characters out of what is read.
2. ANY, SPLIT, FETCHED and VOID are unknown text: inside quotation marks; outside of them (none, one or many words);
   text that was downloaded or decoded; and what a variable holds that nobody set. All may hold slashes.
3. STAR, ONE, TOKEN and BELOW are unknown text that leads nowhere else: what `*` and `?` match, a name or number
   without blank, slash and leading dash, and a path below the one that stands before it.
"""

from __future__ import annotations

ANY = "\U0010ff00"
SPLIT = "\U0010ff01"
FETCHED = "\U0010ff02"
STAR = "\U0010ff03"
ONE = "\U0010ff04"
TOKEN = "\U0010ff05"
BELOW = "\U0010ff06"
VOID = "\U0010ff07"

MARKS = frozenset((ANY, SPLIT, FETCHED, STAR, ONE, TOKEN, BELOW, VOID))
OPEN = frozenset((ANY, SPLIT, FETCHED, VOID))
_SHOWN = {ANY: "$...", SPLIT: "$...", FETCHED: "$...", STAR: "*", ONE: "?", TOKEN: "$...", BELOW: "...", VOID: "$..."}


def names(text: str) -> frozenset[str]:
    """The words of a table that is written as text."""
    return frozenset(text.split())


def clean(text: str) -> str:
    """`text` without characters that would be taken for marks."""
    if text.isascii():
        return text
    return "".join("\ufffd" if letter in MARKS else letter for letter in text)


def known(text: str) -> bool:
    """True when `text` is exactly what the program will see."""
    return text.isascii() or not any(letter in MARKS for letter in text)


def closed(text: str) -> bool:
    """True when nothing in `text` may be anything at all."""
    return text.isascii() or not any(letter in OPEN for letter in text)


def shown(text: str) -> str:
    """`text` for a person: marks as the shell would write them."""
    if text.isascii():
        return text
    return "".join(_SHOWN.get(letter, letter) for letter in text)


def matches(pattern: str, name: str) -> bool:
    """True when `pattern`, whose STAR and other marks stand for any text and ONE for one letter, can be `name`."""
    at = back = 0
    star = -1
    where = 0
    while where < len(name):
        letter = pattern[at] if at < len(pattern) else ""
        if letter == ONE or letter == name[where]:
            at, where = at + 1, where + 1
        elif letter in MARKS:
            star, back = at, where
            at += 1
        elif star >= 0:
            at, back = star + 1, back + 1
            where = back
        else:
            return False
    return all(letter in MARKS and letter != ONE for letter in pattern[at:])
