"""Outputs and contacts in words: how they stand, where they are."""

from __future__ import annotations

from edge.faults import UsageFault
from edge.gate.lines import shown
from edge.text import span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Output, Reading, Scene


def switched(state: bool | None, level: float | None = None) -> str:
    """on, off or unknown; a level between them in percent."""
    if state is None:
        return "unknown"
    if level is not None and 0.0 < level < 1.0:
        return f"at {level:.0%}"
    return "on" if state else "off"


def standing(output: Output, now: Mapping[str, Any], scene: Scene) -> str:
    """How an output stands, as the guard tells: `fan: exhaust fan, on, 20 s left, at most 600 s on, risk medium`."""
    left = now.get("left")
    state = switched(now.get("state"), now.get("level") if output.pwm else None)
    if now.get("state") is None and not now.get("fault") and scene.gpio is not None and output.name in scene.gpio.lab:
        state = "not driven yet"  # a lab line is taken when it is first written
    said = [output.label, state]
    if left is not None:
        said.append(f"{left:.0f} s left")
    if now.get("owner"):
        said.append(f"held by {now['owner']}")
    said += [f"at most {output.max_on:.0f} s {'off' if output.safe else 'on'}", f"risk {output.risk}"]
    text = f"{output.name}: {', '.join(said)}"
    for word in ("fault", "override"):
        if now.get(word):
            text += f"; {word}: {now[word]}"
    return text


def thing(name: str, scene: Scene) -> str:
    """An output in physical words: `irrigation pump (pump, GPIO17, physical pin 11)`."""
    for output in scene.outputs:
        if output.name == name:
            return f"{output.label} ({name}, {shown(output.where, scene)})"
    return f"the output {name}"


def reading(found: Reading, states: tuple[str, ...] = ()) -> str:
    """One line with everything that makes a reading a reading; a contact with the word for its state."""
    if found.value is None:
        return f"{found.name} gave no value ({found.quality}, source {found.source})"
    word = state(found.value, states)
    if word:
        value = f"{word} ({found.value:.0f})"
    else:
        places = 0 if abs(found.value) >= 1000 or not found.unit else 1
        value = f"{found.value:.{places}f} {found.unit}".rstrip()  # 33.0 C, 20130 lux
    return f"{found.name} {value} ({found.quality}, {found.age:.1f} s old, source {found.source})"


def state(value: float | None, states: tuple[str, ...]) -> str:
    """The word for the value 0 or 1 of a contact, "" where there is none."""
    return states[int(value)] if value in (0, 1) and len(states) == 2 and value is not None else ""


def longest(name: str, seconds: float | None, scene: Scene) -> None:
    """UsageFault when that is longer than the output may be away from its safe value."""
    for output in scene.outputs:
        if output.name == name and seconds is not None and seconds > output.max_on:
            away = "off" if output.safe else "on"
            raise UsageFault(f"{name} may be {away} for at most {span(output.max_on)} at a time", "ask for less")
