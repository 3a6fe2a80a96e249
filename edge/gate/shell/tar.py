"""tar: listing reads, everything else writes; several options run programs. Pure."""

from __future__ import annotations

from edge.gate.shell.marks import MARKS, SPLIT, TOKEN, known, names, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk

_PLAIN = frozenset("tcxruAdvzjJaZpkwhPOSmnlo")
_VALUES = frozenset("fCXTbgHVNKIF")
_LONGS = {"--list": "t", "--create": "c", "--extract": "x", "--get": "x", "--append": "r", "--update": "u"}
_LONG_VALUES = {"--file": "f", "--directory": "C", "--exclude-from": "X", "--files-from": "T"}
_HARMLESS = names(
    "--verbose --gzip --gunzip --bzip2 --xz --zstd --numeric-owner --wildcards --no-wildcards --exclude "
    "--full-time --strip-components --anchored --ignore-case --no-recursion --totals --sort --owner --group "
    "--mode --mtime --exclude-vcs --auto-compress --transform --one-file-system --warning --ignore-failed-read "
    "--utc --block-number --show-transformed-names --absolute-names --no-same-owner --no-same-permissions "
    "--delete --diff --compare"
)


class _Call:
    """What the words of a tar say."""

    def __init__(self) -> None:
        self.mode = ""
        self.file = ""
        self.folder = ""
        self.operands: list[str] = []
        self.reads: list[str] = []
        self.programs: list[str] = []
        self.strange = ""


def judge(walk: Walk, words: tuple[str, ...]) -> None:
    call = _parse(words)
    for program in call.programs:
        walk.sink.unknown("program:tar", f"tar starts {shown(program)}")
        if known(program):
            walk.text(program, "tar")
    if call.strange:
        walk.sink.unknown("program:tar", f"{shown(call.strange)} is not known to only read")
    if ":" in call.file.partition("/")[0]:
        walk.sink.unknown("program:tar", f"{shown(call.file)} is on another machine")
    for text in call.reads:
        walk.sink.path("read", text, walk.state)
    base = call.folder.rstrip("/") + "/" if call.folder else ""
    sources = [text if text.startswith("/") else base + text for text in call.operands]
    if call.mode == "t":
        walk.sink.path("read", call.file, walk.state)
        walk.sink.add("run", "program:tar")
    elif call.mode in ("c", "r", "u", "A"):
        for text in sources:
            walk.sink.path("read", text, walk.state, True)
        if call.file in ("", "-"):
            walk.sink.add("run", "helper:tar", "packs files")
        walk.sink.path("write", "" if call.file == "-" else call.file, walk.state)
    else:
        walk.sink.path("read", "" if call.file == "-" else call.file, walk.state)
        walk.sink.path("write", (base or "./") + TOKEN, walk.state)
        walk.sink.unknown("program:tar", "the names it writes stand in the archive")


def _parse(words: tuple[str, ...]) -> _Call:
    call = _Call()
    rest = list(words)
    call.strange = next((word for word in words if SPLIT in word), "")
    if rest and rest[0][:1] != "-" and known(rest[0]):
        _letters(call, rest.pop(0), rest, True)
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            _long(call, word, rest)
        elif word.startswith("-") and len(word) > 1:
            _letters(call, word[1:], rest, False)
        else:
            call.operands.append(word)
            call.strange = call.strange or (word if word[:1] in MARKS else "")
    return call


def _letters(call: _Call, letters: str, rest: list[str], bundled: bool) -> None:
    for index, letter in enumerate(letters):
        if letter in _PLAIN:
            call.mode = letter if letter in "tcxruAd" else call.mode
        elif letter in _VALUES:
            attached = "" if bundled else letters[index + 1 :]
            _value(call, letter, attached or (rest.pop(0) if rest else ""))
            if not bundled:
                return
        else:
            call.strange = f"-{letter}"


def _long(call: _Call, word: str, rest: list[str]) -> None:
    name, sign, text = word.partition("=")
    if name in _LONGS:
        call.mode = _LONGS[name]
    elif name in _LONG_VALUES:
        _value(call, _LONG_VALUES[name], text if sign else rest.pop(0) if rest else "")
    elif name in ("--to-command", "--use-compress-program", "--checkpoint-action", "--rsh-command", "--rmt-command"):
        text = text if sign else rest.pop(0) if rest else ""
        call.programs.append(text.partition("=")[2] if text.startswith("exec=") else text)
    elif name not in _HARMLESS:
        call.strange = word


def _value(call: _Call, letter: str, text: str) -> None:
    if letter == "f":
        call.file = text
    elif letter == "C":
        call.folder = text
    elif letter in "XTg":
        call.reads.append(text)
        call.strange = call.strange or ("" if letter == "X" else f"-{letter}")
    elif letter in "IF":
        call.programs.append(text)
