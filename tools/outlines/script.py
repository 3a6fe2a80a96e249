"""JavaScript and TypeScript: functions, classes with their methods, functions that are given a name, types.

Rules:
1. A line end is the end of a statement unless the statement cannot be over, or the next line goes on with it.
2. `name = function`, `name = (a) => ...`, `name: function` define that name; a function that is handed over does not.
3. In a class and in an object `name(...) {` is a method; nowhere else.
4. The members of an interface are its shape, not definitions of their own.
"""

from __future__ import annotations

from edge.tools.outlines.code import SCRIPT
from edge.tools.outlines.text import Entry, numbered, word_at, words
from edge.tools.outlines.walk import BODY, FILE, SHAPE, TYPE, VALUE, Dialect, Found, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from edge.tools.outlines.walk import Frame, Head

_MODIFIERS = words(
    "export default declare async abstract public private protected static readonly override accessor get set"
)
_CONTROL = words("if for while switch catch with function return typeof await new super import do else try")
_NAMED = {"class": TYPE, "interface": SHAPE, "enum": SHAPE, "namespace": FILE, "module": FILE, "global": FILE}
_ON_BEFORE = ("=", "=>", ",", "|", "&", ":", "+", "-", "*", "?", "<", "(", "[", " extends", " implements", "||", "&&")
_ON_AFTER = ("{", ".", "=>", "?", "|", "&", "extends ", "implements ", ": ", "=")
_VALUES = ("=", "(", ",", ":", "[", "?", "return", "&&", "||")
_LETTERS = "_$"


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    return Walk(_Script()).entries(blocks, numbered)


class _Script(Dialect):
    syntax = SCRIPT
    soft = True
    commas = (VALUE, SHAPE)

    def goes_on(self, before: str, after: str) -> bool:
        return before.endswith(_ON_BEFORE) or after.startswith(_ON_AFTER)

    def judge(self, head: Head, end: str, frame: Frame) -> Found:
        if frame.kind == SHAPE:
            return Found(SHAPE)
        text = head.clean.rstrip()
        start = len(text) - len(text.lstrip())
        at, seen = _past_modifiers(text, start)
        word = word_at(text, at, _LETTERS)
        found = None
        if word == "function":
            found = _function(head, start, at, end, "default" in seen)
        elif word in _NAMED or word in ("const", "let", "var", "type"):
            found = _named(head, start, at, word, end, "default" in seen)
        if found is None and frame.kind in (TYPE, VALUE) and word not in _CONTROL:
            found = _method(head, start, at, end, frame)
        return found or _assigned(head, start, at, end, frame) or _plain(text, at, end)


def _past_modifiers(text: str, at: int) -> tuple[int, list[str]]:
    """Where a head begins after decorators and words like `export async`, and those words."""
    seen: list[str] = []
    while True:
        at += len(text[at:]) - len(text[at:].lstrip())
        word = word_at(text, at, _LETTERS)
        after = text[at + len(word) : at + len(word) + 1]
        if word in _MODIFIERS and after in (" ", "\t", "*"):
            rest = text[at + len(word) :].lstrip()
            if rest[:1] in ("(", "=", ":", ",", ";", "?", "!") and word != "default":
                if not (word == "async" and rest.startswith("(")):
                    return at, seen  # a member that is called so
                return at, seen
            seen.append(word)
            at += len(word)
        elif text.startswith("*", at):
            at += 1
        elif text.startswith("@", at):
            at += 1 + len(word_at(text, at + 1, "_$."))
            if text.startswith("(", at):
                at = _closing(text, at)
        else:
            return at, seen


def _closing(text: str, at: int) -> int:
    """The offset after the mark that closes the parenthesis, bracket or `<` at `at`; the end when none does."""
    depth = 0
    for place in range(at, len(text)):
        mark = text[place]
        if mark in "([<":
            depth += 1
        elif mark in ")]" or (mark == ">" and text[place - 1] != "="):
            depth -= 1
            if depth <= 0:
                return place + 1
    return len(text)


def _function(head: Head, start: int, at: int, end: str, default: bool) -> Found | None:
    after = head.clean[at + 8 :].lstrip(" *")
    if (not after.startswith("(") or default) and (end == "{" or ")" in after):
        return Found(BODY, head.shown(start) + ";" * (end == ";"), len(head.clean) - len(after))
    return Found(BODY)


def _named(head: Head, start: int, at: int, word: str, end: str, default: bool) -> Found | None:
    """A class, a type, or a variable that is given a function or a class."""
    rest = head.clean[at + len(word) :]
    name_at = at + len(word) + len(rest) - len(rest.lstrip())
    name = word_at(head.clean, name_at, _LETTERS)
    if word == "const" and name == "enum":
        return _named(head, start, name_at, "enum", end, default)
    if word in _NAMED:
        anonymous = not name or name in ("extends", "implements")
        quoted = word in ("module", "global") and rest.strip()[:1] in ("'", '"', "")
        if end != "{" or (anonymous and not quoted and not (word == "class" and (default or not rest.strip()))):
            return None
        if rest[:1] not in ("", " ", "\t") or (anonymous and word == "class" and not default):
            return Found(TYPE) if word == "class" else None
        return Found(_NAMED[word], head.shown(start), name_at, name)
    if word == "type":
        after = rest.lstrip()[len(name) :].lstrip()
        if name and after[:1] in ("=", "<"):
            return Found(SHAPE, head.shown(start), name_at)
        return None
    return _assigned_to(head, start, name_at, head.clean[name_at:].rstrip(), end) if name else None


def _method(head: Head, start: int, at: int, end: str, frame: Frame) -> Found | None:
    """`name(...) {` in a class or an object; in a class also without a body, when it says its type or is abstract."""
    text = head.clean.rstrip()
    if text.startswith("[", at):
        name_end = _closing(text, at)
    else:
        name_end = at + len(word_at(text, at, "_$#")) if text[at : at + 1] not in "\"'" else _quoted(text, at)
    after = text[name_end:].lstrip("?! ")
    if name_end == at:
        return None
    if after.startswith("<"):
        after = after[_closing(after, 0) :].lstrip()
    if not after.startswith("("):
        return None
    rest = after[_closing(after, 0) :].lstrip()
    if end == "{" and rest[:1] in ("", ":"):
        return Found(BODY, head.shown(start), at)
    if end == ";" and frame.kind == TYPE and (rest.startswith(":") or "abstract" in text[:at]):
        return Found(BODY, head.shown(start) + ";", at)
    return None


def _quoted(text: str, at: int) -> int:
    end = text.find(text[at], at + 1) if at < len(text) else -1
    return end + 1 if end >= 0 else at


def _assigned(head: Head, start: int, at: int, end: str, frame: Frame) -> Found | None:
    """`a.b.c = function`, a member of a class that is given one, `name: function` in an object."""
    text = head.clean[at:].rstrip()
    name = word_at(text, 0, "_$#.") if text[:1] not in ("'", '"') else text[: _quoted(text, 0)]
    if not name:
        return None
    after = text[len(name) :].lstrip()
    while after.startswith("["):
        after = after[_closing(after, 0) :].lstrip(" .")
    if after.startswith(":") and frame.kind == VALUE and _is_function(after[1:].strip(), end):
        return Found(_opens(after[1:]), head.shown(start), at)
    if after[:1] in ("=", ":", "?", "!") and (frame.kind == TYPE or after[0] == "="):
        return _assigned_to(head, start, at, text, end)
    return None


def _assigned_to(head: Head, start: int, at: int, text: str, end: str) -> Found | None:
    """What stands behind the first `=` that gives a value, when it is a function or a class."""
    depth = 0
    for place, mark in enumerate(text):
        depth += (mark in "([<") - (mark in ")]") - (mark == ">" and text[place - 1] != "=")
        if mark == "=" and depth <= 0 and text[place + 1 : place + 2] not in ("=", ">"):
            value = text[place + 1 :].strip()
            if text[place - 1 : place] in ("=", "!", "<", ">", "+", "-", "|", "&", "?", "*", "/"):
                return None
            return Found(_opens(value), head.shown(start), at) if _is_function(value, end) else None
    return None


def _opens(value: str) -> str:
    return TYPE if word_at(value.strip()) == "class" else BODY


def _is_function(value: str, end: str) -> bool:
    """Does a value begin a function or a class?"""
    word = word_at(value, 0, _LETTERS)
    if word == "async":
        value = value[5:].lstrip()
        word = word_at(value, 0, _LETTERS)
    if word in ("function", "class"):
        return end == "{"
    if value.startswith("<"):
        value = value[_closing(value, 0) :].lstrip()
    if value.startswith("("):
        rest = value[_closing(value, 0) :].lstrip()
        return rest.startswith("=>") or (rest.startswith(":") and "=>" in rest)
    return bool(word) and value[len(word) :].lstrip().startswith("=>")


def _plain(text: str, at: int, end: str) -> Found:
    """No definition: what a brace opens here."""
    bare = text[at:].rstrip()
    if end == "{" and (not bare or bare.endswith(_VALUES)) and not bare.endswith("=>"):
        return Found(VALUE if bare or text.strip() == "" else BODY)
    return Found(BODY)
