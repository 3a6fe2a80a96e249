"""Commands of the shell itself that change what it knows. Pure.

Source: POSIX.1-2017 2.14 and the manuals of dash, bash and busybox ash.
"""

from __future__ import annotations

from edge.gate.paths import absolute
from edge.gate.shell import saying, shells
from edge.gate.shell.marks import ANY, MARKS, SPLIT, closed, known, names, shown
from edge.gate.shell.options import has, options
from edge.gate.shell.streams import Stream
from edge.gate.shell.words import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.gate.shell.walk import Walk

    Builtin = Callable[[Walk, str, tuple[str, ...]], Stream]

# They touch nothing and set nothing that matters here.
QUIET = names(": true false exit return break continue wait times jobs shift pwd hash type which tty")


# Of these, options run commands (jobs), write files (history), name files for programs (hash), set variables (wait).
_LOUD = names("jobs history hash wait")
_HARMLESS = {"jobs": ("-l", "-p", "-r", "-s"), "hash": ("-r",), "wait": ("-n",)}
_LEADS = frozenset(("-", *MARKS))


def cd(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    operands = [word for word in words if word not in ("-L", "-P", "--")]
    walk.sink.add("run", "program:cd")
    if len(operands) > 1 or (operands and SPLIT in operands[0]):
        walk.state.go((None,), True)
        return Stream(("",))
    targets = operands or list(walk.state.get("HOME"))
    if "CDPATH" in walk.state.vars:
        targets = [ANY]
    folders: list[str | None] = []
    for target in targets:
        for folder in walk.state.folders:
            if target == "-" or not known(target) or (folder is None and target[:1] != "/"):
                folders.append(_vague(target, folder))
            else:
                folders.append(absolute(target, folder or "/") if target else folder)
    walk.state.go(tuple(folders), True)
    return Stream(("",))


def _vague(target: str, folder: str | None) -> str | None:
    """A folder of which not every letter is known but that leads nowhere else: good enough below a workspace."""
    if target == "-" or not closed(target) or (folder is None and target[:1] != "/"):
        return None
    return absolute(target, folder or "/")


def read(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    found, operands = options(words, "adinNptu", (), False)
    for option, text in found:
        if option == "-a":
            operands.append(text)
        elif option not in ("-r", "-s", "-p", "-t", "-n", "-N", "-d", "-u", "-e"):
            walk.sink.unknown("program:read", f"{option} is not known")
    for name in operands:
        if not is_name(name):
            walk.sink.unknown("program:read", f"{shown(name)} is no name")
        else:
            walk.assign(name, (ANY,))
    walk.sink.add("run", "program:read")
    return Stream(("",))


def export(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """export, readonly, local, declare: assignments; what is exported reaches every later program."""
    from edge.gate.shell.variables import harmless

    walk.sink.add("run", f"program:{name}")
    if name in ("declare", "typeset"):
        walk.sink.unknown(f"program:{name}", "it is not for every shell")
    for word in words:
        if word in ("-p", "--") or (name == "readonly" and word == "-f"):
            continue
        variable, sign, text = word.partition("=")
        if word[:1] == "-" or not is_name(variable.rstrip("+")):
            walk.sink.unknown(f"program:{name}", f"{shown(word)} is no plain name")
            continue
        variable = variable.rstrip("+")
        exported = name == "export" or name in ("declare", "typeset")
        values = (text,) if sign else walk.state.get(variable)
        if exported and not all(harmless(variable, value) for value in values):
            walk.sink.unknown(f"shell:{variable}", f"sets {variable} for every later command")
        if sign:
            walk.assign(variable, (ANY if SPLIT in text else text,))
    return Stream(("",))


def unset(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    found, operands = options(words)
    for word in operands:
        if not is_name(word):
            walk.sink.unknown("program:unset", f"{shown(word)} is no plain name")
        elif has(found, "-f") and word in walk.state.functions:
            bodies, _ = walk.state.functions[word]
            walk.state.functions[word] = (bodies, False)
        else:
            walk.assign(word, ("",))
    walk.sink.add("run", "program:unset")
    return Stream(("",))


def set_(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """set: options of the shell, or the positional parameters."""
    at = 0
    while at < len(words) and words[at][:1] in ("-", "+") and words[at] not in ("--", "-"):
        word = words[at]
        at += 1
        if word[1:] == "o":
            if words[at : at + 1] and words[at] not in (
                "pipefail",
                "errexit",
                "nounset",
                "xtrace",
                "noglob",
                "verbose",
            ):
                walk.sink.unknown("shell:set", f"sets the option {shown(words[at])}")
            at += 1
        elif any(letter not in "eufvxC" for letter in word[1:]):
            walk.sink.unknown("shell:set", f"{shown(word)} changes what later commands do")
    if words[at : at + 1] and words[at][:1] in MARKS:
        walk.sink.unknown("shell:set", "what it sets only shows when it runs")
    explicit = words[at : at + 1] in (("--",), ("-",))
    rest = words[at + 1 :] if explicit else words[at:]
    if rest or explicit:
        certain = not walk.maybe and all(SPLIT not in word for word in rest)
        walk.state.args = rest if certain else None
    walk.sink.add("run", "program:set")
    return Stream()


def shift(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    count = int(words[0]) if words and known(words[0]) and words[0].isdigit() and len(words[0]) < 5 else 1
    certain = walk.state.args is not None and not walk.maybe and (not words or known(words[0]))
    walk.state.args = walk.state.args[count:] if certain and walk.state.args is not None else None
    return Stream(("",))


def getopts(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    for name in (*words[1:2], "OPTARG"):
        if is_name(name):
            walk.assign(name, (ANY,))
        else:
            walk.sink.unknown("program:getopts", f"{shown(name)} is no name")
    walk.sink.add("run", "program:getopts")
    return Stream(("",))


def quiet(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    if any(word[:1] in _LEADS and word not in _HARMLESS.get(name, ()) for word in words) and name in _LOUD:
        walk.sink.unknown(f"program:{name}", "its options may change files, variables, or which file a name runs")
    walk.sink.add("run", f"program:{name}")
    if name == "pwd" and not any(folder is None for folder in walk.state.folders):
        return Stream(tuple(f"{folder}\n" for folder in walk.state.folders))
    return Stream(("",))


def umask(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """umask, ulimit: of this shell and what it starts."""
    if name == "ulimit" and any(word[:1] != "-" for word in words):
        walk.sink.unknown("program:ulimit", "it changes a limit")
    walk.sink.add("run", f"program:{name}")
    return Stream()


def strange(walk: Walk, name: str, _words: tuple[str, ...]) -> Stream:
    walk.sink.unknown(f"shell:{name}", f"{name} changes how the shell reads what follows")
    walk.state.go((None,), False)
    return Stream()


def let(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    walk.sink.unknown("shell:let", "let is not for every shell")
    for word in words:
        walk.arithmetic(word)
        if "$(" in word or "`" in word:
            walk.text(word.replace("[", " ").replace("]", " "), "let")
    return Stream(("",))


BUILTINS: dict[str, Builtin] = {
    **dict.fromkeys(QUIET, quiet),
    **dict.fromkeys(
        names("enable shopt bind complete compgen mapfile readarray pushd popd coproc fc caller"),
        strange,
    ),
    "cd": cd,
    "chdir": cd,
    "read": read,
    "export": export,
    "readonly": export,
    "local": export,
    "declare": export,
    "typeset": export,
    "unset": unset,
    "set": set_,
    "shift": shift,
    "getopts": getopts,
    "umask": umask,
    "ulimit": umask,
    "let": let,
    "printf": saying.printf,
    "echo": saying.echo,
    "test": saying.test,
    "[": saying.test,
    "[[": saying.test,
    "eval": shells.evaluate,
    ".": shells.sourced,
    "source": shells.sourced,
    "trap": shells.trap,
    "alias": shells.alias,
    "unalias": quiet,
    "history": quiet,
}
