"""What stands around a command: assignments before it, and redirections. Pure.

Rules:
1. A redirection is a read or a write of its path, whether or not there is a command.
2. Of assignments before a program only those pass that change nothing but wording.
"""

from __future__ import annotations

from edge.gate.shell import expand
from edge.gate.shell.marks import ANY, FETCHED, SPLIT, TOKEN, known, shown
from edge.gate.shell.streams import Stream
from edge.gate.shell.variables import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.nodes import Redirect, Word
    from edge.gate.shell.state import Value
    from edge.gate.shell.walk import Walk


def prefix(walk: Walk, values: list[tuple[str, Value, bool]], argv: tuple[str, ...]) -> None:
    """Assignments alone or before the command `argv`."""
    for name, value, more in values:
        if more:
            value = (ANY,)
        if not argv:
            walk.assign(name, value)
        elif argv[0] == "read" and name == "IFS":
            continue
        elif not all(harmless(name, text) for text in value):
            walk.sink.unknown(f"shell:{name}", f"sets {name} for {shown(argv[0])}")
            if argv[0] in ("eval", ".", "export", "readonly", ":", "set", "trap", "exec") or (
                argv[0] in walk.state.functions
            ):
                walk.state.give(name, value, False)


def redirect(walk: Walk, redirects: tuple[Redirect, ...]) -> None:
    """Opens what `redirects` name."""
    for each in redirects:
        if each.op in ("<<", "<<<"):
            word = each.here.word if each.here else each.word
            texts = expand.one(walk, word)
            walk.stdin = Stream(tuple(texts), FETCHED if any(FETCHED in text for text in texts) else "")
        else:
            opened(walk, each.op, each.word)


def opened(walk: Walk, op: str, word: Word) -> None:
    """Opens the file that `word` names."""
    for choice in expand.fields(walk, word):
        target = choice[0] if len(choice) == 1 else SPLIT if choice else ""
        if op in ("<&", ">&") and (target.isdigit() or target == "-" or target == TOKEN):
            continue
        if op in ("<", "<&", "<>"):
            walk.sink.path("read", target, walk.state)
            walk.stdin = Stream()
        if target.startswith(("/dev/tcp/", "/dev/udp/")):
            walk.stdin = Stream(None, FETCHED)
        if op != "<" and op != "<&":
            walk.sink.path("write", target, walk.state)
            if not known(target) and target == SPLIT:
                walk.strange("a redirection to what only shows when it runs")
