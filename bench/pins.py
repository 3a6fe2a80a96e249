"""What the gate, the permit, the hands and the tool cost around one look at a line of a GPIO chip.

Both rows ask the same chip model, in this process, for the same line: what it is (LINEINFO), to be lent as it is
(GET_LINE), its value (GET_VALUES), and close it. The bare loop asks by hand with buffers that were prepared. The gated
read is a call as the loop makes it, without the tape: effects, decision, permit, hands, `gpio_read`, observation.

Rules:
1. A result without equal output is none: both must bring the same level by the same calls, else the rows are broken.
2. The two are timed in turns within one round, bare, gated, gated, bare, so that neither is always the later one.
3. Instructions are user instructions of a process that reads many times less those of one that reads a few times, by
   callgrind, for each read. They are the same whenever they are counted, so they are counted once.
4. The model answers in Python, and is slower than a kernel would be; both rows pay that alike.
"""

from __future__ import annotations

import subprocess
import sys
import time

from bench import forms, scratch, start
from bench.harness import Absent, Broken, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.harness import Measure
    from edge.call import Observation, Scene
    from edge.hands.world import World

TITLE = "One look at a GPIO line"
UNIT = "us of processor time"
ROUNDS = 15
WARM = True
READS = 300
FEW, MANY = 20, 220  # reads of the processes whose instructions are counted

BARE, GATED = "bare ioctl loop", "gated gpio_read"
BARE_COUNT, GATED_COUNT = "bare ioctl loop, thousand instructions", "gated gpio_read, thousand instructions"
TARGETS = {GATED: (Target(ratio=4),), GATED_COUNT: (Target(ratio=4, anchor=BARE_COUNT),)}
LINE, OFFSET = "GPIO24", 24


class Board:
    """The chip model, a scene with outputs and contacts beside the line, and both ways to look at it."""

    def __init__(self) -> None:
        from edge.call import Call, Gpio
        from edge.gate.policy import Policy
        from edge.hands.gpio import Header
        from edge.peripherals.gpiochip.model import Model
        from edge.tools.gpio_read import TOOL

        self.model = Model("pi3")
        self.model.pull("pinctrl-bcm2835", LINE, True)
        self.world = world(declared(Gpio(lab=("GPIO26",))))
        self.world._header = Header(self.world.scene.gpio, self.model)
        self.policy = Policy("guarded")
        self.tool = TOOL
        self.call = Call

    def gated(self, reads: int) -> Observation:
        """Read so many times; the last observation."""
        from edge.gate.decide import decide
        from edge.gate.policy import State
        from edge.hands import Hands

        policy, world, tool, made = self.policy, self.world, self.tool, self.call
        scene = world.scene
        for _ in range(reads):
            call = made("gpio_read", {"line": LINE}, "c1")
            effects = tool.effects(call.args, scene)
            state = State(
                durable=True,
                simulated=False,
                calls_last_hour=1,
                tainted="",
                unattended=False,
                stopped="",
                granted="",
            )
            decision = decide(call, effects, policy, state, scene)
            if decision.verdict != "allow" or decision.permit is None:
                raise Broken(f"the gate said {decision.verdict}: {decision.sentence}")
            found = tool.run(call.args, Hands(decision.permit, call, world))
        return found

    def bare(self, reads: int) -> bool:
        """Read so many times; the last level."""
        from edge.hands.gpio import CONSUMER
        from edge.peripherals.gpiochip import uapi

        ask, close = self.model.ioctl, self.model.close
        chip = self.model.open(self.model.chips()[0])
        info, values = uapi.info(OFFSET), uapi.values()
        request = uapi.request(OFFSET, CONSUMER, uapi.config(0, None, 0.0))
        for _ in range(reads):
            ask(chip, uapi.GET_LINEINFO, bytearray(info))
            wanted = bytearray(request)
            ask(chip, uapi.GET_LINE, wanted)
            line = int.from_bytes(wanted[-4:], sys.byteorder)
            found = bytearray(values)
            ask(line, uapi.GET_VALUES, found)
            close(line)
        close(chip)
        return bool(found[0] & 1) if sys.byteorder == "little" else bool(found[7] & 1)

    def check(self) -> None:
        """Rule 1."""
        asked, levels = [], []
        for read in (lambda: self.bare(1), lambda: (self.gated(1).data or {}).get("value")):
            self.gated(1)  # which line is where is known from now on
            before = len(self.model.record)
            levels.append(read())
            asked.append([one for one in self.model.record[before:] if one.line == OFFSET])
        if asked[0] != asked[1] or levels != [True, True]:
            raise Broken(f"the two do not do the same: {levels}, {asked}")


def declared(gpio: object) -> Scene:
    """A board as people have one: three outputs, two contacts, a lab line; the line that is looked at is free."""
    from edge.call import Gpio, Output, Root, Scene, Sensor

    assert isinstance(gpio, Gpio)
    wired = (("pump", "irrigation pump", "GPIO17"), ("fan", "exhaust fan", "GPIO27"), ("valve", "valve", "GPIO22"))
    outputs = (*[Output(*one) for one in wired], Output("GPIO26", "lab line GPIO26", "GPIO26", "high"))
    contacts = (("door", "door", "", "GPIO5"), ("float", "tank float", "", "GPIO6"))
    sensors = tuple([Sensor(*one, (), ("closed", "open")) for one in contacts])
    folder = scratch.folder(memory=True)
    return Scene(folder, folder, (Root("work", folder),), sensors, outputs, folder, False, gpio=gpio)


def world(scene: Scene) -> World:
    """A world without a guard: nothing here asks for one."""
    from edge.hands.world import World
    from edge.tape.unkept import Unkept

    def no_board() -> object:
        raise Broken("a look at a free line asked the guard")

    return World(scene, Unkept(), no_board)  # type: ignore[arg-type]


class Pair:
    """Both ways timed beside each other (rule 2): `bare` is a new measurement, `gated` is of the same one."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._gated = 0.0

    def bare(self) -> float:
        took = {self._board.bare: 0, self._board.gated: 0}
        for read in (self._board.bare, self._board.gated, self._board.gated, self._board.bare):
            begin = time.process_time_ns()
            read(READS)
            took[read] += time.process_time_ns() - begin
        bare, self._gated = [each / 2 / READS / 1000 for each in took.values()]
        return bare

    def gated(self) -> float:
        return self._gated


def counted(way: str, home: str) -> Callable[[], float]:
    """A measure of thousands of user instructions of one read (rule 3)."""
    known: list[float] = []

    def count(reads: int) -> float:
        argv = [sys.executable, "-m", "bench.pins", way, str(reads)]
        ended(argv, home)  # so that what it loads is compiled
        return max(found for _, found in start.counted(argv, home, ended))

    def measure() -> float:
        if not start.VALGRIND:
            raise Absent("valgrind is absent")
        if not known:
            known.append((count(MANY) - count(FEW)) / (MANY - FEW) * 1000)
        return known[0]

    return measure


def ended(argv: Sequence[str], _home: str) -> None:
    """Run to the end, with a fixed hash seed; Broken when it fails."""
    env = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "0"}
    done = subprocess.run(argv, cwd=forms.ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise Broken(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])


def rows() -> list[tuple[str, Measure]]:
    board = Board()
    board.check()
    pair, home = Pair(board), scratch.folder()
    return [
        (BARE, pair.bare),
        (GATED, pair.gated),
        (BARE_COUNT, counted("bare", home)),
        (GATED_COUNT, counted("gated", home)),
    ]


def main(argv: list[str]) -> int:
    """`python -m bench.pins bare|gated READS`: so many reads and nothing else."""
    board = Board()
    {"bare": board.bare, "gated": board.gated}[argv[0]](int(argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
