"""Programs that start another program: what they are, and the command that they start. Pure.

Rules:
1. A wrapper is unwrapped as often as it is met; what it starts is judged like a command of its own.
2. What a wrapper adds (other rights, another root, another time) is said for itself.
3. Rights are not gained behind the wall: sudo and its like say so before anyone is asked.
"""

from __future__ import annotations

from edge.gate.shell import shells, xargs
from edge.gate.shell.around import prefix
from edge.gate.shell.marks import SPLIT, known, names, shown
from edge.gate.shell.options import has, options, value
from edge.gate.shell.streams import Stream
from edge.gate.shell.words import is_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.gate.shell.walk import Walk

    Wrapper = Callable[[Walk, str, tuple[str, ...]], Stream]

# name -> (option letters with a value, operands before the command, risk: "" none, else why it asks)
PLAIN = {
    "nohup": ("", 0, "it may outlive its command"),
    "setsid": ("", 0, "it leaves the group of its command"),
    "nice": ("n", 0, ""),
    "ionice": ("cnpPu", 0, ""),
    "stdbuf": ("ioe", 0, ""),
    "chroot": ("", 1, "it changes the root folder"),
    "taskset": ("", 1, "it changes where a process runs"),
    "chrt": ("TPD", 1, "it changes how a process is scheduled"),
    "setarch": ("", 1, "it changes how a process is run"),
    "linux32": ("", 0, "it changes how a process is run"),
    "linux64": ("", 0, "it changes how a process is run"),
    "unshare": ("SGRw", 0, "it changes what a process sees"),
    "nsenter": ("tSGW", 0, "it enters what another process sees"),
    "strace": ("aeEIoOpPsSuUXb", 0, "it follows a process"),
    "ltrace": ("aAeFlnopsuxX", 0, "it follows a process"),
    "fakeroot": ("lsib", 0, "it loads a library into a process"),
    "eatmydata": ("", 0, "it loads a library into a process"),
    "unbuffer": ("", 0, "it runs a process under a terminal of its own"),
    "systemd-run": ("pEtMuH", 0, "the service manager runs it outside of the wall"),
    "systemd-inhibit": ("", 0, "it holds up the service manager"),
    "dbus-run-session": ("", 0, "it starts a bus"),
    "cpulimit": ("lpe", 0, "it controls a process"),
    "prlimit": ("p", 0, "it changes limits"),
    "setpriv": ("", 0, "it changes rights"),
    "capsh": ("", 0, "it changes rights"),
    "firejail": ("", 0, "it changes what a process sees"),
    "bwrap": ("", 0, "it changes what a process sees"),
    "torsocks": ("", 0, "it sends over the network"),
    "proxychains": ("f", 0, "it sends over the network"),
    "caffeinate": ("", 0, "it holds up the system"),
    "start-stop-daemon": ("nxpuagckRd", 0, "it starts a process that stays"),
    "daemonize": ("aceopul", 0, "it starts a process that stays"),
    "pkexec": ("", 0, "it asks for rights"),
    "runuser": ("ugGcs", 0, "it changes rights"),
    "parallel": ("jnNaSX", 0, "it starts commands from what it reads"),
    "entr": ("", 0, "it starts commands when files change"),
    "chpst": ("uUbeEmdoplfcnr", 0, "it changes rights"),
    "gdb": ("xexpcds", 0, "it controls a process"),
}
_CARRIES = names("parallel gdb setpriv capsh bwrap firejail cpulimit entr")  # their options are many
_WATCH = names(
    "-n -t -d -e -g -b -c -p -x -w --interval --no-title --differences --errexit --chgexit --beep --color --precise "
    "--exec --no-wrap"
)
_RIGHTS = "gains no rights behind the wall: this will fail"


def plain(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """A wrapper of the table."""
    values, skip, why = PLAIN[name]
    if name == "nice" and words and words[0][:1] == "-" and words[0].lstrip("-").isdigit():
        words = words[1:]
    found, operands = options(words, values, ("adjustment", "class", "classdata"), False)
    xargs.head_of(walk, name, words, tuple(operands))
    if why:
        walk.sink.unknown(f"program:{name}", why) if name != "nohup" else walk.sink.add("run", "helper:nohup", why)
    for option, text in found:
        if option == "-o" and name in ("strace", "ltrace"):
            walk.sink.path("write", text, walk.state)
        elif option in ("-c", "--command") and name in ("runuser", "unshare"):
            walk.text(text, name)
    if name in _CARRIES:
        shells.carried(walk, ("", *words))
    if name == "ionice" and has(found, "-p", "-P", "-u"):
        walk.sink.unknown("program:ionice", "it changes other processes")
    if name == "start-stop-daemon":
        operands = [value(found, "-x", "-a"), *operands]
    return inner(walk, tuple(operands[skip:]))


def inner(walk: Walk, argv: tuple[str, ...]) -> Stream:
    """The command that a wrapper starts: never a function."""
    return walk.inner(argv) if argv else Stream(("",))


def env(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    at = 0
    while at < len(words):
        word = words[at]
        if word in ("-i", "-", "-0", "--ignore-environment", "-v", "--null"):
            at += 1
        elif word in ("-u", "--unset"):
            at += 2
        elif word.startswith("--unset=") or (word.startswith("-u") and len(word) > 2):
            at += 1
        elif word in ("-C", "--chdir", "-S", "--split-string") or word.startswith(
            ("-S", "--split-string=", "--chdir=")
        ):
            walk.sink.unknown("program:env", f"{shown(word)} changes how the command is read")
            text = word.partition("=")[2] or word[2:] if not word.startswith("--") or "=" in word else ""
            text = text or " ".join(words[at + 1 : at + 2])
            if "S" in word or "split" in word:
                walk.text(" ".join([text, *words[at + 2 :]]), "env")
            at += 2 if not ("=" in word or (word.startswith("-S") and len(word) > 2)) else 1
        elif word.startswith("-") and len(word) > 1:
            walk.sink.unknown("program:env", f"{shown(word)} is not known")
            at += 1
        elif "=" in word:
            variable, _, text = word.partition("=")
            prefix(walk, [(variable, (text,), False)], words[at + 1 :] or ("env",))
            at += 1
            if SPLIT in word and at == len(words):
                xargs.head_of(walk, "env", words, ())
        else:
            xargs.head_of(walk, "env", words, words[at:])
            return inner(walk, words[at:])
    walk.sink.add("run", f"program:{name}")
    return Stream()


def command(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """command, builtin: without functions; `command -v` only looks."""
    found, operands = options(words, "", (), False)
    if has(found, "-v", "-V"):
        walk.sink.add("run", "program:command")
        return Stream()
    if any(option not in ("-p",) for option, _ in found):
        walk.sink.unknown(f"program:{name}", "an option that is not known")
    if not operands:
        walk.sink.add("run", f"program:{name}")
    return inner(walk, tuple(operands))


def replace(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """exec"""
    found, operands = options(words, "a", (), False)
    if found:
        walk.sink.unknown("program:exec", "it changes the name or environment of a program")
    if not operands:
        walk.sink.add("run", f"program:{name}")
    return inner(walk, tuple(operands))


def timeout(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    found, operands = options(words, "ks", ("kill-after", "signal"), False)
    xargs.head_of(walk, "timeout", words, tuple(operands))
    for option, _ in found:
        if option not in (
            "-k",
            "-s",
            "-v",
            "--kill-after",
            "--signal",
            "--preserve-status",
            "--foreground",
            "--verbose",
        ):
            walk.sink.unknown("program:timeout", f"{shown(option)} is not known")
    span = operands[0] if operands else ""
    if not known(span) or not span.rstrip("smhd").replace(".", "", 1).isdigit():
        walk.sink.unknown("program:timeout", f"{shown(span)} is no span of time")
    kept = walk.bounded
    walk.bounded = kept or bool(span.strip("0.smhd"))
    stream = inner(walk, tuple(operands[1:]))
    walk.bounded = kept
    return stream


def timed(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """time"""
    found, operands = options(words, "of", ("output", "format"), False)
    xargs.head_of(walk, "time", words, tuple(operands))
    for option, text in found:
        if option in ("-o", "--output"):
            walk.sink.path("write", text, walk.state)
        elif option not in ("-p", "-v", "-f", "-q", "--portability", "--verbose", "--format", "--quiet"):
            walk.sink.unknown("program:time", f"{shown(option)} is not known to only read")
    return inner(walk, tuple(operands))


def sudo(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    values = "AaCcDghpRrTtuU" if name == "sudo" else "uCa"
    found, operands = options(words, values, ("user", "group", "chdir", "host", "prompt"), False)
    walk.sink.remark(f"{name} {_RIGHTS}")
    walk.sink.unknown(f"program:{name}", "runs with other rights")
    if has(found, "-e", "--edit"):
        for text in operands:
            walk.sink.path("write", text, walk.state)
        return Stream()
    while operands and "=" in operands[0] and is_name(operands[0].partition("=")[0]):
        operands = operands[1:]
    if has(found, "-s", "-i", "--shell", "--login") and not operands:
        return walk.run(walk, ("sh",))
    return inner(walk, tuple(operands))


def su(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    found, operands = options(words, "cgGsw", ("command", "shell", "group"))
    walk.sink.remark(f"{name} {_RIGHTS}")
    walk.sink.unknown(f"program:{name}", "runs with other rights")
    text = value(found, "-c", "--command")
    if text:
        walk.text(text, name)
    else:
        walk.run(walk, ("sh", *operands[1:]))
    return Stream()


def multi(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """busybox, toybox: the applet is the first word."""
    if not words or words[0].startswith("-"):
        walk.sink.add("run", f"program:{name}")
        if words and words[0] not in ("--list", "--list-full", "--help"):
            walk.sink.unknown(f"program:{name}", f"{shown(words[0])} is not known to only read")
        return Stream()
    return inner(walk, words)


def watch(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    found, operands = options(words, "n", ("interval",), False)
    if not walk.bounded:
        walk.sink.add("run", "helper:watch", "it never ends")
    for option, _ in found:
        if option not in _WATCH or any(SPLIT in word for word in words[: len(words) - len(operands)]):
            walk.sink.unknown("program:watch", f"{shown(option)} is not known to only read")
    if has(found, "-x", "--exec"):
        return inner(walk, tuple(operands))
    walk.text(" ".join(operands), "watch")
    return Stream()


def flock(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    found, operands = options(words, "cEw", ("timeout", "command"), False)
    walk.sink.path("write", operands[0] if operands else "", walk.state)
    walk.sink.unknown("program:flock", "it makes and holds a file")
    rest = operands[1:]
    if value(found, "-c") or rest[:1] == ["-c"]:
        walk.text(value(found, "-c") or " ".join(rest[1:2]), "flock")
        return Stream()
    return inner(walk, tuple(rest))


def script(walk: Walk, _name: str, words: tuple[str, ...]) -> Stream:
    """script: a shell whose output goes to a file."""
    found, operands = options(words, "cEIOBTmoe", ("command", "log-out", "log-io", "log-timing"))
    walk.sink.unknown("program:script", "it starts a shell and writes what it says")
    for text in operands or ["typescript"]:
        walk.sink.path("write", text, walk.state)
    walk.text(value(found, "-c", "--command"), "script")
    return Stream()


def loader(walk: Walk, name: str, words: tuple[str, ...]) -> Stream:
    """ld.so PROGRAM: whatever the program, the loader's options decide what is loaded."""
    _, operands = options(words, "", ("library-path", "preload", "audit", "argv0"), False)
    walk.sink.unknown(f"program:{name}", "the loader runs any file")
    return inner(walk, tuple(operands))


WRAPPERS: dict[str, Wrapper] = {
    **dict.fromkeys(PLAIN, plain),
    "env": env,
    "command": command,
    "builtin": command,
    "exec": replace,
    "timeout": timeout,
    "time": timed,
    "sudo": sudo,
    "doas": sudo,
    "su": su,
    "busybox": multi,
    "toybox": multi,
    "watch": watch,
    "flock": flock,
    "script": script,
    "xargs": xargs.xargs,
}
