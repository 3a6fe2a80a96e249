"""The whole agent loop against the scripted server: `python3 -m bench.agent PORT STEPS`, one turn of STEPS calls.

The loop, gate, tape (in memory), context and chat back end are the product's; only the tool is the bench's: it does
nothing but note the processor time of this process, all threads, each time it runs. So the time between two notes is
one whole step: outcome kept, request sent, reply read, gate asked, intent kept, tool started. It is a low-risk call
(it declares that it senses a declared sensor), its result is never the same twice, and nobody is asked.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

from bench import scratch
from bench.forms import ROOT
from bench.harness import Broken
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.call import Args, Effect, Observation, Scene
    from edge.loop import Loop
    from edge.model import Model
    from edge.tool import Hands, Tool

SKIP = 6
WINDOW = 20


class Figures(Record):
    """Microseconds of own processor time, and private memory in MiB, of one run.

    `mean` over all steps but the first SKIP and the one in which the bench itself reads the memory; `first` and `last`
    are medians over WINDOW of these steps: the first (around step 10), and the last ones. `sizes` are the bodies of the
    requests in bytes.
    """

    mean: float
    first: float
    last: float
    early_mib: float
    late_mib: float
    sizes: tuple[int, ...]


class Server:
    """The scripted server as a process of its own; ends with the `with` block."""

    def __enter__(self) -> Server:
        argv = [sys.executable, "-m", "bench.server"]
        self._child = subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._child.stdout is not None
        self.port = int(self._child.stdout.readline())
        return self

    def __exit__(self, *_exc: object) -> None:
        self._child.communicate(timeout=30)

    def sizes(self) -> tuple[int, ...]:
        """Sizes of the request bodies since the last look."""
        import http.client

        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/sizes")
        told = tuple(json.loads(connection.getresponse().read()))
        connection.close()
        return told


def told(argv: list[str], seconds: float = 120.0) -> bytes:
    """What a child of the bench printed; Broken with the last line of its complaint, or when it takes too long."""
    try:
        done = subprocess.run(argv, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Broken(f"{' '.join(argv[1:4])} did not end within {seconds:g} s") from None
    if done.returncode:
        raise Broken(done.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return done.stdout


class Runs:
    """Runs of `steps` steps, each in a fresh process; `last()` is the one before, without another run."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self._last: Figures | None = None

    def run(self) -> Figures:
        """One run; Broken with what it said last when it does not come to its answer."""
        with Server() as server:
            argv = [sys.executable, "-m", "bench.agent", str(server.port), str(self.steps)]
            self._last = Figures(**json.loads(told(argv)), sizes=server.sizes())
        return self._last

    def last(self) -> Figures:
        """The figures of the run before."""
        return self._last or self.run()


def noop(moments: list[int], memory: dict[int, float]) -> Tool:
    """The tool of the bench. Appends to `moments`; fills `memory` at step SKIP + WINDOW."""
    from edge.call import Effect, Observation
    from edge.tool import Tool

    def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
        return (Effect("sense", "sensor:nothing"),)

    def run(args: Args, hands: Hands) -> Observation:
        moments.append(time.process_time_ns())
        if len(moments) == SKIP + WINDOW:
            memory[len(moments)] = private()
        return Observation(True, f"nothing, for the {args['n']}th time", {"n": args["n"]})

    return Tool(
        name="noop",
        about="Do nothing.",
        schema={
            "type": "object",
            "properties": {"n": {"type": "integer", "minimum": 1}},
            "required": ["n"],
            "additionalProperties": False,
        },
        effects=effects,
        run=run,
        words=lambda args, scene: "do nothing",
        examples=("n=1",),
    )


def private() -> float:
    """RssAnon of this process in MiB; 0 where the kernel does not tell."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as lines:
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:")), 0.0)


def loop(port: int, steps: int, tool: Tool) -> Loop:
    """A loop of the product's parts that talks to the server at `port` and has only `tool`."""
    from edge.call import Scene
    from edge.config import ModelSettings
    from edge.model import make

    settings = ModelSettings(
        spec="chat:bench", base_url=f"http://127.0.0.1:{port}/steps/{steps}", mode="native", stream=False
    )
    return assembled(make(settings, Scene("", "")), steps, tool)


def assembled(model: Model, steps: int, tool: Tool) -> Loop:
    """A loop of the product's parts with this model, for a turn of so many steps."""
    from edge.approve import Nobody
    from edge.brief import brief
    from edge.call import Scene, Sensor
    from edge.catalogue import Catalogue
    from edge.config import Budgets
    from edge.context import Context
    from edge.gate.policy import Policy
    from edge.hands.world import World
    from edge.loop import Loop
    from edge.parts import Parts
    from edge.tape.journal import Tape
    from edge.watch import Watcher

    folder = scratch.folder(memory=True)
    scene = Scene(cwd=folder, home=folder, sensors=(Sensor("nothing", "nothing", "", "bench"),), state=folder)
    budgets = Budgets(steps=steps + 1, calls_per_hour=steps + 1)

    def no_board() -> Any:
        raise AssertionError("this run has no board")

    catalogue = Catalogue((tool,))
    world = World(scene, Tape.create(f"{folder}/tapes"), no_board)
    return Loop(
        Parts(
            model=model,
            world=world,
            context=Context(brief(scene, catalogue, model.mode), model.mode),
            catalogue=catalogue,
            policy=Policy("guarded", budgets.calls_per_hour, budgets.tool_seconds),
            budgets=budgets,
            approver=Nobody(),
            watcher=Watcher(),
            clock=lambda: "",
            **watched(folder, scene),
        )
    )


def watched(folder: str, scene: Scene) -> dict[str, Any]:
    """What watches over a run, as the product makes it: audit, redaction, taint, grants, the operator's stop."""
    from edge.grants import Grants
    from edge.redact import Redactor
    from edge.stop import Watch
    from edge.taint import Taint
    from edge.tape.audit import Audit

    redact = Redactor(("a-key-of-the-bench",))
    parts = {"redact": redact, "taint": Taint(folder), "grants": Grants((), scene), "stopped": Watch(folder).look}
    return {"audit": Audit.open(folder, redact.text), **parts}


def main(argv: list[str]) -> int:
    """One turn; prints the figures as JSON. 1 when the turn did not end with the answer after all steps."""
    port, steps = int(argv[0]), int(argv[1])
    moments: list[int] = []
    memory: dict[int, float] = {}
    ending = loop(port, steps, noop(moments, memory)).run("Do nothing, many times.")
    if ending.code or ending.fault or len(moments) != steps:
        sys.stderr.write(f"the turn ended with {ending.code} after {len(moments)} of {steps} steps: {ending.fault}\n")
        return 1
    each = [(after - before) / 1000 for before, after in zip(moments, moments[1:])]
    del each[SKIP + WINDOW - 1], each[:SKIP]
    figures = {
        "mean": statistics.fmean(each),
        "first": statistics.median(each[:WINDOW]),
        "last": statistics.median(each[-WINDOW:]),
        "early_mib": memory[SKIP + WINDOW],
        "late_mib": private(),
    }
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
