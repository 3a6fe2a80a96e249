"""`[outputs.NAME]`, `[inputs.NAME]`, `[gpio]` and `[guard]` of a settings or board file -> what a guard is to own; and
`[sensors.NAME]` (edge/config_sensors.py) and `[ports.NAME]` (edge/config_ports.py), which the agent reads and opens
without it.

Rules:
1. A key that is in no table below is a fault with file, line and a near name. What names may stand for, config_names.py
   says; what may be wired where, guard/wiring.py.
2. Nothing is looked for on the board here: whether a chip or a line is there, the guard says.
3. A lab line is an output like any other, called as the line, high risk, and taken only when it is first written.
4. Loaded only when a file has one of the tables.
5. What is told is bounded: so many things, so long names and labels, so much in all.
"""

from __future__ import annotations

import os

from edge import config_names
from edge.call import Gpio, Output, Port, Sensor, Source
from edge.faults import ConfigFault
from edge.peripherals.guard import wiring
from edge.peripherals.guard.owned import GpioLine, Owned, PwmChannel
from edge.peripherals.guard.owned import text as owned_text
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeVar

    Check = tuple[Callable[..., Any], tuple[Any, ...]]
    Thing = TypeVar("Thing")

MOST = 64  # outputs, inputs, ports
LONGEST_NAME = 32
LONGEST_LABEL = 80
LARGEST = 100_000  # characters of all that is declared: a guard is told it as one word, and Linux takes 128 KiB
DAY = 86400.0
LAB = Output("", "", "", "high", on_start="hold", on_exit="safe")


class Declared(Record):
    """What the file declares. `socket`: of a guard that runs as a service; `users`: who else may use it.

    `sensors`: those that are read without the guard, `sources`: where each of them comes from.
    """

    owned: Owned
    gpio: Gpio
    socket: str = ""
    users: tuple[str, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    sources: tuple[Source, ...] = ()
    ports: tuple[Port, ...] = ()


def read(tables: Mapping[str, Any], lines: Mapping[str, int], path: str, checks: Mapping[str, Any]) -> Declared:
    """The declared board. `checks` are those of edge.config_keys: `string flag whole number path names`.

    ConfigFault names file, line and key.
    """
    return _Reader(lines, path, checks).declared(tables)


class _Reader:
    def __init__(self, lines: Mapping[str, int], path: str, checks: Mapping[str, Any]) -> None:
        self._lines, self._path, self._shared = lines, path, checks
        string, flag, whole, number = (checks[name] for name in ("string", "flag", "whole", "number"))
        names, path_ = checks["names"], checks["path"]
        switch: Check = (_either, (("off", False), ("on", True)))
        active: Check = (_either, (("high", False), ("low", True)))
        hold: Check = (_word, ("safe", "hold"))
        text, listed, label = (string, ()), (names, ()), (_label, (string,))
        bias: Check = (_word, ("up", "down", "off"))
        self._wiring: dict[str, Check] = {"chip": text, "line": (_line, ()), "active": active}
        self._output: dict[str, Check] = {
            **{"label": label, "words": listed, "risk": (_word, ("low", "medium", "high")), "safe": switch},
            **{"max_on": (number, (0.1, 31 * DAY)), "min_off": (number, (0, DAY)), "max_per_hour": (whole, (0, 3600))},
            **{"interlock": (_conditions, (names,)), "max_age": (number, (0.1, 3600)), "feedback": text},
            **{"settle": (number, (0, 60)), "override": text, "on_start": hold, "on_exit": hold},
        }
        self._input: dict[str, Check] = {"label": label, "words": listed, "states": (_states, (names,))}
        self._contact: dict[str, Check] = {**self._wiring, "bias": bias, "debounce": (number, (0, 10))}
        self._channel: dict[str, Check] = {
            **{
                "chip": (_folder, (string,)),
                "channel": (whole, (0, 255)),
                "frequency": (number, (1, 1_000_000)),
                "active": active,
            }
        }
        self._gpio: dict[str, Check] = {
            "chips": (_chips, ()),
            "chip": text,
            "lines": (_lines, (names,)),
            "lab": (flag, ()),
        }
        self._guard: dict[str, Check] = {"socket": (path_, ()), "users": listed, "heartbeat": (number, (1, 60))}

    def declared(self, tables: Mapping[str, Any]) -> Declared:
        gpio = self._lines_of_tools(tables.get("gpio", {}))
        guard = self._fields("guard", tables.get("guard", {}), self._guard)
        lines: list[GpioLine] = []
        channels: list[PwmChannel] = []
        outputs = [self._an_output(name, table, lines, channels) for name, table in self._rows("outputs", tables)]
        sensors = [self._an_input(name, table, lines) for name, table in self._rows("inputs", tables)]
        for name in gpio.lab:
            if name in [one.name for one in outputs] + [one.name for one in sensors]:
                raise self._fault("gpio.lines", f"{name} is the name of two things", "rename the output or input")
            outputs.append(replace(LAB, name=name, label=f"lab line {name}", where=name))
            lines.append(GpioLine(name, gpio.chip, name, lazy=True))
        measured = self._sensors(tables)
        try:
            config_names.check(outputs, sensors, [sensor.name for sensor, _ in measured])
        except ConfigFault as fault:
            raise self._fault(fault.key, fault.sentence, fault.fix) from None
        heartbeat = guard.pop("heartbeat", 3.0)
        owned = Owned("lines", tuple(outputs), tuple(sensors), tuple(lines), tuple(channels), "", gpio.chips, heartbeat)
        for sentence in wiring.refusals(owned):
            raise self._fault(_key(sentence, owned, gpio), sentence, "wire it elsewhere, or take it out")
        if len(owned_text(owned)) > LARGEST:
            raise self._fault("outputs", "so much is declared that no guard can be told it", "shorten words and labels")
        read = tuple([sensor for sensor, _ in measured])
        sources = tuple([source for _, source in measured])
        return Declared(owned, gpio, **guard, sensors=read, sources=sources, ports=self._ports(tables))

    def _lines_of_tools(self, table: Any) -> Gpio:
        """`[gpio]`: with `lab = true` its lines may be written too."""
        found = self._fields("gpio", table, self._gpio)
        lab = found.pop("lab", False)
        if lab and not found.get("lines"):
            raise self._fault("gpio.lab", "gpio.lab = true names no lines", 'for example lines = ["GPIO22"]')
        return Gpio(lab=found.get("lines", ()) if lab else (), **found)

    def _rows(self, group: str, tables: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
        found = tables.get(group, {})
        if not isinstance(found, dict) or not all(isinstance(table, dict) for table in found.values()):
            raise self._fault(group, f"{group} is a table of tables", f"write [{group}.NAME]")
        if len(found) > MOST:
            raise self._fault(group, f"{group} has more than {MOST} names", "declare fewer")
        for name in found:
            plain = name.isascii() and name.replace("_", "a").isalnum() and len(name) <= LONGEST_NAME
            if not plain or name != name.lower():
                shown = ascii(name[:60])[1:-1]
                fix = f"small letters, digits and _, at most {LONGEST_NAME}"
                raise self._fault(f"{group}.{name}", f"{shown} is no name of an output, input, sensor or port", fix)
        return found.items()

    def _an_output(self, name: str, table: Any, lines: list[GpioLine], channels: list[PwmChannel]) -> Output:
        key = f"outputs.{name}"
        table = dict(table)
        pwm = table.pop("pwm", None)
        wired: dict[str, Check] = {} if pwm is not None else self._wiring
        for field in self._wiring if pwm is not None else ():
            if field in table:
                sentence = f"{key}.{field} is for an output at a line, and {key} has pwm"
                raise self._fault(f"{key}.{field}", sentence, f"take it out, or write it into {key}.pwm")
        found = self._fields(key, table, {**wired, **self._output})
        where = self._wire(
            key, name, {field: found.pop(field) for field in wired if field in found}, lines, pwm is None
        )
        if pwm is not None:
            said = self._fields(f"{key}.pwm", pwm, self._channel)
            if not {"chip", "channel"} <= set(said):
                raise self._fault(
                    f"{key}.pwm", f"{key}.pwm needs a chip and a channel", 'pwm = {chip = "pwmchip0", channel = 0}'
                )
            channels.append(PwmChannel(name, active_low=said.pop("active", False), **said))
            where = f"channel {said['channel']} of {said['chip']}"
        label = found.pop("label", name.replace("_", " "))
        return Output(name, label, where, pwm=pwm is not None, **found)

    def _an_input(self, name: str, table: Any, lines: list[GpioLine]) -> Sensor:
        key = f"inputs.{name}"
        found = self._fields(key, table, {**self._contact, **self._input})
        where = self._wire(
            key, name, {field: found.pop(field) for field in self._contact if field in found}, lines, True
        )
        label = found.pop("label", name.replace("_", " "))
        return Sensor(name, label, "", where, found.get("words", ()), found.get("states", ("off", "on")))

    def _sensors(self, tables: Mapping[str, Any]) -> list[tuple[Sensor, Source]]:
        """The sensors that are read without the guard; what reads their tables is loaded where there are some."""
        rows = list(self._rows("sensors", tables))
        if not rows:
            return []
        from edge import config_sensors

        known = config_sensors.checks(self._shared, (_label, (self._shared["string"],)))
        return self._made("sensors", rows, known, config_sensors.sensor)

    def _ports(self, tables: Mapping[str, Any]) -> tuple[Port, ...]:
        """The serial ports; what reads their tables is loaded where there are some."""
        rows = list(self._rows("ports", tables))
        if not rows:
            return ()
        from edge import config_ports

        known = config_ports.checks(self._shared, (_label, (self._shared["string"],)), _word)
        return tuple(self._made("ports", rows, known, config_ports.port))

    def _made(
        self,
        group: str,
        rows: list[tuple[str, Any]],
        known: Mapping[str, Check],
        make: Callable[[str, str, dict[str, Any]], Thing],
    ) -> list[Thing]:
        """The thing of each table of a group; a fault of `make` gets its place."""
        found = []
        for name, table in rows:
            key = f"{group}.{name}"
            fields = self._fields(key, table, known)
            try:
                found.append(make(key, name, fields))
            except ConfigFault as fault:
                raise self._fault(fault.key, fault.sentence, fault.fix) from None
        return found

    def _wire(self, key: str, name: str, found: dict[str, Any], lines: list[GpioLine], needed: bool) -> str:
        """Note the line of an output or input; how to call it."""
        if not needed:
            return ""
        if "line" not in found:
            raise self._fault(key, f"{key} needs a line", 'for example line = "GPIO17"')
        line = found.pop("line")
        low = found.pop("active", False)
        chip = found.pop("chip", "")
        lines.append(GpioLine(name, chip, line, low, **found))
        shown = f"line {line}" if line.isdigit() else line
        return f"{shown} of {chip}" if chip else shown

    def _fields(self, key: str, table: Any, checks: Mapping[str, Check]) -> dict[str, Any]:
        """The checked values of a table by name."""
        if not isinstance(table, dict):
            raise self._fault(key, f"{key} is a table", f"write [{key}]")
        found = {}
        for name, value in table.items():
            if name not in checks:
                raise self._unknown(key, name, checks)
            check, limits = checks[name]
            try:
                found[name] = check(value, *limits)
            except ValueError as error:
                raise self._fault(f"{key}.{name}", f"{key}.{name} {error}") from None
        return found

    def _unknown(self, key: str, name: str, checks: Iterable[str]) -> ConfigFault:
        from edge.schema import near

        names = list(checks)
        meant = near(name, names)
        fix = f"did you mean {meant}?" if meant else f"known here: {', '.join(names)}"
        return self._fault(f"{key}.{name}", f"there is no key {key}.{ascii(name[:60])[1:-1]}", fix)

    def _fault(self, key: str, sentence: str, fix: str = "") -> ConfigFault:
        """With the line of the key, or of the nearest table around it: keys of an inline table have none."""
        at = key
        while at and at not in self._lines:
            at = at.rpartition(".")[0]
        where = f"{self._path}:{self._lines[at]}" if at else self._path
        return ConfigFault(sentence, fix, where, key)


def _key(sentence: str, owned: Owned, gpio: Gpio) -> str:
    """The key that a sentence on the wiring is about: of the last name in it."""
    groups = {one.name: f"outputs.{one.name}" for one in owned.outputs}
    groups.update({one.name: f"inputs.{one.name}" for one in owned.sensors})
    groups.update(dict.fromkeys(gpio.lab, "gpio.lines"))
    named = [word for word in sentence.replace(":", " ").replace(",", " ").split() if word in groups]
    return groups[named[-1]] if named else "outputs"


def _word(value: Any, *words: str) -> str:
    if value not in words:
        raise ValueError(f"must be {' or '.join(words)}, not {str(value)[:40]!r}")
    return str(value)


def _either(value: Any, *words: tuple[str, bool]) -> bool:
    for word, meant in words:
        if value == word:
            return meant
    raise ValueError(f"must be {' or '.join(word for word, _ in words)}, not {str(value)[:40]!r}")


def _line(value: Any) -> str:
    """A line name, or an offset in digits."""
    if type(value) is int and 0 <= value < 1 << 16:
        return str(value)
    if not isinstance(value, str) or not (0 < len(value) < 32 and value.isascii() and value.isprintable()):
        raise ValueError('must be a line name such as "GPIO17" or its offset on the chip, such as 17')
    if value.isdigit():
        return value.lstrip("0") or "0"
    if value.lower().startswith(_PINS) and value[-1].isdigit():
        raise ValueError(f'must be a line, and {value} is a pin: write the line there, such as "GPIO17" for pin 11')
    return value


_PINS = ("pin", "physical", "board", "j8", "p1-", "p1:")


def _lines(value: Any, names: Callable[[Any], tuple[str, ...]]) -> tuple[str, ...]:
    found = names(value)
    if len(found) > MOST:
        raise ValueError(f"must name at most {MOST} lines")
    return tuple(dict.fromkeys(_line(one) for one in found))


def _label(value: Any, string: Callable[[Any], str]) -> str:
    found = string(value).strip()
    if not 0 < len(found) <= LONGEST_LABEL:
        raise ValueError(f"must be 1 to {LONGEST_LABEL} characters long")
    return found


def _folder(value: Any, string: Callable[[Any], str]) -> str:
    found = string(value)
    if not found or "/" in found or found.startswith("."):
        raise ValueError('must be a PWM chip such as "pwmchip0", or the device behind it')
    return found


def _chips(value: Any) -> str:
    socket = value[len("model:") :] if isinstance(value, str) and value.startswith("model:") else ""
    if value == "" or os.path.isabs(socket):
        return str(value)
    raise ValueError("must be model:SOCKET with an absolute path, or be left out for the kernel's chips")


def _conditions(value: Any, names: Callable[[Any], tuple[str, ...]]) -> tuple[str, ...]:
    return names([value] if isinstance(value, str) else value)


def _states(value: Any, names: Callable[[Any], tuple[str, ...]]) -> tuple[str, ...]:
    found = names(value)
    if len(found) != 2:
        raise ValueError('must be two words, for the contact off and on, such as ["closed", "open"]')
    return found
