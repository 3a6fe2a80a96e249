"""Everyday YAML with line numbers: what people write into cloud-init's files.

No library for it is on the board, and what a full one adds (tags, anchors, types by guess) nobody needs here.

Rules:
1. Read here: block mappings and lists, lists and mappings in one line ([a, b], {a: b}), plain, 'single' and "double"
   quoted scalars in one line, block scalars (| and >), comments, `---` above it all. All else is a fault with its
   line, never another meaning: what is read means what YAML 1.2 says it means.
2. A scalar stays the text that was written: whether `12345678` is a number or a password, its reader knows.
3. Deeper than MOST_DEEP, or a key twice in one mapping, is a fault.
4. Of a value a fault quotes one mark at most: it may be a secret that is written wrong.
"""

from __future__ import annotations

from edge.faults import ConfigFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Value = Union[str, list["Node"], dict[str, "Node"]]

MOST_DEEP = 20
_ESCAPES = {"\\": "\\", '"': '"', "/": "/", "n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b", " ": " "}
_INDICATORS = tuple(",[]{}#&*!|>'\"%@`")  # what no plain scalar begins with (YAML 1.2, section 7.3.3)
_HEX = {"x": 2, "u": 4, "U": 8}


class Node(Record):
    """A value and its line: of its key or dash, where it has one. `plain`: without quotes, so that `~` is none."""

    value: Value
    line: int
    plain: bool = False

    @property
    def none(self) -> bool:
        return self.plain and self.value in ("", "~", "null", "Null", "NULL")


def read(text: str, name: str) -> Node:
    """The document; an empty one is an empty scalar. ConfigFault with `where` = name:line."""
    return _Reader(text, name).document()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._rows = text.split("\n")
        self._name = name
        self._at = 0
        self._deep = 0

    def document(self) -> Node:
        if self._next() and self._rows[self._at].rstrip() == "---":
            self._at += 1
        if not self._next():
            return Node("", 1, True)
        found = self._block(self._indent())
        if self._next():
            if self._rows[self._at].rstrip() == "...":
                return found
            raise self._fault("this line belongs to nothing above it", "align it with what it belongs to")
        return found

    def _fault(self, sentence: str, fix: str = "", line: int = 0) -> ConfigFault:
        return ConfigFault(sentence, fix, f"{self._name}:{line or self._at + 1}")

    def _next(self) -> bool:
        """Go to the next row that says something; False at the end."""
        while self._at < len(self._rows):
            row = self._rows[self._at].strip(" \r")
            if row and row[0] != "#":
                return True
            self._at += 1
        return False

    def _indent(self) -> int:
        row = self._rows[self._at]
        indent = len(row) - len(row.lstrip(" "))
        if row[indent : indent + 1] == "\t":
            raise self._fault("a tab indents this line", "indent with blanks")
        return indent

    def _block(self, indent: int) -> Node:
        """What begins in this row, which is indented so."""
        self._deep += 1
        if self._deep > MOST_DEEP:
            raise self._fault("this is nested too deeply", f"{MOST_DEEP} levels are read")
        line = self._at + 1
        text = self._rows[self._at][indent:]
        if _is_entry(text):
            found = Node(self._list(indent), line)
        elif self._key(text) is not None:
            found = Node(self._mapping(indent), line)
        else:
            self._at += 1
            found = self._scalar(text, line)
        self._deep -= 1
        return found

    def _mapping(self, indent: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        while self._next() and self._indent() == indent:
            row = self._rows[self._at][indent:]
            split = self._key(row)
            if split is None or _is_entry(row):
                if row.rstrip() in ("---", "..."):
                    break
                raise self._fault('this line is no "key: value"', "a blank stands behind the colon")
            key, rest = split
            if key in found:
                raise self._fault(f"{key[:40]!r} stands twice here", "keep one of them")
            found[key] = self._valued(indent, rest, True)
        self._ended(indent)
        return found

    def _list(self, indent: int) -> list[Node]:
        found = []
        while self._next() and self._indent() == indent and _is_entry(self._rows[self._at][indent:]):
            rest = self._rows[self._at][indent + 1 :]
            inner = indent + 1 + len(rest) - len(rest.lstrip(" "))
            text = rest.strip(" ")
            if _is_entry(text) or (text[:1] not in "[{#|>" and self._key(text) is not None):
                self._rows[self._at] = " " * inner + text
                found.append(self._block(inner))
            else:
                found.append(self._valued(indent, text, False))
        if self._next() and self._indent() > indent:
            self._ended(indent)
        return found

    def _ended(self, indent: int) -> None:
        if self._next() and self._indent() > indent:
            raise self._fault("this line is indented, and nothing above it can hold it", "align it")

    def _valued(self, indent: int, rest: str, of_key: bool) -> Node:
        """The value behind a key or a dash in this row, or in the rows below it."""
        line = self._at + 1
        text = rest.strip(" ")
        self._at += 1
        if text[:1] in ("|", ">"):
            return Node(self._literal(text, indent), line)
        if text and text[0] != "#":
            return self._scalar(text, line)
        if self._next():
            below = self._indent()
            if below > indent or (of_key and below == indent and _is_entry(self._rows[self._at][indent:])):
                found = self._block(below)
                return Node(found.value, line, found.plain)
        return Node("", line, True)

    def _literal(self, mark: str, above: int) -> str:
        """A block scalar: its rows as they are, or in one line; `-` is without the last line end."""
        if mark.partition(" #")[0].rstrip(" \r") not in ("|", "|-", ">", ">-"):
            raise self._fault("this block scalar has marks that are not read here", "write | or |- alone", self._at)
        line = self._at
        rows: list[str] = []
        width = 0
        while self._at < len(self._rows):
            row = self._rows[self._at].rstrip("\r")
            indent = len(row) - len(row.lstrip(" "))
            if row.strip(" "):
                if indent <= above:
                    break
                width = width or indent
                if indent < width:
                    raise self._fault("this line is indented less than the text it belongs to", "align it")
            rows.append(row[width:] if width else "")
            self._at += 1
        ended = self._at < len(self._rows) or not self._rows[-1]
        body = "\n".join(rows).rstrip("\n")
        if mark[0] == ">":
            if any(row[:1] in ("", " ", "\t") for row in body.split("\n")) and body:
                raise self._fault("this folded text has empty or indented rows", "write | instead of >", line)
            body = body.replace("\n", " ")
        return body if not body or mark[1:2] == "-" or not ended else body + "\n"

    def _key(self, text: str) -> tuple[str, str] | None:
        """Key and rest of `key: value`; None when the text is none."""
        if text[:1] in ("'", '"'):
            end = _closing(text)
            if end and text[end : end + 1] == ":" and text[end + 1 : end + 2] in ("", " "):
                return self._quoted(text[:end], self._at + 1), text[end + 1 :]
            return None
        if text[:1] in ("[", "{", "#"):
            return None
        key, colon, rest = text.rstrip(" \r").partition(": ")
        if not colon and key.endswith(":"):
            key, colon = key[:-1], ":"
        if not colon or " #" in key or not key.strip(" "):
            return None
        return self._plain(key.strip(" "), self._at + 1), rest

    def _scalar(self, text: str, line: int) -> Node:
        text = text.strip(" \r")
        if text[:1] in ("[", "{"):
            found, rest = self._flow(text, line)
            self._behind(rest, line)
            return found
        if text[:1] in ("'", '"'):
            end = _closing(text)
            if not end:
                raise self._fault("these quotation marks are not closed in their line", "", line)
            self._behind(text[end:], line)
            return Node(self._quoted(text[:end], line), line)
        return Node(self._plain(text.partition(" #")[0].rstrip(" "), line), line, True)

    def _behind(self, rest: str, line: int) -> None:
        rest = rest.strip(" ")
        if rest and rest[0] != "#":
            raise self._fault("something stands behind the value", "one pair of quotation marks around all of it", line)

    def _plain(self, text: str, line: int) -> str:
        if text and (text[0] in _INDICATORS or (text[0] in "-?:" and text[1:2] in ("", " "))):
            sentence = f"no value begins with {text[0]} (anchors, tags and the like are not read)"
            raise self._fault(sentence, "quote the value", line)
        if ": " in text or text.endswith(":") or text.startswith(("--- ", "... ")):
            raise self._fault("two colons in one line", "quote the value", line)
        return text

    def _quoted(self, text: str, line: int) -> str:
        """The text between quotation marks, which are closed."""
        inner = text[1:-1]
        if text[0] == "'":
            return inner.replace("''", "'")
        found, at = "", 0
        while at < len(inner):
            letter = inner[at]
            at += 1
            if letter == "\\":
                letter, at = self._escape(inner, at, line)
            found += letter
        return found

    def _escape(self, inner: str, at: int, line: int) -> tuple[str, int]:
        mark = inner[at : at + 1]
        if mark in _HEX:
            digits = inner[at + 1 : at + 1 + _HEX[mark]]
            whole = len(digits) == _HEX[mark] and set(digits.lower()) <= set("0123456789abcdef")
            if whole and (int(digits, 16) < 0xD800 or 0xDFFF < int(digits, 16) < 0x110000):
                return chr(int(digits, 16)), at + 1 + _HEX[mark]
        elif mark in _ESCAPES:
            return _ESCAPES[mark], at + 1
        raise self._fault(f"\\{mark} is no escape", "use single quotation marks", line)

    def _flow(self, text: str, line: int) -> tuple[Node, str]:
        """A list or mapping in one line, and what follows it."""
        self._deep += 1
        if self._deep > MOST_DEEP:
            raise self._fault("this is nested too deeply", f"{MOST_DEEP} levels are read", line)
        close = "]" if text[0] == "[" else "}"
        items: list[Node] = []
        pairs: dict[str, Node] = {}
        text = text[1:].lstrip(" ")
        while text[:1] != close:
            key = ""
            if close == "}":
                key, text = self._flow_key(text, line)
                if key in pairs:
                    raise self._fault(f"{key[:40]!r} stands twice here", "keep one of them", line)
            found, text = self._flow_value(text, line)
            items.append(found)
            pairs[key] = found
            text = text.lstrip(" ")
            if text[:1] not in (",", close) or not text:
                raise self._fault(f"{'a list' if close == ']' else 'a mapping'} is not closed in its line", "", line)
            text = text[1:].lstrip(" ") if text[0] == "," else text
        self._deep -= 1
        return Node(items if close == "]" else pairs, line), text[1:]

    def _flow_key(self, text: str, line: int) -> tuple[str, str]:
        end = _closing(text) if text[:1] in ("'", '"') else text.find(":")
        if end <= 0 or text[end : end + 1] != ":" or text[end + 1 : end + 2] not in (" ", "[", "{"):
            raise self._fault("a mapping in one line is {key: value, key: value}", "", line)
        key = self._quoted(text[:end], line) if text[0] in ("'", '"') else text[:end].strip(" ")
        return key, text[end + 1 :].lstrip(" ")

    def _flow_value(self, text: str, line: int) -> tuple[Node, str]:
        if text[:1] in ("[", "{"):
            return self._flow(text, line)
        if text[:1] in ("'", '"'):
            end = _closing(text)
            if not end:
                raise self._fault("these quotation marks are not closed in their line", "", line)
            return Node(self._quoted(text[:end], line), line), text[end:]
        end = min([at for at in map(text.find, ",[]{}") if at >= 0], default=len(text))
        if not end and text[:1] == ",":
            raise self._fault("a value is missing before a comma", "", line)
        return Node(self._plain(text[:end].strip(" "), line), line, True), text[end:]


def _is_entry(text: str) -> bool:
    return text.startswith("- ") or text.rstrip(" \r") == "-"


def _closing(text: str) -> int:
    """Behind the mark that closes the one the text begins with; 0 when none does."""
    at = 1
    while at < len(text):
        if text[at] == "\\" and text[0] == '"':
            at += 1
        elif text[at] == text[0]:
            if text[0] == '"' or text[at + 1 : at + 2] != "'":
                return at + 1
            at += 1
        at += 1
    return 0
