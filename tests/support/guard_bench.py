"""Benches that kill: a board with its pump on, an agent that is a process of its own, and what ends them.

Three benches, alike for who uses them: `Service` (real lines; the guard is a service under busybox init, which is
process 1 of a PID name space), `Own` (real lines; the guard is the agent's child), `Simulated` (the greenhouse).
The lines are those of a model of chips in a process of its own, which keeps what is released driven, as the kernels of
Raspberry Pi OS do: what it stamps is what somebody at the wire would see. A simulated board has no wire outside of it;
there the stamp is that of the guard's own record.
"""

from __future__ import annotations

import contextlib
import json
import math
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import NamedTuple

from edge.peripherals.guard import door
from edge.peripherals.guard.client import Board
from tests.support.agent import ROOT, command, environment
from tests.support.asking import WakeUps
from tests.support.boards import eventually
from tests.support.chips import ChipServer
from tests.support.distribution import installed
from tests.support.spinning import SPIN
from tests.support.supervisor import Supervisor

CHIP, PUMP = "pinctrl-bcm2835", 17
LEAST = 0.05  # seconds of lateness that are always forgiven
SPELL = 0.05
SETTINGS = """
board = "auto"
[gpio]
chips = "{chips}"
[outputs.pump]
line = "GPIO17"
active = "{active}"
max_on = 600
[guard]
socket = "{socket}"
heartbeat = {heartbeat}
[tools]
plugins = ["spin"]
"""


class Bench(ABC):
    """A place with a board. `output`: what is switched, for `lease` seconds where a test says nothing else."""

    kind = ""
    output = "pump"
    speed = 1  # seconds of board time in one second
    lease = 540  # seconds of board time

    def __init__(self, folder: Path, heartbeat: int = 3, active_low: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.heartbeat, self.active_low = folder, heartbeat, active_low
        self.state = folder / "state"
        self.state.mkdir(mode=0o700, exist_ok=True)
        self.agents: list[Agent] = []
        self.plugins = installed(folder / "plugins", {"spin": "spinning:TOOL"}, {"spinning": SPIN})

    def words(self) -> list[str]:
        """The options of every command here."""
        return ["--state", str(self.state)]

    def agent(self, *words: str) -> Agent:
        """A `fieldhand` with these words."""
        self.agents.append(Agent(self, [*self.words(), *words]))
        return self.agents[-1]

    def switching(self, seconds: int = 0, said: str = "--yes") -> Agent:
        """An agent that switches the pump on and then waits for the end of its lease, after so many real seconds.

        `said`: the option that tells who answers its question.
        """
        told = f"for={seconds * self.speed or self.lease}s"
        return self.agent(said, "tool", "output_set", f"name={self.output}", "state=on", told)

    def switched(self, seconds: int = 0) -> Agent:
        """The same when the pump is on."""
        agent = self.switching(seconds)
        self.until_on(agent)
        return agent

    def fieldhand(self, *words: str) -> subprocess.CompletedProcess:
        """What another command did in the same state folder."""
        return subprocess.run(
            command(*words, *self.words()),
            cwd=ROOT,
            env=environment(self.folder),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def spinning(self, how: str) -> Agent:
        """An agent that switches the pump on and in the same turn is called to spin `how`, once it is let."""
        if how == "waiting":
            return self.switching()
        script = self.folder / f"script-{len(self.agents)}"
        switch = {"thought": "on", "action": "output_set", "action_input": {}}
        switch["action_input"] = {"name": self.output, "state": True, "for_seconds": self.lease}
        spin = {"thought": "spin", "action": "spin", "action_input": {"how": how}}
        script.write_text("".join(json.dumps(json.dumps(one)) + "\n" for one in (switch, spin)))
        return self.agent("--yes", "--model", f"scripted:{script}", "-e", "go")

    def until_on(self, agent: Agent) -> None:
        """Wait until the pump is on; an assertion with what the agent said when it ends before."""

        def on() -> bool:
            assert agent.process.poll() is None, agent.said()
            return self.on()

        eventually(on, pause=0.02)

    @abstractmethod
    def on(self) -> bool:
        """Whether the pump is on now."""

    @abstractmethod
    def began(self) -> float:
        """When the pump came to be on last (time.monotonic)."""

    @abstractmethod
    def off(self, seconds: float = 60.0) -> float:
        """Wait until the pump is off; when it came to be."""

    @abstractmethod
    def record(self) -> list[dict]:
        """What the guard wrote down."""

    def why(self) -> str:
        """Why the pump went off last, by the guard's record."""

        def last():
            rows = [row for row in self.record() if row["name"] == self.output]
            return rows and rows[-1]["state"] is False and rows[-1]

        return eventually(last)["why"]

    def end(self) -> None:
        """End the agents; then whatever the bench stands on."""
        for agent in self.agents:
            agent.end()
        self.agents.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.end()


class Lines(Bench):
    """The pump at a line of a model of chips."""

    def __init__(self, folder: Path, heartbeat: int = 3, active_low: bool = False) -> None:
        super().__init__(folder, heartbeat, active_low)
        self.chips = ChipServer(folder, "pi3", "keep")
        self.socket = str(folder / "guard.sock")
        self.settings = folder / "settings.toml"
        active = "low" if active_low else "high"
        told = {"chips": self.chips.chips, "active": active, "socket": self.socket, "heartbeat": heartbeat}
        self.settings.write_text(SETTINGS.format(**told))
        self.wire = self.chips.outside()
        if active_low:
            self.wire.pull(CHIP, PUMP, True)  # the resistor that such a relay needs: off until somebody drives it

    def words(self) -> list[str]:
        return ["--config", str(self.settings), *super().words()]

    def on(self) -> bool:
        return self.wire.level(CHIP, PUMP) is not self.active_low

    def began(self) -> float:
        changes = self.wire.changes(CHIP, PUMP)
        return [stamp for stamp, level in changes if level is not self.active_low][-1] / 1e9

    def off(self, seconds: float = 60.0) -> float:
        return self.wire.wait(CHIP, PUMP, self.active_low, seconds) / 1e9

    def record(self) -> list[dict]:
        return rows(self.state / "guard" / "board.jsonl")

    def end(self) -> None:
        super().end()
        self.chips.close()


class Own(Lines):
    """The guard is a child of the agent."""

    kind = "chip model, guard of the agent"


class Service(Lines):
    """The guard is a service under busybox init."""

    kind = "chip model, guard as a service"

    def __init__(self, folder: Path, heartbeat: int = 3, active_low: bool = False) -> None:
        super().__init__(folder, heartbeat, active_low)
        self.init = None
        try:
            self.init = Supervisor(folder, [*self.words(), "--socket", self.socket])
            self.up()
        except BaseException:
            self.end()
            raise

    def up(self) -> int:
        """Wait until the guard answers; its process id out here."""
        eventually(lambda: door.ask(self.socket, {"do": "show"}))
        return self.guard()

    def guard(self) -> int:
        """The process id of who listens, as it is out here (unix(7), SO_PEERCRED)."""
        peer = eventually(lambda: door.connect(self.socket, 5.0))
        try:
            return door.credentials(peer)[0]
        finally:
            peer.close()

    def join(self) -> Board:
        return Board.join(self.socket, "bench", str(self.state))

    def end(self) -> None:
        if self.init is not None:
            self.init.end()
        super().end()


class Simulated(Bench):
    """The greenhouse, its guard a child of the agent."""

    kind = "simulated board"
    output = "fan"
    speed, lease = 60, 3600

    def words(self) -> list[str]:
        settings = self.folder / "settings.toml"
        settings.write_text('[tools]\nplugins = ["spin"]\n')
        return ["--config", str(settings), *super().words()]

    def on(self) -> bool:
        rows = [row for row in self.record() if row["name"] == self.output]
        return bool(rows) and rows[-1]["state"]

    def began(self) -> float:
        return self._stamp(True)

    def off(self, seconds: float = 60.0) -> float:
        eventually(lambda: not self.on(), seconds, 0.02)
        return self._stamp(False)

    def _stamp(self, state: bool) -> float:
        stamps = [row["wall"] for row in self.record() if (row["name"], row["state"]) == (self.output, state)]
        return stamps[-1] - time.time() + time.monotonic()

    def record(self) -> list[dict]:
        return rows(self.state / "sim" / "board.jsonl")


def rows(path: Path) -> list[dict]:
    """The whole lines of a record that can be read: a card that was full has torn ones."""
    found = []
    for line in path.read_bytes().split(b"\n")[:-1] if path.exists() else ():
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


class Agent:
    """A `fieldhand` process of a bench."""

    def __init__(self, bench: Bench, words: list[str]) -> None:
        self.bench = bench
        self.spins = bench.folder / f"spins-{len(bench.agents)}"
        self._log = bench.folder / f"agent-{len(bench.agents)}.log"
        env = environment(bench.folder, PYTHONPATH=str(bench.plugins), SPINS=str(self.spins))
        with open(self._log, "wb") as log:
            self.process = subprocess.Popen(
                command(*words), cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=log, stderr=log
            )

    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def say(self, line: str) -> None:
        """Type a line at its prompt."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def kill(self) -> float:
        """When the pump has to be off: at once."""
        now = time.monotonic()
        self.process.kill()
        return now

    def stop(self) -> float:
        """When the pump has to be off: a heartbeat from now."""
        now = time.monotonic()
        self.process.send_signal(signal.SIGSTOP)
        return now + self.bench.heartbeat

    def spin(self, how: str) -> float:
        """Let it spin. When the pump has to be off."""
        if how == "waiting":
            eventually(lambda: "waiting for its own lease" in self.said())
            self.process.send_signal(signal.SIGUSR2)
        else:
            Path(f"{self.spins}.go").touch()
        eventually(self.spins.exists)
        began = float(self.spins.read_text())
        return began + self.bench.heartbeat

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.stdin.close()
        self.process.wait()


class Watch:
    """How late this process wakes up while a bench is watched, and at no other time: `with watch: ...`."""

    def __init__(self) -> None:
        self._wake, self._late = WakeUps(), []

    def __enter__(self):
        self._since = self._wake.moment()
        time.sleep(SPELL)  # so that also a short time has its wake-ups

    def __exit__(self, *_exc):
        self._late += self._wake.seen(self._since)

    def p99(self) -> float:
        late = sorted(self._late)
        return late[math.ceil(0.99 * len(late)) - 1]


class Tally:
    """How many of how many were in time, by how much the latest was late, and how late this process woke up meanwhile.

    `least`: seconds of lateness that are forgiven, or five times the 99th percentile of wake-ups; 0 forgives nothing.
    """

    def __init__(self, what: str, least: float = LEAST) -> None:
        self.what, self.least = what, least
        self._late: list[float] = []

    def add(self, late: float) -> None:
        """A run that was so many seconds behind its deadline."""
        self._late.append(late)

    def judged(self, watch: Watch) -> Judged:
        """All of them, by the wake-ups of the same times."""
        p99 = watch.p99()
        allowed = max(self.least, 5 * p99) if self.least else 0.0
        good = sum(late <= allowed for late in self._late)
        return Judged(self.what, len(self._late), good, max(self._late), p99)


class Judged(NamedTuple):
    """Seconds; see Tally."""

    what: str
    runs: int
    good: int
    worst: float
    p99: float

    def __str__(self) -> str:
        told = f"{self.what}: {self.good} of {self.runs} in time, the latest {1000 * self.worst:+.1f} ms"
        return f"{told} from the deadline, p99 of wake-ups {1000 * self.p99:.1f} ms"
