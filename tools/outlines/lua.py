"""Lua functions: global, local, of a table, and those that are given to a name."""

from __future__ import annotations

from edge.tools.outlines.text import Entry, indent_of, numbered, squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    reader = _Reader()
    open_at: list[int] = []
    for number, raw in numbered(blocks):
        code = reader.code(raw)
        if not code.strip():
            continue
        indent = indent_of(raw)
        while open_at and open_at[-1] >= indent:
            open_at.pop()
        head = _head(code.strip())
        if head:
            yield Entry(number, len(open_at), squeezed(head))
            open_at.append(indent)


def _head(text: str) -> str:
    """What a line defines: `function a.b(x)`, `local function f(x)`, `name = function(x)`; or nothing."""
    bare = text[6:].lstrip() if text.startswith("local ") else text
    if bare.startswith("function") and bare[8:9] in (" ", "\t"):
        return _to_parenthesis(text) if bare[8:].strip()[:1] not in ("", "(") else ""
    at = text.find("function")
    if at < 0 or text[at + 8 : at + 9] not in ("", " ", "\t", "("):
        return ""
    before = text[:at].rstrip()
    if not before.endswith("=") or before.endswith(("==", "~=", "<=", ">=")):
        return ""
    name = before[:-1].strip()
    return _to_parenthesis(text, at) if name and "(" not in name and "{" not in name else ""


def _to_parenthesis(text: str, at: int = 0) -> str:
    end = text.find(")", at)
    return text[: end + 1] if end >= 0 else text


class _Reader:
    """What of a line is code: outside of comments and strings, long ones too."""

    def __init__(self) -> None:
        self._end = ""  # what ends the long bracket we are in

    def code(self, line: str) -> str:
        out: list[str] = []
        at = 0
        while at < len(line):
            if self._end:
                end = line.find(self._end, at)
                if end < 0:
                    break
                at = end + len(self._end)
                self._end = ""
                continue
            letter = line[at]
            if letter == "-" and line.startswith("--", at):
                opened = self._long(line, at + 2)
                if not opened:
                    break
                at = opened
            elif letter == "[" and self._long(line, at):
                at += len(self._end)
            elif letter in "\"'":
                end = _after_string(line, at)
                out.append(line[at:end].replace("function", "________"))
                at = end
            else:
                out.append(letter)
                at += 1
        return "".join(out)

    def _long(self, line: str, at: int) -> int:
        """`[[` or `[==[` at an offset: remember what ends it. The offset after it, 0 when it is none."""
        if not line.startswith("[", at):
            return 0
        level = len(line[at + 1 :]) - len(line[at + 1 :].lstrip("="))
        if not line.startswith("[", at + 1 + level):
            return 0
        self._end = "]" + "=" * level + "]"
        return at + level + 2


def _after_string(line: str, at: int) -> int:
    quote, at = line[at], at + 1
    while at < len(line) and line[at] != quote:
        at += 1 + (line[at] == "\\")
    return min(len(line), at + 1)
