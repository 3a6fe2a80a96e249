"""Reads simple commands: assignments, words, redirections, here-documents. Pure, one pass, never back.

Rules:
1. What only some shells know (arrays, `<<<`, `<(...)`) is read as they read it and noted as odd.
2. A here-document is read where the line ends on which it was announced.
"""

from __future__ import annotations

from edge.gate.shell.nodes import Assign, Here, Redirect, ShellFault, Simple, Sub, Text, Word
from edge.gate.shell.words import BREAKS, Lexer, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.nodes import Node

MOST_COMMANDS = 3000
_REDIRECTS = ("<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">")


class Commands(Lexer):
    """A reader of simple commands; what is made of them is the grammar's part."""

    def __init__(self, text: str, depth: int, odd: list[str]) -> None:
        super().__init__(text, depth, odd)
        self.line = 0
        self.lined = 0

    if TYPE_CHECKING:  # what a fuller class below brings
        # The body of the function `name`: the grammar's part.
        def function(self, name: str) -> Node: ...

    # --- blanks ---

    def blanks(self) -> None:
        while True:
            letter = self.look()
            if letter in (" ", "\t"):
                self.at += 1
            elif letter == "\\" and self.look(1) == "\n":
                self.at += 2
            elif letter == "#" and (not self.at or self.text[self.at - 1] in BREAKS):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def newlines(self) -> None:
        self.blanks()
        while self.look() == "\n":
            self.at += 1
            self.documents()
            self.blanks()
        if self.waiting and self.at >= len(self.text):
            self.documents()

    def plain_word(self) -> str:
        """The word here as it stands, without quotation marks and expansions."""
        start = self.at
        while self.look() and self.look() not in BREAKS:
            self.at += 1
        return self.text[start : self.at]

    def some_word(self) -> Word:
        word = self.word()
        if not word.parts:
            raise ShellFault(f"`{self.look()}` stands where a word belongs")
        return word

    # --- simple commands ---

    def simple(self) -> Node:
        line = self.line + self.text.count("\n", self.lined, self.at)
        assigns: list[Assign] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        start = self.at
        while True:
            self.blanks()
            before = self.at
            redirect = self.redirect()
            if redirect is not None:
                redirects.append(redirect)
                continue
            if self.look() == "(" and len(words) == 1 and not assigns:
                return self.defined(start, before)
            if self.text[self.at : self.at + 2] in ("<(", ">("):
                words.append(self.process())
                continue
            word = self.word()
            if not word.parts and self.at == before:
                break
            assign = None if words else self.assign(word)
            if assign is not None:
                assigns.append(assign)
            elif word.parts:
                words.append(word)
        if not (assigns or words or redirects):
            raise ShellFault(f"`{self.look() or 'the end'}` stands where a command belongs")
        self.commands += 1
        if self.commands > MOST_COMMANDS:
            raise ShellFault(f"it is more than {MOST_COMMANDS} commands")
        return Simple(tuple(assigns), tuple(words), tuple(redirects), line)

    def defined(self, start: int, end: int) -> Node:
        """NAME ( ) BODY."""
        name = self.text[start:end].strip(" \t")
        self.at += 1
        self.blanks()
        if self.look() != ")" or any(letter in name for letter in "'\"\\$`="):
            raise ShellFault("a parenthesis stands inside a command")
        self.at += 1
        return self.function(name)

    def assign(self, word: Word) -> Assign | None:
        """NAME=word or NAME+=word, or None; an array is read for what runs in it."""
        first = word.parts[0] if word.parts else None
        if not isinstance(first, Text) or first.quoted or "=" not in first.text:
            return None
        name, _, value = first.text.partition("=")
        more = name.endswith("+")
        name = name[:-1] if more else name
        if not is_name(name):
            return None
        rest = (Text(value), *word.parts[1:]) if value else word.parts[1:]
        if self.look() == "(" and not rest:
            return Assign(name, Word(self.array()), True)
        if more:
            self.odd.append("`+=` is not for every shell")
        return Assign(name, Word(tuple(rest)), more)

    def array(self) -> tuple[Sub, ...]:
        """The substitutions inside `name=( ... )`."""
        self.odd.append("an array is not for every shell")
        self.at += 1
        found: list[Sub] = []
        while True:
            self.newlines()
            if self.look() == ")":
                self.at += 1
                return tuple(found)
            found += [part for part in self.some_word().parts if isinstance(part, Sub)]

    def redirects(self) -> tuple[Redirect, ...]:
        """Redirections behind a compound command."""
        found: list[Redirect] = []
        while True:
            self.blanks()
            redirect = self.redirect()
            if redirect is None:
                return tuple(found)
            found.append(redirect)

    def redirect(self) -> Redirect | None:
        """The redirection that begins here, if one does."""
        at = self.at
        while at < len(self.text) and self.text[at].isdigit() and self.text[at].isascii():
            at += 1
        if self.text[at : at + 1] not in ("<", ">") or self.text[at + 1 : at + 2] == "(":
            return None
        self.at = at
        op = next(sign for sign in _REDIRECTS if self.text.startswith(sign, at))
        self.at += len(op)
        if op in ("<<", "<<-"):
            return self.document(op)
        if op == "<<<":
            self.odd.append("`<<<` is not for every shell")
        self.blanks()
        if self.text[self.at : self.at + 2] in ("<(", ">("):
            return Redirect(op, self.process())
        return Redirect(op, self.some_word())

    def process(self) -> Word:
        """`<(...)` or `>(...)`."""
        self.odd.append("a process substitution is not for every shell")
        self.deeper()
        self.at += 2
        body = self.nested()
        self.depth -= 1
        return Word((Sub(body, True, True),))

    def document(self, op: str) -> Redirect:
        """Announces a here-document; it is read when the line ends."""
        self.blanks()
        word = self.some_word()
        quoted = any(not isinstance(part, Text) or part.quoted for part in word.parts)
        if not all(isinstance(part, Text) for part in word.parts):
            raise ShellFault("a here-document ends with a word that is computed")
        end = "".join(part.text for part in word.parts if isinstance(part, Text))
        here = Here(end, quoted, op == "<<-")
        self.waiting.append(here)
        return Redirect("<<", Word(()), here)
