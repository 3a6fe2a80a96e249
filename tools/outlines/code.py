"""Lines of code with strings and comments masked, so that what is left can be read by its marks.

Rules:
1. A masked line is as long as the line it came from: what is a comment is blanks, what is inside a string is `_`, and
   the quotes of the string stay. So a place in the one is the same place in the other.
2. What spans lines (a block comment, a raw string) is remembered until it ends. An ordinary string ends with its line.
3. One pass over a line, no going back: O(length).
"""

from __future__ import annotations

from edge.record import Record


class Syntax(Record):
    """How a language writes comments and strings.

    line: what begins a comment to the end of the line. block: begin and end. quotes: marks of ordinary strings with
    backslashes. chars: `'` is a character where one follows, else a mark of its own (lifetimes). wide: quotes whose
    strings may span lines. raw: which raw strings there are, `cpp java rust`. rest: what makes the rest of a line a
    string (Zig). regex: `/` may begin a regular expression.
    """

    line: tuple[str, ...] = ("//",)
    block: tuple[str, str] = ("/*", "*/")
    nested: bool = False
    quotes: str = '"'
    chars: bool = True
    wide: str = ""
    raw: str = ""
    rest: str = ""
    regex: bool = False


CPP = Syntax(raw="cpp")
JAVA = Syntax(raw="java")
RUST = Syntax(raw="rust", nested=True, wide='"')
GO = Syntax(wide="`")
ZIG = Syntax(block=("", ""), rest="\\\\")
SCRIPT = Syntax(quotes="\"'", chars=False, wide="`", regex=True)
TREE = Syntax(chars=False)

# After these a `/` divides nothing, it begins a regular expression.
_BEFORE_REGEX = "(,=:[!&|?{};+-*%~^<>"
_WORDS_BEFORE_REGEX = ("return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do")


class Masker:
    """Masks one line after another (rule 1)."""

    __slots__ = ("_depth", "_end", "_escapes", "_inside", "_marks", "_syntax")

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        first = "".join(mark[:1] for mark in (*syntax.line, syntax.block[0], syntax.rest))
        self._marks = tuple(dict.fromkeys(first + syntax.quotes + syntax.wide + "'" * syntax.chars))
        self._end = ""  # what ends the thing that spans lines
        self._inside = " "  # what that thing is masked by
        self._escapes = False
        self._depth = 0

    def mask(self, line: str) -> str:
        """The masked line."""
        at = 0
        out: list[str] = []
        if self._end:
            at = self._past(line, 0)
            out.append(self._inside * at)
        elif not any(mark in line for mark in self._marks):
            return line
        while at < len(line):
            letter = line[at]
            end = self._one(line, at, out) if letter in self._marks else 0
            if end <= at:
                out.append(letter)
                end = at + 1
            at = end
        return "".join(out)

    def _one(self, line: str, at: int, out: list[str]) -> int:
        """Mask what begins at a mark; where it is over, or 0 when nothing does."""
        syntax = self._syntax
        letter = line[at]
        if line.startswith(syntax.line, at):
            out.append(" " * (len(line) - at))
            return len(line)
        if syntax.rest and line.startswith(syntax.rest, at):
            out.append("_" * (len(line) - at))
            return len(line)
        if syntax.block[0] and line.startswith(syntax.block[0], at):
            return self._span(line, at, len(syntax.block[0]), syntax.block[1], " ", out)
        if letter in syntax.wide or letter in syntax.quotes:
            return self._string(line, at, letter, out)
        if letter == "'" and syntax.chars:
            return _char(line, at, out)
        if letter == "/" and syntax.regex and _may_be_regex(line[:at]):
            return _regex(line, at, out)
        return 0

    def _string(self, line: str, at: int, quote: str, out: list[str]) -> int:
        raw = self._syntax.raw
        if raw == "java" and line.startswith('"""', at):
            return self._span(line, at, 3, '"""', "_", out, True)
        if raw == "cpp" and at and line[at - 1] == "R" and "(" in line[at : at + 18]:
            mark = line[at + 1 : line.index("(", at)]
            return self._span(line, at, len(mark) + 2, f'){mark}"', "_", out)
        if raw == "rust":
            head = line[:at].rstrip("#")
            if head.endswith("r") and not head[-3:-2].isalnum():
                return self._span(line, at, 1, '"' + "#" * (at - len(head)), "_", out)
        if quote in self._syntax.wide:
            return self._span(line, at, 1, quote, "_", out, quote != "`" or self._syntax.regex)
        end = _closing(line, at + 1, quote)
        out.append(quote + "_" * (end - at - 2) + quote if end > at + 1 else quote)
        return end

    def _span(
        self, line: str, at: int, opening: int, end: str, inside: str, out: list[str], escapes: bool = False
    ) -> int:
        """Something that may go on over lines."""
        self._end, self._inside, self._escapes, self._depth = end, inside, escapes, 1
        past = self._past(line, at + opening)
        if inside == " ":
            out.append(" " * (past - at))
        else:
            closed = 0 if self._end else 1
            out.append('"' + "_" * (past - at - 1 - closed) + '"' * closed)
        return past

    def _past(self, line: str, at: int) -> int:
        """Where the thing that spans lines is over; the end of the line when it goes on."""
        opening = self._syntax.block[0] if self._syntax.nested and self._inside == " " else ""
        while True:
            end = _closing(line, at, self._end, True) - 1 if self._escapes else line.find(self._end, at)
            if end < 0 or end >= len(line):
                return len(line)
            inner = line.find(opening, at, end) if opening else -1
            if inner >= 0:
                self._depth += 1
                at = inner + len(opening)
                continue
            self._depth -= 1
            at = end + len(self._end)
            if self._depth <= 0:
                self._end = ""
                return at


def _closing(line: str, at: int, quote: str, open_ended: bool = False) -> int:
    """The offset after the quote that ends a string which began before `at`.

    Where none does, the end of the line, or beyond it for what may go on.
    """
    while at < len(line):
        end = line.find(quote, at)
        if end < 0:
            break
        slash = line.find("\\", at, end)
        if slash < 0:
            return end + 1
        at = slash + 2
    return len(line) + open_ended


def _char(line: str, at: int, out: list[str]) -> int:
    """`'x'`, `'\\n'` or `'\\u{41}'`; anything else is a mark of its own."""
    if at and line[at - 1].isdigit():
        return 0  # 1'000'000
    end = line.find("'", at + 3, at + 14) if line[at + 1 : at + 2] == "\\" else at + 2
    if end < 0 or line[end : end + 1] != "'":
        return 0
    out.append("'" + "_" * (end - at - 1) + "'")
    return end + 1


def _may_be_regex(before: str) -> bool:
    before = before.rstrip()
    return not before or before[-1] in _BEFORE_REGEX or before.endswith(_WORDS_BEFORE_REGEX)


def _regex(line: str, at: int, out: list[str]) -> int:
    """A regular expression ends on its line; a `/` in brackets or after a backslash does not end it."""
    end = at + 1
    bracket = False
    while end < len(line):
        letter = line[end]
        if letter == "\\":
            end += 1
        elif letter == "[":
            bracket = True
        elif letter == "]":
            bracket = False
        elif letter == "/" and not bracket:
            out.append("/" + "_" * (end - at - 1) + "/")
            return end + 1
        end += 1
    return 0
