"""What all scanners share: an entry, lines out of blocks, a signature on one line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# How far a head is looked at: what is longer is no signature.
LONGEST = 2000


class Entry:
    """One definition: `line` from 1, `depth` of nesting from 0, `text` its signature.

    Not frozen: the name of `typedef struct { ... } name;` is known at its end only.
    """

    __slots__ = ("depth", "line", "text")

    def __init__(self, line: int, depth: int, text: str) -> None:
        self.line = line
        self.depth = depth
        self.text = text


def lines(blocks: Iterable[bytes]) -> Iterator[str]:
    """The lines of a file as text, without their ends; what is no UTF-8 is replaced."""
    for block in blocks:
        text = block.decode("utf-8", "replace")
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        found = text.split("\n")
        if not found[-1]:
            found.pop()
        yield from found


def numbered(blocks: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """The same with the number of each line, from 1; a mark of the order of bytes (BOM) is dropped."""
    for number, line in enumerate(lines(blocks), 1):
        yield number, line[1:] if number == 1 and line.startswith("\ufeff") else line


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def squeezed(text: str) -> str:
    """A signature on one line: every run of blanks one blank."""
    return " ".join(text[:LONGEST].split())


def word_at(text: str, at: int = 0, more: str = "_") -> str:
    """The name that begins at an offset: letters, digits and `more`."""
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in more):
        end += 1
    return text[at:end]


def indent_of(line: str) -> int:
    """How far a line is moved in; a tab goes to the next multiple of eight."""
    wide = 0
    for letter in line:
        if letter == " ":
            wide += 1
        elif letter == "\t":
            wide += 8 - wide % 8
        else:
            break
    return wide


def balanced(text: str, at: int, opening: str, closing: str) -> int:
    """The offset after the mark that closes the one at `at`; the end when none does."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] == opening:
            depth += 1
        elif text[place] == closing:
            depth -= 1
            if not depth:
                return place + 1
    return len(text)
