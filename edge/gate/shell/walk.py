"""Walks the commands of a text in the order in which they would run and says what they touch. Pure.

Rules:
1. Every branch, arm, loop body, function, substitution and here-document is walked, whether or not it would run.
2. A loop body is walked once, with everything that it sets unknown. A function is walked at each call with its
   arguments, and once at the end if nobody called it.
3. A function that calls itself where commands run side by side is a fork bomb; elsewhere it may never end.
4. All work is counted; past BUDGET the walk ends and the caller falls back to the flat scan.
"""

from __future__ import annotations

from edge.gate.shell import expand, sums
from edge.gate.shell.around import prefix, redirect
from edge.gate.shell.loops import loop
from edge.gate.shell.marks import ANY, FETCHED, ONE, SPLIT, STAR, TOKEN, known
from edge.gate.shell.nodes import Case, For, Function, Group, If, Loop, Pipe, ShellFault, Simple
from edge.gate.shell.state import MOST
from edge.gate.shell.streams import Stream, either, joined
from edge.gate.shell.syntax import leaves
from edge.gate.shell.variables import poison

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.gate.shell.nodes import Body, Item, Node, Sub
    from edge.gate.shell.sink import Sink
    from edge.gate.shell.state import State, Value

    Run = Callable[["Walk", tuple[str, ...]], Stream]

BUDGET = 15_000


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
        self.defined: list[Function] = []
        self.walked: set[int] = set()
        self.spent = 0
        self.commands = 0

    if TYPE_CHECKING:  # what a fuller class below brings
        # Judges a command past functions and aliases.
        def program(self, walk: Walk, argv: tuple[str, ...]) -> Stream: ...

    if TYPE_CHECKING:  # what a fuller class below brings
        # Judges a text that is run as a script.
        def text(self, text: str, _by: str, args: tuple[str, ...] | None = None, here: bool = False) -> Stream: ...

    if TYPE_CHECKING:  # what a fuller class below brings
        # Looks only for destruction in a text.
        def flat(self, text: str) -> None: ...

    def inner(self, argv: tuple[str, ...]) -> Stream:
        """Judges the command that a wrapper starts."""
        self.deeper()
        stream = self.program(self, argv)
        self.depth -= 1
        return stream

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

    def ifs(self) -> str | None:
        """The letters at which unquoted text is split; None when they only show when it runs."""
        values = self.state.get("IFS")
        return values[0] if len(values) == 1 and known(values[0]) else None

    def assign(self, name: str, value: Value) -> None:
        if poison(name):
            self.sink.unknown(f"shell:{name}", f"sets {name}, which changes what later commands do")
        if name not in ("PATH",):
            self.state.give(name, value, not self.maybe)

    # --- lists ---

    def body(self, items: Body) -> Stream:
        """The commands of a list, one after another; what they write together."""
        streams = [self.item(item) for item in items]
        return streams[0] if len(streams) == 1 else joined(streams)

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
            if op == "||" and leaves(pipe):
                self.apart(lambda pipe=pipe: self.pipe(pipe))  # type: ignore[misc]
                continue
            if op == "||":
                self.state.go(before, False)
            streams.append(self.pipe(pipe))
        self.maybe -= 1
        self._moved(before, item)
        return joined(streams)

    def _moved(self, before: tuple[str | None, ...], item: Item | None) -> None:
        """A `cd` may have failed, unless the text leaves when it does."""
        if self.state.folders != before and not (item and item.rest[-1][0] == "||" and leaves(item.rest[-1][1])):
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
            redirect(self, node.redirects)
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
            return loop(self, node)
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
        return joined(streams)

    def named(self, texts: tuple[str, ...]) -> None:
        """The shell itself lists the folders of patterns."""
        for text in texts:
            if "/" in text and (STAR in text or ONE in text):
                self.sink.path("list", text, self.state)

    def define(self, node: Function) -> Stream:
        self.defined.append(node)
        bodies, sure = self.state.functions.get(node.name, ((), False))
        if self.maybe:
            self.state.functions[node.name] = ((*bodies, node), sure and bool(bodies))
        else:
            self.state.functions[node.name] = ((node,), True)
        return Stream(("",))

    def call(self, name: str, args: tuple[str, ...]) -> Stream:
        """Runs the bodies that `name` may have."""
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
                self.walked.add(id(body))
                redirect(self, body.redirects)
                streams.append(self.node(body.body))
        self.state.args = kept
        self.calling.pop()
        return joined(streams)

    def uncalled(self) -> None:
        """Walks the functions that nobody called."""
        for node in self.defined:
            if id(node) not in self.walked:
                self.state.functions[node.name] = ((node,), True)
                self.call(node.name, (SPLIT,))

    # --- words ---

    def capture(self, part: Sub) -> Value:
        """What a substitution stands for."""
        if not part.body and not part.process:
            return ("",)
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
        """Evaluates `text` as arithmetic."""
        sums.evaluate(self, text)

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
        redirect(self, node.redirects)
        self.spend(sum(1 + len(argv) for argv in argvs))
        values = []
        for assign in node.assigns:
            values.append((assign.name, expand.one(self, assign.word), assign.more))
            if not node.words:
                prefix(self, values[-1:], ())
        streams = []
        for fields in dict.fromkeys(tuple(argv) for argv in argvs):
            prefix(self, values if node.words else [], fields)
            if fields:
                streams.append(self.run(self, fields))
        return (
            streams[0]
            if len(streams) == 1
            else either(streams)
            if streams
            else Stream(None if node.redirects else ("",))
        )
