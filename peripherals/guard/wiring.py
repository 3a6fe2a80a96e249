"""What may be wired to which line: judged on names when it is declared, on real chips when it is taken.

Rules this file keeps:
1. Pure. `refusals` are what no guard does; `warnings` are what works and is seldom meant.
2. A line that the board itself uses is never an output and never a contact: a wrong level there takes away the card,
   the network or the power. Which lines those are, `edge.peripherals.boards.reserved` says.
3. One line has one name. Only the contact that is an output's feedback may read that output's own line.
4. A level between off and on is made by a PWM channel of the hardware, never by switching a line in a loop: the
   process that must be on time for every deadline would be late for every edge.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Output
    from edge.peripherals.guard.owned import GpioLine, Owned, PwmChannel

_NO_PWM = (
    "is at a plain line and takes no level between off and on",
    "wire it to a PWM channel (pwm = {chip, channel, frequency}); a hobby LED can have gpiozero's software PWM",
)


def barred(label: str, line: str) -> str:
    """Why nothing may be wired to this line; "" when it may. `line` is a name, or an offset in digits.

    `label` "" is a chip that was not looked for yet: only what says a number beyond a header is barred then.
    """
    from edge.peripherals.boards.header import LAST, bcm
    from edge.peripherals.boards.reserved import HEADER_CHIPS, never

    if label:
        why = never(label, line)
        return why and f"{_shown(line)} {why}"
    if bcm(line) <= LAST:
        return ""
    other = "if this board is no Raspberry Pi, say the label of its chip"
    return f"{_shown(line)} {never(HEADER_CHIPS[0], line)}; {other}"


def doubtful(label: str, line: str) -> str:
    """What this line is for on most boards; "" when it is free for use. Arguments as for `barred`."""
    from edge.peripherals.boards.header import LAST, bcm
    from edge.peripherals.boards.reserved import HEADER_CHIPS, reserved

    if not label and not 0 <= bcm(line) <= LAST:
        return ""
    why = reserved(label or HEADER_CHIPS[0], line)
    return why and f"{_shown(line)} {why}"


def no_level(name: str) -> tuple[str, str]:
    """The sentence, and what to do, for a level between off and on at a plain line."""
    return f"{name} {_NO_PWM[0]}", _NO_PWM[1]


def refusals(owned: Owned) -> tuple[str, ...]:
    """What is wrong with the wiring, as sentences; empty for a simulated board, which has none."""
    if owned.kind != "lines":
        return ()
    found = [f"{one.name}: {why}" for one in owned.lines if (why := barred(one.chip, one.line))]
    wired = {one.name for one in owned.lines} | {one.name for one in owned.channels}
    outputs = {one.name: one for one in owned.outputs}
    declared = [*outputs, *[one.name for one in owned.sensors]]
    found += [f"{name} is declared but wired nowhere" for name in declared if name not in wired]
    found += [
        f"{one.name} is no output and cannot be a PWM channel" for one in owned.channels if one.name not in outputs
    ]
    for one in owned.lines:
        if one.name in outputs and outputs[one.name].pwm:
            found.append(", ".join(no_level(one.name)))
    return tuple(found + _shared_lines(owned.lines, outputs) + _shared_channels(owned.channels))


def warnings(owned: Owned, label: str = "") -> tuple[str, ...]:
    """What is declared and seldom meant, as sentences. `label`: of the chip with the header, where that was seen.

    Of a chip that is behind no known header an offset says nothing; whoever takes the line knows its name.
    """
    if owned.kind != "lines":
        return ()
    found = []
    for one in owned.lines:
        chip = one.chip or label
        if (header(chip) or not one.line.isdecimal()) and not barred(chip, one.line):
            why = doubtful(chip, one.line)
            found += [f"{one.name}: {why}"] if why else []
    return tuple(found)


def _shown(line: str) -> str:
    return f"line {line}" if line.isdecimal() else line


def header(label: str) -> bool:
    from edge.peripherals.boards.reserved import HEADER_CHIPS

    return not label or label in HEADER_CHIPS


def _place(one: GpioLine) -> tuple[str, str]:
    """Several ways to write one line are one place."""
    from edge.peripherals.boards.header import bcm

    if header(one.chip):
        offset = bcm(one.line)
        return "", one.line if offset < 0 else f"GPIO{offset}"
    return one.chip, one.line


def _shared_lines(lines: tuple[GpioLine, ...], outputs: dict[str, Output]) -> list[str]:
    found = []
    first: dict[tuple[str, str], str] = {}
    for one in sorted(lines, key=lambda one: one.name not in outputs):
        owner = first.setdefault(_place(one), one.name)
        if owner != one.name and not (owner in outputs and outputs[owner].feedback == one.name):
            found.append(f"{_shown(one.line)} has two names: {owner} and {one.name}")
    return found


def _shared_channels(channels: tuple[PwmChannel, ...]) -> list[str]:
    found = []
    first: dict[tuple[str, int], str] = {}
    for one in channels:
        owner = first.setdefault((one.chip, one.channel), one.name)
        if owner != one.name:
            found.append(f"channel {one.channel} of {one.chip} has two names: {owner} and {one.name}")
    return found
