"""Words to the fields that a program gets, with marks where a field only shows when the shell runs. Pure.

Rules:
1. A word has alternatives; each is a list of fields. More than MOST of them become one that may be anything.
2. Text that was unquoted in the command is not split; what an unquoted expansion brings is split at blanks, and
   what is unknown there may be any number of words (SPLIT).
3. Substitutions and defaults are walked whenever they stand there, used or not.
"""

from __future__ import annotations

from edge.gate.shell.marks import ANY, FETCHED, MARKS, ONE, SPLIT, STAR, TOKEN, VOID, known, names
from edge.gate.shell.nodes import Either, Param, Sub, Sum, Text, Word
from edge.gate.shell.state import LONGEST, MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.nodes import Part
    from edge.gate.shell.state import Value
    from edge.gate.shell.walk import Walk

    # A piece: its text; how it came: "q" quoted, "l" literal, "x" by an unquoted expansion, "@" fields of their own.
    Piece = tuple[str, str]
    Pieces = tuple[Piece, ...]

_NUMBERS = frozenset("?#$!")
_ENDS = frozenset("{},")
# What is in the environment of every child; any other name that nobody set is empty.
_INHERITED = names(
    "PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE PWD OLDPWD TZ TMPDIR MAIL EDITOR VISUAL PAGER HOSTNAME"
)


def fields(walk: Walk, word: Word) -> tuple[tuple[str, ...], ...]:
    """The alternatives of `word`, each the fields it becomes."""
    found: list[tuple[str, ...]] = []
    for pieces in _pieces(walk, word):
        found.append(_split(pieces, walk.ifs()))
    braced = _braces(walk, word)
    if braced:
        found.append(braced)
    return tuple(dict.fromkeys(found)) if len(found) <= MOST else ((SPLIT,),)


def one(walk: Walk, word: Word) -> Value:
    """The alternatives of `word` where the shell neither splits nor matches names: after `=`, in `case`."""
    found = ["".join(ANY if text == SPLIT else text for text, _ in pieces) for pieces in _pieces(walk, word)]
    return (
        tuple(dict.fromkeys(text if len(text) <= LONGEST else ANY for text in found)) if len(found) <= MOST else (ANY,)
    )


def _pieces(walk: Walk, word: Word) -> list[Pieces]:
    """The alternatives of the pieces of `word`."""
    made: list[list[Piece]] = [[]]
    for index, part in enumerate(word.parts):
        choices = _part(walk, part, index, word)
        if len(made) * len(choices) > MOST:
            choices = [((ANY, "q" if getattr(part, "quoted", False) else "x"),)]
        if len(choices) == 1:
            for pieces in made:
                pieces.extend(choices[0])
        else:
            made = [[*pieces, *choice] for pieces in made for choice in choices]
        walk.spend(len(made))
    return [tuple(pieces) for pieces in made]


def _part(walk: Walk, part: Part, index: int, word: Word) -> list[Pieces]:
    if isinstance(part, Text):
        if part.quoted:
            return [((part.text, "q"),)]
        text = part.text
        if index == 0 and text[:1] == "~":
            return _tilde(walk, text, len(word.parts) == 1)
        return [((text, "l"),)]
    if isinstance(part, Either):
        return [((text, "q"),) for text in part.texts]
    if isinstance(part, Sum):
        return [((text, "q"),) for text in _sum(walk, part)]
    how = "q" if part.quoted else "x"
    if isinstance(part, Sub):
        return [((text, how),) for text in walk.capture(part)]
    return _param(walk, part, how)


def _tilde(walk: Walk, text: str, alone: bool) -> list[Pieces]:
    name, slash, rest = text[1:].partition("/")
    if not slash and not alone:
        return [((ANY, "q"),)]
    if not name:
        homes: Value = walk.state.get("HOME")
    elif name in ("+", "-"):
        homes = walk.state.get("PWD") if name == "+" else (ANY,)
    else:
        homes = ("/root",) if name == "root" else (f"/home/{name}", text)
    return [((home, "q"), (slash + rest, "l")) for home in homes]


def _sum(walk: Walk, part: Sum) -> Value:
    """A number; what its names and substitutions do is looked at, as some shells evaluate text again."""
    text = " ".join(one(walk, part.word))
    walk.arithmetic(text)
    return (TOKEN,)


def _param(walk: Walk, part: Param, how: str) -> list[Pieces]:
    name, op = part.name, part.op
    if name in ("@", "*") and not op:
        if walk.state.args is None:
            return [((SPLIT, "x"),)]
        if how == "q" and name == "*":
            return [((" ".join(walk.state.args), "q"),)]
        return [tuple((text, "@" if how == "q" else "x@") for text in walk.state.args)]
    return [((text, how),) for text in _value(walk, part)]


def _value(walk: Walk, part: Param) -> Value:
    name, op = part.name, part.op
    given = one(walk, part.word) if part.word is not None else ("",)
    values = _plain(walk, name)
    if op == "":
        return values
    if op == "length":
        return (TOKEN,)
    if op == "odd":
        return (ANY, *given) if len(given) < MOST else (ANY,)
    kind = op.lstrip(":")
    if kind == "?":
        return values
    if kind == "+":
        return ("", *given)
    if kind in ("-", "="):
        made = _default(walk, name, values, given)
        if kind == "=":
            walk.assign(name, made)
        return made
    return tuple(dict.fromkeys(_trim(value, op, pattern) for value in values for pattern in given))[:MOST]


def _plain(walk: Walk, name: str) -> Value:
    if name in _NUMBERS:
        return (TOKEN,)
    if name.isdigit() and name != "0":
        if walk.state.args is None:
            return (ANY,)
        index = int(name) - 1 if len(name) < 6 else 100000
        return (walk.state.args[index],) if index < len(walk.state.args) else ("",)
    return walk.state.get(name)


def _default(walk: Walk, name: str, values: Value, given: Value) -> Value:
    """What `${name:-given}` may be."""
    if name not in walk.state.vars and name not in _INHERITED and not name.isdigit():
        return given
    if all(value and value not in MARKS for value in values):
        return values
    return tuple(dict.fromkeys((*values, *given)))


def _trim(value: str, op: str, pattern: str) -> str:
    """`value` without what `pattern` takes away, where that is plain; else unknown, but below the same folder."""
    if not known(pattern):
        return ANY
    if op in ("##", "#") and pattern == "*/" and "/" in value:
        return value.rpartition("/")[2] if op == "##" else value.partition("/")[2]
    if op in ("%", "%%") and pattern == "/*" and "/" in value:
        return value.rpartition("/")[0] if op == "%" else value.partition("/")[0]
    if not any(letter in "*?[\\" for letter in pattern):
        if op[0] == "%":
            return value[: len(value) - len(pattern)] if pattern and value.endswith(pattern) else value
        return value[len(pattern) :] if value.startswith(pattern) else value
    if op[0] == "%" and pattern[:1] == "." and pattern[1:] in ("*", "[a-z]*", "???"):
        stem, dot, end = value.rpartition(".")
        return stem if dot and "/" not in end and known(end) else ANY
    return ANY


def _split(pieces: Pieces, ifs: str | None) -> tuple[str, ...]:
    """The fields of one alternative."""
    made: list[str] = []
    current: str | None = None
    previous = ""
    for text, how in pieces:
        if how.endswith("@") and previous.endswith("@") and current is not None:
            made.append(current)
            current = None
        previous = how
        if how in ("q", "@"):
            current = (current or "") + text
        elif how == "l":
            current = (current or "") + _globbed(text)
        else:
            words = _globbed(text).replace(ANY, SPLIT).replace(FETCHED, FETCHED + SPLIT).replace(VOID, VOID + SPLIT)
            if ifs is None:
                words = (FETCHED if FETCHED in words else "") + SPLIT
            elif ifs != " \t\n":
                words = "".join(" " if letter in ifs else letter for letter in words)
            parts = words.split()
            if words[:1] in (" ", "\t", "\n") and words and current is not None:
                made.append(current)
                current = None
            for position, part in enumerate(parts):
                if position:
                    made.append(current or "")
                    current = None
                current = (current or "") + part
            if words[-1:] in (" ", "\t", "\n") and words and current is not None:
                made.append(current)
                current = None
    if current is not None:
        made.append(current)
    return tuple(made) if len(made) <= 2000 else (SPLIT,)


def _globbed(text: str) -> str:
    """`text` with its glob characters as marks."""
    if "*" not in text and "?" not in text and "[" not in text:
        return text
    made: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "[":
            end = text.find("]", at + 2, at + 200)
            if end > 0 and "/" not in text[at:end]:
                made.append(ONE)
                at = end + 1
                continue
        made.append({"*": STAR, "?": ONE}.get(letter, letter))
        at += 1
    return "".join(made)


def _braces(walk: Walk, word: Word) -> tuple[str, ...]:
    """What bash makes of `{a,b}` in an unquoted word; () when it makes nothing. dash leaves it as it stands."""
    parts = word.parts
    literal = "".join(part.text if isinstance(part, Text) and not part.quoted else "x" for part in parts)
    if "{" not in literal or "}" not in literal or ("," not in literal and ".." not in literal):
        return ()
    if all(letter not in literal[literal.find("{") :].rpartition("}")[0] for letter in ",."):
        return ()
    exact = len(parts) == 1 and ".." not in literal and len(literal) < 200
    if not exact:
        walk.strange("braces are a list to some shells")
    if not all(isinstance(part, Text) for part in parts):
        return (SPLIT,)
    whole = "".join(part.text for part in parts if isinstance(part, Text))
    return tuple(_globbed(text) for text in _unfold(whole, 0))


def _unfold(text: str, depth: int) -> list[str]:
    """The words of the first list in braces, then of the others."""
    start = text.find("{")
    if start < 0 or depth > 4:
        return [text]
    level, cuts, end = 0, [start], -1
    for at in range(start, len(text)):
        letter = text[at]
        if letter in _ENDS:
            level += (letter == "{") - (letter == "}")
            if letter == "," and level == 1:
                cuts.append(at)
            if level == 0:
                end = at
                break
    if end < 0 or len(cuts) == 1:
        head = text[: start + 1]
        return [head + rest for rest in _unfold(text[start + 1 :], depth + 1)]
    made: list[str] = []
    for left, right in zip(cuts, [*cuts[1:], end]):
        for inner in _unfold(text[left + 1 : right], depth + 1):
            made += [text[:start] + inner + rest for rest in _unfold(text[end + 1 :], depth + 1)]
        if len(made) > 64:
            return made[:64]
    return made
