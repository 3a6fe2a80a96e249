"""Walks the commands of a text in the order in which they would run and says what they touch. Pure.

Rules:
1. Every branch, arm, loop body, function, substitution and here-document is walked, whether or not it would run.
2. A loop body is walked once, with everything that it sets unknown. A function is walked at each call with its
   arguments, and once at the end if nobody called it.
3. A function that calls itself where commands run side by side is a fork bomb; elsewhere it may never end.
4. All work is counted; past BUDGET the walk ends and the caller falls back to the flat scan.
"""

from __future__ import annotations

from edge.gate.shell import expand
from edge.gate.shell.marks import ANY, FETCHED, SPLIT, TOKEN, known, names, shown
from edge.gate.shell.nodes import Case, For, Function, Group, If, Loop, Pipe, ShellFault, Simple
from edge.gate.shell.state import MOST, Stream
from edge.gate.shell.syntax import assigned, moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.gate.shell.nodes import Body, Item, Node, Redirect, Sub, Word
    from edge.gate.shell.sink import Sink
    from edge.gate.shell.state import State, Value

    Run = Callable[["Walk", tuple[str, ...]], Stream]

BUDGET = 15_000
_NEVER_ENDING = frozenset(("true", ":", "sleep", "echo", "printf", "date"))
# Variables that only change how something is said.
HARMLESS = names(
    "LANG LANGUAGE TZ TERM COLUMNS LINES NO_COLOR CLICOLOR BLOCK_SIZE BLOCKSIZE TIME_STYLE QUOTING_STYLE "
    "GREP_COLORS GREP_COLOR LS_COLORS SYSTEMD_COLORS SYSTEMD_URLIFY OPTIND OPTARG REPLY DEBIAN_FRONTEND"
)
_PAGERS = frozenset(["PAGER", "SYSTEMD_PAGER", "GIT_PAGER", "MANPAGER"])
# What changes which programs run and how, wherever it is set.
POISON = names(
    "PATH IFS ENV BASH_ENV HOME SHELL PWD OLDPWD CDPATH PS1 PS2 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS "
    "GLOBIGNORE EDITOR VISUAL BROWSER TMPDIR USER LOGNAME MAIL FCEDIT FPATH HISTFILE EXECIGNORE "
    "HOSTALIASES LOCPATH NLSPATH GCONV_PATH RES_OPTIONS TAR_OPTIONS GZIP XZ_OPT XZ_DEFAULTS BZIP2 GREP_OPTIONS "
    "AWKPATH AWKLIBPATH MANOPT MANPATH POSIXLY_CORRECT GETCONF_DIR TERMINFO TERMINFO_DIRS TERMCAP MAKEFLAGS CC "
    "CFLAGS DISPLAY"
)
_POISON_STARTS = (
    "LD_",
    "GIT_",
    "PYTHON",
    "PERL",
    "RUBY",
    "NODE_",
    "LESS",
    "BASH_",
    "MALLOC_",
    "GLIBC_",
    "XDG_",
    "DBUS_",
    "SSH_",
    "SYSTEMD_",
    "SUDO_",
    "MAN",
    "RIPGREP_",
    "PIP_",
    "APT_",
    "DPKG_",
    "LUA_",
    "JAVA_",
    "CURL_",
    "WGET",
    "DOCKER_",
)


def harmless(name: str, value: str) -> bool:
    """True when `name=value` before a program changes nothing but wording."""
    if name in _PAGERS:
        return value in ("", "cat")
    return name in HARMLESS or name.startswith("LC_")


def poison(name: str) -> bool:
    """True when setting `name` may change which programs run, or how, even if it is not exported anew."""
    return name in POISON or (name.startswith(_POISON_STARTS) and name not in HARMLESS) or name.endswith("PAGER")


class Walk:
    """One walk. `run` judges one command with all its words known as far as they can be."""

    def __init__(self, sink: Sink, state: State, run: Run, depth: int = 0) -> None:
        self.sink = sink
        self.state = state
        self.run = run
        self.depth = depth
        self.line = 0
        self.maybe = 0  # conditions around
        self.beside = 0  # pipelines, background jobs around
        self.bounded = False  # something ends what runs here
        self.stdin: Stream | None = None
        self.calling: list[str] = []
        self.called: set[str] = set()
        self.spent = 0
        self.commands = 0
        self.summed = False

    def program(self, walk: Walk, argv: tuple[str, ...]) -> Stream:
        """Judges a command past functions and aliases."""
        raise NotImplementedError

    def text(self, text: str, _by: str, args: tuple[str, ...] | None = None, here: bool = False) -> Stream:
        """Judges a text that is run as a script."""
        raise NotImplementedError

    def flat(self, text: str) -> None:
        """Looks only for destruction in a text."""
        raise NotImplementedError

    def spend(self, amount: int) -> None:
        self.spent += amount
        if self.spent > BUDGET:
            raise ShellFault("it does too much to be followed")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > 40:
            raise ShellFault("it is nested deeper than 40")

    def strange(self, why: str) -> None:
        """Shells read this differently, or it is not understood."""
        self.sink.unknown("shell:text", why)

    def odd_ifs(self) -> bool:
        return self.state.get("IFS") != (" \t\n",)

    def assign(self, name: str, value: Value) -> None:
        if poison(name):
            self.sink.unknown(f"shell:{name}", f"sets {name}, which changes what later commands do")
        if name not in ("PATH",):
            self.state.set(name, value, not self.maybe)

    # --- lists ---

    def body(self, items: Body) -> Stream:
        """The commands of a list, one after another; what they write together."""
        streams = [self.item(item) for item in items]
        return streams[0] if len(streams) == 1 else _joined(streams)

    def item(self, item: Item) -> Stream:
        if item.behind:
            self.sink.add("run", "helper:&", "a background process outlives its command")
            return self.apart(lambda: self.and_or(item))
        return self.and_or(item)

    def and_or(self, item: Item) -> Stream:
        before = self.state.folders
        streams = [self.pipe(item.first)]
        if not item.rest:
            self._moved(before, None)
            return streams[0]
        self.maybe += 1
        for op, pipe in item.rest:
            if op == "||" and _leaves(pipe):
                continue
            if op == "||":
                self.state.go(before, False)
            streams.append(self.pipe(pipe))
        self.maybe -= 1
        self._moved(before, item)
        return _joined(streams)

    def _moved(self, before: tuple[str | None, ...], item: Item | None) -> None:
        """A `cd` may have failed, unless the text leaves when it does."""
        if self.state.folders != before and not (item and item.rest[-1][0] == "||" and _leaves(item.rest[-1][1])):
            self.state.go(before, False)

    def apart(self, act: Callable[[], Stream]) -> Stream:
        """Runs `act` in a shell of its own: what it sets is gone afterwards."""
        kept = self.state
        self.state = kept.copy()
        self.beside += 1
        self.spend(1 + len(kept.vars) // 8)
        try:
            return act()
        finally:
            self.beside -= 1
            self.state = kept

    def pipe(self, pipe: Pipe) -> Stream:
        if len(pipe.parts) == 1:
            return self.node(pipe.parts[0])
        kept = self.stdin
        stream = Stream()
        for index, part in enumerate(pipe.parts):
            if index and not stream.taint and self.stdin is not None and index > 1:
                stream.taint = self.stdin.taint
            self.stdin = stream if index else kept
            stream = self.apart(lambda part=part: self.node(part))  # type: ignore[misc]
        self.stdin = kept
        return stream

    # --- commands ---

    def node(self, node: Node) -> Stream:
        self.deeper()
        self.spend(1)
        kept = self.stdin
        try:
            if isinstance(node, Simple):
                return self.simple(node)
            if isinstance(node, Function):
                return self.define(node)
            self.redirect(node.redirects)
            if isinstance(node, Group):
                if node.sub:
                    return self.apart(lambda: self.body(node.body))
                return self.body(node.body)
            return self.compound(node)
        finally:
            self.stdin = kept
            self.depth -= 1

    def compound(self, node: If | Loop | For | Case) -> Stream:
        if isinstance(node, (Loop, For)):
            return self.loop(node)
        streams: list[Stream] = []
        self.maybe += 1
        if isinstance(node, If):
            for test, body in node.arms:
                self.body(test)
                streams.append(self.body(body))
            streams.append(self.body(node.other))
        else:
            expand.one(self, node.word)
            for patterns, body in node.arms:
                for pattern in patterns:
                    expand.one(self, pattern)
                streams.append(self.body(body))
        self.maybe -= 1
        return _joined(streams)

    def loop(self, node: Loop | For) -> Stream:
        if isinstance(node, For):
            values = self.values(node)
        elif not self.bounded and _endless(node):
            self.sink.add("run", "helper:loop", "a loop that nothing ends")
        self.maybe += 1
        for name in assigned(node):
            self.state.set(name, (ANY,), False)
        if moves(node):
            self.state.go((None,), False)
        if isinstance(node, For):
            self.state.set(node.name, values, True)
        else:
            self.body(node.test)
        stream = self.body(node.body)
        self.maybe -= 1
        return Stream(None, stream.taint, stream.below)

    def values(self, node: For) -> Value:
        """What the variable of a `for` may be."""
        if node.words is None:
            return self.state.args if self.state.args is not None else (ANY,)
        found: list[str] = []
        for word in node.words:
            for choice in expand.fields(self, word):
                found += [ANY if SPLIT in text else text for text in choice]
        if len(found) > MOST:
            return (TOKEN,) if all(text.isalnum() for text in found) else (ANY,)
        if poison(node.name):
            self.assign(node.name, (ANY,))
        return tuple(dict.fromkeys(found))

    def define(self, node: Function) -> Stream:
        bodies, sure = self.state.functions.get(node.name, ((), False))
        if self.maybe:
            self.state.functions[node.name] = ((*bodies, node), sure and bool(bodies))
        else:
            self.state.functions[node.name] = ((node,), True)
        return Stream(("",))

    def call(self, name: str, args: tuple[str, ...]) -> Stream:
        """Runs the bodies that `name` may have."""
        self.called.add(name)
        if name in self.calling:
            if self.beside:
                self.sink.ruin("fork-bomb", f"{name} starts itself again and again, side by side")
            else:
                self.sink.unknown("shell:recursion", f"{name} calls itself")
            return Stream()
        self.calling.append(name)
        kept, self.state.args = self.state.args, args if all(SPLIT not in arg for arg in args) else None
        streams = []
        for body in self.state.functions[name][0]:
            if isinstance(body, Function):
                self.redirect(body.redirects)
                streams.append(self.node(body.body))
        self.state.args = kept
        self.calling.pop()
        return _joined(streams)

    def uncalled(self) -> None:
        """Walks the functions that nobody called."""
        for name in list(self.state.functions):
            if name not in self.called:
                self.call(name, (SPLIT,))

    # --- words ---

    def capture(self, part: Sub) -> Value:
        """What a substitution stands for."""
        self.deeper()
        kept, self.maybe = self.maybe, self.maybe
        stream = self.apart(lambda: self.body(part.body))
        self.maybe = kept
        self.depth -= 1
        if part.process:
            return (FETCHED if stream.taint else ANY,)
        if stream.taint:
            return (FETCHED,)
        if stream.text is not None:
            return tuple(text.rstrip("\n") for text in stream.text)
        return (TOKEN,) if stream.plain else (ANY,)

    def arithmetic(self, text: str) -> None:
        """Some shells evaluate the text of variables, and of what a substitution brings, once more."""
        self.summed = True
        name = ""
        for letter in text + " ":
            if letter.isalnum() or letter == "_":
                name += letter
                continue
            if name and not name[0].isdigit():
                if any(sign in value for value in self.state.vars.get(name, ()) for sign in ("$(", "`")):
                    self.strange("arithmetic that runs commands")
                if letter in "=+-*/%<>|&^ " and name in self.state.vars:
                    self.state.set(name, (TOKEN,), False)
            name = ""
        if "=" in text.replace("==", "") or "++" in text or "--" in text:
            for name in _names(text):
                self.assign(name, (TOKEN,))
        if "$(" in text or "`" in text:
            self.strange("arithmetic that runs commands")

    def simple(self, node: Simple) -> Stream:
        self.line = node.line
        argvs: list[list[str]] = [[]]
        for word in node.words:
            choices = expand.fields(self, word)
            if len(argvs) * len(choices) > 2 * MOST:
                choices = ((SPLIT,),)
            if len(choices) == 1:
                for argv in argvs:
                    argv.extend(choices[0])
            else:
                argvs = [[*argv, *choice] for argv in argvs for choice in choices]
            self.spend(len(argvs))
        self.redirect(node.redirects)
        self.spend(sum(1 + len(argv) for argv in argvs))
        values = [(assign.name, expand.one(self, assign.word), assign.more) for assign in node.assigns]
        streams = []
        for fields in dict.fromkeys(tuple(argv) for argv in argvs):
            self.prefix(values, fields)
            if fields:
                streams.append(self.run(self, fields))
        return streams[0] if len(streams) == 1 else _either(streams) if streams else Stream(("",))

    def prefix(self, values: list[tuple[str, Value, bool]], argv: tuple[str, ...]) -> None:
        """Assignments alone or before the command `argv`."""
        for name, value, more in values:
            if more:
                value = (ANY,)
            if not argv:
                self.assign(name, value)
            elif argv[0] == "read" and name == "IFS":
                continue
            elif not all(harmless(name, text) for text in value):
                self.sink.unknown(f"shell:{name}", f"sets {name} for {shown(argv[0])}")
                if argv[0] in ("eval", ".", "export", "readonly", ":", "set", "trap", "exec") or (
                    argv[0] in self.state.functions
                ):
                    self.state.set(name, value, False)

    # --- redirections ---

    def redirect(self, redirects: tuple[Redirect, ...]) -> None:
        for redirect in redirects:
            if redirect.op in ("<<", "<<<"):
                word = redirect.here.word if redirect.here else redirect.word
                texts = expand.one(self, word)
                self.stdin = Stream(tuple(texts), FETCHED if any(FETCHED in text for text in texts) else "")
            else:
                self.opened(redirect.op, redirect.word)

    def opened(self, op: str, word: Word) -> None:
        for choice in expand.fields(self, word):
            target = choice[0] if len(choice) == 1 else SPLIT if choice else ""
            if op in ("<&", ">&") and (target.isdigit() or target == "-" or target == TOKEN):
                continue
            if op in ("<", "<&", "<>"):
                self.sink.path("read", target, self.state)
                self.stdin = Stream()
            if op != "<" and op != "<&":
                self.sink.path("write", target, self.state)
                if not known(target) and target == SPLIT:
                    self.strange("a redirection to what only shows when it runs")


def _names(text: str) -> list[str]:
    """The names in an arithmetic text."""
    spaced = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text)
    return [name for name in spaced.split() if not name[0].isdigit()]


def _leaves(pipe: Pipe) -> bool:
    """True when the pipeline is an `exit` or `return`."""
    first = pipe.parts[0]
    if len(pipe.parts) == 1 and isinstance(first, Group) and not first.sub and first.body:
        last = first.body[-1]
        return not last.rest and _leaves(last.first) and len(first.body) == 1
    if len(pipe.parts) != 1 or not isinstance(first, Simple) or not first.words:
        return False
    text = [getattr(part, "text", "") for part in first.words[0].parts]
    return text in (["exit"], ["return"])


def _endless(node: Loop) -> bool:
    """True when the condition of a loop never changes by itself."""
    if not node.test:
        return True
    last = node.test[-1]
    first = last.first.parts[0]
    if last.rest or len(last.first.parts) != 1 or not isinstance(first, Simple) or not first.words:
        return False
    name = "".join(getattr(part, "text", "") for part in first.words[0].parts)
    rest = ["".join(getattr(part, "text", "$") for part in word.parts) for word in first.words[1:]]
    if name in ("[", "test"):
        return rest in (["1", "]"], ["1"], ["true", "]"], ["1", "=", "1", "]"], ["1", "-eq", "1", "]"])
    return name == "false" if node.until else name in _NEVER_ENDING


def _joined(streams: list[Stream]) -> Stream:
    """What commands one after another write."""
    taint = next((stream.taint for stream in streams if stream.taint), "")
    below = tuple(path for stream in streams for path in stream.below)
    texts = [stream.text for stream in streams]
    if texts and all(text is not None and len(text) == 1 for text in texts):
        whole = "".join(text[0] for text in texts if text)
        return Stream((whole,) if len(whole) < 65536 else None, taint)
    return Stream(None, taint, below if all(stream.below or stream.text == ("",) for stream in streams) else ())


def _either(streams: list[Stream]) -> Stream:
    """What one of several commands writes."""
    taint = next((stream.taint for stream in streams if stream.taint), "")
    texts: list[str] = []
    for stream in streams:
        if stream.text is None:
            below = tuple(path for each in streams for path in each.below)
            plain = all(each.plain for each in streams)
            return Stream(None, taint, below if all(each.below for each in streams) else (), plain)
        texts += stream.text
    return Stream(tuple(dict.fromkeys(texts)) if len(texts) <= MOST else None, taint)
