"""All other languages: lines that a keyword leads (`def class func function struct type interface module ...`).

Best effort: no strings are followed, comments at the beginning of a line are. In a file of unknown language a line has
to look like code as well, so that prose gives no outline.
"""

from __future__ import annotations

from edge.tools.outlines.text import Entry, indent_of, numbered, squeezed, word_at, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEYWORDS = words(
    "def class func function fun fn struct type interface module impl trait enum sub proc procedure subroutine program "
    "package namespace protocol extension object record union macro message service rpc entity architecture task "
    "defmodule defp defmacro defprotocol defimpl instance mixin actor method template typeclass concept contract "
    "predicate theorem lemma resource"
)
_MODIFIERS = words(
    "public private protected internal static final abstract sealed open override virtual async export default pub "
    "extern inline unsafe const partial readonly data value inner lateinit suspend operator infix tailrec external "
    "actual expect annotation companion local global mutating fileprivate convenience required indirect pure "
    "elemental recursive integer real logical automatic friend overload multi proto shared native factory base "
    "ref new file case create or replace temporary"
)
_CODE_ENDS = ("{", ":", ")", ";", "(", ",", " do", " is", " then", "=", "end")


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """For languages that are known but have no rules of their own."""
    return _scan(blocks, False)


def unknown(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """For files of no known language."""
    return _scan(blocks, True)


def cmake(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """`function(name ...)` and `macro(name ...)`."""
    for number, raw in numbered(blocks):
        text = raw.strip()
        word = word_at(text).lower()
        if word in ("function", "macro") and text[len(word) :].lstrip().startswith("("):
            yield Entry(number, 0, squeezed(text))


def _scan(blocks: Iterable[bytes], strict: bool) -> Iterator[Entry]:
    open_at: list[int] = []
    comment = ""
    for number, raw in numbered(blocks):
        text = raw.strip()
        if comment:
            comment = "" if comment in text else comment
            continue
        if not text:
            continue
        if text.startswith(("/*", "(*", "{-", "=begin", "=pod", "=head")):
            comment = _comment_end(text)
            continue
        indent = indent_of(raw)
        while open_at and open_at[-1] >= indent:
            open_at.pop()
        if _defines(text) and not (strict and not text.endswith(_CODE_ENDS)):
            yield Entry(number, len(open_at), _shown(text))
            open_at.append(indent)


def _comment_end(text: str) -> str:
    """What ends the comment that a line begins with; nothing when it is over on the same line."""
    if text.startswith("="):
        return "=end" if text.startswith("=begin") else "=cut"
    end = {"/*": "*/", "(*": "*)", "{-": "-}"}[text[:2]]
    return "" if end in text[2:] else end


def _defines(text: str) -> bool:
    """Does a line begin with a keyword, after its modifiers, and go on with a name?"""
    words = text.split(None, 7)[:7]
    at = 0
    while at < len(words) - 1 and words[at].lower() in _MODIFIERS:
        at += 1
    word = words[at].lower().partition("(")[0]
    if word not in _KEYWORDS or "(" in words[at]:
        return words[2:3] != [] and words[1] in ("<-", "=") and words[2].startswith("function(")
    if word == "object" and at and words[at - 1] == "companion":
        return True
    rest = words[at + 1 :]
    if rest and rest[0] == "eval":
        rest = rest[1:]
    while len(rest) > 1 and (rest[0].lower() in _KEYWORDS or rest[0] == "body" or rest[0].startswith("[")):
        word = rest[0].lower() if rest[0].lower() in _KEYWORDS else word
        rest = rest[1:]
    if not rest:
        return False
    if word == "package":
        return text.endswith((";", "{", " is"))
    name = rest[0].lstrip("\"'`(")
    return bool(name) and (name[0].isalpha() or name[0] in "_$@:" or word == "def")


def _shown(text: str) -> str:
    """The line up to what opens a body."""
    brace = text.find("{")
    return squeezed(text[:brace] if brace > 0 else text).rstrip(" ;")
