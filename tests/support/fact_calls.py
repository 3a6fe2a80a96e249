"""What every tool that tells facts has to hold, for the tests of each."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

from edge.faults import Fault
from edge.gate.policy import PRESETS
from edge.registry import find
from tests.support.one_call import carry, judge, world

WIRE = 450
RAN = 4  # calls that are carried out, of many that are judged
_LEFT_OUT = ("minimum", "maximum", "minLength", "maxLength", "additionalProperties")
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 10**9, 0.5, -2.5, 1e300, "", "x", "cpu", "kernel", "system", "boot", "2h", "7"),
    *(
        "no time",
        "/proc/self/stat",
        "/nothing/here",
        ".",
        "../..",
        "a\0b",
        "\ud800",
        "x" * 5000,
        [],
        {},
        ["a"],
        {"a": 1},
    ),
)


def small_on_the_wire(name: str) -> bool:
    """True when the tool as a model's server gets it is at most WIRE bytes."""
    tool = find(name)

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cut(one) for key, one in value.items() if key not in _LEFT_OUT}
        return value

    said = {"name": tool.name, "description": tool.about, "parameters": cut(tool.schema)}
    wire = json.dumps({"type": "function", "function": said}, separators=(",", ":"))
    return len(wire) <= WIRE and len(tool.about.split()) >= 6


def allowed_everywhere(name: str, args: dict[str, Any], folder: Path) -> bool:
    """True when every preset lets the call run as low, and no effect of it changes anything."""
    here = world(folder)
    effects = find(name).effects(args, here.scene)
    decisions = [judge(name, args, here, preset)[1] for preset in PRESETS]
    return all(effect.observes for effect in effects) and all(
        (decision.verdict, decision.risk) == ("allow", "low") for decision in decisions
    )


def only_own_faults(name: str, folder: Path, rounds: int) -> int:
    """Random arguments, `rounds` times (ten times as often in a soak); how many calls ran.

    Anything but a fault of ours is raised.
    """
    chance = random.Random(name)
    names = list(find(name).schema["properties"])
    here = world(folder)
    ran = 0
    rounds *= 10 if os.environ.get("FIELDHAND_SOAK") == "1" else 1
    for _ in range(rounds):
        args = {one: chance.choice(_VALUES) for one in chance.sample(names, chance.randrange(len(names) + 1))}
        if chance.random() < 0.05:
            args[chance.choice(("other_name", "limits", ""))] = 1
        if "seconds" in args:
            args["seconds"] = chance.choice((0, 0.001, -1, "x", None))
        try:
            _, decision = judge(name, args, here)
            if decision.permit is not None and ran < RAN and chance.random() < 0.05:
                ran += carry(name, args, here).ok
        except Fault as fault:
            assert str(fault)
    print(f"{name}: {rounds} random argument objects, {ran} calls ran")
    return ran


def plain(data: Any) -> bool:
    """True when the facts are plain JSON values of bounded size."""
    return len(json.dumps(data, allow_nan=False)) <= 17_000
