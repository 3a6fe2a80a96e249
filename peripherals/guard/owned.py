"""What a guard is told to own: outputs, sensors, and the lines and channels behind them; as plain text for its start.

Rules this file keeps:
1. Pure. Whoever read the settings says all of it (`text`); the guard's process reads no settings file, for a reader of
   TOML is larger than the guard.
2. `read` trusts nothing: another version, an unknown field, a wrong type, a number that is not finite or out of its
   range, a name that stands twice, a line without an output or a sensor is a ValueError with a sentence.
   What one line can be, `wiring` says: a miswired output must not keep the others from their safe values.
3. `kind` is `sim`, a simulated board that `world` describes ("" in it nothing: the greenhouse), or `lines`: outputs and
   contacts at lines of GPIO chips, and channels of PWM chips.
"""

from __future__ import annotations

from edge.call import Output, Sensor
from edge.peripherals.guard import line as json
from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    """Where a PWM output is wired. `chip`: a folder of /sys/class/pwm (`pwmchip0`), or the name of the device behind it
    (`fe20c000.pwm`), for the numbers move. `frequency`: Hz. `active_low`: the kernel inverts it.
    """

    name: str
    chip: str
    channel: int
    frequency: float = 1000.0
    active_low: bool = False


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

NAME = 80  # characters of a name, as the protocol's words
LONGEST = 366 * 86400.0
# field -> lowest and highest number. A debounce is 32 bits of microseconds in the kernel, a period one of nanoseconds.
_RANGES = {
    "max_on": (0.001, LONGEST),
    "min_off": (0.0, LONGEST),
    "max_per_hour": (0, 1_000_000),
    "max_age": (0.001, LONGEST),
    "settle": (0.0, 3600.0),
    "debounce": (0.0, 4294.0),
    "channel": (0, 65535),
    "frequency": (0.25, 10_000_000.0),
    "heartbeat": (0.1, 3600.0),
}
_CHOICES = {
    "kind": KINDS,
    "bias": BIASES,
    "risk": ("low", "medium", "high"),
    "on_start": ("safe", "hold"),
    "on_exit": ("safe", "hold"),
}


def text(owned: Owned) -> str:
    """One line of plain ASCII."""
    return json.write({"version": VERSION, **as_dict(owned)})


def read(said: str) -> Owned:
    """What `text` said; ValueError with a sentence part when it is not that."""
    found = json.read(said)
    if not isinstance(found, dict) or found.pop("version", None) != VERSION:
        raise ValueError(f"it is no description of version {VERSION}")
    fields = {name: _parts(name, value) if name in _PARTS else value for name, value in found.items()}
    owned: Owned = _made(Owned, fields)
    declared = [one.name for one in owned.outputs] + [one.name for one in owned.sensors]
    wired = [one.name for one in owned.lines] + [one.name for one in owned.channels]
    _once("the name", declared)
    _once("the wiring of", wired)
    for name in wired:
        if name not in declared:
            raise ValueError(f"{name[:40]!r} is wired but not declared")
    return owned


def _once(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{what} {name[:40]!r} stands twice")


def _parts(name: str, rows: Any) -> tuple[Any, ...]:
    if not isinstance(rows, list):
        raise ValueError(f"its {name} are no list")
    return tuple([_made(_PARTS[name], row) for row in rows])


def _made(kind: type[Any], fields: Any) -> Any:
    """A record of plain values, each of the type, the range and the choice of its field."""
    if not isinstance(fields, dict) or not set(fields) <= set(kind.__fields__):
        raise ValueError(f"it holds an unknown field of {kind.__name__}")
    plain = {name: _value(kind, name, value) for name, value in fields.items()}
    try:
        return kind(**plain)
    except TypeError as error:
        raise ValueError(f"{kind.__name__} is not complete: {error}") from error


def _value(kind: type[Any], field: str, value: Any) -> Any:
    """The value of one field, checked by the type that stands in its record."""
    wanted = kind.__annotations__[field]
    if kind is Owned and field in _PARTS:
        return value
    if wanted == "tuple[str, ...]":
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            raise _wrong(kind, field, "is no list of words")
        return tuple(value)
    if wanted == "bool" or wanted == "str":
        return _word(kind, field, value, bool if wanted == "bool" else str)
    low, high = _RANGES[field]
    if type(value) is not int and (wanted == "int" or type(value) is not float):
        raise _wrong(kind, field, "is no whole number" if wanted == "int" else "is no number")
    if not low <= value <= high:  # neither for what is not a number
        raise _wrong(kind, field, f"is {value:g} and must lie between {low:g} and {high:g}")
    return value if wanted == "int" else float(value)


def _word(kind: type[Any], field: str, value: Any, wanted: type[Any]) -> Any:
    if not isinstance(value, wanted):
        raise _wrong(kind, field, "is neither true nor false" if wanted is bool else "is no text")
    if field in _CHOICES and value not in _CHOICES[field]:
        raise _wrong(kind, field, f"is {value[:40]!r} and may be: {', '.join(filter(None, _CHOICES[field]))}")
    if field == "name" and not (0 < len(value) <= NAME and value.isprintable()):
        raise _wrong(kind, field, f"is no name of 1 to {NAME} printable characters")
    return value


def _wrong(kind: type[Any], field: str, what: str) -> ValueError:
    return ValueError(f"{field} of {kind.__name__} {what}")
