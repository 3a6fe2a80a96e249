"""Shells and interpreters: text that is run as a script, and code that is not understood. Pure.

Rules:
1. Literal text given to a shell is read like the command itself; what is computed in it is unknown.
2. Downloaded or decoded data that a shell or an interpreter runs is destructive.
3. Code of an interpreter is unknown; where it plainly starts a destructive command, it is destructive.
"""

from __future__ import annotations

from edge.gate.shell.marks import FETCHED, closed, known, names, shown
from edge.gate.shell.options import has, options
from edge.gate.shell.streams import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.shell.walk import Walk

SHELLS = names("sh bash dash ash zsh ksh mksh rbash hush yash fish csh tcsh lksh pdksh ksh93 posh")
# name -> options that hold code
INTERPRETERS = {
    "python": ("-c",),
    "pypy": ("-c",),
    "pypy3": ("-c",),
    "perl": ("-e", "-E"),
    "ruby": ("-e",),
    "node": ("-e", "--eval", "-p", "--print"),
    "nodejs": ("-e", "--eval", "-p"),
    "php": ("-r", "-B", "-R", "-E"),
    "lua": ("-e",),
    "luajit": ("-e",),
    "tclsh": (),
    "wish": (),
    "expect": ("-c",),
    "guile": ("-c",),
    "deno": (),
    "bun": ("-e",),
    "Rscript": ("-e",),
    "julia": ("-e",),
    "ocaml": (),
    "gforth": ("-e",),
    "m4": (),
    "micropython": ("-c",),
    "osascript": ("-e",),
    "pwsh": ("-c", "-Command"),
    "ipython": ("-c",),
    "sqlite3": ("-cmd",),
    "gdb": ("-ex",),
    "emacs": ("--eval",),
    "vim": ("-c",),
    "irb": (),
    "erl": ("-eval",),
    "elixir": ("-e",),
    "groovy": ("-e",),
    "jshell": (),
}
_STARTS = (
    *("system", "popen", "subprocess", "exec", "spawn", "qx", "child_process", "`", "os.", "call(", "run("),
    *("rmtree", "remove_tree", "rm_rf"),
)


def interpreter(name: str) -> str:
    """The row of INTERPRETERS that `name` belongs to (`python3.11` is python), or ""."""
    if name in INTERPRETERS:
        return name
    stem = name.rstrip("0123456789.")
    return stem if stem in INTERPRETERS and stem != name else ""


def shell(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """sh and its like."""
    text, operands, quiet, strange = _shell_words(words)
    if any(word[:1] == "-" and "s" in word and word[1:2] != "-" for word in words[: len(words) - len(operands)]):
        operands = []
    if strange:
        walk.sink.unknown(f"program:{name}", f"{shown(strange)} changes what the shell reads")
    if name in ("zsh", "ksh", "mksh", "fish", "csh", "tcsh", "ksh93", "yash", "posh"):
        walk.sink.unknown(f"program:{name}", "another language than sh")
    if text is not None:
        walk.sink.add("run", f"program:{name}")
        return walk.text(text, name, tuple(operands[1:]))
    if operands and operands[0] != "-":
        walk.sink.path("read", operands[0], walk.state)
        if FETCHED in operands[0]:
            walk.sink.ruin("download", f"{name} runs what was downloaded or decoded")
        if quiet and not strange and known(operands[0]):
            walk.sink.add("run", f"program:{name}")
        else:
            walk.sink.unknown(f"program:{name}", f"runs the script {shown(operands[0])}")
        return Stream()
    return fed(walk, name)


def _shell_words(words: tuple[str, ...]) -> tuple[str | None, list[str], bool, str]:
    """The text of -c, the operands, whether -n only checks, and an option that is not known."""
    at, code, quiet, strange = 0, False, False, ""
    while at < len(words):
        word = words[at]
        if word == "--" or word == "-":
            at += 1
            break
        if word[:1] not in "-+" or len(word) < 2:
            break
        at += 1
        if word.startswith("--"):
            strange = word if word not in ("--posix", "--norc", "--noprofile") else strange
            at += word in ("--rcfile", "--init-file")
            continue
        for letter in word[1:]:
            code = code or letter == "c"
            quiet = quiet or (letter == "n" and word[0] == "-")
            if letter not in "cnexuvfs":
                strange = strange or ("" if letter == "o" else word)
        at += "o" in word[1:]
    operands = list(words[at:])
    if code and operands:
        return operands[0], operands[1:], quiet, strange
    return None, operands, quiet, strange


def fed(walk: Walk, name: str) -> Stream:
    """A shell that reads its commands from its input."""
    stdin = walk.stdin
    if stdin is not None and stdin.text is not None:
        walk.stdin = Stream()
        streams = [walk.text(text, name) for text in stdin.text]
        walk.stdin = stdin
        walk.sink.unknown(f"program:{name}", "runs the text that it reads")
        return streams[0] if len(streams) == 1 else Stream()
    if stdin is not None and stdin.taint:
        walk.sink.ruin("download", f"{name} runs what was downloaded or decoded")
    walk.sink.unknown(f"program:{name}", "runs what it reads from its input")
    return Stream()


def code(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """An interpreter: always unknown; its plain destruction is said."""
    flags = INTERPRETERS[interpreter(name)]
    inline = [words[at + 1] for at, word in enumerate(words[:-1]) if word in flags]
    for word in words:
        inline += [word[2:] for flag in flags if len(flag) == 2 and word.startswith(flag) and len(word) > 2]
        if word[:1] == "-" and word[1:2] != "-" and word[-1:] in "eEc" and len(word) > 2 and "-" + word[-1] in flags:
            inline += list(words[words.index(word) + 1 :][:1])
    for text in inline:
        if FETCHED in text:
            walk.sink.ruin("download", f"{name} runs what was downloaded or decoded")
        plain(walk, text)
        if name == "expect":
            walk.flat(text)
    bare = [word for word in words if word[:1] != "-" or word == "-"]
    stdin = walk.stdin
    if not inline and bare in ([], ["-"]) and stdin is not None and "-m" not in words:
        if stdin.taint:
            walk.sink.ruin("download", f"{name} runs what was downloaded or decoded")
        for text in stdin.text or ():
            plain(walk, text)
    for word in bare[:1] if not inline else []:
        walk.sink.path("read", word, walk.state) if word != "-" and "-m" not in words else None
        if FETCHED in word:
            walk.sink.ruin("download", f"{name} runs what was downloaded or decoded")
    what = "runs code" if inline else f"runs {shown(bare[0])}" if bare else "runs what it reads"
    walk.sink.unknown(f"program:{name}", what)
    return Stream()


def plain(walk: Walk, text: str) -> None:
    """Commands that stand as plain texts in code which starts commands."""
    if not any(sign in text for sign in _STARTS):
        return
    texts = quoted(text)
    for inner in [*texts, " ".join(texts)][:40]:
        walk.flat(inner)
    if "rmtree" in text or "remove_tree" in text or "rm_rf" in text:
        for inner in texts:
            if inner.startswith(("/", "~")):
                walk.flat("rm -rf " + inner)


def carried(walk: Walk, words: tuple[str, ...]) -> None:
    """Words of a program that starts a command of which it is not known where it begins."""
    for at in range(1, min(len(words), 9)):
        walk.flat(" ".join(words[at:]))


def quoted(text: str) -> list[str]:
    """The texts in quotation marks, of any kind, in some code."""
    found: list[str] = []
    at = 0
    while at < len(text):
        if text[at] in "'\"`":
            end = text.find(text[at], at + 1)
            if end < 0:
                break
            found.append(text[at + 1 : end])
            at = end
        at += 1
    return found


def evaluate(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """eval: its words, joined, in this very shell."""
    if words[:1] == ("--",):
        words = words[1:]
    return walk.text(" ".join(words), "eval", None, True)


def sourced(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """`.` and source: a file in this very shell."""
    for word in words[:1]:
        walk.sink.path("read", word, walk.state)
        if FETCHED in word:
            walk.sink.ruin("download", "the shell runs what was downloaded or decoded")
        walk.sink.unknown("shell:source", f"runs the file {shown(word)} in this shell")
        stdin = walk.stdin
        if word in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0") and stdin is not None:
            fed(walk, "sh")
    walk.state.go((None,), False)
    return Stream()


def trap(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """trap: its text runs later, when the variables are others."""
    if words[:1] == ("--",):
        words = words[1:]
    if len(words) < 2 or words[0] in ("-", "") or words[0].isdigit() or words[0].startswith("-"):
        walk.sink.add("run", "program:trap")
        return Stream()
    walk.sink.add("run", "helper:trap", "something runs when the shell ends or is told to")
    kept = walk.maybe
    walk.maybe += 1
    walk.text(words[0], "trap", None, True)
    walk.maybe = kept
    return Stream()


def alias(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """alias: later lines read a word differently."""
    for word in words:
        name, sign, text = word.partition("=")
        if sign:
            walk.state.aliases[name] = (text, walk.line)
            walk.sink.unknown("shell:alias", f"makes {shown(name)} mean {shown(text)}")
    if not words:
        walk.sink.add("run", "program:alias")
    return Stream()


def aliased(walk: Walk, text: str, argv: tuple[str, ...]) -> Stream:
    """What an alias of an earlier line makes of a command."""
    rest = " ".join("'" + word.replace("'", "'\\''") + "'" for word in argv[1:] if closed(word))
    kept = walk.state.aliases
    walk.state.aliases = {}
    stream = walk.text(f"{text} {rest}", "alias", None, True)
    walk.state.aliases = kept
    return stream


def launched(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """at, batch: what they read runs later, outside of the wall."""
    found, operands = options(words, "fqt")
    walk.sink.unknown(f"program:{name}", "what it reads runs later")
    if has(found, "-f"):
        walk.sink.path("read", operands[0] if operands else "", walk.state)
    return fed(walk, name)
