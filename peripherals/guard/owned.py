"""What a guard is told to own: outputs, sensors, and the lines and channels behind them; as plain text for its start.

Rules this file keeps:
1. Pure. Whoever read the settings says all of it (`text`); the guard's process reads no settings file, for a reader of
   TOML is larger than the guard.
2. `read` trusts nothing: another version, an unknown field, a wrong type, a line without an output or a sensor is a
   ValueError with a sentence.
3. `kind` is `sim`, a simulated board that `world` describes ("" in it nothing: the greenhouse), or `lines`: outputs and
   contacts at lines of GPIO chips, and channels of PWM chips.
"""

from __future__ import annotations

from edge.call import Output, Sensor
from edge.peripherals.guard import line as json
from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

VERSION = 1
KINDS = ("sim", "lines")
BIASES = ("", "up", "down", "off")


class GpioLine(Record):
    """Where an output or a contact is wired. `name`: of the output or sensor. `chip`: a label, "" for the header's.

    `line`: a line name (`GPIO17`) or an offset in decimal digits. `bias`: "" leaves it, else up, down or off.
    `debounce`: seconds, done by the kernel. `lazy`: taken when it is first driven, not at the start.
    """

    name: str
    chip: str
    line: str
    active_low: bool = False
    bias: str = ""
    debounce: float = 0.0
    lazy: bool = False


class PwmChannel(Record):
    """Where a PWM output is wired: a folder of /sys/class/pwm (`pwmchip0`), its channel, the frequency in Hz."""

    name: str
    chip: str
    channel: int
    frequency: float = 1000.0


class Owned(Record):
    """All that one guard owns. `chips`: "" for the kernel's GPIO chips, or `model:SOCKET`. `heartbeat`: seconds."""

    kind: str = "sim"
    outputs: tuple[Output, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    lines: tuple[GpioLine, ...] = ()
    channels: tuple[PwmChannel, ...] = ()
    world: str = ""
    chips: str = ""
    heartbeat: float = 3.0


_PARTS = {"outputs": Output, "sensors": Sensor, "lines": GpioLine, "channels": PwmChannel}


def text(owned: Owned) -> str:
    """One line of plain ASCII."""
    return json.write({"version": VERSION, **as_dict(owned)})


def read(said: str) -> Owned:
    """What `text` said; ValueError with a sentence part when it is not that."""
    found = json.read(said)
    if not isinstance(found, dict) or found.pop("version", None) != VERSION:
        raise ValueError(f"it is no description of version {VERSION}")
    fields = {name: _parts(name, value) if name in _PARTS else value for name, value in found.items()}
    owned = _made(Owned, fields)
    if owned.kind not in KINDS:
        raise ValueError(f"there is no board of the kind {owned.kind[:40]!r}")
    declared = {one.name for one in (*owned.outputs, *owned.sensors)}
    for wired in (*owned.lines, *owned.channels):
        if wired.name not in declared:
            raise ValueError(f"{wired.name[:40]!r} is wired but not declared")
    return owned


def _parts(name: str, rows: Any) -> tuple[Any, ...]:
    if not isinstance(rows, list):
        raise ValueError(f"its {name} are no list")
    return tuple([_made(_PARTS[name], row) for row in rows])


def _made(kind: type[Any], fields: Any) -> Any:
    """A record of plain values, each of the type that its default or its neighbours have."""
    if not isinstance(fields, dict) or not set(fields) <= set(kind.__fields__):
        raise ValueError(f"it holds an unknown field of {kind.__name__}")
    plain: Mapping[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()
    }
    try:
        return kind(**plain)
    except TypeError as error:
        raise ValueError(f"{kind.__name__} is not complete: {error}") from error
