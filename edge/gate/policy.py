"""What the operator allows, as a frozen record.

Nothing a model emits can change a policy, and nothing here reads files: edge.config makes it.
"""

from __future__ import annotations

from edge.faults import ConfigFault
from edge.record import Record

PRESETS = ("readonly", "supervised", "guarded", "full")
SPELLINGS = {
    "readonly": "readonly",
    "read_only": "readonly",
    "read-only": "readonly",
    "supervised": "supervised",
    "guarded": "guarded",
    "full": "full",
    "unrestricted": "full",
}


class Policy(Record):
    """`calls_per_hour` 0 forbids every call; `seconds` and `bytes` bound one call."""

    preset: str = "guarded"
    calls_per_hour: int = 120
    seconds: float = 30.0
    bytes: int = 8192


class State(Record):
    """What the gate must know of the moment: is the tape durable, is the board simulated, calls in the last hour."""

    durable: bool = True
    simulated: bool = True
    calls_last_hour: int = 0


def preset(name: str) -> str:
    """The preset meant by `name` in any of its spellings; ConfigFault when there is none."""
    found = SPELLINGS.get(name.strip().lower())
    if found is None:
        raise ConfigFault(f"there is no mode {name!r}", f"modes: {', '.join(PRESETS)}", key="mode")
    return found
