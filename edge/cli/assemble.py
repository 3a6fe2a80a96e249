"""Puts a run together: tape, board, world, model, watcher, approver -> a loop; and takes it apart again."""

from __future__ import annotations

import os
import time

from edge import __version__
from edge.brief import brief
from edge.cli import say, settle, watching
from edge.cli.stock import catalogue
from edge.cli.who import approver
from edge.context import Context
from edge.faults import Fault
from edge.hands.world import World
from edge.loop import Loop
from edge.model import make
from edge.parts import Parts
from edge.pulse import Pulse
from edge.record import replace
from edge.redact import Redactor
from edge.stop import Watch
from edge.taint import Taint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Call, Scene
    from edge.cli.args import Options
    from edge.parts import Ending
    from edge.peripherals.guard.client import Board
    from edge.tape.journal import Tape
    from edge.tape.unkept import Unkept
    from edge.vitals import Vitals
    from edge.watch import Watcher

CLOCK_IS_SET_AFTER = 1_735_689_600  # 2025-01-01: an earlier date is a clock that was never set


class Run:
    """One loop with all it stands on. `close` ends the board, the tape and the model, in this order.

    `lasting`: a conversation, in which shells may go on in the background.
    """

    def __init__(self, options: Options, watcher: Watcher, resume: str = "", lasting: bool = False) -> None:
        environ = os.environ
        self.settings = settle.settings(options, environ)
        self.state = settle.state_folder(self.settings.state, environ)
        scene = settle.scene(self.state, environ, self.settings, options.config)
        self.model = make(self.settings.model, scene)
        policy = settle.policy(self.settings)
        grants = settle.grants(options, scene)
        redact = Redactor(watching.secrets(self.settings.model, environ))
        self.tape = _tape(self.state, resume)  # after all that may be wrong with the settings: no empty tapes
        self.watcher, self._noticed = watcher, ""
        self.approver = approver(options.yes, options.ask or self.settings.wait, self.state, options.trace == "json")
        self._pulse: Pulse | None = None
        self.audit = watching.audit(self.state, redact, self.settings.receipts)
        watch = Watch(self.state)
        self.world = self._world(scene, policy.wall(options.unattended), watch)
        self.world.job_seconds = self.settings.budgets.job_seconds if lasting else 0.0
        self.catalogue, stocked = catalogue(self.settings.tools, policy, scene, options.verb == "tool")
        self._stock(options.verb != "tool")
        parts = Parts(
            model=self.model,
            world=self.world,
            context=Context(brief(scene, self.catalogue, self.model.mode), self.model.mode),
            catalogue=self.catalogue,
            policy=policy,
            budgets=self.settings.budgets,
            approver=self.approver,
            watcher=watcher,
            clock=self._clock,
            audit=self.audit,
            redact=redact,
            taint=Taint(self.state, watching.heard(self.state, resume)),
            grants=grants,
            stopped=watch.look,
            unattended=options.unattended,
        )
        self.loop = Loop(parts)
        self._vitals: Vitals | None = None
        if "NOTIFY_SOCKET" in os.environ:
            self._announce()
        if resume:
            _remember(self.loop, self.state, self.tape.name)
        self._open_record()
        self._sweep()
        self._warn((*self.settings.warnings, *stocked, self._notice()))

    def _announce(self) -> None:
        """A supervisor wants signs of life: systemd, or that of a card."""
        from edge.vitals import vitals

        self._vitals = vitals(os.environ, os.getpid(), self.loop.silence)
        if self._vitals is not None:
            self._vitals.start()

    def _warn(self, sentences: tuple[str, ...]) -> None:
        other = tuple(
            f"risk profile {one.name}:" for one in self.settings.profiles if one.name != self.settings.profile
        )
        for sentence in sentences:
            if sentence and not sentence.startswith(other):  # what a profile says that is not in force says nothing now
                say(f"fieldhand: {sentence}")

    def _world(self, scene: Scene, wall: str, watch: Watch) -> World:
        world = World(scene, self.tape, self._start_board)
        world.sandbox, world.proxy, world.ca_file = wall, self.settings.proxy, self.settings.model.ca_file
        world.child, world.stopping, world.over = self._child, watch.everything, self._over
        return world

    def _stock(self, goes_on: bool) -> None:
        """Tell everybody which tools there are; where long results can be read later (`goes_on`) they are kept."""
        self.world.catalogue = self.catalogue
        self.watcher.knows(self.catalogue.schemas)
        if self.state and goes_on and "spill_read" in self.catalogue.schemas:
            from edge.tape.spill import Spill

            self.world.spill = Spill(f"{self.state}/spill", self.tape.name, self.settings.tools.spill_threshold)

    def _notice(self) -> str:
        """What the audit has to say that was not said yet."""
        said, self._noticed = self._noticed, self.audit.notice if self.audit.durable else ""
        return "" if said == self._noticed else self._noticed

    def _child(self, pid: int, started: int, tag: int) -> None:
        """A program runs: should this process die now, the next start ends what is left of it."""
        if self.state:
            from edge.tape.leftovers import mark

            mark(self.state, self.tape.name)
        while not self.loop.note("child", {"pid": pid, "start": started, "tag": tag, "what": "shell"}):
            pass

    def _over(self, call: Call, facts: Mapping[str, Any]) -> None:
        """What went on of a call ended: the operator sees it at once, the model with the next line or result."""
        self.loop.over(call, facts)
        self.watcher.note(facts["words"])

    def _clock(self) -> str:
        """What goes before the operator's line: the time, and what happened meanwhile."""
        return "\n".join([clock(), *self.loop.news()])

    def _open_record(self) -> None:
        from edge.tape.leftovers import started

        self.tape.append(
            "open",
            {
                "version": __version__,
                "pid": os.getpid(),
                "start": started(os.getpid()),
                "preset": self.settings.preset,
                "profile": self.settings.profile,
                "policy": self.loop.parts.policy.digest,
                "model": self.model.name,
                "board": self.settings.board,
                "cwd": self.world.scene.cwd,
            },
        )

    def _sweep(self) -> None:
        """End what an earlier run left running; cheap when there is nothing."""
        if self.state:
            from edge.tape.leftovers import sweep

            for sentence in sweep(self.state, strays=watching.strays):
                self.tape.append("note", {"text": sentence})

    def _start_board(self) -> Board:
        from edge.cli.board import start

        if self.state:
            from edge.tape.leftovers import mark

            mark(self.state, self.tape.name)
        board = start(self.settings, self.state, self.tape.name)
        child = {"pid": board.pid, "start": board.started, "what": "board"}
        while board.started and not self.loop.note("child", child, True):
            pass  # a guard that was joined is nobody's child here
        for sentence in board.notes:
            self.watcher.board({"event": "note", "why": sentence})
        self._pulse = Pulse(board, self.loop.silence, self._told, self._renew)
        self._pulse.start()
        return board

    def _told(self, event: Mapping[str, Any]) -> bool:
        if not self.loop.note("board", event):
            return False
        try:
            self.watcher.board(event)
        except Exception as error:  # what cannot be shown must not end the heartbeat
            say(f"fieldhand: a board event could not be shown: {type(error).__name__}: {error}")
        return True

    def _renew(self) -> bool:
        """The guard that this run started has crashed: another one makes every output safe before anything else."""
        found, why = True, "the board process crashed and was started again: what was on is at its safe value"
        try:
            self.world.renew()
        except Fault as fault:  # also settings that were changed meanwhile
            found, why = False, f"the board process crashed and cannot be started again: {fault}"
        while not self._told({"event": "lost", "why": why}):
            pass
        return found

    def linger(self) -> None:
        """A one-shot waits for its own leases; Ctrl-C ends the wait. What a guard that stays holds on is left to it."""
        board = self.world.running_board()
        if board is None:
            return
        stay = {one.name for one in self.world.scene.outputs if one.on_exit == "hold" and not board.started}
        while not self.loop.interrupted:
            self.loop.seen()
            rows = board.states()
            mine = [name for name, row in rows.items() if row["left"] is not None and row["owner"] == self.tape.name]
            left = [f"{name} {rows[name]['left']:.0f} s" for name in mine if name not in stay]
            if not left:
                if mine:
                    say(f"fieldhand: {', '.join(mine)} is left to the guard, which ends its lease")
                break
            self.watcher.waiting("its own lease to end: " + ", ".join(left) + " of board time left")
            time.sleep(0.1)
        time.sleep(0.3 if not self.loop.interrupted else 0)

    def close(self, code: int) -> None:
        """Safe values first, then the last record."""
        if self._vitals is not None:
            self._vitals.stop()
        if self._pulse is not None:
            self._pulse.stop()
        board = self.world.running_board()
        if board is not None and board.gone and self._renew():
            board = self.world.running_board()
        self.world.close()
        if board is not None:
            for event in board.events():
                self._told(event)
        self.loop.note("close", {"code": code}, True)
        self.tape.close()
        self.audit.close()
        notice = self._notice()
        if notice:
            say(f"fieldhand: {notice}")
        self.approver.close()
        if self.state:
            from edge.tape.leftovers import unmark

            unmark(self.state, self.tape.name)
        self.model.close()


def clock() -> str:
    """The wall clock for the model, in UTC; says so when it cannot be right."""
    now = time.time()
    if now < CLOCK_IS_SET_AFTER:
        return "the clock of this board is not set"
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))


def failure(ending: Ending, tape: Tape | Unkept, failed: str) -> str:
    """The sentence for a turn that ended without an answer. `failed`: why the tape takes nothing more, or ""."""
    kept = f"the record is tape {tape.name}" if tape.durable else "nothing is kept"
    if failed:
        kept = "nothing more is kept" if failed in str(ending.fault) else f"nothing more is kept: {failed}"
    return f"{ending.fault}; {kept}"


def _tape(state: str, resume: str) -> Tape | Unkept:
    if not state:
        from edge.tape.unkept import Unkept

        return Unkept()
    from edge.tape.journal import Tape

    folder = state + "/tapes"
    return Tape.open(folder, resume) if resume else Tape.create(folder)


def _remember(loop: Loop, state: str, name: str) -> None:
    """Give the context what an earlier run of this tape said and did."""
    from edge.cli.resume import feed

    made = feed(loop.parts.context, f"{state}/tapes/{name}.jsonl", loop.parts.catalogue)
    loop.turn_state = replace(loop.turn_state, made=made)
