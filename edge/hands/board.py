"""The hand on facts of the board itself: who it is, its header, its GPIO lines and who holds them, its buses.

Rules:
1. Looks only: texts of /proc and /sys as far as they were granted, and of GPIO chips what answers without a line being
   taken (edge/peripherals/boards/survey.py).
2. Chips are looked at only where the settings give this board's lines to the agent; on a simulated board its declared
   parts are told instead.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Output, Scene, Sensor
    from edge.hands import Holder
    from edge.hands.facts_reader import Reader
    from edge.peripherals.boards.identity import Board
    from edge.peripherals.boards.survey import Line, Survey

    Facts = dict[str, Any]

# What is told of buses: folder of sysfs, how a name begins.
_NODES = {
    "i2c": ("/sys/class/i2c-dev", "i2c-"),
    "spi": ("/sys/class/spidev", "spidev"),
    "one_wire": ("/sys/bus/w1/devices", ""),
    "pwm": ("/sys/class/pwm", "pwmchip"),
    "watchdog": ("/sys/class/watchdog", "watchdog"),
}
_SERIAL = ("ttyUSB", "ttyACM", "ttyAMA", "ttyS", "ttyTHS", "ttymxc", "ttyO")


class BoardFacts:
    """Facts of the board inside the grants of one call."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def look(self) -> Mapping[str, Any]:
        """`simulated board memory_bytes kernel architecture nodes sensors` (those that are read without the guard), and
        `chips header lines free troubles` or `parts`.

        header: `chip pins` (number, name, others, declared, held_by, direction); lines: those that somebody holds;
        free: the names of lines that could be declared, of the header's chip where that is known.
        """
        from edge.hands.facts_reader import Reader, known
        from edge.peripherals.boards.identity import identify

        self._holder.grant("read", "facts", "board")
        places = tuple(["/" + one.path for one in self._holder.permit.grants if (one.verb, one.root) == _READ])
        reader = Reader(places, self._holder.permit.barred)
        scene = self._holder.world.scene
        board = identify(reader.data)
        found = {"simulated": scene.simulated, "board": _board(board), **_system(reader), "nodes": nodes(reader)}
        found["sensors"] = [{"name": one.name, "label": one.label, "where": one.where} for one in _measured(scene)]
        if scene.gpio is None:
            return {**known(found), "parts": _parts(scene)}
        from edge.peripherals.boards.survey import look

        return {**known(found), **chips(look(scene.gpio.chips), board, scene)}


_READ = ("read", "system")


def _board(board: Board) -> Facts:
    return {
        name: value
        for name, value in (
            *(("model", board.model), ("family", board.family), ("soc", board.soc), ("revision", board.revision)),
            *(("memory_fitted_mib", board.mib), ("module", board.carrier)),
        )
        if value
    }


def _system(reader: Reader) -> Facts:
    from edge.hands.facts_reader import pairs
    from edge.hands.facts_system import kib

    return {
        "memory_bytes": kib(pairs(reader.text("/proc/meminfo")).get("MemTotal")),
        "kernel": reader.text("/proc/sys/kernel/osrelease", 256),
        "architecture": reader.text("/proc/sys/kernel/arch", 64) or os.uname().machine,
    }


def _measured(scene: Scene) -> list[Sensor]:
    names = [source.name for source in scene.sources]
    return [one for one in scene.sensors if one.name in names]


def nodes(reader: Reader) -> Facts:
    """Buses and sensors that the kernel offers, by kind; kinds of which there is none are left out."""
    found: Facts = {}
    for kind, (folder, start) in _NODES.items():
        names = [name for name in reader.names(folder) if name.startswith(start)]
        found[kind] = [name for name in names if "-" in name] if kind == "one_wire" else names
    ports = [name for name in reader.names("/sys/class/tty") if name.startswith(_SERIAL)]
    # A PC's table has ports that are not there: their type is 0.
    found.update(_drivers(reader))
    found["serial"] = [name for name in ports if reader.text(f"/sys/class/tty/{name}/type", 16) != "0"]
    return {kind: names for kind, names in found.items() if names}


def _drivers(reader: Reader) -> Facts:
    """What drivers of the kernel measure, by the names that settings call it; and the parts that they know on I2C."""

    def called(folder: str, start: str, attribute: str) -> dict[str, str]:
        names = [name for name in reader.names(folder) if name.startswith(start)]
        return {f"{folder}/{name}": reader.text(f"{folder}/{name}/{attribute}", 64) or "" for name in names}

    chips = called("/sys/class/hwmon", "hwmon", "name")
    parts = {path.rpartition("/")[2]: name for path, name in called("/sys/bus/i2c/devices", "", "name").items()}
    devices = {path: (reader.link(f"{path}/device") or "").rpartition("/")[2] for path in chips}
    return {
        "hwmon": [f"{name} at {devices[path]}" if devices[path] else name for path, name in chips.items() if name],
        "iio": [name for name in called("/sys/bus/iio/devices", "iio:device", "name").values() if name],
        "thermal": [name for name in called("/sys/class/thermal", "thermal_zone", "type").values() if name],
        "i2c_parts": [f"{part} {name}" for part, name in parts.items() if name and not part.startswith("i2c-")],
    }


def _parts(scene: Scene) -> list[Facts]:
    outputs = [
        {"name": one.name, "kind": "output", "label": one.label, "where": one.where, "max_on_seconds": one.max_on}
        for one in scene.outputs
    ]
    sensors = [
        {"name": one.name, "kind": "sensor" if one.unit else "contact", "label": one.label, "where": one.where}
        for one in scene.sensors
    ]
    return [*outputs, *sensors]


def chips(seen: Survey, board: Board, scene: Scene) -> Facts:
    """What a survey found, with what is declared at each line."""
    from edge.peripherals.boards.identity import header_of

    declared = declarations(seen, scene)
    header = seen.header
    label = header.label if header is not None else ""
    lines = [_line(line, declared) for line in seen.lines() if line.held or _key(line) in declared]
    found: Facts = {
        "chips": [
            {"label": one.label, "name": one.name, "lines": one.count, "header": one.header} for one in seen.chips
        ],
        "header": {"chip": label, "pins": _pins(header_of(board, label), seen, declared)},
        "lines": lines,
        "free": [
            line.name for chip in ([header] if header else seen.chips) for line in chip.lines if _free(line, declared)
        ],
        "troubles": [f"{sentence} ({fix})" if fix else sentence for sentence, fix in seen.faults],
    }
    if scene.gpio is not None and scene.gpio.lab:
        found["lab"] = list(scene.gpio.lab)
    return found


def declarations(seen: Survey, scene: Scene) -> Mapping[tuple[str, int], str]:
    """(chip label, offset) -> the name that is declared there."""
    from edge.peripherals.boards.header import placed

    found = {}
    things: tuple[Output | Sensor, ...] = (*scene.outputs, *scene.sensors)
    for one in things:
        line, chip = placed(one.where)
        at = seen.find(chip or (scene.gpio.chip if scene.gpio is not None else ""), line) if line else None
        if at is not None:
            found[_key(at)] = one.name
    return found


def _key(line: Line) -> tuple[str, int]:
    return line.chip, line.offset


def _free(line: Line, declared: Mapping[tuple[str, int], str]) -> bool:
    from edge.peripherals.boards.reserved import reserved

    return not line.held and _key(line) not in declared and not reserved(line.chip, line.judged)


def _line(line: Line, declared: Mapping[tuple[str, int], str]) -> Facts:
    row: Facts = {"chip": line.chip, "offset": line.offset, "name": line.name, "direction": line.direction}
    row["held_by"] = line.holder or None
    row["declared"] = declared.get(_key(line))
    return {name: value for name, value in row.items() if value is not None}


def _pins(header: str, seen: Survey, declared: Mapping[tuple[str, int], str]) -> list[Facts]:
    """The pins of a known header with what the chip's survey says of each; none for a header that is not known."""
    from edge.peripherals.boards.header import pins

    chip = seen.header
    lines = {line.bcm: line for line in (chip.lines if chip is not None else ()) if line.bcm >= 0}
    found = []
    for pin in pins(header):
        row: Facts = {"number": pin.number, "name": pin.name, "others": list(pin.others)}
        line = lines.get(pin.bcm)
        if line is not None:
            row.update({"direction": line.direction, "held_by": line.holder, "declared": declared.get(_key(line), "")})
        found.append({name: value for name, value in row.items() if value})
    return found
