"""Where a bracket expression ends, for those who look for the end of a regular expression. Pure, one pass.

Rule: some implementations let a bracket hold the sign that ends the expression, some do not, and they disagree about
backslashes in it. `behind` reads it as POSIX does; `level` says whether there is nothing to disagree about.
Source: POSIX.1-2017 9.3.5.
"""

from __future__ import annotations


def behind(text: str, at: int) -> int:
    """The place behind the bracket expression that begins at `at`; `at` when it does not end, or may end elsewhere."""
    place = at + 1
    if text[place : place + 1] == "^":
        place += 1
    if text[place : place + 1] == "]":
        place += 1
    while place < len(text):
        letter = text[place]
        if letter == "]":
            return place + 1
        if letter == "[" and text[place + 1 : place + 2] in (":", ".", "="):
            end = text.find(text[place + 1] + "]", place + 2)
            if end < 0:
                return at
            place = end + 2
        elif letter == "\\" and text[place + 1 : place + 2] in ("]", "\\"):
            return at
        else:
            place += 2 if letter == "\\" else 1
    return at


def level(text: str) -> bool:
    """True when every bracket expression of `text` ends in it, whoever reads it."""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == "[":
            after = behind(text, at)
            if after == at:
                return False
            at = after
        else:
            at += 1
    return True
