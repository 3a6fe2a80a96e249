"""Four reads of one step against the slowest of them alone: they run side by side, not one after the other.

The reads wait as a slow disk or host would; a figure is the time of a whole turn, with a scripted model that answers at
once, so that what the loop itself costs is in it.
"""

from __future__ import annotations

import json
import time

from bench.harness import Broken, Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bench.harness import Measure
    from edge.tool import Tool

TITLE = "Four reads in one step"
UNIT = "ms"
ROUNDS = 9
WARM = True

ALONE, FOUR, ROW = "the slowest alone", "four by parallel", "four steps, one after the other"
WAITS = (0.12, 0.2, 0.16, 0.18)  # seconds
TARGETS = {FOUR: (Target(ratio=1.3),)}


def turn(groups: list[list[float]]) -> Callable[[], float]:
    """A turn with one step for each group of waits."""

    def measure() -> float:
        from bench.agent import assembled
        from edge.model.scripted import Scripted

        replies = [_step(group) for group in groups]
        loop = assembled(Scripted([*replies, _text("final", "done")]), 8, _waiting())
        begin = time.perf_counter()
        ending = loop.run("go")
        took = time.perf_counter() - begin
        loop.parts.world.close()
        if (ending.code, ending.answer) != (0, "done"):
            raise Broken(f"the turn ended with {ending.code}: {ending.fault or ending.answer}")
        return took * 1e3

    return measure


def _step(waits: list[float]) -> str:
    calls = [{"action": "file_read", "input": {"seconds": wait}} for wait in waits]
    if len(calls) == 1:
        return _text("file_read", calls[0]["input"])
    return _text("parallel", {"calls": calls})


def _text(action: str, given: Any) -> str:
    return json.dumps({"thought": "", "action": action, "action_input": given})


def _waiting() -> Tool:
    """A read that only waits, under the name of one that `parallel` takes."""
    from edge.call import Effect, Observation
    from edge.tool import Tool

    def run(args: Any, hands: Any) -> Observation:
        time.sleep(args["seconds"])
        return Observation(True, f"waited {args['seconds']}")

    schema = {"type": "object", "properties": {"seconds": {"type": "number"}}, "required": ["seconds"]}
    return Tool(
        "file_read", "", schema, lambda args, scene: (Effect("read", "memory:tape"),), run, lambda args, scene: "wait"
    )


def rows() -> list[tuple[str, Measure]]:
    return [(ALONE, turn([[max(WAITS)]])), (FOUR, turn([list(WAITS)])), (ROW, turn([[wait] for wait in WAITS]))]
