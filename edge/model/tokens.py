"""A goal as words: sentences of tokens, and the numbers, durations and units in them. Pure.

Rules:
1. Case never matters. `.` ends a sentence only before a blank or the end; `;`, `!`, `?` and a new line always do.
2. Text in quotation marks is one token that no pattern takes for words. A quotation that never closes goes
   on to the end.
3. What is no word, number, comma or quotation becomes a junk token, which no pattern takes: nothing unread is
   skipped. Only the words of phrases.FILLERS are left out, and only when they stand alone.
4. A sentence that ends with any question mark among its marks is a question.
"""

from __future__ import annotations

from edge.model import phrases
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Found = tuple[float, int]

LONGEST_NUMBER = 12
_DIGITS = "0123456789"
_MINUS = "-\u2212"
_ENDS = "!;\n\r"
_ASKS = "?\u037e\uff1f\u061f\u203d\u2047\u2048\u2049"
_QUOTES = {'"': '"', "`": "`", "'": "'", "\u201c": "\u201d", "\u201e": "\u201c\u201d", "\u201d": "\u201d"}
_QUOTES.update({"\u00ab": "\u00bb", "\u00bb": "\u00ab", "\u2018": "\u2019", "\u201a": "\u2018\u2019"})
_APOSTROPHES = "'\u2019"
_SYMBOLS = (">=", "<=", ">", "<", "\u2265", "\u2264", "%", "\u00b0", "\u2103", "\u2109")


class Token(Record):
    """One word. `word` is folded; kind: word, number, comma, quote, junk; start and end are places in the text."""

    word: str
    kind: str
    start: int
    end: int
    value: float = 0.0


class Sentence(Record):
    """The tokens between two ends; `question` when it closes with a question mark."""

    tokens: tuple[Token, ...]
    question: bool


def sentences(text: str) -> list[Sentence]:
    """All sentences of `text` that hold a token. Never fails; O(n)."""
    found: list[Sentence] = []
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        mark = text[at]
        if mark in _ASKS or mark in _ENDS or (mark == "." and _blank(text, at + 1)):
            if tokens:
                found.append(Sentence(tuple(tokens), mark in _ASKS))
            elif mark in _ASKS:
                # A question mark of its own makes a question of what is before it; before everything it is junk.
                before = found.pop().tokens if found else (Token(mark, "junk", at, at + 1),)
                found.append(Sentence(before, True))
            tokens = []
            at += 1
        elif mark.isspace():
            at += 1
        else:
            at = _token(text, at, tokens)
    if tokens:
        found.append(Sentence(tuple(tokens), False))
    return found


def _blank(text: str, at: int) -> bool:
    """True at the end, before a blank, and before marks that end a sentence."""
    while text[at : at + 1] == ".":
        at += 1
    return at >= len(text) or text[at].isspace() or text[at] in _ASKS or text[at] in _ENDS


def _token(text: str, at: int, tokens: list[Token]) -> int:
    """Add what begins at `at`; where the next one may begin."""
    mark = text[at]
    before = text[at - 1] if at else " "
    if mark in _QUOTES:
        close = _quoted(text, at)
        tokens.append(Token(text[at + 1 : close], "quote", at, min(close + 1, len(text))))
        return close + 1
    if mark in _DIGITS or (mark in _MINUS and text[at + 1 : at + 2] in tuple(_DIGITS) and not before.isalnum()):
        return _number(text, at, tokens)
    if mark.isalpha():
        return _word(text, at, tokens)
    if mark == ",":
        tokens.append(Token(",", "comma", at, at + 1))
        return at + 1
    if mark == "&":
        tokens.append(Token("and", "word", at, at + 1))
        return at + 1
    for symbol in _SYMBOLS:
        if text.startswith(symbol, at):
            tokens.append(Token(symbol, "word", at, at + len(symbol)))
            return at + len(symbol)
    after = text[at + 1 : at + 2]
    if before.isalnum() and after.isalnum() and (mark == "_" or (mark == "-" and not (before + after).isdigit())):
        return at + 1
    tokens.append(Token(mark, "junk", at, at + 1))
    return at + 1


def _quoted(text: str, at: int) -> int:
    """Where the quotation that opens at `at` closes, or the end; an apostrophe inside a word closes none."""
    closing = _QUOTES[text[at]]
    end = at + 1
    while end < len(text):
        if text[end] in closing and not (text[end] in _APOSTROPHES and text[end + 1 : end + 2].isalnum()):
            break
        end += 1
    return end


def _number(text: str, at: int, tokens: list[Token]) -> int:
    end = at + 1
    while text[end : end + 1] and text[end] in _DIGITS:
        end += 1
    if text[end : end + 1] == "." and text[end + 1 : end + 2] in tuple(_DIGITS):
        end += 1
        while text[end : end + 1] and text[end] in _DIGITS:
            end += 1
    digits = text[at:end].replace("\u2212", "-")
    # `1,000` and `2,5` mean different numbers to different people: neither is read.
    unclear = text[end : end + 1] in (",", ".", "/", ":") and text[end + 1 : end + 2] in tuple(_DIGITS)
    if unclear or len(digits) > LONGEST_NUMBER:
        tokens.append(Token(digits, "junk", at, end))
    else:
        tokens.append(Token(digits, "number", at, end, float(digits)))
    return end


def _word(text: str, at: int, tokens: list[Token]) -> int:
    end = at + 1
    while end < len(text):
        inside = text[end] in _APOSTROPHES and text[end + 1 : end + 2].isalpha()
        if not (text[end].isalpha() or inside):
            break
        end += 1
    word = text[at:end].casefold().replace("\u2019", "'")
    if word in phrases.FILLERS and _alone(text, at, end):
        return end
    for part in phrases.CONTRACTIONS.get(word) or _contracted(word):
        tokens.append(Token(part, "word", at, end))
    return end


def _alone(text: str, start: int, end: int) -> bool:
    after = _blank(text, end) or text[end] == ","
    return after and (start == 0 or text[start - 1].isspace() or text[start - 1] in ",;.!?")


def _contracted(word: str) -> tuple[str, ...]:
    if "'" not in word:
        return (word,)
    stem, _, tail = word.rpartition("'")
    if tail == "t" and stem.endswith("n"):
        return (stem[:-1], "not")
    return (stem, phrases.TAILS.get(tail, tail))


# --- numbers, durations, units ---


def word_at(tokens: Sequence[Token], at: int) -> str:
    """The word at a place; "" past the end and for what is no word."""
    return tokens[at].word if at < len(tokens) and tokens[at].kind == "word" else ""


def number(tokens: Sequence[Token], at: int) -> Found | None:
    """A number in digits or words (`30`, `-2.5`, `minus five`, `twenty five`, `two hundred`) and where it ends."""
    if at < len(tokens) and tokens[at].kind == "number":
        return tokens[at].value, at + 1
    if word_at(tokens, at) == "minus":
        positive = number(tokens, at + 1)
        return None if positive is None else (-positive[0], positive[1])
    return _spoken(tokens, at)


def _spoken(tokens: Sequence[Token], at: int) -> Found | None:
    whole: float | None = None
    word = word_at(tokens, at)
    if word in phrases.NUMBERS:
        whole, at = phrases.NUMBERS[word], at + 1
        ones = phrases.NUMBERS.get(word_at(tokens, at), 0.0)
        if whole >= 20 and 0 < ones < 10:
            whole, at = whole + ones, at + 1
    elif word in ("a", "one") and word_at(tokens, at + 1) in phrases.POWERS:
        whole, at = 1.0, at + 1
    if whole is not None and word_at(tokens, at) in phrases.POWERS:
        whole, at = whole * phrases.POWERS[word_at(tokens, at)], at + 1
        joined = at + (word_at(tokens, at) == "and")
        rest = _spoken(tokens, joined)
        if rest is not None and rest[0] < whole:
            return whole + rest[0], rest[1]
    return None if whole is None else (whole, at)


def duration(tokens: Sequence[Token], at: int) -> Found | None:
    """A length of time in seconds (`2 minutes`, `1h30m`, `half an hour`, `two and a half hours`) and where it ends."""
    total = 0.0
    smallest = float("inf")
    end = at
    while True:
        joined = end + (total > 0 and (word_at(tokens, end) == "and" or _comma(tokens, end)))
        part = _part(tokens, joined)
        if part is None or part[1] >= smallest:
            break
        total, smallest, end = total + part[0], part[1], part[2]
    return (total, end) if end > at else None


def _comma(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].kind == "comma"


def _words(tokens: Sequence[Token], at: int, *wanted: str) -> int:
    """Where `wanted` ends when it stands at `at`, else `at`."""
    if all(word_at(tokens, at + place) == word for place, word in enumerate(wanted)):
        return at + len(wanted)
    return at


def _part(tokens: Sequence[Token], at: int) -> tuple[float, float, int] | None:
    """One number with one unit: seconds, the unit in seconds, where it ends."""
    count, after = 0.0, at
    for words, value in phrases.FRACTIONS:
        end = _words(tokens, at, *words)
        if end > at:
            count, after = value, end
            break
    else:
        found = number(tokens, at)
        if found is not None:
            count, after = found
            end = _words(tokens, after, "and", "a", "half")
            count, after = (count + 0.5, end) if end > after else (count, after)
        elif word_at(tokens, at) in ("a", "an"):
            count, after = 1.0, at + 1
    unit = phrases.DURATIONS.get(word_at(tokens, after))
    if after == at or unit is None:
        return None
    after += 1
    end = _words(tokens, after, "and", "a", "half")
    if end > after and word_at(tokens, end) not in phrases.DURATIONS:
        count, after = count + 0.5, end
    return count * unit, unit, after


def unit(tokens: Sequence[Token], at: int, own: Sequence[tuple[tuple[str, ...], str]] = ()) -> tuple[str, int] | None:
    """A unit of measure in its one spelling (`C`, `F`, `%`, `lux`; bare degrees are `degrees`) and where it ends.

    `own`: spellings, as words, of units that the board declares.
    """
    for words, name in own:
        if words and tuple(token.word for token in tokens[at : at + len(words)]) == words:
            return name, at + len(words)
    word = word_at(tokens, at)
    if word in phrases.DEGREES:
        scale = phrases.UNITS.get(word_at(tokens, at + 1), "")
        return (scale, at + 2) if scale in ("C", "F", "K") else ("degrees", at + 1)
    if word == "per" and word_at(tokens, at + 1) == "cent":
        return "%", at + 2
    return (phrases.UNITS[word], at + 1) if word in phrases.UNITS else None


def converted(value: float, unit: str, wanted: str) -> float | None:
    """`value` in the unit `wanted`; None when the two do not measure the same."""
    unit, wanted = unit or wanted, canonical(wanted)
    if canonical(unit) == wanted or (unit == "degrees" and wanted in ("C", "F")):
        return value
    if (unit, wanted) == ("F", "C"):
        return (value - 32.0) / 1.8
    if (unit, wanted) == ("C", "F"):
        return value * 1.8 + 32.0
    return None


def canonical(unit: str) -> str:
    """The one spelling of a unit's name."""
    return phrases.UNITS.get(unit.casefold().replace("\u00b0", ""), unit)
