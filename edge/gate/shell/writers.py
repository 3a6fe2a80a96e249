"""Programs that change files: which of their words are written, which are read. Pure.

Rules:
1. A delete, a move and a change of mode are writes of what they change.
2. A recursive delete of the root, a home, a whole workspace, or of a path made only of expansions and slashes is
   destruction, whatever the folder. A folder above one of these counts like it.
3. A program that writes and of which no path was found is not understood.
"""

from __future__ import annotations

from edge.gate.paths import absolute, inside
from edge.gate.shell.marks import ANY, BELOW, FETCHED, MARKS, OPEN, SPLIT, STAR, TOKEN, VOID, closed, known, shown
from edge.gate.shell.options import has, options, value
from edge.gate.shell.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.gate.shell.walk import Walk

    Writer = Callable[[Walk, str, tuple[str, ...]], None]

_RECURSIVE = ("-r", "-R", "--recursive")


def everything(walk: Walk, text: str, delete: bool = True) -> bool:
    """True when `text`, as target of a recursive change, is a root, a home, or may be (rules at the head)."""
    bare = "".join(letter for letter in text if letter not in OPEN)
    if bare != text and not bare.strip("/." + STAR):
        return "/" in bare or VOID in text
    if BELOW in text or bare != text:
        bare = "" if bare == text else bare
    else:
        while bare.endswith(("/" + STAR, "/" + STAR + "/", "/." + STAR)):
            bare = bare.rstrip("/").rpartition("/")[0] or "/"
        bare = "." if bare in (STAR, "." + STAR) else bare
    if not bare or not known(bare):
        return False
    scene = walk.sink.scene
    folders = [folder for folder in walk.state.folders if folder] or [scene.cwd or "/"]
    whole = [scene.home or "/root", *([root.path for root in scene.roots] if delete else [])]
    for folder in folders:
        full = absolute(bare, folder)
        if full == "/" or any(inside(one, full) for one in whole):
            return True
    return False


def recursive(walk: Walk, name: str, targets: list[str], delete: bool = True) -> None:
    """Says so when a recursive change by `name` aims at everything."""
    for text in targets:
        if everything(walk, text, delete):
            walk.sink.ruin(name, f"changes everything below {shown(text) or 'the root'}")


def write(walk: Walk, texts: list[str], deep: bool = False) -> None:
    for text in texts:
        walk.sink.path("write", text, walk.state, deep)


def read(walk: Walk, texts: list[str], deep: bool = False) -> None:
    for text in texts:
        walk.sink.path("read", text, walk.state, deep)


def remove(walk: Walk, name: str, words: tuple[str, ...]) -> None:
    found, operands = options(words)
    deep = has(found, *_RECURSIVE)
    if any(SPLIT in word for word in words if word.startswith("-")):
        deep = True
    if deep:
        recursive(walk, name, operands)
    write(walk, operands, deep)


def copy(walk: Walk, name: str, words: tuple[str, ...]) -> None:
    """cp, mv, install, ln, link: sources, then the target."""
    found, operands = options(words, "tSgmo" if name != "ln" else "tS", ("target-directory", "suffix", "mode", "owner"))
    folder = value(found, "-t", "--target-directory")
    deep = has(found, "-a", *_RECURSIVE) or name == "mv"
    sources = operands if folder else operands[:-1] or operands
    targets = [folder] if folder else operands[-1:]
    if name == "install" and has(found, "-d", "--directory"):
        sources, targets = [], operands
    if name == "mv":
        recursive(walk, name, [text for text in sources if closed(text) or "/" in text])
        write(walk, sources, True)
    elif not (name == "ln" and has(found, "-s", "--symbolic")):
        read(walk, sources, deep)
    write(walk, targets, deep)


def owner(walk: Walk, name: str, words: tuple[str, ...]) -> None:
    """chmod, chown, chgrp: the first operand says how."""
    kept = tuple(word for word in words if not _is_mode(name, word))
    found, operands = options(kept, "", ("reference", "from"))
    targets = operands if has(found, "--reference") or len(kept) < len(words) else operands[1:]
    deep = has(found, *_RECURSIVE)
    if deep:
        recursive(walk, name, targets, False)
    write(walk, targets, deep)


def _is_mode(name: str, word: str) -> bool:
    """`-x`, `-rwx`: a mode of chmod that looks like an option."""
    return name == "chmod" and word[:1] == "-" and len(word) > 1 and all(letter in "rwxXst" for letter in word[1:])


def paths(values: str = "", deep: tuple[str, ...] = (), longs: tuple[str, ...] = ()) -> Writer:
    """A program all of whose operands are written."""

    def judge(walk: Walk, name: str, words: tuple[str, ...]) -> None:
        found, operands = options(words, values, longs)
        write(walk, operands, has(found, *deep) if deep else False)

    return judge


def dd(walk: Walk, _name: str, words: tuple[str, ...]) -> None:
    for word in words:
        key, _, text = word.partition("=")
        if key == "if":
            read(walk, [text])
        elif key == "of":
            write(walk, [text])
        elif not known(word):
            walk.sink.unknown("program:dd", f"{shown(word)} only shows when it runs")
    if not any(word.startswith("of=") for word in words):
        walk.sink.add("run", "helper:dd", "copies what it reads")


def tar(walk: Walk, _name: str, words: tuple[str, ...]) -> None:
    """tar with anything but -t."""
    from edge.gate.shell.tar import judge

    judge(walk, words)


def packer(walk: Walk, name: str, words: tuple[str, ...]) -> None:
    """gzip and its kin replace a file by another, unless they write to their output."""
    found, operands = options(words, "SbT", ("suffix",))
    if has(found, "-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test") or not operands:
        read(walk, operands)
        walk.sink.add("run", f"program:{name}")
    else:
        write(walk, operands, has(found, *_RECURSIVE))


def unzip(walk: Walk, _name: str, words: tuple[str, ...]) -> None:
    found, operands = options(words, "dx")
    read(walk, operands[:1])
    if not has(found, "-l", "-v", "-t", "-Z", "-p", "-z"):
        write(walk, [value(found, "-d") or "."], True)


def split(walk: Walk, _name: str, words: tuple[str, ...]) -> None:
    found, operands = options(words, "abClnt", ("filter", "additional-suffix", "lines", "bytes", "number"))
    if has(found, "--filter"):
        walk.text(value(found, "--filter"), "split")
    read(walk, operands[:1])
    prefix = operands[1] if len(operands) > 1 else "x"
    write(walk, [prefix + TOKEN])


def rsync(walk: Walk, _name: str, words: tuple[str, ...]) -> None:
    found, operands = options(words, "efTB", ("rsh", "exclude", "include", "files-from", "rsync-path", "filter"))
    for program in (value(found, "-e", "--rsh"), value(found, "--rsync-path")):
        if program:
            walk.sink.unknown("program:rsync", f"rsync starts {shown(program)}")
    remote = [text for text in operands if ":" in text.partition("/")[0] or "://" in text]
    for text in remote:
        walk.sink.add("send", f"host:{shown(text).partition(':')[0].rpartition('@')[2]}", "rsync")
    local = [text for text in operands if text not in remote]
    target = operands[-1:]
    read(walk, [text for text in local if text not in target], True)
    if has(found, "--delete", "--delete-before", "--delete-after", "--delete-during", "--del"):
        recursive(walk, "rsync", [text for text in target if text in local])
    write(walk, [text for text in target if text in local], True)


def temporary(walk: Walk, name: str, _words: tuple[str, ...]) -> None:
    walk.sink.unknown(f"program:{name}", "makes a file outside the workspace")


def edit_in_place(walk: Walk, name: str, words: tuple[str, ...]) -> None:
    """patch, ed, ex, vi: what they change stands in their input too."""
    for word in words:
        walk.flat(word.partition("!")[2])  # an editor's way to a command
    _, operands = options(words, "pidorB")
    walk.sink.unknown(f"program:{name}", "what it changes stands in what it reads")
    write(walk, operands)


WRITERS: dict[str, Writer] = {
    "rm": remove,
    "rmdir": paths(),
    "unlink": paths(),
    "mkdir": paths("m", (), ("mode",)),
    "touch": paths("drt", (), ("date", "reference")),
    "truncate": paths("sr", (), ("size", "reference")),
    "fallocate": paths("lop", (), ("length", "offset")),
    "tee": paths(),
    "mkfifo": paths("m"),
    "mknod": paths("m"),
    "sponge": paths(),
    "dos2unix": paths(),
    "unix2dos": paths(),
    "chattr": lambda walk, name, words: write(walk, [word for word in words if word[:1] not in "+-="]),
    "setfacl": paths("mxMXR", ("-R",)),
    "cp": copy,
    "mv": copy,
    "install": copy,
    "ln": copy,
    "link": copy,
    "chmod": owner,
    "chown": owner,
    "chgrp": owner,
    "dd": dd,
    "gzip": packer,
    "gunzip": packer,
    "bzip2": packer,
    "bunzip2": packer,
    "xz": packer,
    "unxz": packer,
    "zstd": packer,
    "unzip": unzip,
    "split": split,
    "rsync": rsync,
    "mktemp": temporary,
    "patch": edit_in_place,
    "ed": edit_in_place,
    "ex": edit_in_place,
    "vi": edit_in_place,
    "vim": edit_in_place,
    "nano": edit_in_place,
}


def judge(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """What the writer `name` does with `words`."""
    before = len(walk.sink.effects)
    WRITERS[name](walk, name, words)
    if len(walk.sink.effects) == before:
        kind = "program" if name == "tee" and words else "helper"
        walk.sink.add("run", f"{kind}:{name}", "" if kind == "program" else "changes files")
    if any(mark in word for word in words for mark in (ANY, SPLIT, FETCHED, VOID) if word[:1] in MARKS):
        walk.sink.unknown(f"program:{name}", "some of its words only show when it runs")
    return Stream()
