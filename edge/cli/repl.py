"""The conversation at the prompt. On the path to the prompt: import nothing more at the head of this file.

A line that begins with a comma is a text command (`,help`); every other line is a goal.
"""

from __future__ import annotations

import sys

from edge.cli import put, say, settled
from edge.cli.settle import environment, find, kept_in, unkept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.cli.args import Options
    from edge.cli.assemble import Run

PROMPT = "fieldhand> "
GREETING = ",help lists what this prompt knows"
ENDS = (",quit", ",exit", "quit", "exit", "bye")
COMMANDS = """\
,help                this page
,tools               the tools and how to call them
,NAME key=value ...  one tool, same gate: ,sensor_read name=temperature
stop                 the emergency stop of everything (also ,stop WHY)
,resume              lifts it
,quit                the end: outputs go to their safe value (also quit, Ctrl-D)
anything else        a goal, in your own words"""


def repl(options: Options, resume: str = "") -> int:
    """Read lines until the end; 0, or the code of a fault at the start. Ctrl-C ends a turn, not the prompt."""
    told = unkept(kept_in(_told_state(options), environment()))
    if told:
        say(told)
    asked = sys.stdin is not None and sys.stdin.isatty()
    if asked:
        import readline  # noqa: F401 (line editing for input())

        say(GREETING)
    run = _Late(options, resume)
    try:
        if resume:
            say(f"goes on with tape {run.get().tape.name}")
        while _another(run, asked):
            pass
    finally:
        run.close()
    return 0


def _another(run: _Late, asked: bool) -> bool:
    """Read one line and carry it out; False when the conversation is over."""
    try:
        run.typing(asked)
        line = _line(asked, run.begun)
    except KeyboardInterrupt:
        say("")
        return True
    finally:
        run.typing(False)
    if line is None or line.strip().lower() in ENDS:
        return False
    word, _, rest = line.strip().partition(" ")
    if word.lower() == ",stop" or line.strip().lower() == "stop":
        return _stop(run, rest.strip())
    try:
        if line.strip():
            _take(line.strip(), run)
    except KeyboardInterrupt:
        say("interrupted before the turn began")
    return True


def _told_state(options: Options) -> str:
    """The state folder that options or settings tell. What is wrong with them is said before the prompt."""
    if options.config or options.mode or options.profile or options.board or options.model or find(environment()):
        from edge.cli.settle import settings

        return settings(options, environment()).state
    return options.state


def _line(asked: bool, begun: bool) -> str | None:
    """The next line, None at the end. `begun`: a turn may have run before it."""
    if asked:
        settled()
        try:
            if begun and _ended():
                raise EOFError
            return input(PROMPT)
        except EOFError:
            say("")
            return None
    if sys.stdin is None:
        return None
    return sys.stdin.readline() or None


def _ended() -> bool:
    """Whether Ctrl-D was typed while the last turn ran."""
    from edge.cli.ahead import ended

    return ended()


def _typed() -> str:
    import readline

    return PROMPT + readline.get_line_buffer()


class _Late:
    """Makes the run at its first use: the prompt does not wait for what the first line needs."""

    def __init__(self, options: Options, resume: str) -> None:
        self._options = options
        self._resume = resume
        self._run: Run | None = None

    @property
    def begun(self) -> bool:
        """Whether anything was carried out so far."""
        return self._run is not None

    def get(self) -> Run:
        if self._run is None:
            from edge.cli.assemble import Run
            from edge.cli.oneshot import watcher

            self._run = Run(self._options, watcher(self._options), self._resume, lasting=True)
        return self._run

    def alone(self, why: str = "") -> Options:
        """The options of this conversation, for a command without words: which folder, and why."""
        from edge.record import replace

        return replace(self._options, words=(), all=True, why=why)

    def typing(self, now: bool) -> None:
        """Tell the watcher whether a prompt stands, so that what the board tells goes above it."""
        if self._run is not None:
            self._run.watcher.prompt(_typed if now else None)

    def close(self) -> None:
        if self._run is not None:
            from edge.cli.interrupts import leaving

            with leaving():
                self._run.close(0)


def _stop(late: _Late, why: str) -> bool:
    """The emergency stop. Where it cannot be kept this conversation ends, for that makes its outputs safe: False."""
    from edge.cli.stop import stop
    from edge.faults import Fault, OutputFault

    try:
        stop(late.alone(why))
        _seen()
    except OutputFault:
        raise
    except Fault as fault:
        say(f"fieldhand: {fault}")
        say("the conversation ends, so that its outputs go to their safe value")
        return False
    return True


def _seen() -> None:
    """Until the loop of this conversation has seen the change as well."""
    import time

    from edge.stop import FRESH

    time.sleep(FRESH)


def _take(line: str, late: _Late) -> None:
    """One line: a text command or a goal. Faults are told and the prompt goes on, unless nobody can read it."""
    from edge.faults import Fault, OutputFault

    try:
        if line.lower() == ",help":
            from edge.cli import listing

            put(f"{COMMANDS}\n\n{listing.names(listing.here(late.alone()))}")
        elif line.lower() == ",resume":
            from edge.cli.stop import resume

            resume(late.alone())
            _seen()
        elif line.lower() == ",tools":
            from edge.cli import listing

            put(listing.text(listing.here(late.alone())))
        else:
            _turn(line, late.get())
    except OutputFault:
        raise
    except Fault as fault:
        say(f"fieldhand: {fault}")


def _turn(line: str, run: Run) -> None:
    from edge.cli.assemble import failure
    from edge.cli.interrupts import counting, parting
    from edge.text import plain

    model = None
    if line.startswith(","):
        from edge.cli.command import direct

        model = direct(line[1:], run.catalogue.schemas)
    with counting(run.loop):
        ending = run.loop.run(line, model)
    if run.world.lasting() is not None:
        parting()
    if ending.fault is not None:
        say(f"fieldhand: {failure(ending, run.tape, run.loop.keeper.failed)}")
    elif ending.answer:
        put(plain(ending.answer))
