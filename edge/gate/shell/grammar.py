"""Reads commands: lists, pipelines, compound commands, functions, case arms, redirections. Pure, one pass, never back.

Rules:
1. A top-level list is given out line by line: what stands before a fault would run, and is judged.
2. What only some shells know (`function`, arrays, `<<<`, `<(...)`) is read as they read it and noted as odd.
3. Reserved words count only as whole unquoted words where a command begins.
"""

from __future__ import annotations

from edge.gate.shell.commands import Commands
from edge.gate.shell.nodes import (
    Case,
    For,
    Function,
    Group,
    If,
    Item,
    Loop,
    Pipe,
    ShellFault,
    Word,
)
from edge.gate.shell.words import BREAKS, is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.nodes import Body, Node

_OPENS = frozenset(("if", "while", "until", "for", "case", "{", "function"))
_CLOSES = frozenset(("then", "elif", "else", "fi", "do", "done", "esac", "}"))
_UNREAD = frozenset(("select", "coproc"))


class Parser(Commands):
    """The reader of one text. `commands` of the outermost counts simple commands of all nested ones."""

    def lines(self) -> Body | None:
        """The next complete line of commands, or None at the end."""
        self.newlines()
        if self.at >= len(self.text):
            return None
        self.line = self.text.count("\n", self.lined, self.at) + self.line
        self.lined = self.at
        items: list[Item] = []
        while self.at < len(self.text):
            items.append(self.item())
            self.blanks()
            if self.look() in ("\n", ""):
                self.newlines()
                break
            if self.stops(()):
                raise ShellFault(f"`{self.reserved() or self.look()}` stands where no command ends")
        return tuple(items)

    def whole(self) -> Body:
        items: list[Item] = []
        while True:
            more = self.lines()
            if more is None:
                return tuple(items)
            items += more

    def nested(self) -> Body:
        body = self.list_until(())
        if self.look() != ")":
            raise ShellFault("a parenthesis does not end")
        self.at += 1
        return body

    def reserved(self) -> str:
        """The unquoted word here when it is a reserved one, else ""."""
        end = self.at
        while end < len(self.text) and end < self.at + 9 and self.text[end] not in BREAKS:
            end += 1
        word = self.text[self.at : end]
        return word if word in _OPENS or word in _CLOSES or word in _UNREAD or word == "!" else ""

    def expect(self, word: str) -> None:
        self.newlines()
        if self.reserved() != word:
            raise ShellFault(f"`{word}` is missing")
        self.at += len(word)

    # --- lists ---

    def stops(self, words: tuple[str, ...]) -> bool:
        """True where a list ends: the text, `)`, `;;`, or a closing word."""
        if self.at >= len(self.text) or self.look() == ")":
            return True
        if self.look() == ";":
            return True
        return self.reserved() in (words or _CLOSES)

    def list_until(self, words: tuple[str, ...]) -> Body:
        items: list[Item] = []
        self.newlines()
        while not self.stops(words):
            items.append(self.item())
            self.newlines()
        return tuple(items)

    def item(self) -> Item:
        """An and-or list with the separator behind it."""
        first = self.pipe()
        rest: list[tuple[str, Pipe]] = []
        while True:
            self.blanks()
            op = self.text[self.at : self.at + 2]
            if op not in ("&&", "||"):
                break
            self.at += 2
            self.newlines()
            rest.append((op, self.pipe()))
        behind = self.look() == "&"
        if behind or (self.look() == ";" and self.look(1) not in (";", "&")):
            self.at += 1
        elif self.look() not in ("\n", "", ")", ";"):
            raise ShellFault(f"`{self.look()}` stands where a command ends")
        return Item(first, tuple(rest), behind)

    def pipe(self) -> Pipe:
        self.blanks()
        while self.reserved() == "!":
            self.at += 1
            self.blanks()
        parts = [self.command()]
        while True:
            self.blanks()
            if self.look() != "|" or self.look(1) == "|":
                return Pipe(tuple(parts))
            self.at += 2 if self.look(1) == "&" else 1
            self.newlines()
            parts.append(self.command())

    # --- commands ---

    def command(self) -> Node:
        self.deeper()
        word = self.reserved()
        if self.look() == "(":
            found = self.subshell()
        elif word in _UNREAD or word in _CLOSES or word == "!":
            raise ShellFault(f"`{word}` stands where a command begins")
        elif word == "function":
            found = self.keyword_function()
        elif word:
            self.at += len(word)
            found = self.compound(word)
        else:
            found = self.simple()
        self.depth -= 1
        return found

    def subshell(self) -> Node:
        self.at += 1
        if self.look() == "(":
            self.odd.append("`((` is arithmetic to some shells")
        return Group(self.nested(), True, self.redirects())

    def compound(self, word: str) -> Node:
        if word == "{":
            body = self.list_until(("}",))
            self.expect("}")
            return Group(body, False, self.redirects())
        if word == "if":
            return self.conditional()
        if word == "for":
            return self.each()
        if word == "case":
            return self.case()
        test = self.list_until(("do",))
        return Loop(test, self.do_group(), word == "until", self.redirects())

    def do_group(self) -> Body:
        self.expect("do")
        body = self.list_until(("done",))
        self.expect("done")
        return body

    def conditional(self) -> Node:
        arms: list[tuple[Body, Body]] = []
        other: Body = ()
        while True:
            test = self.list_until(("then",))
            self.expect("then")
            arms.append((test, self.list_until(("elif", "else", "fi"))))
            word = self.reserved()
            self.at += len(word)
            if word == "else":
                other = self.list_until(("fi",))
                self.expect("fi")
            if word != "elif":
                break
        if word not in ("else", "fi"):
            raise ShellFault("`fi` is missing")
        return If(tuple(arms), other, self.redirects())

    def each(self) -> Node:
        self.blanks()
        name = self.plain_word()
        if not is_name(name):
            raise ShellFault("`for` has no name")
        self.newlines()
        words: list[Word] | None = None
        if self.text.startswith("in", self.at) and (self.look(2) in BREAKS or not self.look(2)):
            self.at += 2
            words = []
            self.blanks()
            while self.look() and self.look() not in "\n;":
                words.append(self.some_word())
                self.blanks()
        if self.look() == ";":
            self.at += 1
        body = self.do_group()
        return For(name, None if words is None else tuple(words), body, self.redirects())

    def case(self) -> Node:
        self.blanks()
        word = self.some_word()
        self.newlines()
        if not self.text.startswith("in", self.at):
            raise ShellFault("`case` has no `in`")
        self.at += 2
        arms: list[tuple[tuple[Word, ...], Body]] = []
        self.newlines()
        while self.reserved() != "esac":
            arms.append(self.arm())
            self.newlines()
        self.at += 4
        return Case(word, tuple(arms), self.redirects())

    def arm(self) -> tuple[tuple[Word, ...], Body]:
        if self.look() == "(":
            self.at += 1
        patterns = []
        while True:
            self.blanks()
            patterns.append(self.some_word())
            self.blanks()
            mark = self.look()
            self.at += 1
            if mark == ")":
                break
            if mark != "|":
                raise ShellFault("a case pattern does not end")
        body = self.list_until(("esac",))
        if self.text.startswith(";;&", self.at):
            self.at += 3
        elif self.text[self.at : self.at + 2] in (";;", ";&"):
            self.at += 2
        elif self.reserved() != "esac":
            raise ShellFault("a case arm does not end")
        return tuple(patterns), body

    def keyword_function(self) -> Node:
        self.odd.append("`function` is not for every shell")
        self.at += len("function")
        self.blanks()
        name = self.plain_word()
        self.blanks()
        if self.look() == "(":
            self.at += 1
            self.blanks()
            if self.look() != ")":
                raise ShellFault("a function has no body")
            self.at += 1
        return self.function(name)

    def function(self, name: str) -> Node:
        self.newlines()
        body = self.command()
        return Function(name, body, self.redirects())
