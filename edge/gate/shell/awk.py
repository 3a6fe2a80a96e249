"""A scan of awk programs for what writes, reads other files or runs commands. Pure, one pass.

Rules:
1. `>` after print or printf, outside of parentheses, writes; elsewhere it compares. `|` always runs a command.
2. A slash where a value is expected begins a pattern; elsewhere it divides. Where implementations disagree (behind
   `$`, behind what is a word to some and a name to others, where a bracket may hold the end of a pattern), the
   program is not understood: one reads as text what another one runs.
3. What names its target by anything but one plain text is unknown.
Source of the grammar: awk(1p), gawk(1), mawk(1).
"""

from __future__ import annotations

from edge.gate.shell.brackets import level
from edge.gate.shell.marks import SPLIT, closed, known, names, shown
from edge.gate.shell.options import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk

    Token = tuple[str, str]

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.")
_DANGER = frozenset(("ARGV", "ARGC", "ENVIRON", "PROCINFO", "SYMTAB", "FUNCTAB"))
_KNOWN = names("-F -v -b -c -P -r -S --posix --traditional --re-interval --field-separator --assign --sandbox")
# Words behind which some take a slash for a division and some for a pattern.
_BUILT_IN = names(
    "length fflush close index split sub gsub gensub match substr sprintf sin cos atan2 exp log sqrt int rand srand "
    "system tolower toupper systime strftime mktime xor compl lshift rshift strtonum asort asorti isarray typeof "
    "next nextfile delete break continue func function switch default if while for BEGIN END BEGINFILE ENDFILE"
)
_ESCAPES = {"n": "\n", "t": "\t", "/": "/", '"': '"', "\\": "\\"}


def judge(walk: Walk, words: tuple[str, ...]) -> None:
    """Effects of awk with these words."""
    found, operands = options(words, "Fvf", ("field-separator", "assign", "file"), False)
    program, files = "".join(operands[:1]), operands[1:]
    for name, text in found:
        if name in ("-f", "--file"):
            walk.sink.path("read", text, walk.state)
            walk.sink.unknown("program:awk", "its program stands in a file")
            files = operands
        elif SPLIT in text:
            walk.sink.unknown("program:awk", f"{shown(text)} may turn out to be a program")
        elif name not in _KNOWN:
            walk.sink.unknown("program:awk", f"{name} is not known to only read")
    walk.sink.add("run", "program:awk")
    if files is not operands:
        scan(walk, program)
    for text in files:
        if "=" not in text.partition("/")[0] or not text.partition("=")[0].isidentifier():
            walk.sink.path("read", text, walk.state)


def scan(walk: Walk, program: str) -> None:
    """What a program does beside filtering."""
    if not closed(program):
        walk.sink.unknown("program:awk", f"the program {shown(program)[:60]} only shows when it runs")
    tokens = _tokens(program)
    if tokens is None:
        walk.sink.unknown("program:awk", "its program is not understood")
        return
    printing, depth = False, 0
    for index, (kind, text) in enumerate(tokens):
        after = tokens[index + 1] if index + 1 < len(tokens) else ("", "")
        before = tokens[index - 1] if index else ("", "")
        if kind == "word":
            printing = printing or text in ("print", "printf")
            if text == "print" or text == "printf":
                depth = 0
            _word(walk, text, tokens, index)
        elif kind != "sign":
            continue
        elif text in ("(", "["):
            depth += 1
        elif text in (")", "]"):
            depth -= 1
        elif _ends(text, before, depth):
            printing, depth = False, 0
        elif text in (">", ">>") and printing and depth <= 0:
            _target(walk, "write", after, tokens[index + 2 : index + 3])
        elif text in ("|", "|&"):
            _pipe(walk, before, after)
        elif text == "@":
            walk.sink.unknown("program:awk", "it calls what only shows when it runs")


def _ends(text: str, before: Token, depth: int) -> bool:
    """True when a statement ends: not at a line end inside parentheses or behind what goes on."""
    if text == "\n":
        return depth <= 0 and before[1] not in (",", "&&", "||", "?", ":")
    return text in (";", "}", "{")


def _word(walk: Walk, text: str, tokens: list[Token], index: int) -> None:
    after = tokens[index + 1 : index + 4]
    if text == "system":
        walk.sink.unknown("program:awk", "its program runs commands")
        if len(after) > 1 and after[1][0] == "text":
            walk.text(after[1][1], "awk")
    elif text == "getline":
        after = tokens[index + 1 : index + 18]
        ends = [at for at, each in enumerate(after) if each[0] == "sign" and each[1] in (";", "\n", "}")]
        after = after[: ends[0]] if ends else after
        if ("sign", "<") in after:
            at = after.index(("sign", "<"))
            _target(walk, "read", after[at + 1] if at + 1 < len(after) else ("", ""), after[at + 2 : at + 3])
    elif text in _DANGER and text != "ENVIRON":
        walk.sink.unknown("program:awk", f"its program uses {text}")


def _target(walk: Walk, verb: str, target: Token, following: list[Token]) -> None:
    joined = bool(following) and (following[0][0] in ("text", "word") or following[0][1] in ("(", "$", "?", "["))
    if target[0] != "text" or joined:
        walk.sink.unknown("program:awk", f"its program {verb}s a file that only shows when it runs")
    elif target[1].startswith("/inet"):
        walk.sink.add("send", f"host:{target[1].split('/')[4] if target[1].count('/') > 3 else 'unknown'}", "awk")
    else:
        walk.sink.path(verb, target[1], walk.state)
    if verb == "write" and target[0] == "text" and joined:
        walk.sink.path(verb, target[1], walk.state)


def _pipe(walk: Walk, before: Token, after: Token) -> None:
    """`"command" | getline` and `print | "command"`."""
    walk.sink.unknown("program:awk", "its program runs commands")
    for kind, text in (before, after):
        if kind == "text":
            walk.text(text, "awk")


def _tokens(program: str) -> list[Token] | None:
    """Words, texts, signs; None when a text or a pattern does not end."""
    found: list[Token] = []
    at = 0
    while at < len(program):
        letter = program[at]
        if letter in " \t\r":
            at += 1
        elif letter == "\\" and program[at + 1 : at + 2] == "\n":
            at += 2
        elif letter == "#":
            end = program.find("\n", at)
            at = len(program) if end < 0 else end
        elif letter in _WORD:
            start = at
            while at < len(program) and program[at] in _WORD:
                at += 1
            found.append(("word", program[start:at]))
        elif letter == '"' or (letter == "/" and _value_expected(found)):
            text, at = _quoted(program, at)
            if at < 0:
                return None
            found.append(("text" if letter == '"' else "pattern", text))
        else:
            if letter == "/" and _unsure(found[-1], program[at + 1 :]):
                return None
            sign = program[at : at + 2]
            sign = sign if sign in (">>", "||", "|&", "&&", ">=", "<=", "==", "!=", "++", "--") else letter
            found.append(("sign", sign))
            at += len(sign)
    return found


def _unsure(before: Token, rest: str) -> bool:
    """True when the slash behind `before` may begin a pattern as well as divide, and what follows reads differently."""
    kind, text = before
    if before == ("sign", "$") or (kind == "word" and text in ("case", "and", "or", "in", "getline")):
        return True
    divides = (kind == "word" and text not in _BUILT_IN) or before == ("sign", "]")
    return (not divides or rest[:1] == "=") and "/" in rest and ('"' in rest or "#" in rest)


def _value_expected(found: list[Token]) -> bool:
    if not found:
        return True
    kind, text = found[-1]
    if kind in ("text", "pattern"):
        return False
    if kind == "word":
        return text in ("print", "printf", "return", "exit", "else", "do")
    return text not in (")", "]", "$", "++", "--")


def _quoted(program: str, at: int) -> tuple[str, int]:
    """The inside of a text or pattern, and the place behind it; -1 when it does not end."""
    end, made, start = program[at], [], at + 1
    at += 1
    while at < len(program):
        letter = program[at]
        if letter == "\\":
            following = program[at + 1 : at + 2]
            made.append(_ESCAPES.get(following, following) if known(following) else "")
            at += 2
            continue
        if letter == "\n":
            return "", -1
        if letter == end:
            if end == "/" and not level(program[start:at]):
                return "", -1
            return "".join(made), at + 1
        made.append(letter)
        at += 1
    return "", -1
