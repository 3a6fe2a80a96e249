"""All other languages: lines that a keyword leads (`def class func function struct type interface module ...`).

Best effort: no strings are followed. Comments that begin a line are, and where a language is known only its own
keywords count. In a file of unknown language a line has to look like code as well, so that prose gives no outline.
"""

from __future__ import annotations

from edge.tools.outlines.text import Entry, indent_of, numbered, squeezed, word_at, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
# language -> its own keywords, where the common list would take other words for definitions.
_OWN = {
    "Perl": words("sub package class method role"),
    "Tcl": words("proc namespace method class oo::class itcl::class snit::type"),
    "Ruby": words("def class module"),
    "PHP": words("function class interface trait enum namespace"),
    "Kotlin": words("fun class interface object"),
    "Swift": words("func class struct enum protocol extension actor"),
    "R": words("function"),
    "Elixir": words("def defp defmodule defmacro defmacrop defprotocol defimpl"),
    "Terraform": words("resource module data provider variable output locals"),
    "Haskell": words("module class instance data type newtype"),
    "protobuf": words("message enum service rpc"),
}
# What begins a comment over several lines, where it stands first on a line, and what ends it.
_COMMENTS = {"Pascal": ("(*", "*)"), "OCaml": ("(*", "*)"), "Haskell": ("{-", "-}"), "Tcl": ("\0", "\0")}
# What else Tcl does with a namespace.
_NAMESPACE = words("import export upvar ensemble current code which origin path delete forget inscope")
_CODE_ENDS = ("{", ":", ")", ";", "(", ",", " do", " is", " then", "=", "end")


def of(language: str) -> Callable[[Iterable[bytes]], Iterator[Entry]]:
    """The scanner of a language; of one that is not known ("") it is strict."""
    keywords = _OWN.get(language, _KEYWORDS)
    pod = language in ("Perl", "Ruby")
    return lambda blocks: _scan(blocks, keywords, _COMMENTS.get(language, ("/*", "*/")), pod, not language)


def cmake(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """`function(name ...)` and `macro(name ...)`."""
    for number, raw in numbered(blocks):
        text = raw.strip()
        word = word_at(text).lower()
        if word in ("function", "macro") and text[len(word) :].lstrip().startswith("("):
            yield Entry(number, 0, squeezed(text))


def _scan(
    blocks: Iterable[bytes], keywords: frozenset[str], comments: tuple[str, str], pod: bool, strict: bool
) -> Iterator[Entry]:
    open_at: list[int] = []
    comment: tuple[str, ...] = ()
    for number, raw in numbered(blocks):
        text = raw.strip()
        if comment:
            comment = () if any(end in text for end in comment) else comment
            continue
        if not text:
            continue
        if pod and raw[0] == "=" and raw[1:2].isalpha() and not raw.startswith("=cut"):
            comment = ("=cut", "=end")
            continue
        if text.startswith(comments[0]):
            comment = () if comments[1] in text[2:] else comments[1:]
            continue
        indent = indent_of(raw)
        while open_at and open_at[-1] >= indent:
            open_at.pop()
        if _defines(text, keywords) and not (strict and not text.endswith(_CODE_ENDS)):
            yield Entry(number, len(open_at), _shown(text))
            open_at.append(indent)


def _defines(text: str, keywords: frozenset[str]) -> bool:
    """Does a line begin with a keyword, after its modifiers, and go on with a name?"""
    parts = text.split(None, 7)[:7]
    at = 0
    while at < len(parts) - 1 and parts[at].lower() in _MODIFIERS:
        at += 1
    word = parts[at].lower().partition("(")[0]
    if word not in keywords or "(" in parts[at]:
        return parts[2:3] != [] and parts[1] in ("<-", "=") and parts[2].startswith("function(")
    if word == "object" and at and parts[at - 1] == "companion":
        return True
    rest = parts[at + 1 :]
    if rest and word == "namespace":
        rest = rest[1:] if rest[0] == "eval" else [] if rest[0] in _NAMESPACE else rest
    while len(rest) > 1 and (rest[0].lower() in keywords or rest[0] == "body" or rest[0].startswith("[")):
        word = rest[0].lower() if rest[0].lower() in keywords else word
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
