"""xargs: the command that it starts, with what it reads behind it. Pure.

Rules:
1. Known text becomes words; names that come from below known folders are something below these.
2. What it reads from anywhere else may be anything: a recursive change of it is a change of everything.
"""

from __future__ import annotations

from edge.gate.shell.marks import BELOW, SPLIT, VOID
from edge.gate.shell.options import has, options, value
from edge.gate.shell.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk


def xargs(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """xargs: the command with what it reads behind it."""
    letters = "aEIiLnPsd" if any(word.startswith("-i") for word in words) else "aEILnPsd"
    longs = ("arg-file", "delimiter", "max-args", "max-procs", "replace", "max-lines", "max-chars", "eof")
    found, operands = options(words, letters, longs, False)
    for option, text in found:
        if option in ("-a", "--arg-file"):
            walk.sink.path("read", text, walk.state)
        elif option in ("-p", "--interactive", "-o", "--open-tty"):
            walk.sink.unknown("program:xargs", "it asks back, and nobody answers")
    command_ = tuple(operands) or ("echo",)
    mark = value(found, "-I", "--replace", "-i") or ("{}" if has(found, "-i", "--replace") else "")
    kept, walk.stdin = walk.stdin, Stream()
    file = has(found, "-a", "--arg-file")
    for given in _given(None if file else kept, has(found, "-0", "--null")):
        if mark:
            word = " ".join(given)
            argv = tuple(part.replace(mark, word) for part in command_)
        else:
            argv = (*command_, *given)
        stream = walk.inner(argv)
    walk.stdin = kept
    walk.sink.add("run", "program:xargs")
    return stream


def _given(stdin: Stream | None, null: bool) -> list[tuple[str, ...]]:
    """The words that xargs may read."""
    if stdin is not None and stdin.text is not None:
        found = []
        for text in stdin.text:
            words = text.split("\0") if null else text.replace("\\", "").replace("'", "").replace('"', "").split()
            found.append(tuple(word for word in words if word)[:500])
        return found
    if stdin is not None and stdin.below and not stdin.taint:
        return [((path.rstrip("/") if path != "/" else "") + "/" + BELOW,) for path in stdin.below]
    return [(VOID if null else VOID + SPLIT,)]
