"""What guarded mode says of a shell text, by the real gate, in the folder that the case files think of."""

from __future__ import annotations

from edge.call import Call, Decision, Effect, Root, Scene
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.gate.shell import Script, read

FOLDER = "/home/pi/project"
SCENE = Scene(FOLDER, "/home/pi", (Root("work", FOLDER),), state="/home/pi/.local/state/fieldhand")


def decision(text: str, preset: str = "guarded", scene: Scene = SCENE) -> Decision:
    """The decision about `text` given to the tool `bash`."""
    effects = (Effect("run", "shell:sh", False, text),)
    return decide(Call("bash", {"command": text}, "c1"), effects, Policy(preset), State(), scene)


def verdict(text: str) -> str:
    """allow, ask or deny."""
    return decision(text).verdict


def found(text: str) -> Script:
    """What the reader found."""
    return read(text, SCENE)


def told(text: str) -> str:
    """Verdict, sentence and findings on one line, for the message of a failed test."""
    made = decision(text)
    effects = ", ".join(f"{each.verb} {each.on} {each.detail}".strip() for each in found(text).effects)
    return f"{text!r}: {made.verdict} ({made.sentence}); {effects}"
