"""`[sensors.NAME]`: sensors that are read from the kernel or at an I2C bus, as records; each fault with its key.

Rules:
1. One source each: `hwmon`, `iio`, `thermal`, `onewire` or `i2c`. What else may stand beside it depends on that.
2. The unit is one that the quantity has; without one, without a label or words, those of the quantity.
3. Nothing is looked for on the board here: whether it is there, a reading says.
"""

from __future__ import annotations

from edge.call import Sensor, Source
from edge.faults import ConfigFault
from edge.peripherals.sensors.quantities import HWMON, IIO, TEMPERATURE, Quantity, of_channel
from edge.peripherals.sensors.table import FAMILIES, PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Check = tuple[Callable[..., Any], tuple[Any, ...]]

KINDS = ("hwmon", "iio", "thermal", "onewire", "i2c")
# Which keys stand beside which source, and those of them that have to.
BESIDE = {
    **{"hwmon": ("at", "channel"), "iio": ("at", "channel"), "thermal": (), "onewire": ()},
    "i2c": ("part",),
}
NEEDED = {"iio": ("channel", "temp"), "i2c": ("part", "tmp105")}
MOST = 1e9


def checks(shared: Mapping[str, Any], label: Check) -> dict[str, Check]:
    """The keys of a sensor and how each is checked. `shared`: the checks of edge.config_keys."""
    name: Check = (_name, (shared["string"],))
    number: Check = (shared["number"], (-MOST, MOST))
    return {
        **{"label": label, "words": (shared["names"], ()), "unit": (shared["string"], ()), "low": number},
        **{"high": number, "hwmon": name, "iio": name, "thermal": name, "at": name, "channel": name},
        **{"onewire": (_identity, (shared["string"],)), "i2c": (_address, (shared["string"],)), "part": (_part, ())},
    }


def sensor(key: str, name: str, found: dict[str, Any]) -> tuple[Sensor, Source]:
    """The sensor of a checked table. ConfigFault without a place: sentence, fix, key."""
    kind = _kind(key, found)
    source = Source(
        *(name, kind, found[kind], found.get("at", ""), _channel(kind, found), found.get("part", "")),
        *(found.get("low"), found.get("high")),
    )
    quantity = _quantity(key, source)
    unit = found.get("unit", quantity.unit)
    known = [quantity.unit, *quantity.units]
    if unit not in known:
        sentence = f"{key}.unit: {quantity.name} is not told in {unit[:20]!r} here"
        raise ConfigFault(sentence, f"units: {', '.join(known)}", key=f"{key}.unit")
    if source.low is not None and source.high is not None and source.low >= source.high:
        raise ConfigFault(f"{key}.low must be below {key}.high", key=f"{key}.low")
    label = found.get("label", name.replace("_", " "))
    words = () if kind == "thermal" else quantity.words  # nobody who asks how warm it is means the processor
    return Sensor(name, label, unit, place(source), found.get("words", words)), source


def place(source: Source) -> str:
    """Where it is read, in words: `hwmon lm75 at 1-0048 temp1`, `tmp105 at I2C 1/0x48`, `1-wire 28-0605...`."""
    if source.kind == "i2c":
        return f"{source.part} at I2C {source.device}"
    kind = {"onewire": "1-wire", "thermal": "thermal zone"}.get(source.kind, source.kind)
    at = f"at {source.at}" if source.at else ""
    return " ".join(filter(None, (kind, source.device, at, source.channel)))


def _kind(key: str, found: Mapping[str, Any]) -> str:
    """Rule 1."""
    said = [kind for kind in KINDS if kind in found]
    if len(said) != 1:
        what = f"has {' and '.join(said)}" if said else "has no source"
        sentence = f"{key} {what}, and needs one of {', '.join(KINDS)}"
        raise ConfigFault(sentence, 'for example hwmon = "lm75", or i2c = "1/0x48" with part = "tmp105"', key=key)
    kind = said[0]
    for name in ("at", "channel", "part"):
        if name in found and name not in BESIDE[kind]:
            raise ConfigFault(f"{key}.{name} says nothing beside {kind}", "take it out", key=f"{key}.{name}")
    missing, sample = NEEDED.get(kind, ("", ""))
    if missing and missing not in found:
        raise ConfigFault(f"{key} has {kind} and needs a {missing}", f'for example {missing} = "{sample}"', key=key)
    return kind


def _channel(kind: str, found: Mapping[str, Any]) -> str:
    """hwmon chips of one temperature are the most: theirs need no word."""
    return str(found.get("channel", "temp1" if kind == "hwmon" else ""))


def _quantity(key: str, source: Source) -> Quantity:
    if source.kind == "i2c":
        return _addressed(key, source)
    if source.kind not in ("hwmon", "iio"):
        return TEMPERATURE
    table = HWMON if source.kind == "hwmon" else IIO
    found = of_channel(table, source.channel)
    if found is None:
        sentence = f"{key}.channel: what {source.channel[:40]} measures is not known here"
        known = ", ".join(f"{name}1" if source.kind == "hwmon" else name for name in table)
        raise ConfigFault(sentence, f"channels are called {known}", key=f"{key}.channel")
    return found[0]


def _addressed(key: str, source: Source) -> Quantity:
    part = PARTS[source.part]
    if int(source.device.partition("/")[2], 16) not in part.addresses:
        known = ", ".join(f"0x{one:02x}" for one in part.addresses)
        sentence = f"{key}.i2c: a {source.part} is never at {source.device.partition('/')[2]}"
        raise ConfigFault(sentence, f"its addresses: {known}", key=f"{key}.i2c")
    return part.quantity


def _name(value: Any, string: Callable[[Any], str]) -> str:
    """A name as sysfs has them: no path leads out of its folder by it."""
    found = string(value)
    if not (0 < len(found) <= 64 and found.isascii()) or "/" in found or " " in found or found.startswith("."):
        raise ValueError('must be one name of the kernel\'s, such as "lm75", "1-0048" or "temp1"')
    return found


def _identity(value: Any, string: Callable[[Any], str]) -> str:
    """A 1-wire identity, in small letters as the kernel writes it."""
    found = string(value).lower()
    family, dash, serial = found.partition("-")
    if len(family) != 2 or not dash or len(serial) != 12 or set(family + serial) - set("0123456789abcdef"):
        raise ValueError('must be an identity such as "28-060504030201": ls /sys/bus/w1/devices')
    if family not in FAMILIES:
        raise ValueError(f"must be a thermometer's: those begin with {', '.join(FAMILIES)}")
    return found


def _address(value: Any, string: Callable[[Any], str]) -> str:
    """Bus and address, as `1/0x48`."""
    bus, _, address = string(value).partition("/")
    digits = address[2:] if address[:2].lower() == "0x" else ""
    if not (bus.isascii() and bus.isdecimal() and len(bus) <= 3) or not 0 < len(digits) <= 2:
        raise ValueError('must be bus and address, such as "1/0x48"')
    if set(digits.lower()) - set("0123456789abcdef") or not 0x08 <= int(digits, 16) <= 0x77:
        raise ValueError("must have an address from 0x08 to 0x77")
    return f"{int(bus)}/0x{int(digits, 16):02x}"


def _part(value: Any) -> str:
    if value not in PARTS:
        raise ValueError(f"must be one of {', '.join(PARTS)}; other parts are read through the kernel's driver (hwmon)")
    return str(value)
