"""One command with all its words: which judge it goes to. Pure.

Rules:
1. Functions first, then aliases of earlier lines, then the program itself.
2. A program named by a path counts as its name only in the folders of the system; elsewhere it is project code, but
   what its name says is still looked at for destruction.
3. What no judge knows is unknown; a computed program word too, and destructive when its words aim at everything.
"""

from __future__ import annotations

from edge.gate.paths import absolute
from edge.gate.shell import network, ruin, shells, wrappers, writers
from edge.gate.shell.builtins import BUILTINS
from edge.gate.shell.forms import FORMS
from edge.gate.shell.marks import FETCHED, MARKS, OPEN, closed, known, matches, names, shown
from edge.gate.shell.ruin_board import DISKS
from edge.gate.shell.sink import is_disk
from edge.gate.shell.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk

_BINS = names("/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /usr/games")
_TALKERS = names("git pip pip3 npm apt apt-get hg svn go cargo gem docker podman snap flatpak")
_TALKING = names("push pull fetch clone ls-remote install update upgrade full-upgrade dist-upgrade download get")
_SYSTEM_WIDE = names("apt apt-get aptitude dpkg snap")
_CHANGING = names("install update upgrade full-upgrade dist-upgrade remove purge autoremove -i -r -P --install")
# Some shells look for these before functions (POSIX.1-2017 2.9.1).
_SPECIAL = names(": . break continue eval exec exit export readonly return set shift times trap unset")
# These say their version before they read anything of the folder, the project or the home.
_PYTHONS = names("python python3")
_VERSIONED = _PYTHONS | names(
    "git gcc g++ cc make cmake ninja perl node tar sed awk gawk ssh rsync logrotate bluetoothctl systemctl dpkg "
    "apt-get gdb strace minicom dtc ffmpeg sqlite3 i2cdetect"
)
_CARRIES = names("tmux screen dtach abduco byobu capsh")
_LOUD = tuple(dict.fromkeys((*ruin.RUINS, *DISKS, *writers.WRITERS, *network.TALKS, *shells.SHELLS, "find")))
# They read a disk or flash, and the question is only whether they may.
_DISK_READERS = names("smartctl mtdinfo ubinfo nanddump dumpe2fs udisksctl")
_RECURSIVE = frozenset(("-r", "-R", "-rf", "-fr", "-Rf", "-fR", "-rfv", "--recursive", "-rfd", "-vrf"))


def run(walk: Walk, argv: tuple[str, ...]) -> Stream:
    """Judges a command as the shell would find it."""
    name = argv[0]
    walk.spend(len(argv))
    if not known(name):
        return computed(walk, argv)
    if name in walk.state.functions:
        stream = walk.call(name, argv[1:])
        if walk.state.functions[name][1] and name not in _SPECIAL:
            return stream
    alias = walk.state.aliases.get(name)
    if alias is not None and alias[1] < walk.line:
        return shells.aliased(walk, alias[0], argv)
    if name in BUILTINS:
        return BUILTINS[name](walk, name, argv[1:])
    return program(walk, argv)


def program(walk: Walk, argv: tuple[str, ...]) -> Stream:
    """Judges a command past functions and aliases."""
    name = argv[0]
    if not known(name):
        return computed(walk, argv)
    if "/" in name:
        name = located(walk, name)
    before = walk.sink.touched
    stream = _judged(walk, name, argv[1:])
    if walk.sink.touched == before:
        walk.sink.unknown(f"program:{shown(name)}", "what it starts is not seen")
    return stream


def _judged(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    if name in BUILTINS:
        return BUILTINS[name](walk, name, words)
    if (words == ("--version",) and name in _VERSIONED) or (words == ("-V",) and name in _PYTHONS):
        walk.sink.add("run", f"program:{name}")
        return Stream()
    if ruin.judge(walk, name, words):
        return Stream()
    judge = wrappers.WRAPPERS.get(name) or FORMS.get(name) or (writers.judge if name in writers.WRITERS else other)
    return judge(walk, name, words)


def other(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """Shells, interpreters, the network, and what nobody knows."""
    if name in shells.SHELLS:
        return shells.shell(walk, name, words)
    if shells.interpreter(name):
        return shells.code(walk, name, words)
    if name in network.TALKS:
        return network.judge(walk, name, words)
    if name.startswith(("ld-linux", "ld.so", "ld-musl", "ld-2.")):
        return wrappers.loader(walk, name, words)
    if name in ("at", "batch"):
        return shells.launched(walk, name, words)
    if name in _TALKERS and _TALKING & set(words):
        walk.sink.add("send" if "push" in words else "fetch", "host:unknown", f"{name} {' '.join(words[:3])}")
    if name in _SYSTEM_WIDE and _CHANGING & set(words):
        walk.sink.remark(f"{name} changes folders of the system, which are closed behind the wall: this will fail")
    if name in _CARRIES:
        shells.carried(walk, words)
    if name == "make" and walk.stdin is not None:
        for text in walk.stdin.text or ():
            walk.flat(text)
    if name == "git":  # an alias, a pager, a transport: settings that are commands
        for option, word in zip(words, words[1:]):
            walk.flat(word.partition("=")[2].lstrip("!") if option == "-c" else "")
    arguments(walk, name, words)
    walk.sink.unknown(f"program:{shown(name) or '(empty)'}", "what it does is not known")
    decoder = name in ("xxd", "openssl", "uudecode", "gpg", "rot13")
    return Stream(None, FETCHED if decoder else walk.stdin.taint if walk.stdin else "")


def located(walk: Walk, name: str) -> str:
    """The name of a program that is given by its path."""
    folder = next((each for each in walk.state.folders if each), "/")
    full = absolute(name, folder)
    above, _, base = full.rpartition("/")
    sure = name[:1] == "/" or len(walk.state.folders) == 1
    loader = base.startswith(("ld-linux", "ld-musl", "ld-2."))
    if not (above in _BINS and sure) and not loader:
        walk.sink.unknown(f"program:{shown(name)}", "runs a file that is no program of the system")
    return base


def arguments(walk: Walk, name: str, words: tuple[str, ...]) -> None:
    """Words of a program that nobody knows: disks, and everything, are not for it."""
    for word in words:
        text = word.rpartition("=")[2]
        if is_disk(absolute(text, "/")) and text[:1] == "/" and (name in DISKS or name in _DISK_READERS):
            walk.sink.path("read", text, walk.state)
        elif is_disk(absolute(text, "/")) and text[:1] == "/":
            walk.sink.disk(shown(name), f"{shown(word)} is a disk or memory")
        elif text.startswith("/dev/") and text not in ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"):
            walk.sink.remark(f"{text} is closed behind the wall: ports and lines go through the hardware tools")
    if _RECURSIVE & set(words):
        for word in words:
            if word[:1] != "-" and writers.everything(walk, word):
                walk.sink.ruin(shown(name), f"changes everything below {shown(word)}")


def computed(walk: Walk, argv: tuple[str, ...]) -> Stream:
    """A program word that only shows when the shell runs."""
    walk.sink.unknown("shell:program", f"{shown(argv[0])} is a program that only shows when it runs")
    arguments(walk, argv[0], argv[1:])
    text = "".join(letter for letter in argv[0].rpartition("/")[2] if letter not in OPEN)
    if known(text) and text:
        ruin.judge(walk, text, argv[1:])
    taints = [_judged(walk, name, argv[1:]).taint for name in _matching(argv[0].rpartition("/")[2])]
    if any(taints):
        return Stream(None, FETCHED)
    return Stream(None, walk.stdin.taint if walk.stdin else "")


def _matching(pattern: str) -> list[str]:
    """Names of programs that change, destroy or fetch and that `pattern` may turn out to be."""
    if known(pattern) or not closed(pattern) or sum(letter not in MARKS for letter in pattern) < 1:
        return []
    found = [name for name in _LOUD if len(name) < 24 and matches(pattern, name)]
    return found if len(found) < 9 else []
