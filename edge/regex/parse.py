"""Pattern text to tree.

Rules:
1. The syntax is the one that Python's `re` and `grep -E` share, with `\\d \\w \\s \\b` and their opposites, `(?:...)`,
   `{n,m}`, `[[:alpha:]]`, `\\t \\r \\f \\v \\a \\xHH \\uHHHH \\UHHHHHHHH` and a leading `(?i)`. Inside brackets a
   backslash escapes, as in `re`.
2. A non-greedy mark is read and changes nothing: it cannot change which lines match.
3. What is not supported is a ToolFault that names the syntax and its place, counted in characters from 1; nothing is
   taken for something else. `\\<` is one: a word's edge to grep, a character to `re`.
4. Caps: MOST_TEXT characters, DEEPEST open groups and stacked repeats, MOST_REPEATS in braces. The size of the machine
   is capped where it is built (tree.size).
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.regex.chars import ANY, ESCAPES, POSIX, TOP, Item, chars, one, span
from edge.regex.tree import EMPTY, MANY, Alt, At, Rep, Seq, Set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.regex.tree import Node

MOST_TEXT = 4096
MOST_REPEATS = 200
DEEPEST = 50

PLAIN_ESCAPES = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
HEX = {"x": 2, "u": 4, "U": 8}
EDGES = {"b": "b", "B": "B"}
# What stands after a backslash in other dialects: the name of the syntax, what to write instead.
FOREIGN = {
    "A": ("the start of the text", "write ^, lines are searched one by one"),
    "Z": ("the end of the text", "write $, lines are searched one by one"),
    "z": ("the end of the text", "write $, lines are searched one by one"),
    "n": ("a line feed", "lines are searched one by one and hold none; write $ for the end of the line"),
    "p": ("a Unicode property", "write a class such as [[:alpha:]]"),
    "P": ("a Unicode property", "write a class such as [^[:alpha:]]"),
    "N": ("a named character", "write the character or \\uHHHH"),
    "h": ("horizontal space", "write [ \\t]"),
    "H": ("horizontal space", "write [^ \\t]"),
    "R": ("a line end", "lines are searched one by one; write $"),
    "K": ("the start of the match", "leave it out"),
    "Q": ("quoted text", "search for fixed text instead"),
    "E": ("quoted text", "search for fixed text instead"),
    "c": ("a control character", "write \\xHH"),
    "e": ("the escape character", "write \\x1b"),
    "<": ("not clear", "write \\b for a word's edge, < for the character"),
    ">": ("not clear", "write \\b for a word's edge, > for the character"),
    "0": ("an octal escape", "write \\xHH"),
}
# What stands after `(?`, longest first.
GROUPS = (
    ("<=", "look-behind"),
    ("<!", "look-behind"),
    ("=", "look-ahead"),
    ("!", "look-ahead"),
    ("P<", "a named group"),
    ("P=", "a back-reference"),
    ("P>", "a recursive call"),
    ("<", "a named group"),
    ("'", "a named group"),
    (">", "an atomic group"),
    ("(", "a conditional"),
    ("#", "a comment"),
    ("|", "a branch reset"),
    ("R", "a recursive call"),
)


class Parser:
    """One pattern on its way to a tree. `at`: the next character; `deep`: open groups."""

    def __init__(self, text: str, fold: bool) -> None:
        self.text = text
        self.fold = fold
        self.at = 0
        self.deep = 0

    def fault(self, what: str, fix: str = "", at: int | None = None) -> ToolFault:
        """The sentence about what stands at a place, the present one when none is told."""
        place = (self.at if at is None else at) + 1
        return ToolFault(f"the pattern {_shown(self.text)} has {what} at character {place}", fix)

    def unsupported(self, text: str, name: str, fix: str, at: int) -> ToolFault:
        """The sentence about syntax that is not supported."""
        return self.fault(f"{text} ({name}), which is not supported,", fix, at)

    def peek(self) -> str:
        """The next character, "" at the end."""
        return self.text[self.at : self.at + 1]

    def took(self, text: str) -> bool:
        """Step over the text if it stands here."""
        if self.text.startswith(text, self.at):
            self.at += len(text)
            return True
        return False

    def whole(self) -> Node:
        """The tree of the whole text."""
        if self.took("(?i)"):
            self.fold = True
        found = self.either()
        if self.at < len(self.text):
            raise self.fault("a ) without its (", "write \\) for the character")
        return found

    def either(self) -> Node:
        """Branches, up to a closing parenthesis or the end."""
        branches = [self.sequence()]
        while self.took("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Alt(tuple(branches))

    def sequence(self) -> Node:
        """Items one after the other."""
        items: list[Node] = []
        while self.peek() not in ("", "|", ")"):
            start = self.at
            items.append(self.repeated(self.atom(), start))
        return items[0] if len(items) == 1 else Seq(tuple(items))

    def repeated(self, item: Node, start: int) -> Node:
        """The item with the repeats that follow it."""
        for stacked in range(DEEPEST + 1):
            here = self.at
            bounds = self.bounds()
            if bounds is None:
                return item
            if isinstance(item, At) and self.text[start] != "(":
                raise self.fault("a repeat with nothing to repeat", "escape it with a backslash", here)
            if stacked == DEEPEST:
                break
            item = Rep(item, *bounds)
            if not self.took("?") and self.peek() == "+":
                shown = self.text[here : self.at + 1]
                raise self.unsupported(shown, "a possessive repeat", "leave out the second +", here)
        raise self.fault(f"more than {DEEPEST} repeats one on top of the other")

    def bounds(self) -> tuple[int, int] | None:
        """The repeat that stands here, as its ends; None when none does."""
        if self.took("*"):
            return 0, MANY
        if self.took("+"):
            return 1, MANY
        if self.took("?"):
            return 0, 1
        return self.braces() if self.peek() == "{" else None

    def braces(self) -> tuple[int, int] | None:
        """`{n} {n,} {,m} {n,m}`; anything else in braces is text."""
        close = self.text.find("}", self.at)
        inner = self.text[self.at + 1 : close] if close > 0 else ""
        low, comma, high = inner.partition(",")
        if not (low or comma) or not all(c in "0123456789" for c in low + high):
            return None
        if len(low) > 9 or len(high) > 9 or int(low or 0) > MOST_REPEATS or int(high or 0) > MOST_REPEATS:
            raise self.fault(f"{{{inner}}}, more than {MOST_REPEATS} repeats,", "search for less and narrow it down")
        least, most = int(low or 0), int(high) if high else (MANY if comma else int(low))
        if least > most:
            raise self.fault(f"{{{inner}}}, whose ends are the wrong way round,")
        self.at = close + 1
        return least, most

    def atom(self) -> Node:
        """One item without its repeats."""
        char = self.text[self.at]
        here = self.at
        if char in "*+?" or (char == "{" and self.braces() is not None):
            raise self.fault(f"{char} with nothing to repeat", "escape it with a backslash", here)
        if char == "(":
            return self.group()
        if char == "[":
            return self.brackets()
        if char == "\\":
            return self.escape()
        if char == "\n":
            raise self.unsupported("a line feed", "lines are searched one by one", "give several patterns", self.at)
        self.at += 1
        if char in "^$":
            return At(char)
        return Set(ANY if char == "." else one(char, self.fold))

    def group(self) -> Node:
        """A group, which captures nothing."""
        start = self.at
        self.at += 1
        if not self.took("?:") and self.peek() == "?":
            self.foreign_group(start)
        if self.deep >= DEEPEST:
            raise self.fault(f"groups more than {DEEPEST} deep", "write it flatter", start)
        self.deep += 1
        found = self.either()
        self.deep -= 1
        if not self.took(")"):
            raise self.fault("a ( without its )", "write \\( for the character", start)
        return found

    def foreign_group(self, start: int) -> None:
        """Say what stands after `(?` and is not supported."""
        rest = self.text[start + 2 :]
        for mark, name in GROUPS:
            if rest.startswith(mark):
                raise self.unsupported(f"(?{mark}", name, "write it without, or search twice", start)
        flags = rest[: len(rest) - len(rest.lstrip("aiLmsuxnU-"))]
        if flags and rest[len(flags) : len(flags) + 1] in (")", ":"):
            fix = "only (?i) at the very start is understood"
            raise self.unsupported(f"(?{flags}{rest[len(flags)]}", "an inline flag", fix, start)
        raise self.fault(f"(?{rest[:1]}, which is no group that is known,", "write \\( for the character", start)

    def escape(self) -> Node:
        """A backslash and what follows, outside brackets."""
        char = self.text[self.at + 1 : self.at + 2]
        if char in EDGES and char:
            self.at += 2
            return At(EDGES[char])
        if char in ESCAPES and char:
            self.at += 2
            return Set(chars((ESCAPES[char],), fold=self.fold))
        start = self.at
        found = self.escaped()
        if found == "\n":
            raise self.unsupported(self.text[start : self.at], *FOREIGN["n"], start)
        return Set(one(found, self.fold))

    def escaped(self) -> str:
        """The character that a backslash and what follows stand for."""
        start = self.at
        char = self.text[start + 1 : start + 2]
        if not char:
            raise self.fault("a backslash with nothing after it", "write \\\\ for the character")
        self.at += 2
        if char in HEX:
            return self.code(char, start)
        if char in PLAIN_ESCAPES:
            return PLAIN_ESCAPES[char]
        if char in FOREIGN:
            raise self.unsupported(f"\\{char}", *FOREIGN[char], start)
        if char in "123456789":
            raise self.unsupported(f"\\{char}", "a back-reference", "write the text again", start)
        if char.isascii() and char.isalnum():
            raise self.unsupported(f"\\{char}", "an escape that is not known", "write the character alone", start)
        if char == "\n":
            raise self.unsupported("a line feed", *FOREIGN["n"], start)
        return char

    def code(self, kind: str, start: int) -> str:
        """The character with the code point that stands here in hexadecimal digits."""
        digits = self.text[self.at : self.at + HEX[kind]]
        if len(digits) < HEX[kind] or not all(c in "0123456789abcdefABCDEF" for c in digits) or int(digits, 16) > TOP:
            raise self.fault(f"\\{kind} without {HEX[kind]} hexadecimal digits of a character", "", start)
        self.at += len(digits)
        return chr(int(digits, 16))

    def brackets(self) -> Node:
        """A set in brackets."""
        start = self.at
        self.at += 1
        negated = self.took("^")
        first, items = self.at, list[Item]()
        while self.peek() != "]" or self.at == first:
            if not self.peek():
                raise self.fault("a [ without its ]", "write \\[ for the character", start)
            items.append(self.member())
        self.at += 1
        inner = self.text[first : self.at - 1]
        if len(inner) > 2 and inner[0] == inner[-1] == ":" and inner.strip(":^") in POSIX:
            raise self.fault(f"[{inner}] outside of brackets", f"write [[{inner}]]", start)
        return Set(chars(items, negated, self.fold))

    def member(self) -> Item:
        """One member of a set: a class, a range or a character."""
        start = self.at
        low = self.end_of_range()
        if isinstance(low, Item) or self.peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            if isinstance(low, Item):
                if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                    raise self.fault("a range that begins with a class", "write the - last", start)
                return low
            return span(ord(low), ord(low))
        self.at += 1
        high = self.end_of_range()
        if isinstance(high, Item) or high < low:
            shown = self.text[start : self.at]
            raise self.fault(f"the range {shown}, whose ends do not fit,", "write the - last for the character", start)
        return span(ord(low), ord(high))

    def end_of_range(self) -> str | Item:
        """The next character of a set, or the class that stands there."""
        for mark in "=.":
            if self.text.startswith(f"[{mark}", self.at) and f"{mark}]" in self.text[self.at + 2 :]:
                raise self.unsupported(f"[{mark}", "a collating element", "write the characters", self.at)
        if self.text.startswith("[:", self.at) and ":]" in self.text[self.at + 2 :]:
            return self.posix()
        if self.peek() != "\\":
            self.at += 1
            return self.text[self.at - 1]
        char = self.text[self.at + 1 : self.at + 2]
        if char in ("n", "b"):
            self.at += 2
            return "\n" if char == "n" else "\b"
        if char in ESCAPES and char:
            self.at += 2
            return ESCAPES[char]
        if char in ("<", ">"):
            self.at += 2
            return char
        return self.escaped()

    def posix(self) -> Item:
        """`[:name:]` inside brackets."""
        close = self.text.index(":]", self.at + 2)
        name = self.text[self.at + 2 : close]
        if name not in POSIX:
            raise self.fault(f"[:{_shown(name)}:], which is no class;", f"classes are {', '.join(sorted(POSIX))}")
        self.at = close + 2
        return POSIX[name]


def _shown(text: str) -> str:
    """The text as it may stand in a sentence: no longer than 60 characters, no control characters."""
    short = text if len(text) <= 60 else text[:57] + "..."
    return ascii(short) if not short.isprintable() else f"'{short}'"


def parse(text: str, fold: bool = False) -> Node:
    """The tree of a pattern. ToolFault when it is broken, too long, or holds what is not supported."""
    if len(text) > MOST_TEXT:
        raise ToolFault(f"the pattern has {len(text)} characters, more than {MOST_TEXT}", "search for less")
    return Parser(text, fold).whole()


def fixed(text: str, fold: bool = False) -> Node:
    """The tree of a text that stands for itself. ToolFault when it is too long or holds a line feed."""
    if len(text) > MOST_TEXT:
        raise ToolFault(f"the text has {len(text)} characters, more than {MOST_TEXT}", "search for less")
    if "\n" in text:
        raise ToolFault(f"the text {_shown(text)} has a line feed", "lines are searched one by one; give several texts")
    return Seq(tuple(Set(one(char, fold)) for char in text)) if text else EMPTY
