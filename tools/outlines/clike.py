"""C and C++: definitions that a type leads, prototypes (with their `;`), types, macros, members of classes.

Rules:
1. The name of a function is what stands before the first parenthesis that is no part of a template or an attribute.
2. A prototype ends with `;` in its entry, a definition does not.
3. Inside a body nothing is a definition; in a class a member without a type is one when it has the name of the class.
4. A macro that takes the place of a head (`ISR(vector) {`) is a definition, a call of a macro (`MODULE(x);`) is none.
"""

from __future__ import annotations

from edge.tools.outlines.code import CPP
from edge.tools.outlines.text import Entry, balanced, numbered, squeezed, word_at, words
from edge.tools.outlines.walk import BODY, FILE, SHAPE, TYPE, VALUE, Dialect, Found, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from edge.tools.outlines.walk import Frame, Head

_CONTROL = words(
    "if for while switch catch return sizeof do else case default goto new delete throw using alignas alignof decltype "
    "static_assert _Static_assert defined co_return co_await co_yield"
)
_TYPES = ("struct", "class", "union", "enum")
_LEADS = words("typedef static const constexpr inline extern volatile friend mutable register export")
_ACCESS = ("public", "private", "protected", "signals", "slots")
_ATTRIBUTES = ("__attribute__", "__declspec", "alignas", "_Alignas", "__asm__", "asm", "noexcept", "throw", "decltype")
_AFTER_MACRO = words("namespace inline class struct union enum template typedef extern using")
_MACROS = 8  # so many are looked at in one head
_MACRO = "macro"  # no kind of a frame: judge again what stands behind it
_NOT_TYPES = words("static inline extern const constexpr volatile virtual explicit friend register")


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    return Walk(_C()).entries(blocks, numbered)


class _C(Dialect):
    syntax = CPP

    def __init__(self) -> None:
        self._continues = False  # the line before this one was a directive and ended with a backslash
        self._guard: str | None = None  # the name that an #ifndef at the head of the file asked for

    def line(self, number: int, clean: str, raw: str, walk: Walk) -> bool:
        stripped = clean.strip()
        if self._continues or stripped.startswith("#"):
            if not self._continues:
                self._directive(number, stripped, raw, walk)
            self._continues = stripped.endswith("\\")
            return True
        self._guard = self._guard or ""
        return False

    def _directive(self, number: int, stripped: str, raw: str, walk: Walk) -> None:
        word, _, rest = stripped[1:].strip().partition(" ")
        if word == "define":
            name = word_at(rest.lstrip())
            if name and not (name == self._guard and rest.strip() == name):
                shown = squeezed(raw.strip().rstrip("\\")).replace("# define", "#define", 1)
                walk.tell_at(number, shown)
        if self._guard is None and word in ("ifndef", "if", "include", "define"):
            self._guard = word_at(rest.strip()) if word == "ifndef" else ""
        if word in ("if", "ifdef", "ifndef"):
            walk.branch()
        elif word in ("else", "elif"):
            self._flush(walk)
            walk.rejoin()
        elif word == "endif":
            walk.merge()

    def _flush(self, walk: Walk) -> None:
        """A head that stands before the branch of an #if belongs to it."""
        if walk.head.clean and walk.frame.kind in (FILE, TYPE) and not walk.parens:
            found = self.judge(walk.head, "{", walk.frame)
            if found.text and found.kind == BODY:
                walk.tell(walk.head, found)
                walk.drop_head()

    def closed(self, frame: Frame, head: Head) -> bool:
        if frame.kind == BODY or frame.name == "namespace":
            return False
        name = word_at(head.clean.strip())
        if frame.entry is not None and frame.name == "typedef" and name:
            frame.entry.text = squeezed(f"{frame.entry.text} {name}")
        return True

    def judge(self, head: Head, end: str, frame: Frame) -> Found:
        if end == "{" and head.clean.strip() in ('extern "C"', 'extern "_"', 'extern "___"'):
            return Found(TYPE, "", 0, "namespace")
        start = _start(head.clean)
        text = head.clean[start:].rstrip()
        words = text.split(None, 4)
        if not words or words[0] in _CONTROL - {"using"}:
            return Found(BODY)
        if words[0] in ("namespace", "inline") and "namespace" in words[:2] and end == "{":
            at = start + text.index("namespace") + 9
            return Found(TYPE, head.shown(start), at, "namespace")
        if frame.kind not in (FILE, TYPE):
            return Found(BODY if frame.kind == BODY else VALUE)
        return self._declared(head, start, text, end, frame)

    def _declared(self, head: Head, start: int, text: str, end: str, frame: Frame, led: bool = False) -> Found:
        """led: a macro stands before it, which may be its type."""
        first = text.split(None, 1)[0]
        if first == "typedef" and end == ";":
            return _typedef(head, start, text)
        if first == "using":
            return _using(head, start, text) if end == ";" else Found(BODY)
        found = _type(head, start, text, end, frame) or _function(head, start, text, end, frame, led)
        if found.kind != _MACRO:
            return found
        # A macro stands before the head, with its parentheses and nothing else.
        start = found.at + _start(head.clean[found.at :])
        text = head.clean[start:].rstrip()
        return self._declared(head, start, text, end, frame, True) if text else Found(BODY)


def _start(clean: str) -> int:
    """Where a head begins: after labels, attributes and the parameters of a template."""
    at = 0
    for label in _ACCESS:
        place = clean.rfind(label + ":")
        if place >= 0 and not clean.startswith("::", place + len(label)):
            at = max(at, place + len(label) + 1)
    while True:
        at += len(clean[at:]) - len(clean[at:].lstrip())
        if clean.startswith("template", at) and clean[at + 8 :].lstrip().startswith("<"):
            at = balanced(clean, clean.index("<", at), "<", ">")
        elif clean.startswith("[[", at):
            at = clean.find("]]", at) + 2 if "]]" in clean[at:] else len(clean)
        elif clean.startswith(_ATTRIBUTES[:4], at):
            opened = clean.find("(", at)
            at = balanced(clean, opened, "(", ")") if opened >= 0 else len(clean)
        elif clean.startswith('extern "', at):
            at = clean.find('"', at + 8) + 1 or len(clean)
        elif clean.startswith(">", at):  # what two branches of an #if left of a template
            at += 1
        elif _is_lead(clean, at):
            at += len(word_at(clean, at))
        else:
            return at


def _is_lead(clean: str, at: int) -> bool:
    """Is there a macro without parentheses (`BEGIN_NAMESPACE`) before a keyword?"""
    word = word_at(clean, at)
    return word.isupper() and word_at(clean[at + len(word) :].lstrip()) in _AFTER_MACRO


def _typedef(head: Head, start: int, text: str) -> Found:
    star = text.find("(*")
    if star >= 0:
        name = word_at(text, star + 2 + len(text[star + 2 :]) - len(text[star + 2 :].lstrip()))
        return Found(VALUE, head.shown(start) + ";", start + star, name)
    bare = text.split("[")[0].split("(")[0].rstrip()
    return Found(VALUE, head.shown(start) + ";", start + len(bare) - 1)


def _using(head: Head, start: int, text: str) -> Found:
    if "=" not in text or text.split()[1] == "namespace":
        return Found(VALUE)
    return Found(VALUE, head.shown(start) + ";", start + 6)


def _type(head: Head, start: int, text: str, end: str, frame: Frame) -> Found | None:
    """A struct, a class, a union or an enum; None when the head is something else."""
    words = text.split()
    lead = [word for word in words[:6] if word not in _LEADS]
    if not lead or lead[0] not in _TYPES:
        return None
    at = text.index(lead[0])
    after = text[at + len(lead[0]) :]
    bare = _without_attributes(after, macros=True)
    if end == ";":
        plain = len(words) == 2 or (len(words) == 3 and words[:2] == ["enum", "class"])
        return Found(VALUE, head.shown(start) + ";", start + at) if plain else _unless(bare)
    if "=" in bare or ("(" in bare and ":" not in bare.replace("::", "").split("(")[0]):
        return Found(VALUE) if "=" in bare else None
    kind = SHAPE if lead[0] == "enum" else TYPE
    final = [word for word in bare.split(":")[0].split("<")[0].split() if word not in ("final", "class", "struct")]
    name = word_at(final[-1]) if final else ""
    typedef = words[0] == "typedef"
    inner = frame.kind == TYPE and frame.name != "namespace"
    if not name and not typedef and (inner or kind == TYPE):
        return Found(kind)
    return Found(kind, head.shown(start), start + at + len(lead[0]), "typedef" if typedef else name)


def _unless(bare: str) -> Found | None:
    """A declaration that begins with `struct x`: of a function when it has parentheses."""
    return None if "(" in bare else Found(VALUE)


def _without_attributes(text: str, macros: bool = False) -> str:
    """The text with attributes as blanks, and macros in capitals that have parentheses."""
    found = [text[_back(text, at) : at] for at, mark in enumerate(text) if mark == "("] if macros else []
    for word in (*_ATTRIBUTES, *[name for name in dict.fromkeys(found[:_MACROS]) if name.isupper()]):
        at = text.find(word)
        while at >= 0 and text[at + len(word) :].lstrip().startswith("("):
            end = balanced(text, text.index("(", at), "(", ")")
            text = text[:at] + " " * (end - at) + text[end:]
            at = text.find(word)
    return text


def _function(head: Head, start: int, text: str, end: str, frame: Frame, led: bool = False) -> Found:
    """A function, a method, a prototype; VALUE or BODY when it is none."""
    other = Found(VALUE if end == "{" else BODY)
    bare = _without_attributes(text)
    opened, name_at = _name(bare)
    if opened < 0:
        return other
    name, before = bare[name_at:opened].rstrip(), bare[:name_at].rstrip()
    closed = balanced(bare, opened, "(", ")")
    after = bare[closed:].strip()
    if not name or word_at(name) in _CONTROL or bare[0] in ",.=+-<>&|?":
        return Found(BODY)
    typed = [word for word in before.replace("*", " ").replace("&", " ").split() if word not in _NOT_TYPES]
    if not typed and (name.isupper() or "(" in after) and after[:1] not in "{:-=,)" and word_at(after.lstrip("*& ")):
        return Found(_MACRO, "", start + closed)
    if end == "{" and after.startswith("="):
        return other
    if name.isupper() and after[:1].isalpha() and _name(after)[0] > 0:
        name_at = closed + len(bare[closed:]) - len(bare[closed:].lstrip()) + _name(after)[1]  # the macro is no name
    if before.count("[") > before.count("]"):
        return other
    if "=" in before and not name.startswith("operator"):
        return other
    if end == "{":
        return Found(BODY, head.shown(start), start + name_at)
    if _old_style(bare[opened + 1 : closed - 1], after):
        return Found(BODY, head.shown(start, start + closed), start + name_at)
    ours = name.startswith("~") or name == frame.name or "operator" in name or "::" in name
    if not typed and not ours and not led:
        return other
    return Found(BODY, head.shown(start) + ";", start + name_at)


def _name(text: str) -> tuple[int, int]:
    """The parenthesis of a function's parameters and where its name begins; (-1, 0) when there is none."""
    place = text.find("operator")
    if place >= 0 and (place == 0 or not (text[place - 1].isalnum() or text[place - 1] == "_")):
        after = text[place + 8 :]
        skip = after.find("()") + 2 if after.lstrip().startswith("()") else 0
        opened = text.find("(", place + 8 + skip)
        return opened, _back(text, place) if opened >= 0 else 0
    depth = 0
    for at, mark in enumerate(text):
        if mark == "<":
            depth += 1
        elif mark == ">" and text[at - 1] != "-":
            depth = max(0, depth - 1)
        elif mark == "=" and not depth:
            break
        elif mark == "(" and not depth:
            inside = text[at + 1 :].lstrip()
            if inside[:1] in ("*", "&", "^"):
                return _pointed(text, at)
            return at, _back(text, len(text[:at].rstrip()))
    return -1, 0


def _pointed(text: str, at: int) -> tuple[int, int]:
    """`int (*name(int n))(int)`: a function that gives a pointer to one. `(*name)(int)` is a variable."""
    end = balanced(text, at, "(", ")")
    opened = text.find("(", at + 1, end)
    if opened < 0:
        return -1, 0
    return opened, _back(text, opened)


def _back(text: str, end: int) -> int:
    """Where the name that ends at `end` begins: `a::b<c>::~d`."""
    at = end
    while at > 0:
        mark = text[at - 1]
        if mark == ">" and text[at:end].lstrip()[:2] == "::":
            depth = 1
            at -= 1
            while at > 0 and depth:
                at -= 1
                depth += (text[at] == ">") - (text[at] == "<")
        elif mark.isalnum() or mark in "_~:$":
            at -= 1
        else:
            break
    return at


def _old_style(inside: str, after: str) -> bool:
    """Names without types between the parentheses, and after them the first of their declarations."""
    names = inside.split(",")
    return len(after.split()) > 1 and "(" not in after and all(part.strip().isidentifier() for part in names)
