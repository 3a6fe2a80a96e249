"""What of a remembered text can be found by which words, and which of what was found stands first. Pure.

Rules:
1. Case, accents, widths and ligatures do not count, on either side: Unicode NFKD without the marks of European,
   Hebrew and Arabic letters. Marks that make another letter (kana, Indic scripts) stay.
2. A word is a run of letters, digits, marks and symbols of one of two kinds of script: with blanks between words, or
   without (Chinese, Japanese, Thai, ...). All else divides words.
3. A word of three characters or more is found anywhere, in the middle of another too. A shorter one is found as a whole
   word; in a script without blanks anywhere.
4. So that one rule of looking does for all of that, `searchable` puts what short words would need behind the text,
   between marks: to find is always to find a string of at least three characters in it.
5. What stands first: BM25 over what was found (k1 1.2, b 0.75), a word in the key counts three times more, a whole
   word twice more than a part of one; then the newest. The same entries come in the same order whoever found them.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

WORDS = 16  # of one query
LONGEST = 64  # characters of a word that are looked at
_MARK = "\x1f"
_K1, _B = 1.2, 0.75
_IN_KEY, _WHOLE = 3, 2
# Letters without a decomposition that people write without their stroke.
_PLAIN = {
    **{"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "ŋ": "n"},
    **{"æ": "ae", "œ": "oe", "þ": "th"},
}
_ASCII = {code: " " for code in range(128) if not chr(code).isalnum()}
_KEPT = 20_000  # letters of a table


class _Letters(dict):  # type: ignore[type-arg]
    """A table for str.translate that asks `rule` once for each letter."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        if len(self) > _KEPT:
            self.clear()
        found = self[code] = self._rule(chr(code))
        return found


class Entry(Record):
    """One thing that was remembered. `n`: its number, in the order of time. `at`: seconds since 1970, a hint.

    `source`: where untrusted words came from that were heard before it was stored, "" when none were.
    """

    n: int
    key: str
    content: str
    category: str
    at: float
    source: str = ""


def composed(key: str) -> str:
    """The one spelling of a key: letters with their accents in one piece (NFC)."""
    if key.isascii():
        return key
    from unicodedata import normalize

    return normalize("NFC", key)


def fold(text: str) -> str:
    """`text` as it is compared (rule 1), without control characters but newline."""
    if text.isascii():
        return text.lower().replace(_MARK, " ").replace("\0", " ")
    from unicodedata import normalize

    loose = normalize("NFKD", normalize("NFKD", text).casefold())
    return normalize("NFC", loose.translate(_LOOSE))


def _loosened(letter: str) -> str:
    """Nothing for the combining classes (UAX 44, table 15) of marks that may be missing; 7 to 9 make other letters."""
    from unicodedata import combining

    mark = combining(letter)
    if mark >= 200 or mark == 1 or 10 <= mark <= 35:
        return ""
    return " " if letter in (_MARK, "\0") else _PLAIN.get(letter, letter)


def _is_dense(letter: str) -> bool:
    """True in scripts that set no blanks between words, and for symbols, each of which says something by itself."""
    code = ord(letter)
    return code >= 0x2190 or 0x0E00 <= code < 0x1000 or 0x1000 <= code < 0x10A0 or 0x1780 <= code < 0x1800


def _counts(letter: str) -> bool:
    from unicodedata import category

    return letter.isalnum() or (letter > "\x7f" and category(letter)[0] in "MS")


_LOOSE = _Letters(_loosened)
_DENSE = _Letters(lambda letter: letter if _counts(letter) and _is_dense(letter) else " ")
_SPACED = _Letters(lambda letter: letter if _counts(letter) and not _is_dense(letter) else " ")


def runs(folded: str) -> tuple[list[str], list[str]]:
    """The words of a folded text (rule 2): those between blanks, those of scripts that set none."""
    if folded.isascii():
        return folded.translate(_ASCII).split(), []
    return folded.translate(_SPACED).split(), folded.translate(_DENSE).split()


def searchable(key: str, content: str) -> str:
    """The text in which needles are looked for: the key, a newline, the content, and the marks of rule 4."""
    text = f"{fold(key)}\n{fold(content)}"
    spaced, dense = runs(text)
    short = dict.fromkeys([run for run in spaced if len(run) < 3])
    for run in dense:
        short.update(dict.fromkeys([*run, *_pairs(run)]))
    return f"{text}\n{_MARK}{_MARK.join(short)}{_MARK}" if short else text


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def needles(query: str) -> tuple[str, ...]:
    """What an entry that has all words of `query` must hold; nothing when the query has no word."""
    spaced, dense = runs(fold(query))
    return _once([*spaced, *dense])


def pieces(query: str) -> tuple[str, ...]:
    """What an entry that has some of `query` holds some of: the same, text without blanks in pairs of characters."""
    spaced, dense = runs(fold(query))
    return _once([*spaced, *[part for run in dense for part in _pairs(run) or [run]]])


def _once(words: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for word in words:
        found[word[:LONGEST] if len(word) > 2 else f"{_MARK}{word}{_MARK}"] = None
        if len(found) == WORDS:
            break
    return tuple(found)


def ranked(found: Sequence[Entry], wanted: Sequence[str]) -> list[Entry]:
    """All of `found`, which is in any order, by rule 5."""
    from math import log

    texts = {entry.n: searchable(entry.key, entry.content) for entry in found}
    usual = sum(map(len, texts.values())) / max(1, len(texts))
    holding = [sum(word in text for text in texts.values()) for word in wanted]
    weights = [log(1 + (len(texts) - count + 0.5) / (count + 0.5)) for count in holding]

    def score(entry: Entry) -> float:
        text = texts[entry.n]
        key = text[: text.index("\n")]
        whole = set(runs(text)[0])
        size = _K1 * (1 - _B + _B * len(text) / usual)
        total = 0.0
        for word, weight in zip(wanted, weights):
            often = text.count(word) + _IN_KEY * key.count(word) + _WHOLE * (word in whole)
            total += weight * often * (_K1 + 1) / (often + size)
        return round(total, 9)

    return sorted(found, key=lambda entry: (-score(entry), -entry.n))
