"""Reads words: quotation marks, backslashes, expansions, here-documents. Pure, one pass, never back.

Rules:
1. What shells read differently (dash, bash, busybox) is noted in `odd`: then the text is not provably understood.
2. Substitutions are read by the grammar in place, so that a parenthesis in a case arm or a quotation mark inside
   does not end them early.
3. Nesting deeper than DEEPEST, and a part that does not end, are a ShellFault.
"""

from __future__ import annotations

from edge.gate.shell.ansi import decoded
from edge.gate.shell.marks import MARKS
from edge.gate.shell.nodes import Either, Here, Param, ShellFault, Sub, Sum, Text, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.nodes import Body, Part

DEEPEST = 40
MOST_PARTS = 2000
BREAKS = frozenset(" \t\n;&|<>()")
_TURNS = frozenset("'\"\\$`") | MARKS
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
_DIGITS = frozenset("0123456789")
_SPECIAL = frozenset("@*#?-$!")


def is_name(text: str) -> bool:
    """True when `text` can be the name of a variable."""
    return bool(text) and text[0] not in _DIGITS and all(letter in _NAME for letter in text)


class Lexer:
    """A text and the place in it. `depth` counts nesting over all texts; `odd` is shared by all of one reading."""

    def __init__(self, text: str, depth: int, odd: list[str]) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.odd = odd
        self.waiting: list[Here] = []
        self.commands = 0

    if TYPE_CHECKING:  # what a fuller class below brings
        # The list up to the `)` that ends it: the grammar's part.
        def nested(self) -> Body: ...

    if TYPE_CHECKING:  # what a fuller class below brings
        # The whole text as a list: the grammar's part.
        def whole(self) -> Body: ...

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ShellFault(f"it is nested deeper than {DEEPEST}")

    def look(self, ahead: int = 0) -> str:
        where = self.at + ahead
        return self.text[where] if where < len(self.text) else ""

    def joined(self) -> None:
        """Steps over line ends that a backslash takes away."""
        while self.text.startswith("\\\n", self.at):
            self.at += 2

    def word(self) -> Word:
        """The word that begins here; without parts when there is none."""
        return Word(tuple(self.parts(BREAKS, "word")))

    def parts(self, ends: frozenset[str], mode: str) -> list[Part]:
        """Parts up to a letter of `ends`, which is not read. mode: word, brace (in ${...}), text (quoted)."""
        found: list[Part] = []
        quoted = mode == "text"
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter in ends:
                break
            if len(found) > MOST_PARTS:
                raise ShellFault(f"a word is made of more than {MOST_PARTS} parts")
            if letter not in _TURNS:
                found.append(Text(self.run(ends), quoted))
            elif letter == "$":
                found.extend(self.dollar(quoted))
            elif letter == "`":
                found.append(Sub(self.backtick(quoted), quoted))
            elif letter == "\\":
                self.escape(found, quoted, ends)
            elif letter in MARKS:
                self.at += 1
                found.append(Text(letter, quoted))
            elif quoted:
                self.inner_quote(found, letter, ends)
            else:
                self.quote(found, letter)
        return found

    def run(self, ends: frozenset[str]) -> str:
        """Letters without a meaning of their own."""
        text, start = self.text, self.at
        at = start
        while at < len(text) and text[at] not in ends and text[at] not in _TURNS:
            at += 1
        self.at = at
        return text[start:at]

    def escape(self, found: list[Part], quoted: bool, ends: frozenset[str]) -> None:
        follows = self.look(1)
        self.at += 2
        if follows == "\n":
            return
        if not follows:
            found.append(Text("\\", True))
        elif quoted and follows not in '$`\\"' and follows not in ends:
            found.append(Text("\\" + follows, True))
        else:
            found.append(Text(follows, True))

    def inner_quote(self, found: list[Part], letter: str, ends: frozenset[str]) -> None:
        """A quotation mark where it means nothing, or a double one inside `${...}` inside double ones."""
        if letter == '"' and "}" in ends:
            self.odd.append("shells disagree on quotation marks inside quoted braces")
        self.at += 1
        found.append(Text(letter, True))

    def quote(self, found: list[Part], letter: str) -> None:
        if letter == "'":
            end = self.text.find("'", self.at + 1)
            if end < 0:
                raise ShellFault("a quotation mark does not end")
            found.append(Text(self.text[self.at + 1 : end], True))
            self.at = end + 1
            return
        self.at += 1
        inner = self.parts(frozenset('"'), "text")
        if self.look() != '"':
            raise ShellFault("a quotation mark does not end")
        self.at += 1
        found.extend(inner or [Text("", True)])

    def dollar(self, quoted: bool) -> list[Part]:
        """What a `$` begins."""
        self.at += 1
        self.joined()
        letter = self.look()
        if letter == "(":
            return [self.paren(quoted)]
        if letter == "{":
            return [self.brace(quoted)]
        if letter in _NAME and letter not in _DIGITS:
            start = self.at
            while self.look() and self.look() in _NAME:
                self.at += 1
            return [Param(self.text[start : self.at], quoted=quoted)]
        if letter and (letter in _SPECIAL or letter in _DIGITS):
            self.at += 1
            return [Param(letter, quoted=quoted)]
        if letter == "'" and not quoted:
            return [self.decoded()]
        if letter == '"' and not quoted:
            return [Either(("", "$"))]
        if letter == "[":
            self.odd.append("`$[` is arithmetic to some shells")
        return [Text("$", True)]

    def decoded(self) -> Part:
        """`$'...'`: decoded by bash and busybox, a dollar and plain text for dash."""
        made, raw, self.at = decoded(self.text, self.at + 1, self.odd)
        return Either((made, "$" + raw))

    def paren(self, quoted: bool) -> Part:
        """`$(...)` or `$((...))`."""
        self.deeper()
        self.at += 1
        self.joined()
        if self.look() == "(":
            self.at += 1
            inner = self.sum()
            self.depth -= 1
            return Sum(inner)
        outer, self.waiting, start = self.waiting, [], self.at
        body = self.nested()
        if outer and "\n" in self.text[start : self.at]:
            self.odd.append("shells disagree which lines are the here-document")
        self.waiting = outer + self.waiting
        self.depth -= 1
        return Sub(body, quoted)

    def sum(self) -> Word:
        """The inside of `$((...))`."""
        found: list[Part] = []
        inside = 0
        while True:
            found += self.parts(frozenset("()"), "text")
            letter = self.look()
            self.at += 1
            if letter == ")" and not inside:
                if self.look() != ")":
                    raise ShellFault("arithmetic does not end with two parentheses")
                self.at += 1
                return Word(tuple(found))
            if not letter:
                raise ShellFault("arithmetic does not end")
            inside += 1 if letter == "(" else -1
            found.append(Text(letter, True))

    def brace(self, quoted: bool) -> Part:
        """`${...}`."""
        self.deeper()
        self.at += 1
        start = self.at
        if self.look() == "#" and self.look(1) not in ("}", "", "#", "%", ":", "-", "=", "?", "+"):
            name, op = self.braced_name(1), "length"
        else:
            name, op = self.braced_name(0), ""
        if self.look() == "}" and name:
            self.at += 1
            self.depth -= 1
            return Param(name, op, None, quoted)
        op = self.operator() if name and not op else "odd"
        if op == "odd":
            self.odd.append(f"`${{{self.text[start : start + 20]}` is not for every shell")
        inner = self.parts(frozenset("}"), "text" if quoted and op[:1] not in ("%", "#") else "brace")
        if self.look() != "}":
            raise ShellFault("an expansion does not end")
        self.at += 1
        self.depth -= 1
        return Param(name, op, Word(tuple(inner)), quoted)

    def braced_name(self, skip: int) -> str:
        self.at += skip
        start = self.at
        if self.look() and self.look() in _SPECIAL:
            self.at += 1
        else:
            while self.look() and self.look() in _NAME:
                self.at += 1
        return self.text[start : self.at]

    def operator(self) -> str:
        """The operator after a braced name; `odd` for what POSIX does not have."""
        for length in (2, 1):
            op = self.text[self.at : self.at + length]
            if op in (":-", ":=", ":?", ":+", "%%", "##", "-", "=", "?", "+", "%", "#"):
                self.at += length
                return op
        return "odd"

    def backtick(self, quoted: bool) -> Body:
        """A substitution in backticks: its text first loses one layer of backslashes."""
        self.deeper()
        self.at += 1
        made: list[str] = []
        while self.look() != "`":
            if not self.look():
                raise ShellFault("a backtick does not end")
            if self.look() == "\\" and self.look(1) and (self.look(1) in "`$\\" or (quoted and self.look(1) == '"')):
                self.at += 1
            made.append(self.look())
            self.at += 1
        self.at += 1
        inner = type(self)("".join(made), self.depth, self.odd)
        body = inner.whole()
        self.commands += inner.commands
        self.depth -= 1
        return body

    def documents(self) -> None:
        """Reads the here-documents that wait; the place is behind the end of a line."""
        waiting, self.waiting = self.waiting, []
        for here in waiting:
            lines: list[str] = []
            glued = False
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = end + 1
                line = line.lstrip("\t") if here.strip else line
                if line == here.end:
                    if not glued:
                        break
                    self.odd.append("shells disagree where a here-document ends")
                lines.append(line)
                glued = not here.quoted and (len(line) - len(line.rstrip("\\"))) % 2 == 1
            text = "".join(line + "\n" for line in lines)
            here.word = Word((Text(text, True),)) if here.quoted else self.expanded(text)

    def expanded(self, text: str) -> Word:
        """The word of a here-document that expands: like inside double quotation marks, which mean nothing here."""
        self.deeper()
        inner = type(self)(text, self.depth, self.odd)
        parts = inner.parts(frozenset(), "text")
        self.commands += inner.commands
        self.depth -= 1
        return Word(tuple(parts))
