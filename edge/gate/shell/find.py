"""find: tests only read; actions may start programs, delete and write. Pure."""

from __future__ import annotations

from edge.gate.shell import writers
from edge.gate.shell.marks import BELOW, ONE, SPLIT, STAR, known, matches, names, shown
from edge.gate.shell.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk

_ALONE = names(
    "-print -print0 -ls -prune -quit -depth -d -daystart -mount -xdev -follow -empty -executable -readable "
    "-writable -nouser -nogroup -true -false -not -o -or -a -and ! ( ) , -noleaf -ignore_readdir_race -warn "
    "-nowarn"
)
_TESTS = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime "
    "-mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -regextype "
    "-printf -fstype -used -newermt -D"
)
_FILES = frozenset(("-newer", "-anewer", "-cnewer", "-samefile"))
_WRITES = {"-fprint": 1, "-fprint0": 1, "-fls": 1, "-fprintf": 2}
_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_LOUD = (*_WRITES, *_RUNS, "-delete")  # what a pattern must not turn out to be
_SCOPE = names("-depth -d -daystart -mount -xdev -noleaf -print -print0 -ls -maxdepth -warn -nowarn")


def judge(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    starts, rest = _starts(words)
    starts = starts or ["."]
    narrowed = any((word in _TESTS and word not in _SCOPE) or word == "-empty" for word in rest)
    walk.sink.add("run", f"program:{name}")
    for start in starts:
        walk.sink.path("list", start, walk.state, True)
        if not known(start) and any(matches(start, each) for each in _LOUD):
            walk.sink.unknown("program:find", f"{shown(start)} may turn out to be an action")
    at = 0
    while at < len(rest):
        at += _expression(walk, rest, at, starts, narrowed)
    return Stream(None, "", tuple(starts))


def _starts(words: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Where it begins, and the expression."""
    at = 0
    while at < len(words) and words[at] in ("-H", "-L", "-P", "-O1", "-O2", "-O3"):
        at += 1
    start = at
    while at < len(words) and words[at][:1] not in ("-", "(", "!", ")", ",") and words[at] != SPLIT:
        at += 1
    return list(words[start:at]), list(words[at:])


def _expression(walk: Walk, rest: list[str], at: int, starts: list[str], narrowed: bool) -> int:
    """Judges the predicate at `at`; how many words it takes."""
    word = rest[at]
    if word in _ALONE:
        return 1
    if word in _TESTS or (word.startswith("-newer") and len(word) == 8 and word[-1] == "t"):
        value = "".join(rest[at + 1 : at + 2])
        listed = STAR in value or ONE in value  # the shell may make many words of it
        if SPLIT in value or (listed and any(matches(value, each) for each in _LOUD)):
            walk.sink.unknown("program:find", f"{shown(word)} has a value that only shows when it runs")
        return 2
    if word in _FILES:
        walk.sink.path("list", "".join(rest[at + 1 : at + 2]), walk.state)
        return 2
    if word in _WRITES:
        walk.sink.path("write", "".join(rest[at + 1 : at + 2]), walk.state)
        return 1 + _WRITES[word]
    if word == "-delete":
        if not narrowed:
            writers.recursive(walk, "find", starts)
        for start in starts:
            walk.sink.path("write", start, walk.state, True)
        return 1
    if word in _RUNS:
        return _command(walk, rest, at, starts)
    walk.sink.unknown("program:find", f"{shown(word)} is not known to only read")
    return 1


def _command(walk: Walk, rest: list[str], at: int, starts: list[str]) -> int:
    """-exec: the command with `{}` as something below each start."""
    end = at + 1
    while end < len(rest) and rest[end] != ";" and not (rest[end] == "+" and rest[end - 1] == "{}"):
        end += 1
    command = rest[at + 1 : end]
    if rest[at] in ("-ok", "-okdir"):
        walk.sink.unknown("program:find", "it asks back, and nobody answers")
    if not command:
        walk.sink.unknown("program:find", f"{rest[at]} has no command")
        return end + 1 - at
    for start in starts:
        below = (start.rstrip("/") or "") + "/" + BELOW
        kept, walk.stdin = walk.stdin, Stream()
        walk.run(walk, tuple(word.replace("{}", below) for word in command))
        walk.stdin = kept
    return end + 1 - at
