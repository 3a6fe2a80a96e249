"""What a shell text is made of, as records: words of parts, commands of words, lists of commands. Pure."""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Part = Union["Text", "Either", "Param", "Sub", "Sum"]
    Node = Union["Simple", "Group", "If", "Loop", "For", "Case", "Function"]
    Body = tuple["Item", ...]


class ShellFault(Exception):
    """The text cannot be read; its one argument says why. It never leaves this package."""


class Text(Record):
    """Letters as they stand; `quoted` takes the meaning from glob characters and the tilde."""

    text: str
    quoted: bool = False


class Either(Record):
    """Letters that shells read differently: `$'...'` is decoded by some and not by others."""

    texts: tuple[str, ...]
    quoted: bool = True


class Param(Record):
    """`${name op word}`. op: "" or one of - = ? + with or without a colon, % %% # ##, `length`, `odd`."""

    name: str
    op: str = ""
    word: Word | None = None
    quoted: bool = False


class Sub(Record):
    """A command substitution, or with `process` a process substitution."""

    body: Body
    quoted: bool = False
    process: bool = False


class Sum(Record):
    """An arithmetic expansion: the word that it evaluates."""

    word: Word


class Word(Record):
    """One word before expansion."""

    parts: tuple[Part, ...]


class Here:
    """A here-document: filled when the line ends on which it was announced."""

    __slots__ = ("end", "quoted", "strip", "word")

    def __init__(self, end: str, quoted: bool, strip: bool) -> None:
        self.end = end
        self.quoted = quoted
        self.strip = strip
        self.word = Word(())


class Redirect(Record):
    """`op` is one of < > >> <> >| >& <& << <<<; `here` is the document of <<."""

    op: str
    word: Word
    here: Here | None = None


class Assign(Record):
    """NAME=word before a command or alone; `more` for +=."""

    name: str
    word: Word
    more: bool = False


class Simple(Record):
    """Assignments, words and redirections; `line` counts from 0."""

    assigns: tuple[Assign, ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    line: int = 0


class Group(Record):
    """`{ list; }`, or with `sub` `( list )`."""

    body: Body
    sub: bool
    redirects: tuple[Redirect, ...] = ()


class If(Record):
    """Conditions with their branches, and what runs otherwise."""

    arms: tuple[tuple[Body, Body], ...]
    other: Body
    redirects: tuple[Redirect, ...] = ()


class Loop(Record):
    """while, or with `until` until."""

    test: Body
    body: Body
    until: bool
    redirects: tuple[Redirect, ...] = ()


class For(Record):
    """`words` None means the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Body
    redirects: tuple[Redirect, ...] = ()


class Case(Record):
    """The word, and for each arm its patterns and its list."""

    word: Word
    arms: tuple[tuple[tuple[Word, ...], Body], ...]
    redirects: tuple[Redirect, ...] = ()


class Function(Record):
    """A definition; `body` is the command that a call runs."""

    name: str
    body: Node
    redirects: tuple[Redirect, ...] = ()


class Pipe(Record):
    """Commands joined by |."""

    parts: tuple[Node, ...]


class Item(Record):
    """An and-or list: the first pipeline, then (&& or ||, pipeline) pairs; `behind` for &."""

    first: Pipe
    rest: tuple[tuple[str, Pipe], ...]
    behind: bool = False
