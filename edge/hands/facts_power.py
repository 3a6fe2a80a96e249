"""Temperatures, voltages, throttling, supplies and the health of cards, from /sys.

Sources: kernel documentation sysfs-class-thermal, hwmon/sysfs-interface, sysfs-class-power; eMMC 5.0 registers 267 to
269 (life_time, pre_eol_info); the firmware's get_throttled of Raspberry Pi boards.
"""

from __future__ import annotations

from edge.hands.facts_reader import known, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from edge.hands.facts_reader import Reader

    Facts = dict[str, Any]

# Bits of get_throttled: now; the same shifted by 16: it happened since the board was started.
THROTTLES = ("under-voltage", "frequency capped", "throttled", "soft temperature limit")
_MOST = 32  # sensors
_SCALES = {"temp": ("celsius", 1000), "in": ("volts", 1000), "curr": ("amperes", 1000), "power": ("watts", 1000000)}
_DIGITS = "0123456789"
_ENDS_OF_LIFE = {1: "normal", 2: "80 % of the spare blocks are used", 3: "90 % of the spare blocks are used"}


def sensors(reader: Reader) -> list[Facts]:
    """What thermal zones and hwmon chips measure: `name`, and `celsius`, `volts`, `amperes`, `watts` or `rpm`."""
    found: list[Facts] = []
    for zone in reader.names("/sys/class/thermal"):
        if zone.startswith("thermal_zone"):
            value = reader.number(f"/sys/class/thermal/{zone}/temp")
            if value is not None:
                name = reader.text(f"/sys/class/thermal/{zone}/type", 64) or zone
                found.append({"name": name, "celsius": value / 1000})
    for chip in reader.names("/sys/class/hwmon"):
        found += _chip(reader, f"/sys/class/hwmon/{chip}", chip, {row["name"] for row in found})
    return found[:_MOST]


def _chip(reader: Reader, folder: str, chip: str, zones: set[str]) -> list[Facts]:
    """One hwmon chip. A thermal zone makes a chip of its own name: that is not told twice."""
    name = reader.text(f"{folder}/name", 64) or chip
    if name in zones or name.replace("_", "-") in zones:
        return []
    found = []
    for file in reader.names(folder):
        stem, _, what = file.partition("_")
        kind = stem.rstrip(_DIGITS)
        if what != "input" or (kind not in _SCALES and kind != "fan"):
            continue
        value = reader.number(f"{folder}/{file}")
        if value is None:
            continue
        unit, scale = _SCALES.get(kind, ("rpm", 1))
        label = reader.text(f"{folder}/{stem}_label", 64) or stem
        found.append({"name": f"{name} {label}", unit: value / scale if scale > 1 else value})
    return found


def throttled(reader: Reader) -> Facts | None:
    """What the firmware of a Raspberry Pi says of its supply and its heat; None when there is no such firmware."""
    for path in _throttle_files(reader):
        text = reader.text(path, 64)
        if text:
            return throttle_bits(text)
    return None


def _throttle_files(reader: Reader) -> list[str]:
    base = "/sys/devices/platform"
    found = [f"{base}/soc/soc:firmware/get_throttled"]
    for name in reader.names(base):
        if name.endswith("firmware"):
            found.append(f"{base}/{name}/get_throttled")
        elif name.startswith("soc"):
            inner = reader.names(f"{base}/{name}")
            found += [f"{base}/{name}/{one}/get_throttled" for one in inner if one.endswith("firmware")]
    return found


def throttle_bits(text: str) -> Facts | None:
    """`50005` (hexadecimal) as words: `now` and `since_boot`. None when it is no number."""
    try:
        bits = int(text, 16)
    except ValueError:
        return None
    return {
        "now": [word for place, word in enumerate(THROTTLES) if bits >> place & 1],
        "since_boot": [word for place, word in enumerate(THROTTLES) if bits >> (16 + place) & 1],
        "bits": f"0x{bits:x}",
    }


def volts_low(reader: Reader) -> bool | None:
    """The alarm of the chip `rpi_volt`: the supply is too low now. None when there is no such chip."""
    for chip in reader.names("/sys/class/hwmon"):
        if reader.text(f"/sys/class/hwmon/{chip}/name", 64) == "rpi_volt":
            alarm = reader.number(f"/sys/class/hwmon/{chip}/in0_lcrit_alarm")
            return None if alarm is None else alarm != 0
    return None


def power(reader: Reader) -> list[Facts]:
    """Supplies and batteries that the kernel knows: UPS hats, PoE hats, USB."""
    found = []
    for name in reader.names("/sys/class/power_supply"):
        folder = f"/sys/class/power_supply/{name}"
        volts, amperes = (reader.number(f"{folder}/{what}_now") for what in ("voltage", "current"))
        online = reader.number(f"{folder}/online")
        found.append(
            known(
                {
                    "name": name,
                    "kind": reader.text(f"{folder}/type", 64),
                    "status": reader.text(f"{folder}/status", 64),
                    "online": None if online is None else online != 0,
                    "percent": reader.number(f"{folder}/capacity"),
                    "volts": None if volts is None else volts / 1e6,
                    "amperes": None if amperes is None else amperes / 1e6,
                }
            )
        )
    return found[:_MOST]


def card(reader: Reader) -> list[Facts]:
    """SD cards and eMMC: kind, name, date and, of eMMC, how worn it is. An SD card has no way to tell its wear."""
    found = []
    for name in reader.names("/sys/block"):
        if not name.startswith("mmcblk") or "boot" in name or "rpmb" in name:
            continue
        folder = f"/sys/block/{name}"
        blocks = reader.number(f"{folder}/size")
        worn = life(reader.text(f"{folder}/device/life_time", 64))
        found.append(
            known(
                {
                    "name": name,
                    "kind": reader.text(f"{folder}/device/type", 64),
                    "product": reader.text(f"{folder}/device/name", 64),
                    "made": reader.text(f"{folder}/device/date", 64),
                    "bytes": None if blocks is None else blocks * 512,
                    "worn_percent_at_most": worn,
                    "spare_blocks": _ENDS_OF_LIFE.get(reader.number(f"{folder}/device/pre_eol_info") or 0),
                }
            )
        )
    return found


def life(text: str | None) -> int | None:
    """`0x02 0x01`: the worse of both kinds of cells, in tens of percent, at most; 110 = beyond it; None = not told."""
    values = [number(part) for part in (text or "").split()]
    told = [value for value in values if value is not None and 1 <= value <= 11]
    return max(told) * 10 if told else None
