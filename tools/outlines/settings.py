"""Files of settings: sections of TOML and INI (units, config.txt), keys of YAML and JSON."""

from __future__ import annotations

from edge.tools.outlines.code import Masker, Syntax
from edge.tools.outlines.text import Entry, numbered, squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_JSON = Syntax(line=(), block=("", ""), chars=False)


def ini(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """`[section]`, alone on its line but for a comment; not in what goes on from the line before."""
    goes_on = False
    for number, raw in numbered(blocks):
        text = raw.strip()
        if text.startswith("[") and not goes_on:
            for mark in (" ;", " #", "\t;", "\t#"):
                text = text.partition(mark)[0].rstrip()
            if text.endswith("]") and len(text) > 2:
                yield Entry(number, 0, squeezed(text))
        goes_on = text.endswith("\\") and not text.startswith(("#", ";"))


def toml(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """`[table]` and `[[table]]`, and the keys before the first of them."""
    value = _TomlValue()
    root = True
    for number, raw in numbered(blocks):
        text = raw.strip()
        if value.open:
            value.line(raw)
            continue
        if not text or text.startswith("#"):
            continue
        if text.startswith("["):
            root = False
            yield Entry(number, 0, _toml_header(text))
        elif "=" in text:
            if root:
                yield Entry(number, 0, squeezed(text))
            value.line(_after_key(text))


def _toml_header(text: str) -> str:
    """A header without the comment after it; a `]` in quotes does not end it."""
    at = _unquoted(text, "#")
    return text if at < 0 else text[:at].rstrip()


def _after_key(text: str) -> str:
    """What stands behind the `=` of a key, which may be quoted."""
    at = _unquoted(text, "=")
    return "" if at < 0 else text[at + 1 :]


def _unquoted(text: str, sign: str) -> int:
    """Where a sign first stands outside of quotes; -1 when it does not."""
    quote = ""
    for at, mark in enumerate(text):
        if quote:
            quote = "" if mark == quote else quote
        elif mark in "\"'":
            quote = mark
        elif mark == sign:
            return at
    return -1


class _TomlValue:
    """A value that may go on over lines: an array, a string of three quotes."""

    __slots__ = ("_depth", "_string")

    def __init__(self) -> None:
        self._depth = 0
        self._string = ""

    @property
    def open(self) -> bool:
        return bool(self._string or self._depth > 0)

    def line(self, text: str) -> None:
        """Read on in one line."""
        at = 0
        while at < len(text):
            mark = text[at]
            if self._string:
                at = self._in_string(text, at)
            elif mark in "\"'":
                self._string = mark * 3 if text.startswith(mark * 3, at) else mark
                at += len(self._string)
            elif mark == "#":
                break
            else:
                self._depth += (mark in "[{") - (mark in "]}")
                at += 1
        if len(self._string) == 1:
            self._string = ""  # an ordinary string ends with its line

    def _in_string(self, text: str, at: int) -> int:
        if text[at] == "\\" and self._string[0] == '"':
            return at + 2
        if text.startswith(self._string, at):
            at += len(self._string)
            self._string = ""
            return at
        return at + 1


def yaml(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """Keys at the margin, and one level below them those that open something; of a list at the margin its items."""
    reader = _Yaml()
    for number, raw in numbered(blocks):
        found = reader.line(number, raw)
        if found is not None:
            yield found


class _Yaml:
    __slots__ = ("_below", "_block", "_list", "_quote", "_top")

    def __init__(self) -> None:
        self._block = -1  # how far the key of the block scalar we are in is moved in
        self._below = 0  # how far the keys below the last key at the margin are moved in; 0: not seen yet
        self._quote = ""
        self._list: bool | None = None  # is the document a list? None: nothing seen yet
        self._top = False

    def line(self, number: int, raw: str) -> Entry | None:
        text = raw.strip()
        indent = len(raw) - len(raw.lstrip(" "))
        if self._block >= 0:
            if not text or indent > self._block:
                return None
            self._block = -1
        if self._quote:
            if _closes(text, self._quote):
                self._quote = ""
            return None
        if not text or text[0] in "#%":
            return None
        if indent == 0 and (text in ("---", "...") or text.startswith("--- ")):
            self._list, self._top = None, False
            return None
        if self._list is None:
            self._list = text.startswith("- ")
        return self._entry(number, indent, text)

    def _entry(self, number: int, indent: int, text: str) -> Entry | None:
        item = text.startswith("- ")
        bare = text[2:].lstrip() if item else text
        key, value = _yaml_key(bare)
        self._opens(indent, value if key else bare)
        if not key or (item and not (indent == 0 and self._list)):
            return None
        if indent == 0:
            self._top, self._below = True, 0
            return Entry(number, 0, squeezed(text))
        if self._list or not self._top:
            return None
        self._below = self._below or indent
        if indent == self._below and (not value or value[0] in "#&!"):
            return Entry(number, 1, key + ":")
        return None

    def _opens(self, indent: int, value: str) -> None:
        """Does a value go on over lines?"""
        bare = value.split(" #")[0].strip()
        while bare[:1] in ("&", "!") and " " in bare:
            bare = bare.split(None, 1)[1]
        if bare[:1] in ("|", ">") and not bare[1:].strip("0123456789+-"):
            self._block = indent
        elif bare[:1] in ("'", '"') and not _closes(bare[1:], bare[0]):
            self._quote = bare[0]


def _yaml_key(text: str) -> tuple[str, str]:
    """The key that a line begins with, and its value; two empty texts when it begins with none."""
    if text[:1] in ('"', "'"):
        end = text.find(text[0], 1)
        after = text[end + 1 :].lstrip() if end > 0 else ""
        return (text[: end + 1], after[1:].strip()) if after.startswith(":") else ("", "")
    if text[:1] in ("{", "[", "&", "*", "!", "|", ">", "#", "}", "]", ",", "?", "-", "@", "`"):
        return "", ""
    end = text.find(": ")
    if end < 0:
        end = text.find(":\t")
    if end < 0 and text.endswith(":"):
        end = len(text) - 1
    comment = text.find(" #")
    return ("", "") if end <= 0 or 0 <= comment < end else (text[:end].rstrip(), text[end + 1 :].strip())


def _closes(text: str, quote: str) -> bool:
    """Is a string over in this text?"""
    at = 0
    while at < len(text):
        if (text[at] == "\\" and quote == '"') or (quote == "'" and text.startswith("''", at)):
            at += 1
        elif text[at] == quote:
            return True
        at += 1
    return False


def json(blocks: Iterable[bytes]) -> Iterator[Entry]:
    """The keys of the outermost object."""
    mask = Masker(_JSON).mask
    depth = 0
    for number, raw in numbered(blocks):
        clean = mask(raw)
        for at, mark in enumerate(clean):
            if mark in "{[":
                depth += 1
            elif mark in "}]":
                depth -= 1
            elif mark == ":" and depth == 1:
                end = clean.rfind('"', 0, at)
                begin = clean.rfind('"', 0, max(0, end))
                if begin >= 0:
                    yield Entry(number, 0, squeezed(raw[begin : end + 1]) + _kind(clean[at + 1 :].lstrip()))


def _kind(value: str) -> str:
    return {"{": ": {...}", "[": ": [...]"}.get(value[:1], ":")
