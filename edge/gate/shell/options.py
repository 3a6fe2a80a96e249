"""Options of a program as most programs read them. Pure."""

from __future__ import annotations


def options(
    words: tuple[str, ...], values: str = "", longs: tuple[str, ...] = (), permute: bool = True
) -> tuple[list[tuple[str, str]], list[str]]:
    """The options of `words` with their values, and the operands.

    `values`: letters whose value is the rest of the word or the next word; `longs`: long options whose value may be
    the next word. Not `permute`: options end at the first operand.
    """
    found: list[tuple[str, str]] = []
    operands: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            return found, [*operands, *words[at:]]
        if word.startswith("--"):
            name, sign, value = word.partition("=")
            if not sign and name[2:] in longs and at < len(words):
                value = words[at]
                at += 1
            found.append((name, value))
        elif word.startswith("-") and len(word) > 1:
            at += _letters(word, words[at : at + 1], values, found)
        else:
            operands.append(word)
            if not permute:
                return found, [*operands, *words[at:]]
    return found, operands


def _letters(word: str, following: tuple[str, ...], values: str, found: list[tuple[str, str]]) -> int:
    """The letters of one word; how many of the following words were a value."""
    for index in range(1, len(word)):
        letter = word[index]
        if letter not in values:
            found.append((f"-{letter}", ""))
            continue
        if index + 1 < len(word):
            found.append((f"-{letter}", word[index + 1 :]))
            return 0
        found.append((f"-{letter}", following[0] if following else ""))
        return len(following)
    return 0


def has(found: list[tuple[str, str]], *names: str) -> bool:
    """True when one of the options `names` is there."""
    return any(name in names for name, _ in found)


def value(found: list[tuple[str, str]], *names: str) -> str:
    """The value of the last of the options `names`, or ""."""
    return next((text for name, text in reversed(found) if name in names), "")
