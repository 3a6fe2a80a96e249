"""A header as a drawing: two columns of pins as they stand on the board, with what is at each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

SIDE = 33  # characters on each side of the pins: 80 in all
LEGEND = "= declared here   [held by]   (other function)"


def drawn(pins: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rows of a header, odd numbers on the left; none without pins."""
    lines = []
    for left, right in zip(pins[::2], pins[1::2]):
        one, other = label(left), label(right)
        numbers = f"{left['number']:>2} o o {right['number']:<2}"
        lines.append(f"{one[:SIDE]:>{SIDE}}  {numbers}  {_turned(other, right)[:SIDE]}".rstrip())
    return [*lines, LEGEND] if lines else []


def label(pin: Mapping[str, Any]) -> str:
    """What is at a pin, for the left side: `pump = GPIO17`, `[w1] GPIO4`, `(I2C1 SDA) GPIO2`, `GND`."""
    at = _at(pin)
    return f"{at} {pin['name']}" if at else str(pin["name"])


def _turned(text: str, pin: Mapping[str, Any]) -> str:
    """The same for the right side: the pin's name first."""
    at = _at(pin)
    if not at:
        return text
    return f"{pin['name']} = {at[:-2]}" if at.endswith(" =") else f"{pin['name']} {at}"


def _at(pin: Mapping[str, Any]) -> str:
    from edge.tools.fact_text import line

    name = str(pin["name"])
    room = SIDE - len(name) - 4
    declared, holder = pin.get("declared", ""), pin.get("held_by", "")
    if declared and holder and not str(holder).startswith("fieldhand:"):  # somebody else is at what is ours
        return f"{line(f'{declared} [{holder}]')[:room]} ="
    if declared:
        return f"{line(declared)[:room]} ="
    if holder:
        return f"[{line(holder)[:room]}]"
    others = ", ".join(pin.get("others", ()))
    return f"({others[:room]})" if others else ""
