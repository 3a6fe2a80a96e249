"""The shell reader: a command text to what it touches. `read` is all of it that others use. Pure.

Rules:
1. It never raises. What cannot be read, is nested too deep, too long or too much is unknown, and the flat scan still
   looks for destruction in it: no limit skips a rule that denies.
2. NUL is refused. What a person cannot see in the text (control characters, marks that turn text) is unknown, and the
   rest is read all the same.
3. Simple commands are counted, all of them judged; how many are too many is not decided here.
4. Gate, taint and the question to a person ask about the same text one after the other: it is read once.
5. The effect of a shell is `run shell:sh`, or `run shell:sh:FOLDER` where its text runs in another folder than that of
   the scene: relative names count from there.
"""

from __future__ import annotations

from edge.call import Effect, Grant
from edge.gate.paths import place
from edge.gate.shell import dispatch
from edge.gate.shell.flat import fetched, pieces
from edge.gate.shell.grammar import Parser
from edge.gate.shell.marks import FETCHED, clean, known
from edge.gate.shell.nodes import ShellFault
from edge.gate.shell.sink import Sink
from edge.gate.shell.state import State
from edge.gate.shell.streams import Stream
from edge.gate.shell.walk import Walk
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Scene

LONGEST = 65536  # letters


class Script(Record):
    """What a text touches; what it needs beyond the readable places if it only reads; how many simple commands;
    sentences for the person who is asked."""

    effects: tuple[Effect, ...]
    needs: tuple[Grant, ...] = ()
    commands: int = 0
    remarks: tuple[str, ...] = ()


_last: tuple[str, Scene, str, Script] | None = None  # rule 4
_IN = "shell:sh:"


def read(text: str, scene: Scene, on: str = "") -> Script:
    """What `text`, given to /bin/sh in the folder of `scene`, would touch; `on`: of its effect (rule 5)."""
    global _last
    folder = on[len(_IN) :] if on.startswith(_IN) else ""
    last = _last
    if last is None or last[1] is not scene or last[0] != text or last[2] != folder:
        there = replace(scene, cwd=place(folder, scene).full) if folder else scene
        _last = last = (text, scene, folder, _read(text, there))
    return last[3]


def _read(text: str, scene: Scene) -> Script:
    sink = Sink(scene)
    text = _visible(clean(text), sink)
    walk = Reading(sink, State(scene.cwd, scene.home))
    if len(text) > LONGEST:
        sink.unknown("shell:long", f"the text is longer than {LONGEST} letters")
        walk.flat(text)
    else:
        walk.follow(text)
        walk.finish(text)
    if not sink.effects:
        sink.add("run", "program:true")
    return Script(tuple(sink.effects), tuple(sink.grants), walk.commands, tuple(sink.remarks))


def _visible(text: str, sink: Sink) -> str:
    """`text` without what stops or hides reading, each said."""
    if "\0" in text:
        sink.ruin("nul", "the text holds a NUL character, at which programs stop to read")
        text = text.replace("\0", "")
    if any(not letter.isprintable() and letter not in "\n\t" for letter in set(text)):
        sink.unknown("shell:hidden", "it holds characters that cannot be seen, or that turn what is read")
    return text


class Reading(Walk):
    """A walk with the means to read texts inside texts."""

    def __init__(self, sink: Sink, state: State) -> None:
        super().__init__(sink, state, dispatch.run)
        self.flats = 0

    def program(self, walk: Walk, argv: tuple[str, ...]) -> Stream:
        return dispatch.program(walk, argv)

    def follow(self, text: str) -> Stream:
        """Reads and walks a text line by line; what stands before a fault is judged, and the rest looked through."""
        odd: list[str] = []
        parser = Parser(text, self.depth, odd)
        streams = []
        try:
            while True:
                body = parser.lines()
                if body is None:
                    break
                streams.append(self.body(body))
        except (ShellFault, RecursionError) as fault:
            self.sink.unknown("shell:syntax", f"it cannot be read: {str(fault)[:200]}")
            self.flat(text)
        for why in dict.fromkeys(odd):
            self.sink.unknown("shell:text", why)
        self.commands += parser.commands
        return streams[0] if len(streams) == 1 else Stream()

    def finish(self, text: str) -> None:
        """What can only be said when all was walked."""
        try:
            self.uncalled()
        except (ShellFault, RecursionError):
            self.sink.unknown("shell:syntax", "it does too much to be followed")
            self.flat(text)

    def text(self, text: str, _by: str, args: tuple[str, ...] | None = None, here: bool = False) -> Stream:
        """A text that is run as a script: in this shell, or in one of its own."""
        if not text.strip():
            return Stream(("",))
        if not known(text):
            self.sink.unknown("shell:computed", "it runs a script that only shows when it runs")
            if FETCHED in text:
                self.sink.ruin("download", "it runs what was downloaded or decoded")
        self.deeper()
        self.spend(1 + len(text) // 16)
        kept, self.calling = self.calling, list(self.calling) if here else []
        try:
            return self.follow(text) if here else self._own(text, args)
        finally:
            self.calling = kept
            self.depth -= 1

    def _own(self, text: str, args: tuple[str, ...] | None) -> Stream:
        outer = self.state
        self.state = State("", outer.get("HOME")[0] if known(outer.get("HOME")[0]) else "")
        self.state.folders = outer.folders
        self.state.args = args
        try:
            return self.follow(text)
        finally:
            self.state = outer

    def flat(self, text: str) -> None:
        """Looks for destruction only, in a text that is not read as a script."""
        self.flats += 1
        if self.flats > 60:
            return
        probe = Reading(Sink(self.sink.scene), State(self.sink.scene.cwd, self.sink.scene.home))
        probe.flats = self.flats + 100
        probe.state.folders = self.state.folders
        if fetched(text):
            self.sink.ruin("download", "it runs what was downloaded")
        for argv in pieces(text):
            probe.spent = 0
            probe.depth = 20
            self._piece(probe, argv)
        for effect in probe.sink.effects:
            if effect.on.startswith(("ruin:", "disk:")) or effect.verb == "write":
                self.sink.effects[effect] = None

    def _piece(self, probe: Reading, argv: tuple[str, ...]) -> None:
        try:
            for at, word in enumerate(argv):
                if word == ">":
                    probe.sink.path("write", "".join(argv[at + 1 : at + 2]), probe.state)
            home = self.sink.scene.home or "/root"
            argv = tuple(home + word[1:] if word[:2] in ("~", "~/") else word for word in argv)
            dispatch.program(probe, argv[: argv.index(">")] if ">" in argv else argv)
        except (ShellFault, RecursionError, IndexError):
            return
