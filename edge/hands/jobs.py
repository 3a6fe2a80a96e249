"""Shells that go on in the background: what they are called, what they wrote, how they end.

Rules:
1. A job is a shell whose call is over: it keeps its wall, its spool and a thread of its own until it ends. Its name is
   that of its call, so that no other on the tape has it.
2. It ends by itself, by `kill`, when its time is over, when the operator stops everything or its tool, with the
   conversation, and with the agent. However it ends, nothing that it started goes on.
3. `kill` asks first (SIGTERM to all its processes), waits at most GRACE, and ends what is left.
4. AT_ONCE jobs run at a time. Of those that ended the newest KEPT are kept, and at most ROOM bytes of all.
5. A cut of the turn in which it was started ends it as long as the model was not told of it; later ones do not.
"""

from __future__ import annotations

import _thread
import os
import time

from edge.faults import ToolFault
from edge.hands.child import signal_name
from edge.hands.ended import Ended
from edge.hands.spool import HEAD, TAIL
from edge.hands.wall import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.call import Call
    from edge.hands import Holder
    from edge.hands.child import Watch
    from edge.hands.world import World

AT_ONCE = 4
KEPT = 16
ROOM = 64 << 20  # bytes
GRACE = 3.0  # seconds between SIGTERM and SIGKILL
PARTING = 1.0  # the same at the end of the conversation
LOOK = 0.1
_WHY = {
    "kill": "by bash_kill",
    "deadline": "because its time was over",
    "stopped": "because it was stopped",
    "quit": "with the conversation",
}
_REAP = 2.0  # seconds between two looks for ended orphans
_FORGOTTEN = 256  # names of jobs that are kept no more


class Job(Ended):
    """One shell in the background. `clean` is called once when it is over."""

    def __init__(self, name: str, call: Call, watch: Watch, deadline: float, clean: Callable[[], None]) -> None:
        super().__init__()
        assert watch.spool is not None
        self.name = name
        self.call = call
        self.begun = time.monotonic()
        self.status = "running"
        self.exit_code: int | None = None
        self.why = ""  # it was ended by: kill, deadline, stopped (by the operator), quit
        self.spool = watch.spool
        self._watch = watch
        self._deadline = deadline
        self._clean = clean
        self._asked = ("", 0.0)

    def serve(self, world: World) -> None:
        """In the job's own thread: until it is over."""
        why = "stopped"
        try:
            why = self._lasting(world)
            if why not in ("", "deadline", "stopped"):
                self._watch.ask_to_end(self._asked[1])
        finally:
            self._watch.end()
            self.spool.finish()
            self.exit_code = -9 if self._watch.code is None else self._watch.code
            self.why, self.status = why, "killed" if why else "exited"
            self._clean()
            try:
                world.over(self.call, self.facts())
            finally:
                self.over()

    def _lasting(self, world: World) -> str:
        """Read until it ends ("") or has to: why. Ended orphans are reaped on the way."""

        def ending() -> bool:
            return bool(self._asked[0]) or world.stopping() or world.forbidden(self.call)

        while True:
            until = min(self._deadline, time.monotonic() + _REAP)
            how = self._watch.until(until, ending, LOOK)
            if how == "exit" or self._watch.child.poll() is not None:
                return ""
            if how == "stopped":
                return self._asked[0] or how
            if until == self._deadline:
                return how
            tree.running(self._watch.child.tag, self._watch.child.pid)

    def ask(self, why: str, patience: float) -> None:
        """Have it end; returns at once."""
        if not self._asked[0]:
            self._asked = (why, patience)

    def facts(self) -> dict[str, Any]:
        """`shell_id status exit_code signal why length age words` and how much of its output is not kept."""
        code = self.exit_code
        return {
            "words": self._words(),
            "shell_id": self.name,
            "status": self.status,
            "exit_code": code,
            "signal": signal_name(-code) if code is not None and code < 0 else "",
            "why": self.why,
            "length": self.spool.length,
            "left_out": self.spool.left_out,
            "age": round(time.monotonic() - self.begun, 1),
        }

    def _words(self) -> str:
        """In one sentence, how it stands with it."""
        code = self.exit_code
        if self.status == "running" or code is None:
            return f"{self.name} is running"
        end = f"by {signal_name(-code)}" if code < 0 else f"with exit code {code}"
        if not self.why:
            return f"{self.name} has ended {end}"
        return f"{self.name} was ended {_WHY[self.why]}, {end}"


class Shells:
    """The jobs of a conversation, by their names."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._jobs: dict[str, Job] = {}
        self._forgotten: list[str] = []
        self._lock: Any = _thread.allocate_lock()
        self._closed = False

    def room(self) -> None:
        """ToolFault when no other can run beside those that do."""
        names = self.running()
        if self._closed:
            raise ToolFault("the conversation ends: nothing is started in the background any more")
        if len(names) >= AT_ONCE:
            raise ToolFault(
                f"{AT_ONCE} shells run in the background already ({', '.join(names)}), and that is the most",
                "end one of them by bash_kill, or wait for its end",
            )

    def running(self) -> list[str]:
        """The names of those that run."""
        return [job.name for job in list(self._jobs.values()) if job.status == "running"]

    def start(self, call: Call, watch: Watch, deadline: float, clean: Callable[[], None]) -> Job:
        """Take over a running shell. ToolFault when there is no room; it is then still the caller's."""
        with self._lock:
            self.room()
            job = Job(self._name(call), call, watch, deadline, clean)
            self._drop()
            self._jobs[job.name] = job
            try:
                _thread.start_new_thread(job.serve, (self._world,))
            except RuntimeError as error:
                del self._jobs[job.name]
                raise ToolFault("no thread can be started that would watch it in the background") from error
        watch.spooled()
        return job

    def _name(self, call: Call) -> str:
        """`sh-3` for the call c3."""
        first = name = "sh-" + (call.id[1:] if call.id[:1] == "c" else call.id)
        again = 1
        while name in self._jobs or name in self._forgotten:
            again += 1
            name = f"{first}.{again}"
        return name

    def _drop(self) -> None:
        """Forget the oldest of those that ended, until there is room for one more (rule 4)."""
        ended = [job for job in self._jobs.values() if job.status != "running"]
        left = sum(job.spool.size for job in ended) + AT_ONCE * (HEAD + TAIL) - ROOM
        while ended and (len(ended) > KEPT - 1 or left > 0):
            job = ended.pop(0)
            left -= job.spool.size
            job.spool.close()
            del self._jobs[job.name]
            self._forgotten = [*self._forgotten[-_FORGOTTEN:], job.name]

    def find(self, name: str) -> Job:
        """The job called `name`; ToolFault names those that there are."""
        name = name.strip().lower()
        job = self._jobs.get(name)
        if job is not None:
            return job
        there = [f"{one.name} ({one.status})" for one in list(self._jobs.values())]
        known = f"there are {', '.join(there)}" if there else _none()
        if name in self._forgotten:
            raise ToolFault(f"what {name} wrote is kept no more: it ended, and newer ones took its place", known)
        raise ToolFault(f"no background shell is called {name[:40]!r}", known)

    def started_by(self, call: Call) -> Job | None:
        """The job that `call` started, if it did."""
        return next((job for job in list(self._jobs.values()) if job.call.id == call.id), None)

    def close(self) -> None:
        """End all of them, and let go what they wrote."""
        with self._lock:
            self._closed = True
        jobs = list(self._jobs.values())
        for job in jobs:
            job.ask("quit", PARTING)
        until = time.monotonic() + PARTING + 2 * tree.PATIENCE + 1.0
        for job in jobs:
            if job.wait(max(0.0, until - time.monotonic())):
                job.spool.close()


class Jobs:
    """The background shells of this conversation, inside the permit of one call."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def output(self, name: str, offset: int, limit: int) -> Mapping[str, Any]:
        """What it wrote from character `offset` on, at most `limit`: `output start next_offset skipped` and its facts.

        `skipped`: characters before `start` that are not kept. ToolFault for a name that is not known.
        """
        self._holder.grant("read", "memory", "jobs")
        job = self._find(name)
        facts = job.facts()  # before what is read: a job that is over has written all
        piece = job.spool.read(offset, limit)
        return {
            **facts,
            "length": job.spool.length,
            "output": piece.text,
            "start": piece.start,
            "next_offset": piece.end,
            "skipped": piece.left_out,
        }

    def kill(self, name: str) -> Mapping[str, Any]:
        """End it and all it started, and wait for that: its facts. One that is over only tells them."""
        self._holder.grant("write", "memory", "jobs")
        job = self._find(name)
        job.ask("kill", GRACE)
        job.wait(GRACE + 2 * tree.PATIENCE + 1.0)
        return job.facts()

    def _find(self, name: str) -> Job:
        return self._holder.world.shells().find(name)


def _none() -> str:
    """Why there is no shell in the background."""
    from edge.hands.run import SHELL

    if not os.path.exists(SHELL):
        return f"there is no {SHELL} on this system, so none was started"
    return "there are none: they end with the run that started them"
