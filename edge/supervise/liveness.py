"""Is what runs on this board live? A table of who showed a sign of life when, and what follows from it. Pure.

Rules:
1. An agent counts from its first sign. Its last sign older than `hang` seconds: it hangs. STOPPING is a sign, and the
   last one: what takes longer than `hang` to end hangs too. An agent whose process has ended counts no more.
2. The guard is asked by the supervisor. One that takes the question and does not answer for `hang` seconds hangs. One
   that answered in this boot and then is not there for `hang` seconds is lost: init brings it back in a second.
   One that was never there is said once and is no reason to hold: its settings are wrong, and a reset would only come
   to the same place, for ever. Whether a new slot may be confirmed without it is for the health check to say.
3. A boot that failed its health check is held: the reset falls back to the slot before.
4. Nothing is held for ever: a sign of life that comes after all lets the feeding go on, and that is said too.
5. At most AGENTS agents; that there is one more is told once, and it is not counted: a table that grows is no watchdog.
6. All times are seconds of one monotonic clock, which the caller hands in.
"""

from __future__ import annotations

from edge.record import Record, replace

HANG = 30.0
AGENTS = 64
ANSWERED, MUTE, ABSENT = "answered", "mute", "absent"
NEVER = float("-inf")


class Agent(Record):
    """One that announced itself. `last`: when it showed a sign of life; `ending`: it said that it stops."""

    pid: int
    last: float
    ending: bool = False


class Verdict(Record):
    """What to do with the watchdog: `feed`, and `why` not, as a sentence ("" when all is well)."""

    feed: bool
    why: str = ""


class Liveness:
    """The table. `hang`: seconds without a sign of life after which something hangs."""

    def __init__(self, hang: float, now: float) -> None:
        self.hang = hang
        self.agents: dict[int, Agent] = {}
        self.guard = ""  # what it did last, "" before it was asked
        self.unhealthy = ""
        self._well = NEVER  # when the guard answered last
        self._wrong = now  # since when it does what it does now, if that is no answer

    def sign(self, pid: int, ending: bool, now: float) -> bool:
        """A sign of life of an agent; False when there is no room for one more (rule 5)."""
        if pid not in self.agents and len(self.agents) >= AGENTS:
            return False
        self.agents[pid] = Agent(pid, now, ending)
        return True

    def gone(self, pid: int) -> None:
        """Its process has ended."""
        self.agents.pop(pid, None)

    def asked(self, how: str, now: float) -> None:
        """What became of a question to the guard: ANSWERED, MUTE or ABSENT."""
        if how == ANSWERED:
            self._well = now
        elif how != self.guard:
            self._wrong = now
        self.guard = how

    def failed(self, why: str) -> None:
        """The health check of this boot failed."""
        self.unhealthy = why

    def paused(self, seconds: float) -> None:
        """The supervisor itself did not run for so long: nobody is judged by a time in which nobody was heard."""
        self.agents = {pid: replace(one, last=one.last + seconds) for pid, one in self.agents.items()}
        self._wrong += seconds

    def verdict(self, now: float) -> Verdict:
        """Feed or hold, and why."""
        reasons = [self.unhealthy, self._guard(now), *(self._agent(one, now) for one in self.agents.values())]
        why = "; ".join(filter(None, reasons))
        return Verdict(not why, why)

    def _agent(self, one: Agent, now: float) -> str:
        silent = now - one.last
        if silent < self.hang:
            return ""
        what = "said that it stops and does not end" if one.ending else "shows no sign of life"
        return f"the agent of process {one.pid} {what} for {silent:.0f} s"

    def _guard(self, now: float) -> str:
        wrong = now - self._wrong
        if self.guard in ("", ANSWERED) or wrong < self.hang:
            return ""
        if self.guard == MUTE:
            return f"the guard does not answer for {wrong:.0f} s"
        return f"the guard is not there for {wrong:.0f} s" if self._well > NEVER else ""
