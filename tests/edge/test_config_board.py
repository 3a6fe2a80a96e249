"""The tables of a board: every key arrives, every slip is told with file, line and key."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from edge.call import Gpio
from edge.config import load
from edge.config_board import Declared
from edge.faults import ConfigFault
from edge.peripherals.guard.owned import GpioLine, PwmChannel, read, text

WHOLE = """\
    board = "auto"
    [guard]
    socket = "/run/x/guard.sock"
    users = ["pi"]
    heartbeat = 2
    [gpio]
    chip = "pinctrl-rp1"
    lines = ["GPIO22"]
    lab = true
    [outputs.pump]
    label = "irrigation pump, relay 2"
    line = "GPIO17"
    active = "low"
    safe = "off"
    max_on = 120
    min_off = 30
    max_per_hour = 6
    interlock = ["tank", "not door == open"]
    max_age = 5
    feedback = "pump_runs"
    settle = 1.5
    override = "by_hand"
    on_start = "hold"
    on_exit = "hold"
    risk = "high"
    words = ["water"]
    [outputs.fan]
    line = 18
    safe = "on"
    [outputs.heater.pwm]
    chip = "pwmchip0"
    active = "low"
    channel = 1
    frequency = 50
    [inputs.tank]
    line = "GPIO5"
    chip = "pinctrl-rp1"
    bias = "up"
    debounce = 0.02
    active = "low"
    [inputs.pump_runs]
    line = "GPIO6"
    [inputs.by_hand]
    line = "GPIO7"
    [inputs.door]
    line = "GPIO8"
    label = "door of the box"
    states = ["closed", "open"]
    words = ["lid"]
"""


def write(folder: Path, said: str) -> str:
    path = folder / "config.toml"
    path.write_text(textwrap.dedent(said), encoding="utf-8")
    return str(path)


def declared(folder: Path, said: str) -> Declared:
    found = load(write(folder, said)).declared
    assert found is not None
    return found


def test_every_key_arrives(tmp_path: Path) -> None:
    found = declared(tmp_path, WHOLE)
    assert (found.socket, found.users, found.owned.heartbeat) == ("/run/x/guard.sock", ("pi",), 2.0)
    assert found.gpio == Gpio("", "pinctrl-rp1", ("GPIO22",), ("GPIO22",))
    pump, fan, heater, lab = found.owned.outputs
    assert (pump.name, pump.label, pump.where, pump.risk) == ("pump", "irrigation pump, relay 2", "GPIO17", "high")
    assert (pump.max_on, pump.min_off, pump.max_per_hour, pump.max_age, pump.settle) == (120, 30, 6, 5, 1.5)
    assert (pump.interlock, pump.feedback, pump.override) == (("tank", "not door == open"), "pump_runs", "by_hand")
    assert (pump.on_start, pump.on_exit, pump.words, pump.safe) == ("hold", "hold", ("water",), False)
    assert (fan.safe, fan.label, fan.where, heater.pwm, heater.where) == (
        True,
        "fan",
        "line 18",
        True,
        "channel 1 of pwmchip0",
    )
    assert (lab.name, lab.risk) == ("GPIO22", "high")
    tank, _, _, door = found.owned.sensors
    assert (tank.where, tank.states, door.label, door.states, door.words) == (
        "GPIO5 of pinctrl-rp1",
        ("off", "on"),
        "door of the box",
        ("closed", "open"),
        ("lid",),
    )
    assert found.owned.lines[0] == GpioLine("pump", "", "GPIO17", True)
    assert found.owned.lines[2] == GpioLine("tank", "pinctrl-rp1", "GPIO5", True, "up", 0.02)
    assert found.owned.lines[-1] == GpioLine("GPIO22", "pinctrl-rp1", "GPIO22", lazy=True)
    assert found.owned.channels == (PwmChannel("heater", "pwmchip0", 1, 50.0, True),)


def test_what_is_declared_reaches_a_guard_whole(tmp_path: Path) -> None:
    owned = declared(tmp_path, WHOLE).owned
    assert read(text(owned)) == owned


@pytest.mark.parametrize(
    ("said", "line", "words"),
    [
        ('[outputs.pump]\nlien = "GPIO17"\n', 2, "did you mean line?"),
        ("[outputs.pump]\nmax_on = 5\n", 1, "needs a line"),
        ('[outputs.pump]\nline = "GPIO17"\nmax_on = 0\n', 3, "from 0.1 to"),
        ('[outputs.pump]\nline = "GPIO17"\nsafe = "of"\n', 3, "off or on"),
        ('[outputs.pump]\nline = "GPIO17"\nactive = true\n', 3, "high or low"),
        ("[outputs.pump]\nline = -1\n", 2, "line name"),
        ("[outputs.pump]\nline = 70000\n", 2, "line name"),
        ('[outputs.pump]\nline = ""\n', 2, "line name"),
        ('[outputs.Pump]\nline = "GPIO17"\n', 1, "small letters"),
        ('[outputs."a b"]\nline = "GPIO17"\n', None, "small letters"),
        ('[outputs.pump]\nline = "GPIO17"\n[outputs.fan]\nline = "GPIO17"\n', 3, "two names"),
        ("[outputs.heater.pwm]\nchannel = 1\n", 1, "needs a chip and a channel"),
        ('[outputs.heater]\nline = "GPIO17"\n[outputs.heater.pwm]\nchip = "pwmchip0"\nchannel = 1\n', 2, "has pwm"),
        ('[inputs.door]\nline = "GPIO17"\nstates = ["open"]\n', 3, "two words"),
        ('[inputs.door]\nline = "GPIO17"\nbias = "left"\n', 3, "up or down or off"),
        ("[gpio]\nlab = true\n", 2, "names no lines"),
        ('[gpio]\nchips = "model:x"\n', 2, "absolute path"),
        ('[gpio]\nlines = "GPIO22"\n', 2, "list"),
        ("[guard]\nheartbeat = 0\n", 2, "from 1 to 60"),
        ('[guard]\nsocket = "guard.sock"\n', 2, "absolute"),
        ("[output.pump]\nline = 1\n", 1, "did you mean [outputs]?"),
        ("outputs = 3\n", 1, "table of tables"),
    ],
)
def test_a_slip_is_told_with_its_line(tmp_path: Path, said: str, line: int | None, words: str) -> None:
    path = write(tmp_path, said)
    with pytest.raises(ConfigFault) as caught:
        load(path)
    assert words in f"{caught.value.sentence} {caught.value.fix}"
    assert caught.value.where == (path if line is None else f"{path}:{line}")


def test_without_such_tables_nothing_is_declared(tmp_path: Path) -> None:
    assert load(write(tmp_path, 'mode = "full"\n')).declared is None


@pytest.mark.parametrize(
    "told, line, words",
    [
        ('[outputs.a]\nline = "pin 11"', 3, "pin 11 is a pin"),
        ('[outputs.a]\nline = "J8:11"', 3, "J8:11 is a pin"),
        ('[gpio]\nlab = true\nlines = ["GPIO4", "BOARD15"]', 4, "BOARD15 is a pin"),
        ('[outputs.a]\nline = "GPIO17"\n[outputs.b]\nline = "017"', 4, "two names: a and b"),
        ('[outputs.a]\nline = "GPIO17"\n[inputs.b]\nline = "BCM17"', 4, "two names: a and b"),
        ('[outputs.pump]\nline = 17\n[gpio]\nlab = true\nlines = ["pump"]', 6, "the name of two things"),
        ('[inputs.door]\nline = 17\n[gpio]\nlab = true\nlines = ["door"]', 6, "the name of two things"),
        ('[gpio]\nlab = true\nlines = ["GPIO4", "4"]', 4, "two names: GPIO4 and 4"),
        ('[gpio]\nlines = [""]', 3, "must be a line name"),
        (f'[gpio]\nlines = ["{"x" * 32}"]', 3, "must be a line name"),
        (f"[gpio]\nlines = {[f'L{n}' for n in range(65)]}", 3, "at most 64 lines"),
        ('[outputs.a]\nline = 17\nlabel = ""', 4, "1 to 80 characters"),
        ('[inputs.a]\nline = 17\nlabel = " "', 4, "1 to 80 characters"),
        (f'[outputs.a]\nline = 17\nlabel = "{"x" * 81}"', 4, "1 to 80 characters"),
        ('[outputs.a]\nline = 17\npwm = {chip = "pwmchip0", channel = 0}', 3, "outputs.a has pwm"),
        ('[outputs.a]\npwm = {chip = "../../etc", channel = 0}', 3, "must be a PWM chip"),
        ("[outputs.a]\nline = 17\nmax_on = 1e9", 4, "from 0.1 to 2678400"),
    ],
)
def test_what_no_board_can_be_is_told_with_its_line(tmp_path: Path, told: str, line: int, words: str) -> None:
    path = write(tmp_path, f'board = "auto"\n{told}\n')
    with pytest.raises(ConfigFault) as caught:
        load(path)
    assert words in caught.value.sentence and caught.value.where == f"{path}:{line}"


def test_an_offset_is_one_however_it_is_written(tmp_path: Path) -> None:
    said = '[outputs.a]\nline = "017"\n[outputs.b]\nline = 0\n[outputs.c]\nline = "00000000004"\n'
    owned = declared(tmp_path, said).owned
    assert [line.line for line in owned.lines] == ["17", "0", "4"]
    assert [one.where for one in owned.outputs] == ["line 17", "line 0", "line 4"]


def test_more_than_a_guard_can_be_told_is_a_fault_of_the_settings(tmp_path: Path) -> None:
    words = ", ".join([f'"{"w" * 90}{number}"' for number in range(40)])
    whole = "".join([f'[outputs.o{number}]\nline = "L{number}"\nwords = [{words}]\n' for number in range(20)])
    assert len(text(declared(tmp_path, whole).owned)) < 100_000
    with pytest.raises(ConfigFault, match="so much is declared"):
        declared(tmp_path, whole.replace("[outputs.o", "[outputs.p").replace('"L', '"M') + whole)
