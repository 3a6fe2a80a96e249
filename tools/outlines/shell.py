"""Shell functions, in both spellings; here-documents and strings over several lines do not fool it."""

from __future__ import annotations

from edge.tools.outlines.text import Entry, indent_of, numbered, squeezed, word_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NOT_IN_NAMES = frozenset("()$\"'`\\;&|<>={}#*?[] \t")
_WAITING = 8


def scan(blocks: Iterable[bytes]) -> Iterator[Entry]:
    reader = _Reader()
    open_at: list[int] = []
    for number, raw in numbered(blocks):
        text = reader.code(raw)
        bare = text.strip()
        if not bare:
            continue
        indent = indent_of(raw)
        while open_at and open_at[-1] >= indent:
            open_at.pop()
        if _name(bare):
            yield Entry(number, len(open_at), _shown(bare))
            open_at.append(indent)


def _name(text: str) -> str:
    """The name of the function that a line of code begins to define, or nothing."""
    if text.startswith(("function ", "function\t")):
        text = text[9:].lstrip()
        name = _word(text)
        return name if not text[len(name) :].strip() or text[len(name) :].lstrip()[0] in "({" else ""
    name = _word(text)
    after = text[len(name) :].lstrip()
    return name if name and after.startswith("(") and after[1:].lstrip().startswith(")") else ""


def _word(text: str) -> str:
    end = 0
    while end < len(text) and text[end] not in _NOT_IN_NAMES:
        end += 1
    return text[:end]


def _shown(text: str) -> str:
    """The head of the definition: up to the brace or the parenthesis that opens its body."""
    closed = text.find(")")
    end = text.find("{") if closed < 0 else closed + 1
    return squeezed(text[: end if end > 0 else len(text)])


class _Reader:
    """What of a line is code: outside of strings, comments and here-documents."""

    def __init__(self) -> None:
        self._quote = ""
        self._waiting: list[tuple[str, bool]] = []  # words that end here-documents, and whether tabs before them go

    def code(self, line: str) -> str:
        """The code of a line; strings are left empty."""
        if self._waiting:
            word, tabs = self._waiting[0]
            if (line.lstrip("\t") if tabs else line) == word:
                self._waiting.pop(0)
            return ""
        out: list[str] = []
        wanted: list[tuple[str, bool]] = []
        at = self._string(line, 0) if self._quote else 0
        while at < len(line):
            letter = line[at]
            if letter == "\\":
                out.append("_")
                at += 2
            elif letter in "\"'":
                escapes = letter == '"' or line[at - 1 : at] == "$"
                self._quote = letter if letter == '"' or not escapes else "$'"
                at = self._string(line, at + 1)
                out.append('""')
            elif letter == "#" and (at == 0 or line[at - 1] in " \t;&|("):
                break
            elif letter == "<" and line.startswith("<<", at):
                at = _here(line, at, wanted)
            else:
                out.append(letter)
                at += 1
        self._waiting += wanted[:_WAITING]
        return "".join(out)

    def _string(self, line: str, at: int) -> int:
        """The offset after the string we are in; the end of the line when it goes on."""
        end_mark = self._quote[-1]
        while at < len(line):
            if line[at] == "\\" and self._quote != "'":
                at += 2
                continue
            if line[at] == end_mark:
                self._quote = ""
                return at + 1
            at += 1
        return len(line)


def _here(line: str, at: int, wanted: list[tuple[str, bool]]) -> int:
    """`<<WORD`, `<<-WORD`, `<< 'WORD'` begin a here-document; `<<<` and a shift of numbers do not."""
    if line.startswith("<<<", at):
        return at + 3
    at += 2
    tabs = line.startswith("-", at)
    at += tabs
    at += len(line[at:]) - len(line[at:].lstrip(" \t"))
    quote = line[at : at + 1]
    if quote in ("'", '"') and quote:
        end = line.find(quote, at + 1)
        if end < 0:
            return at
        wanted.append((line[at + 1 : end], tabs))
        return end + 1
    at += quote == "\\"
    word = word_at(line, at, "_-.")
    if word and not word[0].isdigit():
        wanted.append((word, tabs))
    return at + len(word)
