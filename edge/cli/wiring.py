"""What is declared, where it is wired, and what answers there now: rows for `fieldhand wire` and for doctor.

Rules:
1. Nothing is switched, no guard is started, no line that anybody holds is touched. The guard that runs is asked; what
   nobody holds and the kernel calls an input is read as it is and let go.
2. A row does not answer when its chip or line is not there, somebody else holds it, or the guard cannot read it. An
   interlock that does not hold is told and is no fault: that is what it is for.
3. What is not known is said to be so: without a guard nobody knows what an output does.
"""

from __future__ import annotations

import os

from edge.faults import Fault, HardwareFault
from edge.peripherals.boards.header import bcm, physical
from edge.peripherals.boards.identity import header_of
from edge.peripherals.boards.reserved import never
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Output, Reading, Sensor
    from edge.peripherals.boards.identity import Board
    from edge.peripherals.boards.survey import Line, Survey
    from edge.peripherals.gpiochip.seam import Seam
    from edge.peripherals.guard.owned import GpioLine, Owned

OURS = "fieldhand:"  # how the guard calls itself to the kernel, before the name of the output or contact


class Condition(Record):
    """An interlock: its text, and why it does not hold now ("" it holds)."""

    text: str
    fails: str = ""


class Row(Record):
    """One declared thing. `kind`: output, contact or sensor; `pin`: 0 where there is no header's.

    `active`: high, low or ""; `limits` in words; `now` in words, "" when not known; `level`: as a number; `held_by`: as
    the holder calls itself; `mode`: of a simulated part; `agrees`: what the feedback says of it, None when not known.
    `answers`: rule 2, `said` the sentence of the check, with its fix.
    """

    name: str
    kind: str
    label: str
    chip: str
    line: str
    pin: int
    active: str
    safe: str
    limits: str
    feedback: str
    override: str
    interlock: tuple[Condition, ...] = ()
    now: str = ""
    level: float | None = None
    held_by: str = ""
    mode: str = ""
    agrees: bool | None = None
    answers: bool = True
    said: str = ""
    fix: str = ""


class Guard(Record):
    """The guard as it was asked: `where` its socket is, `trouble` why it did not answer.

    `differs`: it was started with another description than this one. `outputs`: name -> row of `states`; `sensors`:
    name -> fields of a reading, with `error` where there is none.
    """

    pid: int = 0
    where: str = ""
    trouble: str = ""
    fix: str = ""
    differs: bool = False
    outputs: Mapping[str, Any] = {}
    sensors: Mapping[str, Any] = {}

    @property
    def runs(self) -> bool:
        return self.pid > 0


def ask(paths: tuple[str, ...], owned: Owned) -> Guard:
    """The first guard that listens at one of these sockets, the service's first; none that runs when nobody does."""
    from edge.peripherals.guard import door
    from edge.peripherals.guard.owned import text

    trouble = Guard()
    for path in paths:
        try:
            reply = door.ask(path, {"do": "show"})
            told = door.description(path) if reply is not None else None
        except Fault as fault:
            trouble = Guard(0, path, fault.sentence, fault.fix)
            continue
        if reply is not None:
            return replace(heard(reply, path), differs=told != text(owned))
        if path == paths[0] and os.path.exists(path):  # then no agent starts one of its own either
            fix = "start its service (fieldhand guard run), or take that file away"
            trouble = Guard(0, path, f"no guard listens at {path}, which is there", fix)
    return trouble


def heard(reply: Mapping[str, Any], where: str) -> Guard:
    """What a reply to `show` says, whoever gave it."""
    sensors = {str(row.get("name")): row for row in reply.get("sensors", ())}
    return Guard(int(reply.get("pid") or 0), where, outputs=dict(reply.get("outputs", {})), sensors=sensors)


def rows(owned: Owned, guard: Guard, seen: Survey, seam: Seam | None, board: Board, root: str = "/") -> tuple[Row, ...]:
    """A row for each declared output and contact of a real board, in the order of the settings."""
    header = header_of(board, seen.header.label if seen.header is not None else "")
    lines = {wired.name: wired for wired in owned.lines}
    found = []
    declared: tuple[Output | Sensor, ...] = (*owned.outputs, *owned.sensors)
    for one in declared:
        wired = lines.get(one.name)
        row = _declared(one, wired)
        found.append(_channel(row, owned, root) if wired is None else _line(row, wired, guard, seen, seam, header))
    by_name = {row.name: row for row in (_guarded(row, guard, owned) for row in found)}
    return tuple([_related(row, by_name, owned) for row in by_name.values()])


def parts(owned: Owned, guard: Guard, addresses: Mapping[str, str]) -> tuple[Row, ...]:
    """The same of a simulated board: its parts with their addresses, and what is known of them."""
    found = {}
    declared: tuple[Output | Sensor, ...] = (*owned.outputs, *owned.sensors)
    for one in declared:
        row = _declared(one, None)
        row = replace(row, line=addresses.get(one.name, one.where))
        found[one.name] = _guarded(row, guard, owned)
    return tuple([_related(row, found, owned) for row in found.values()])


def _declared(one: Output | Sensor, wired: GpioLine | None) -> Row:
    from edge.call import Output

    active = ("low" if wired.active_low else "high") if wired is not None else ""
    chip, line = (wired.chip, wired.line) if wired is not None else ("", one.where)
    if not isinstance(one, Output):
        kind = "sensor" if one.unit else "contact"
        return Row(one.name, kind, one.label, chip, line, 0, active, "", "", "", "")
    conditions = tuple([Condition(text) for text in one.interlock])
    safe = "on" if one.safe else "off"
    return Row(
        *(one.name, "output", one.label, chip, line, 0, active, safe, _limits(one), one.feedback, one.override),
        conditions,
    )


def _limits(output: Output) -> str:
    """`at most 600 s on, 60 s off between, 6 times an hour`."""
    away = "off" if output.safe else "on"
    found = [f"at most {output.max_on:g} s {away}"]
    found += [f"{output.min_off:g} s at rest between"] if output.min_off else []
    found += [f"{output.max_per_hour} times an hour"] if output.max_per_hour else []
    return ", ".join(found)


def _line(row: Row, wired: GpioLine, guard: Guard, seen: Survey, seam: Seam | None, header: str) -> Row:
    """What the kernel knows of the line: there or not, held by whom."""
    line = seen.find(wired.chip, wired.line)
    if line is None:
        sentence, fix = _absent(wired, seen)
        return replace(row, answers=False, said=sentence, fix=fix)
    pin = physical(line.name, header) if line.bcm >= 0 else 0
    row = replace(row, chip=line.chip, held_by=line.holder, pin=pin)
    forbidden = never(line.chip, line.judged)
    if forbidden:
        sentence = f"{line.name or f'line {line.offset}'} {forbidden}"
        return replace(row, answers=False, said=sentence, fix="wire it to another line; the guard refuses this one")
    if line.held and line.consumer != f"{OURS}{row.name}"[:31]:
        return replace(row, answers=False, said=f"held by {line.holder}, not by the guard", fix=_ending(line))
    if line.held:
        return row if guard.runs else _foreign(row, guard)
    if guard.runs:
        return row if wired.lazy else replace(row, answers=False, said="the guard runs and does not hold it")
    if row.kind == "output":
        return replace(row, said="there and free; no guard runs, so what it does is not known")
    return _peeked(row, line, wired, seam, seen)


def _absent(wired: GpioLine, seen: Survey) -> tuple[str, str]:
    labels = [chip.label for chip in seen.chips]
    if seen.faults and not labels:
        return seen.faults[0]
    if not labels:
        return "there is no GPIO chip here", "fieldhand doctor says what is missing"
    told = f"the chips here: {', '.join(labels)}"
    if wired.chip and wired.chip not in labels:
        return f"there is no chip {wired.chip}", told
    if not wired.chip and seen.header is None:
        return "which chip has the header is not clear", f"say chip = in its table; {told}"
    meant = [chip for chip in seen.chips if (chip.label == wired.chip if wired.chip else chip.header)]
    there = [one for chip in meant for one in chip.lines]
    place = wired.chip or "the chip of the header"
    alike = [one.offset for one in there if wired.line in (one.name, one.kernel)]
    if len(alike) > 1:
        return f"{len(alike)} lines of {place} are named {wired.line}", "say which by its offset"
    near = [one.name for one in there if one.name.lower() == wired.line.lower() or one.bcm == bcm(wired.line) >= 0]
    return (
        f"{place} has no line {wired.line}",
        f"it is called {near[0]} there" if near else "board_info lists the lines",
    )


def _ending(line: Line) -> str:
    from edge.peripherals.gpiochip.trouble import HOLDERS, OTHERS

    return next((fix for start, fix in HOLDERS if line.consumer.startswith(start)), OTHERS)


def _foreign(row: Row, guard: Guard) -> Row:
    """A guard has it that cannot be asked here."""
    sentence = guard.trouble or "a guard has it that this command does not find"
    fix = guard.fix or "name its socket in [guard] socket, or its state folder with --state"
    return replace(row, answers=False, said=sentence, fix=fix)


def _peeked(row: Row, line: Line, wired: GpioLine, seam: Seam | None, seen: Survey) -> Row:
    """The level of a contact that nobody holds, as it is: no direction is asked for."""
    path = next((chip.path for chip in seen.chips if chip.label == line.chip), "")
    if line.direction != "input" or seam is None or not path:
        return replace(row, said="there and free; no guard runs, so what it shows is not known")
    from edge.peripherals.gpiochip.chip import Chip, Settings

    try:
        chip = Chip(seam, path)
        try:
            request = chip.request(line.offset, Settings("as-is"), "fieldhand wire")
            try:
                level = request.get()
            finally:
                request.close()
        finally:
            chip.close()
    except HardwareFault as fault:
        return replace(row, answers=False, said=fault.sentence, fix=fault.fix)
    value = float(level is not wired.active_low)
    return replace(row, level=value, said="there and free; read once, without the pull that the guard sets")


def _channel(row: Row, owned: Owned, root: str) -> Row:
    """A PWM channel: its folder and how many channels it has."""
    channel = next((one for one in owned.channels if one.name == row.name), None)
    if channel is None:
        return replace(row, answers=False, said="it is wired nowhere", fix="give it a line")
    folder = f"{root.rstrip('/')}/sys/class/pwm"
    try:
        with os.scandir(folder) as entries:
            chips = {entry.name: os.path.realpath(f"{entry.path}/device") for entry in entries}
    except OSError:
        chips = {}
    name = next((one for one, device in chips.items() if channel.chip in (one, os.path.basename(device))), "")
    row = replace(row, chip=name or channel.chip, line=f"channel {channel.channel}")
    if not name:
        fix = f"the PWM chips here: {', '.join(sorted(chips))}" if chips else "dtoverlay=pwm-2chan in config.txt"
        return replace(row, answers=False, said=f"there is no PWM chip {channel.chip}", fix=fix)
    count = _number(f"{folder}/{name}/npwm")
    if count is not None and channel.channel >= count:
        return replace(row, answers=False, said=f"{name} has channels 0 to {count - 1}", fix="use one of those")
    return replace(row, said="its channel is there")


def _number(path: str) -> int | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        text = os.read(handle, 32).decode("ascii", "replace").strip()
    finally:
        os.close(handle)
    return int(text) if text.isdecimal() else None


def _guarded(row: Row, guard: Guard, owned: Owned) -> Row:
    """What the guard says of it now, in words."""
    if not guard.outputs and not guard.sensors:
        return replace(row, now=_word(row.name, row.level, owned)) if row.level is not None else row
    if row.kind == "output":
        return _output(row, guard.outputs.get(row.name), guard)
    told = guard.sensors.get(row.name)
    row = replace(row, mode=str((told or {}).get("mode", "")))
    if told is None:
        return _wrong(row, "the guard that runs does not have it", "start the guard anew")
    if told.get("value") is None:
        return _wrong(row, str(told.get("error") or "it gives no value"))
    value = float(told["value"])
    quality = str(told.get("quality", "ok"))
    now = _word(row.name, value, owned, str(told.get("unit", "")))
    if not row.answers:
        return replace(row, now=now, level=value)
    said = f"its value is {quality}" if quality != "ok" else "answers" if guard.runs else "kept value"
    return replace(row, now=now, level=value, said=said, answers=quality in ("ok", "suspect"))


def _wrong(row: Row, sentence: str, fix: str = "") -> Row:
    """It does not answer, for this reason unless there was one before."""
    return replace(row, answers=False, said=sentence, fix=fix) if row.answers else row


def _output(row: Row, told: Any, guard: Guard) -> Row:
    from edge.peripherals.guard.protocol import WAITS

    if told is None:
        return _wrong(row, "the guard that runs does not have it", "start the guard anew")
    state, fault = told.get("state"), str(told.get("fault") or "")
    if state is None and not fault and told.get("why") == WAITS:
        return replace(row, now="not driven", said=WAITS) if row.answers else row
    if state is None:
        return _wrong(replace(row, now="unknown"), fault or "the guard cannot read it back")
    level = told.get("level")
    value = float(level) if isinstance(level, (int, float)) and not isinstance(level, bool) else float(state)
    now = f"{value * 100:.0f} %" if 0.0 < value < 1.0 else "on" if state else "off"
    left = told.get("left")
    if left is not None:
        now += f" {left:.0f} s"
    row = replace(row, now=now, level=value)
    if not row.answers:
        return row
    if fault:
        return replace(row, answers=False, said=fault)
    override = str(told.get("override") or "")
    return replace(row, said=override or ("reads back" if guard.runs else "kept value"))


def _word(name: str, value: float | None, owned: Owned, unit: str = "") -> str:
    """`open`, `on`, `21.3 C`."""
    if value is None:
        return ""
    sensor = next((one for one in owned.sensors if one.name == name), None)
    if sensor is not None and len(sensor.states) == 2 and value in (0.0, 1.0):
        return sensor.states[int(value)]
    unit = unit or (sensor.unit if sensor is not None else "")
    if not unit and value in (0.0, 1.0):
        return "on" if value else "off"
    return f"{value:.{0 if abs(value) >= 1000 else 1}f} {unit}".rstrip()


def _related(row: Row, by_name: Mapping[str, Row], owned: Owned) -> Row:
    """Feedback and interlocks of an output, by what the other rows show now."""
    if row.kind != "output":
        return row
    output = next(one for one in owned.outputs if one.name == row.name)
    if output.feedback and row.level is not None:
        shown = by_name[output.feedback].level if output.feedback in by_name else None
        if shown is not None:
            agrees = (shown != 0.0) == (row.level != 0.0)
            sentence = f"the feedback {output.feedback} shows {by_name[output.feedback].now}, it is {row.now}"
            row = replace(row, agrees=agrees)
            if not agrees and row.answers:
                row = replace(row, answers=False, said=sentence, fix="see the relay, its supply and the contact")
    return replace(row, interlock=_conditions(output, by_name, owned)) if output.interlock else row


def _conditions(output: Output, by_name: Mapping[str, Row], owned: Owned) -> tuple[Condition, ...]:
    """Each interlock and why it does not hold now, judged as the guard does."""
    from edge.call import Reading
    from edge.peripherals.guard import interlock

    def sense(name: str) -> Reading:
        row = by_name[name]
        sensor = next(one for one in owned.sensors if one.name == name)
        if row.level is None:
            raise HardwareFault(f"{name} is not known now")
        return Reading(name, row.level, sensor.unit, "ok", 0.0, row.line)

    look = interlock.Look(sense, lambda name: by_name[name].level, [one.name for one in owned.outputs])
    words = interlock.vocabulary(owned.outputs, owned.sensors)
    return tuple(
        [Condition(text, interlock.Condition(text, words).fails(look, output.max_age)) for text in output.interlock]
    )
