"""The table of programs that, in the forms it allows, only read; and how a row is applied. Pure.

Rules:
1. A row lists what is allowed; an option or an operand that it does not list is not provably read-only.
2. Flags: `-abc` letters without a value; `-n:` a letter with an inert value; `-f=r` a letter whose value is a path
   read; `--long`, `--long:` (needs a value), `--long?` (value only after `=`), `--long=r`; `-#` digits; `-R^` makes
   operands deep; `-e!` a letter whose value takes the place of the first operand; `+` operands that begin with +;
   `!` no option of the program does anything but read, so a word that only shows when it runs can be no harm.
3. Operands: one letter each, the last repeats with `*`: r path read, l path listed, d inert, k inert when it is
   known or begins with +. A capital is deep.
4. Needs: what the program wants beyond the readable places: `r:path`, `w:path`, `l:path`, `R:path` and `L:path` deep,
   `s:socket`, `c:capability`. They are granted to a text only when all of it only reads.
"""

from __future__ import annotations

from edge.gate.shell.marks import MARKS, OPEN, SPLIT, STAR, known, shown
from edge.gate.shell.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk

    Row = tuple[str, str, str]

_VERBS = {"r": "read", "l": "list", "w": "write"}
_KINDS = {"s": "socket", "c": "capability"}


class Flags:
    """The flags of one row, taken apart."""

    def __init__(self, text: str) -> None:
        self.plain: set[str] = set()
        self.values: dict[str, str] = {}
        self.optional: set[str] = set()
        self.deep: set[str] = set()
        self.digits = self.plus = self.bold = False
        for token in text.split():
            self._token(token)

    def _token(self, token: str) -> None:
        if token in ("-#", "+", "!"):
            self.digits = self.digits or token == "-#"
            self.plus = self.plus or token == "+"
            self.bold = self.bold or token == "!"
        elif token[-1] == "^":
            names = [token[:-1]] if token.startswith("--") else [f"-{letter}" for letter in token[1:-1]]
            self.plain.update(names)
            self.deep.update(names)
        elif token[-1] in ":!":
            self.values[token[:-1]] = "d" if token[-1] == ":" else "!"
        elif token[-2:-1] == "=":
            self.values[token[:-2]] = token[-1]
        elif token[-1] == "?" and len(token) > 2:
            self.optional.add(token[:-1])
        elif token.startswith("--") or token.startswith("-") is False:
            self.plain.add(token)
        else:
            self.plain.update(f"-{letter}" for letter in token[1:])


_PARSED: dict[str, Flags] = {}


def flags(text: str) -> Flags:
    if text not in _PARSED:
        _PARSED[text] = Flags(text)
    return _PARSED[text]


class Use:
    """One use of a row: what its words turned out to be."""

    def __init__(self, walk: Walk, name: str, row: Row) -> None:
        self.walk = walk
        self.name = name
        self.flags = flags(row[0])
        self.slots = row[1]
        self.deep = False
        self.patterned = False
        self.operands: list[str] = []
        self.seen: set[str] = set()

    def refuse(self, word: str) -> None:
        self.walk.sink.unknown(f"program:{self.name}", f"{shown(word)} is not known to only read")

    def words(self, words: tuple[str, ...]) -> None:
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word == "--":
                self.operands += words[at:]
                break
            if self._vague(word):
                self.refuse(word)
            if word.startswith("--"):
                at += self._long(word, words[at : at + 1])
            elif word.startswith("-") and len(word) > 1:
                at += self._short(word, words[at : at + 1])
            elif word.startswith("+") and not self.flags.plus:
                self.refuse(word)
            else:
                self.operands.append(word)

    def _vague(self, word: str) -> bool:
        """True when the word may turn out to be an option, and options of this program may do more than read."""
        if self.flags.bold or word.isascii():
            return False
        return word[0] in OPEN or SPLIT in word or word[0] == STAR

    def _value(self, name: str, text: str) -> None:
        kind = self.flags.values[name]
        if kind == "!":
            self.patterned = True
        elif kind in _VERBS:
            self.walk.sink.path(_VERBS[kind], text if text != "-" else "", self.walk.state)
        if SPLIT in text and not self.flags.bold:
            self.refuse(text)

    def _long(self, word: str, following: tuple[str, ...]) -> int:
        name, sign, text = word.partition("=")
        self.seen.add(name)
        row = self.flags
        if name in row.values:
            self._value(name, text if sign else "".join(following))
            return 0 if sign else len(following)
        if name in row.optional or (name in row.plain and not sign):
            self.deep = self.deep or name in row.deep
            return 0
        self.refuse(word)
        return 0

    def _short(self, word: str, following: tuple[str, ...]) -> int:
        row = self.flags
        if word in row.plain and len(word) > 2:
            self.seen.add(word)
            return 0
        for index in range(1, len(word)):
            name = f"-{word[index]}"
            self.seen.add(name)
            if name in row.values:
                attached = word[index + 1 :]
                self._value(name, attached or "".join(following))
                return 0 if attached else len(following)
            if name in row.optional:
                return 0
            if name in row.plain:
                self.deep = self.deep or name in row.deep
            elif not (row.digits and word[index].isdigit()):
                self.refuse(word)
                return 0
        return 0

    def apply(self) -> None:
        """Emits what the operands are."""
        slots = self.slots.split()
        if self.patterned and slots:
            slots = slots[1:]
        operands = self.operands
        if self.deep and slots and slots[-1][0] in "rl" and len(operands) < len(slots):
            operands = [*operands, "."]
        for index, text in enumerate(operands):
            slot = slots[index] if index < len(slots) else slots[-1] if slots and slots[-1].endswith("*") else ""
            if not slot or (slot[0] == "k" and not known(text) and text[0] != "+"):
                self.refuse(text)
            elif slot[0].lower() in _VERBS and text != "-":
                self.path(slot[0], text)

    def path(self, kind: str, text: str) -> None:
        if text[:1] in MARKS and SPLIT in text and not self.flags.bold:
            return  # it was refused as a word
        self.walk.sink.path(_VERBS[kind.lower()], text, self.walk.state, self.deep or kind.isupper())


def need(walk: Walk, needs: str) -> None:
    """Notes what a row needs."""
    for token in needs.split():
        kind, _, path = token.partition(":")
        if kind in _KINDS:
            walk.sink.need("call", _KINDS[kind], path)
        else:
            walk.sink.need(_VERBS[kind.lower()], "system", path, kind.isupper())


def apply(walk: Walk, name: str, row: Row, words: tuple[str, ...]) -> Use:
    """Judges `words` by `row`; what is not provable is said as unknown."""
    use = Use(walk, name, row)
    use.words(words)
    use.apply()
    need(walk, row[2])
    walk.sink.add("run", f"program:{name}")
    return use


def listing(use: Use) -> Stream:
    """What a program that names files writes: some of its operands, or what lies below them."""
    return Stream(None, "", tuple(use.operands) or (".",), bare=True)


def endless(walk: Walk, name: str, why: str) -> None:
    if not walk.bounded:
        walk.sink.add("run", f"helper:{name}", why)
