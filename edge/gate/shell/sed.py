"""A scan of sed scripts for what writes, reads other files or runs commands. Pure, one pass.

Rules:
1. A bracket may hold the sign that ends an expression, or not: a script that has brackets is read both ways. What it
   does as POSIX reads it counts; if it does more when it is read the other way, it is not understood.
2. Where a label or a text ends differently from program to program, the script is not understood.
3. A word that may turn out to be an option (`*`) may be one that writes.
Source of the commands and flags: sed(1), GNU sed 4.8 and busybox.
"""

from __future__ import annotations

from edge.gate.shell.brackets import behind
from edge.gate.shell.marks import MARKS, SPLIT, closed, names, shown
from edge.gate.shell.options import has, options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk

_BARE = frozenset("dDgGhHnNpPxz=F")
_LABELS = frozenset("btT:lqQLv")
_LABEL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_KNOWN = names(
    "-n -E -r -e -f -s -u -z -l -i --quiet --silent --regexp-extended --expression --separate --null-data "
    "--unbuffered --posix --debug --in-place --file --follow-symlinks --sandbox --line-length"
)


def judge(walk: Walk, words: tuple[str, ...]) -> None:
    """Effects of sed with these words."""
    lined = tuple("--in-place" if word.startswith("-i") and word[2:3] not in ("",) else word for word in words)
    found, operands = options(lined, "efl", ("expression", "file", "line-length"))
    scripts = [text for name, text in found if name in ("-e", "--expression")]
    if not scripts and not has(found, "-f", "--file"):
        scripts, operands = operands[:1], operands[1:]
    for name, text in found:
        if name not in _KNOWN:
            walk.sink.unknown("program:sed", f"{name} is not known to only read")
        elif name in ("-f", "--file"):
            walk.sink.path("read", text, walk.state)
            walk.sink.unknown("program:sed", "its script stands in a file")
    in_place = has(found, "-i", "--in-place")
    starred = any(text[:1] in MARKS for text in operands) and "--" not in words
    if starred or any(SPLIT in word for word in words):
        walk.sink.unknown("program:sed", "one of its words may turn out to be an option")
    scan(walk, "\n".join(scripts))
    walk.sink.add("run", "program:sed")
    for text in operands:
        walk.sink.path("write" if in_place else "read", text, walk.state)
    if in_place and not operands:
        walk.sink.unknown("program:sed", "edits files that only show when it runs")


def scan(walk: Walk, script: str) -> None:
    """What a script does beside filtering."""
    if not closed(script):
        walk.sink.unknown("program:sed", f"the script {shown(script)[:60]} only shows when it runs")
    understood = _pass(walk, script, True)
    if not understood:
        walk.sink.unknown("program:sed", "its script is not understood")
    if "[" in script:
        kept = dict(walk.sink.effects)
        _pass(walk, script, False)
        if walk.sink.effects != kept:
            walk.sink.effects = kept
            walk.sink.unknown("program:sed", "its script may be read in two ways")


def _pass(walk: Walk, script: str, brackets: bool) -> bool:
    """Judges the commands one after another; False when one is not understood. `brackets` may hold delimiters."""
    at = 0
    while at < len(script):
        if script[at] in " \t\n;{}":
            at += 1
            continue
        at = _address(script, at, brackets)
        if at >= len(script):
            return at == len(script)
        at = _command(walk, script, at, brackets)
        if at < 0:
            return False
    return True


def _address(script: str, at: int, brackets: bool) -> int:
    """The place behind the addresses that stand at `at`."""
    while at < len(script):
        letter = script[at]
        if letter in "0123456789$,+~! \t":
            at += 1
        elif letter == "/":
            at = _delimited(script, at + 1, "/", brackets)
        elif letter == "\\" and at + 1 < len(script):
            at = _delimited(script, at + 2, script[at + 1], brackets)
        elif letter in "IM" and at and script[at - 1] == "/":
            at += 1
        else:
            break
    return at


def _delimited(script: str, at: int, end: str, brackets: bool) -> int:
    """The place behind the next `end` that no backslash hides, and with `brackets` no bracket."""
    while at < len(script):
        letter = script[at]
        if letter == "\\":
            at += 2
        elif letter == end:
            return at + 1
        elif letter == "[" and brackets:
            after = behind(script, at)
            if after == at:
                return len(script) + 1
            at = after
        else:
            at += 1
    return len(script) + 1


def _command(walk: Walk, script: str, at: int, brackets: bool) -> int:
    """Judges the command at `at`; the place behind it, or -1 when it is not understood."""
    letter = script[at]
    if letter in "{}":
        return at + 1
    end = script.find("\n", at)
    end = len(script) if end < 0 else end
    if letter in _BARE:
        return at + 1
    if letter == "#":
        return end
    if letter in _LABELS:
        return _label(script, at + 1)
    if letter in "aic":
        return _text(script, at, end)
    if letter in "rRwW":
        verb = "write" if letter in "wW" else "read"
        walk.sink.path(verb, script[at + 1 : end].strip(), walk.state)
        return end
    if letter == "e":
        walk.sink.unknown("program:sed", "its script runs commands")
        walk.text(script[at + 1 : end].strip(), "sed")
        return end
    if letter in "sy" and at + 1 < len(script):
        return _substitute(walk, script, at, brackets)
    return -1


def _label(script: str, at: int) -> int:
    """The place behind a label or number and the blanks around it; -1 when it does not end there for all."""
    while script[at : at + 1] in (" ", "\t"):
        at += 1
    while at < len(script) and script[at] in _LABEL:
        at += 1
    while script[at : at + 1] in (" ", "\t"):
        at += 1
    return at if script[at : at + 1] in ("", ";", "\n", "}") else -1


def _text(script: str, at: int, end: int) -> int:
    """The place behind the text of a, i, c: its lines, as long as a backslash ends them; -1 where two end one."""
    while end < len(script) and script[end - 1] == "\\":
        if script[end - 2] == "\\":
            return -1
        following = script.find("\n", end + 1)
        end = len(script) if following < 0 else following
    return end


def _substitute(walk: Walk, script: str, at: int, brackets: bool) -> int:
    mark = script[at + 1]
    middle = _delimited(script, at + 2, mark, brackets and script[at] == "s")
    if mark in "\\\n" or middle > len(script):
        return -1
    last = _plain_end(script, middle, mark)
    if last > len(script):
        return -1
    flags = last
    while flags < len(script) and script[flags] not in "\n;}":
        letter = script[flags]
        if letter == "w" and script[at] == "s":
            end = script.find("\n", flags)
            end = len(script) if end < 0 else end
            walk.sink.path("write", script[flags + 1 : end].strip(), walk.state)
            return end
        if letter == "e" and script[at] == "s":
            walk.sink.unknown("program:sed", "its script runs what it makes as a command")
            walk.text(script[middle : last - 1], "sed")
        elif letter not in "gpiImM0123456789 \t#":
            return -1
        flags += 1
    return flags


def _plain_end(script: str, at: int, mark: str) -> int:
    """Like `_delimited` where brackets mean nothing: the replacement."""
    while at < len(script) and script[at] != mark:
        at += 2 if script[at] == "\\" else 1
    return at + 1
