"""The walk through a language of braces: what stands before a brace or a semicolon is a head, and heads are judged.

Rules:
1. A head is the text since the last `;`, `{` or `}` outside of parentheses. A brace inside parentheses begins a head of
   its own, and the outer one goes on after it.
2. A language judges a head by what ends it and by what it stands in; it says what the head defines and what kind of
   thing the brace opens. Only that is kept: one frame for each open brace.
3. A broken file: a line that is no further in than the line of what is still open, and by itself begins a definition,
   ends what is open. Braces that differ between the branches of an #if are taken from the first one.
"""

from __future__ import annotations

from edge.tools.outlines.code import Masker
from edge.tools.outlines.text import LONGEST, Entry, indent_of, squeezed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from edge.tools.outlines.code import Syntax

# What a frame is: a place for definitions (`file` is the outermost), the shape of data, statements, values.
FILE, TYPE, SHAPE, BODY, VALUE = "file", "type", "shape", "body", "value"
_DEEPEST = 200


class Frame:
    """What one open brace, or the file, is. `name`: of the type it defines. `entry`: what was told of it."""

    __slots__ = ("entry", "head", "indent", "kind", "name", "parens", "shown")

    def __init__(self, kind: str, name: str = "", shown: bool = False, indent: int = -1) -> None:
        self.kind = kind
        self.name = name
        self.shown = shown
        self.indent = indent
        self.parens = 0
        self.head: Head | None = None  # the outer head that goes on after the brace (rule 1)
        self.entry: Entry | None = None


class Head:
    """Pieces of lines: masked text, and the same as it was written."""

    __slots__ = ("clean", "places", "raw")

    def __init__(self) -> None:
        self.clean = ""
        self.raw = ""
        self.places: list[tuple[int, int, int]] = []  # offset, line, indent

    def add(self, line: int, indent: int, clean: str, raw: str) -> None:
        """One more piece; what is too long for a head is left out."""
        if len(self.clean) < LONGEST and (self.clean or clean.strip()):
            self.places.append((len(self.clean), line, indent))
            self.clean += clean + " "
            self.raw += raw + " "

    def cut(self, at: int) -> None:
        """Forget what stands before an offset."""
        self.clean = " " * at + self.clean[at:]

    def line(self, at: int) -> int:
        """The line of an offset."""
        return max((line for start, line, _ in self.places if start <= at), default=0)

    def indent(self) -> int:
        """How far its first line is moved in."""
        return self.places[0][2] if self.places else 0

    def shown(self, start: int = 0, end: int = LONGEST) -> str:
        """The signature: comments are gone, strings are there."""
        pairs = zip(self.clean[start:end], self.raw[start:end])
        told = squeezed("".join([" " if clean == " " else raw for clean, raw in pairs]))
        return told.replace("{} ,", "{},").replace("{} )", "{})").replace("( {}", "({}")


class Found:
    """What a head is: `text` and the offset `at` of its name when it defines something; what its brace opens."""

    __slots__ = ("at", "kind", "name", "text")

    def __init__(self, kind: str, text: str = "", at: int = 0, name: str = "") -> None:
        self.kind = kind
        self.text = text
        self.at = at
        self.name = name


class Dialect:
    """A language of braces; the base says nothing is a definition.

    soft: a line end ends a head that looks complete. commas: so does a comma outside of parentheses.
    """

    syntax: Syntax
    soft = False
    commas: tuple[str, ...] = ()

    def judge(self, head: Head, end: str, frame: Frame) -> Found:
        """What a head is that is ended by `{`, `;` or a line (also `;`) inside of `frame`."""
        return Found(BODY)

    def closed(self, frame: Frame, head: Head) -> bool:
        """Look at what stands between the end of a frame and a `;`; True when that was part of the frame."""
        return False

    def line(self, number: int, clean: str, raw: str, walk: Walk) -> bool:
        """Look at a whole line first; True when it is none of the language's own (a preprocessor's)."""
        return False

    def goes_on(self, before: str, after: str) -> bool:
        """Does a head go on in the next line? Only asked when `soft`."""
        return True


class Walk:
    """One walk through one file."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.frames = [Frame(FILE)]
        self.head = Head()
        self.parens = 0
        self.out: list[Entry] = []
        self.branches: list[tuple[list[Frame], int]] = []
        self._last: Frame | None = None  # the frame that was closed just before this head

    def entries(self, blocks: Iterable[bytes], numbered: Callable[..., Iterator[tuple[int, str]]]) -> Iterator[Entry]:
        """All entries of a file."""
        mask = Masker(self.dialect.syntax).mask
        for number, raw in numbered(blocks):
            clean = mask(raw)
            if not clean.strip() or self.dialect.line(number, clean, raw, self):
                pass
            else:
                self._line(number, clean, raw)
            if self.out:
                yield from self.out
                self.out = []
        self.end_head()
        yield from self.out

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def _line(self, number: int, clean: str, raw: str) -> None:
        indent = indent_of(raw)
        if len(self.frames) > 1 or self.parens:
            self._recover(number, indent, clean, raw)
        waits = self.dialect.soft and not self.parens and self.head.clean
        if waits and not self.dialect.goes_on(self.head.clean.rstrip(), clean.lstrip()):
            self.end_head()
        start = 0
        for at, mark in enumerate(clean):
            if mark not in "{}()[];,":
                continue
            if mark in "([":
                self.parens += 1
            elif mark in ")]":
                self.parens = max(0, self.parens - 1)
            elif mark in "{}" or self._ends(mark):
                self.head.add(number, indent, clean[start:at], raw[start:at])
                start = at + 1
                self._mark(mark)
        self.head.add(number, indent, clean[start:], raw[start:])

    def _ends(self, mark: str) -> bool:
        """Does a comma or a semicolon end the head here?"""
        return not self.parens and (mark == ";" or self.frame.kind in self.dialect.commas)

    def _mark(self, mark: str) -> None:
        if mark == "{":
            self._open()
        elif mark == "}":
            self._close()
        else:
            self.end_head()

    def _open(self) -> None:
        outer, head = None, self.head
        if self.parens:
            outer, head = self.head, self._inner()
        found = self.dialect.judge(head, "{", self.frame)
        frame = Frame(found.kind, found.name, bool(found.text), head.indent())
        frame.head, frame.parens = outer, self.parens
        frame.entry = self.tell(head, found)
        if len(self.frames) < _DEEPEST:
            self.frames.append(frame)
        self.head, self.parens, self._last = Head(), 0, None

    def _inner(self) -> Head:
        """Of a head with open parentheses what stands after the last one, or after the last comma there."""
        depth, text = 0, self.head.clean
        for at in range(len(text) - 1, -1, -1):
            mark = text[at]
            if mark in ")]":
                depth += 1
            elif mark in "([" or (mark == "," and not depth):
                if not depth:
                    inner = Head()
                    inner.clean, inner.raw, inner.places = text, self.head.raw, self.head.places
                    inner.cut(at + 1)
                    return inner
                depth -= 1
        return self.head

    def _close(self) -> None:
        self.end_head()
        if len(self.frames) > 1:
            frame = self.frames.pop()
            self.head, self.parens = frame.head or Head(), frame.parens
            if not frame.parens:
                self._last = frame
                self.head = Head()
            elif self.head.places:
                self.head.add(self.head.places[-1][1], self.head.places[-1][2], "{}", "{}")
        else:
            self.parens = 0

    def end_head(self) -> None:
        """The head is over without a brace."""
        head, last = self.head, self._last
        self.head, self._last = Head(), None
        if last is not None and self.dialect.closed(last, head):
            return
        if head.clean:
            self.tell(head, self.dialect.judge(head, ";", self.frame))

    def tell(self, head: Head, found: Found) -> Entry | None:
        """Put down what was found."""
        if not found.text:
            return None
        entry = Entry(head.line(found.at), sum(frame.shown for frame in self.frames), found.text)
        self.out.append(entry)
        return entry

    def tell_at(self, line: int, text: str) -> None:
        """Put down what a line by itself defines."""
        self.out.append(Entry(line, sum(frame.shown for frame in self.frames), text))

    def drop_head(self) -> None:
        """Forget what stands before the next mark."""
        self.head, self._last = Head(), None

    def branch(self) -> None:
        """An #if begins."""
        if len(self.branches) < _DEEPEST:
            self.branches.append((list(self.frames), self.parens))

    def rejoin(self) -> None:
        """Its next branch begins where the first one did."""
        if self.branches:
            frames, self.parens = self.branches[-1]
            self.frames = list(frames)

    def merge(self) -> None:
        """It is over."""
        if self.branches:
            self.branches.pop()

    def _recover(self, number: int, indent: int, clean: str, raw: str) -> None:
        """Rule 3: end what is open when this line shows that it should not be."""
        if clean.lstrip()[0] in "{}()[]#" or (self.frame.kind in (FILE, TYPE) and not self.parens):
            return
        opened = self.head.indent() if self.parens else self.frame.indent
        if indent > opened:
            return
        keep = len(self.frames)
        while keep > 1 and self.frames[keep - 1].indent >= indent and self.frames[keep - 1].kind not in (FILE, TYPE):
            keep -= 1
        brace = clean.find("{")
        semicolon = clean.find(";")
        stop = min([place for place in (brace, semicolon) if place >= 0], default=len(clean))
        head = Head()
        head.add(number, indent, clean[:stop], raw[:stop])
        if brace != stop and self.dialect.syntax.regex:
            return
        if self.dialect.judge(head, "{" if stop != semicolon else ";", self.frames[keep - 1]).text:
            self._give_up(keep)

    def _give_up(self, keep: int) -> None:
        """End all frames from `keep` on; a head that was waiting for its parenthesis is judged as it is."""
        waiting = [frame.head for frame in self.frames[keep:] if frame.head is not None] or [self.head] * (
            self.parens > 0
        )
        del self.frames[keep:]
        for head in waiting[:1]:
            self.tell(head, self.dialect.judge(head, "{", self.frame))
        self.head, self.parens, self._last = Head(), 0, None
