"""One call of one tool the way a turn makes it: arguments, effects, gate, permit, hands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edge.call import Call, Decision, Observation, Root, Scene
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands import Hands
from edge.hands.world import World
from edge.registry import find
from edge.schema import fit
from edge.tape.unkept import Unkept


def world(folder: Path, tape: Any = None) -> World:
    """A world whose workspace is `folder`; it has no board."""

    def no_board() -> Any:
        raise AssertionError("no board is needed")

    return World(Scene(str(folder), "", (Root("work", str(folder)),)), tape or Unkept(), no_board)


def judge(
    name: str, args: dict[str, Any], here: World, preset: str = "guarded", call_id: str = "c1"
) -> tuple[Call, Decision]:
    """The call with its arguments checked, and what the gate says of it. UsageFault when they do not fit."""
    tool = find(name)
    call = Call(name, fit(args, tool.schema)[0], call_id)
    return call, decide(call, tool.effects(call.args, here.scene), Policy(preset), State(), here.scene)


def carry(name: str, args: dict[str, Any], here: World, preset: str = "guarded", call_id: str = "c1") -> Observation:
    """What the tool brings inside its permit, an `ask` taken as answered with yes."""
    call, decision = judge(name, args, here, preset, call_id)
    assert decision.permit is not None, decision.sentence
    return find(name).run(call.args, Hands(decision.permit, call, here))
