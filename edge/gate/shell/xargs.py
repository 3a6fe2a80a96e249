"""xargs: the command that it starts, with what it reads behind it. Pure.

Rules:
1. Known text becomes words; names that come from below known folders are something below these.
2. What it reads from anywhere else may be anything: a recursive change of it is a change of everything.
3. Options are taken as xargs takes them: a value that may be left out stands in the same word, or is none. An option
   that is not listed here is not known to only read (one of them sets a variable for the command).
4. A name may hold blanks and line ends, and may begin with a dash: only a program whose options all read may be given
   names, unless they end with NUL and come with the folder before them.
Source: xargs(1) of GNU findutils, and busybox.
"""

from __future__ import annotations

from edge.gate.shell.marks import BELOW, ONE, SPLIT, STAR, VOID, names, shown
from edge.gate.shell.options import has, options, value
from edge.gate.shell.streams import Stream
from edge.gate.shell.table_files import FILES

_VALUED = frozenset("aEILnPsd")
_LONGS = frozenset(("--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"))
_KNOWN = names("-0 -r -t -x -E -I -L -n -P -s -d --null --no-run-if-empty --verbose --exit") | _LONGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk


def xargs(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """xargs: the command with what it reads behind it."""
    head, rest = _optional(words)
    found, more = options(head, "aEILnPsd", ("arg-file", "delimiter", "max-args", "max-procs", "max-chars"), False)
    for option, text in found:
        if option in ("-a", "--arg-file"):
            walk.sink.path("read", text, walk.state)
        elif option not in _KNOWN:
            walk.sink.unknown("program:xargs", f"{shown(option)} is not known to only read")
    command_ = (*more, *rest) or ("echo",)
    head_of(walk, "xargs", words, command_)
    mark = value(found, "-I")
    kept, walk.stdin = walk.stdin, Stream()
    file = has(found, "-a", "--arg-file")
    null = has(found, "-0", "--null")
    if kept is not None and kept.below and not file and (not null or kept.bare) and not _bold(command_[0]):
        walk.sink.unknown("program:xargs", f"what is read may turn out to be an option of {shown(command_[0])}")
    for given in _given(None if file else kept, null):
        if mark:
            word = " ".join(given)
            argv = tuple(part.replace(mark, word) for part in command_)
        else:
            argv = (*command_, *given)
        stream = walk.inner(argv)
    walk.stdin = kept
    walk.sink.add("run", "program:xargs")
    return stream


def _bold(name: str) -> bool:
    """True when no option of the program does anything but read."""
    name = name.rpartition("/")[2]
    return name in ("echo", "printf", "test", "[") or FILES.get(name, ("",))[0].endswith("!")


def head_of(walk: Walk, name: str, words: tuple[str, ...], command: tuple[str, ...]) -> None:
    """The words before the command that `name` starts: one that may become several moves where the command begins."""
    if any(mark in word for word in words[: len(words) - len(command)] for mark in (SPLIT, STAR, ONE)):
        walk.sink.unknown(f"program:{name}", "what it starts only shows when it runs")


def _optional(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options, those whose value may be left out written in one way; and the words behind them."""
    made: list[str] = []
    at = 0
    while at < len(words) and words[at][:1] == "-" and words[at] not in ("-", "--"):
        word = words[at]
        at += 1
        name, _, text = word.partition("=")
        if name == "--replace" or word[:2] == "-i":
            made += ["-I", (text if name == "--replace" else word[2:]) or "{}"]
        elif name in ("--eof", "--max-lines") or word[:2] in ("-e", "-l"):
            made.append("-r")  # where its input ends, how much of it is taken: nothing that matters here
        else:
            made.append(word)
            valued = word[-1] in _VALUED and word[1:2] != "-" and not _VALUED & set(word[1:-1])
            if (valued or word in _LONGS) and at < len(words):
                made.append(words[at])
                at += 1
    return tuple(made), words[at:]


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
