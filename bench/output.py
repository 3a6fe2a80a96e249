"""What a command that writes 300 MB costs the agent in private memory (RssAnon), in MiB above what it had before.

Each row is a run of its own: the product's loop with a scripted model, a tape, an audit, a spill store; first a small
command, so that everything is loaded, then the one that counts. A thread of the same process looks at the memory all
the time: what counts is the most it saw, from the start of that command until its outcome was told.
"""

from __future__ import annotations

import json
import sys
import time

from bench import agent, scratch
from bench.harness import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bench.harness import Measure
    from edge.loop import Loop

TITLE = "Private memory while a command writes 300 MB"
UNIT = "MiB more"
ROUNDS = 9
WARM = False

MEGABYTES = 300
_ZEROS = f"head -c {MEGABYTES}000000 /dev/zero"
# What the row says -> the command, and whether it goes on in the background.
FORMS = {
    "a few words": ("echo a few words", False),
    "one line": (f"{_ZEROS} | tr '\\0' x", False),
    "short lines": (f"yes | head -c {MEGABYTES}000000", False),
    "both streams": (f"{_ZEROS} | tr '\\0' x | tee /dev/stderr", False),
    "letters of three bytes": (f"yes 水泵水泵水泵 | head -c {MEGABYTES}000000", False),
    "in the background": (f"{_ZEROS} | tr '\\0' x", True),
}
MOST = 8.0
TARGETS = {name: (Target(most=MOST),) for name in list(FORMS)[1:]}


def rows() -> list[tuple[str, Measure]]:
    """One row for each kind of output."""
    return [(name, _measure(name)) for name in FORMS]


def _measure(name: str) -> Callable[[], float]:
    return lambda: float(json.loads(agent.told([sys.executable, "-m", "bench.output", name])))


class Peak:
    """`with`: looks at the private memory of this process; `most` is the greatest value, in MiB."""

    def __enter__(self) -> Peak:
        import _thread

        self.most = agent.private()
        self._over = False
        _thread.start_new_thread(self._look, ())
        return self

    def __exit__(self, *_exc: object) -> None:
        self._over = True

    def _look(self) -> None:
        while not self._over:
            self.most = max(self.most, agent.private())
            time.sleep(0.001)


def loop(replies: list[Any]) -> Loop:
    """The product's loop, as in a conversation, with a model that says `replies`."""
    from edge.approve import SaidYes
    from edge.brief import brief
    from edge.call import Root, Scene
    from edge.catalogue import Catalogue
    from edge.config import Budgets
    from edge.context import Context
    from edge.gate.policy import Policy
    from edge.hands.world import World
    from edge.loop import Loop
    from edge.model.scripted import Scripted
    from edge.parts import Parts
    from edge.registry import find
    from edge.tape.journal import Tape
    from edge.tape.spill import Spill
    from edge.watch import Watcher

    work, state = scratch.folder(), scratch.folder()
    scene = Scene(cwd=work, home=work, roots=(Root("work", work),), state=state)

    def no_board() -> Any:
        raise AssertionError("this run has no board")

    catalogue = Catalogue(tuple([find(name) for name in ("bash", "bash_output", "bash_kill")]))
    tape = Tape.create(f"{state}/tapes")
    world = World(scene, tape, no_board)
    world.job_seconds = 600.0
    world.spill = Spill(f"{state}/spill", tape.name, 1)
    model = Scripted(replies)
    context = Context(brief(scene, catalogue, model.mode), model.mode)
    made = Parts(
        model=model,
        world=world,
        context=context,
        catalogue=catalogue,
        policy=Policy("full"),
        budgets=Budgets(),
        approver=SaidYes(),
        watcher=Watcher(),
        clock=lambda: "",
        **agent.watched(state, scene),
    )
    return Loop(made)


def step(action: str, given: Any) -> str:
    """A reply of the model."""
    return json.dumps({"thought": "", "action": action, "action_input": given})


def main(argv: list[str]) -> int:
    """One run; prints how much more memory it took. 1 when a command did not do its part."""
    command, background = FORMS[argv[0]]
    call = {"command": command, "timeout_seconds": 300, "background": background}
    made = loop(
        [step("bash", {"command": "echo warm"}), step("final", "warm"), step("bash", call), step("final", "over")]
    )
    ending = made.run("Something small first.")
    before = agent.private()
    with Peak() as seen:
        ending = made.run("Now the command that counts.")
        shells = made.parts.world.lasting()
        while shells is not None and shells.running():
            time.sleep(0.05)
    if ending.answer != "over":
        sys.stderr.write(f"the turn ended otherwise: {ending.fault}\n")
        return 1
    told = made.parts.context.entries[-2]
    if not told.ok or (background and shells is not None and shells.find("sh-2").facts()["exit_code"] != 0):
        sys.stderr.write(f"the command failed: {told.text[:300]}\n")
        return 1
    print(json.dumps(round(seen.most - before, 3)))
    made.parts.world.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
