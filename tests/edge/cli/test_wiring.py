"""Each declared thing against what answers, over a model of the chips; nothing is ever switched."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.call import Output
from edge.cli.wiring import Guard, ask
from edge.peripherals.boards.identity import Board
from edge.peripherals.boards.survey import survey
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import Line as StockLine
from edge.peripherals.gpiochip.stock import Stock
from edge.peripherals.guard.lines import LinesPlant
from edge.peripherals.guard.owned import GpioLine, Owned
from edge.peripherals.guard.protocol import WAITS
from edge.record import replace
from tests.support.wired import DOOR, FAN, OWNED, PI3, PUMP, WITH_PWM, checked, guard, held

LOOKS = {"open", "GET_CHIPINFO", "GET_LINEINFO"}


def test_with_a_guard_that_holds_all_of_it_everything_answers() -> None:
    model = Model("pi3")
    held(model)
    before = len(model.record)
    rows = checked(model, guard())
    assert all(row.answers for row in rows.values())
    pump, door = rows["pump"], rows["door"]
    assert (pump.pin, pump.active, pump.safe, pump.now, pump.said) == (11, "low", "off", "off", "reads back")
    assert (pump.limits, pump.agrees) == ("at most 600 s on, 60 s at rest between, 6 times an hour", True)
    assert (pump.held_by, pump.chip) == ("fieldhand:pump", "pinctrl-bcm2835")
    assert [one.fails for one in pump.interlock] == ["", ""]
    assert (door.kind, door.pin, door.now, rows["fan"].pin) == ("contact", 7, "closed", 13)
    assert {done.what for done in model.record[before:]} == LOOKS


def test_without_a_guard_lines_are_there_and_contacts_are_read_as_they_are() -> None:
    model = Model("pi3")
    model.pull("pinctrl-bcm2835", 4, True)
    rows = checked(model, Guard())
    assert all(row.answers for row in rows.values())
    assert "no guard runs" in rows["pump"].said and rows["pump"].now == ""
    assert (rows["door"].now, rows["stop_button"].now) == ("open", "free")
    assert {done.what for done in model.record} == LOOKS | {"GET_LINE", "GET_VALUES"}
    assert not any(done.flags for done in model.record if done.what == "GET_LINE")
    assert not any(holder.startswith("fieldhand") for holder in model.holders().values())


def test_a_line_that_another_holds_is_named_with_its_holder() -> None:
    model = Model("pi3")
    chip = Chip(model, model.chips()[0])
    chip.request(17, Settings("output"), "w1")
    row = checked(model, Guard())["pump"]
    assert not row.answers and "held by w1" in row.said and "dtoverlay=w1-gpio" in row.fix
    row = checked(model, guard())["pump"]
    assert not row.answers and "held by w1" in row.said
    chip.close()


def test_a_guard_that_is_not_found_is_no_guard_that_answers() -> None:
    model = Model("pi3")
    held(model)
    rows = checked(model, Guard(0, "/run/guard.sock", "the guard at /run/guard.sock did not answer", "ask as root"))
    assert not any(row.answers for row in rows.values())
    assert "did not answer" in rows["pump"].said and rows["pump"].fix == "ask as root"


@pytest.mark.parametrize(
    "chip, line, words",
    [
        *(("", "GPIO99", "no line GPIO99"), ("pinctrl-rp1", "GPIO17", "no chip pinctrl-rp1")),
        *(("pinctrl-bcm2835", "SD_CARD", "no line SD_CARD"), ("", "273", "no line 273")),
        *(("", "SD_CLK_R", "is not at the header"), ("raspberrypi-exp-gpio", "WL_ON", "the board's own functions")),
    ],
)
def test_what_is_not_there_is_told_with_what_is(chip: str, line: str, words: str) -> None:
    owned = Owned("lines", (FAN,), (), (GpioLine("fan", chip, line),))
    row = checked(Model("pi3"), Guard(), owned)["fan"]
    assert not row.answers and words in row.said and row.fix and row.pin in (0, 11)


@pytest.mark.parametrize(
    "board, line, pin, words",
    [
        *(("pi3", "gpio17", 0, "it is called GPIO17 there"), ("pi3", "BCM17", 0, "it is called GPIO17 there")),
        *(("pi3", "17", 11, ""), ("pi3", "SDA1", 0, "it is called GPIO2 there"), ("pi3-mainline", "SDA1", 3, "")),
        *(("pi3", "TXD0", 0, "another line"), ("pi3-mainline", "TXD1", 8, ""), ("pi-zero", "SDA0", 0, "another line")),
    ],
)
def test_a_line_is_judged_as_the_guard_finds_it(board: str, line: str, pin: int, words: str) -> None:
    owned = Owned("lines", (FAN,), (), (GpioLine("fan", "", line),))
    row = checked(Model(board), Guard(), owned)["fan"]
    plant = LinesPlant(owned, Model(board))
    assert (row.answers, row.pin) == (not plant.missing, pin) and words in row.fix
    plant.close()


def test_two_lines_of_one_name_are_told_apart_by_their_offsets() -> None:
    model = Model((Stock("gpiochip0", "two", (StockLine("A"), StockLine("A"))),))
    row = checked(model, Guard(), Owned("lines", (FAN,), (), (GpioLine("fan", "", "A"),)))["fan"]
    assert (row.answers, row.said, row.fix) == (
        False,
        "2 lines of the chip of the header are named A",
        "say which by its offset",
    )


def test_without_chips_every_line_says_so() -> None:
    rows = checked(Model(()), Guard())
    assert not any(row.answers for row in rows.values()) and "no GPIO chip" in rows["pump"].said


def test_a_chip_that_may_not_be_opened_is_the_reason_of_every_line() -> None:
    model = Model("pi-zero")
    model.fail("open", 13, times=-1)
    row = checked(model, Guard())["fan"]
    assert not row.answers and "permission denied" in row.said and "log in again" in row.fix


@pytest.mark.parametrize(
    "changes, name, words",
    [
        ({"pump": {"state": None, "level": None, "fault": "its state is unknown"}}, "pump", "its state is unknown"),
        ({"pump": {"state": True, "level": 1.0}}, "pump", "feedback pump_runs shows off"),
        ({"pump": {"fault": "feedback pump_runs says off"}}, "pump", "feedback pump_runs says off"),
        ({"door": {"value": None, "error": "line 4 cannot be read"}}, "door", "line 4 cannot be read"),
        ({"door": {"quality": "stale"}}, "door", "stale"),
    ],
)
def test_what_the_guard_cannot_vouch_for_does_not_answer(changes: dict, name: str, words: str) -> None:
    model = Model("pi3")
    held(model)
    rows = checked(model, guard(**changes))
    assert not rows[name].answers and words in rows[name].said
    assert [row.name for row in rows.values() if not row.answers] == [name]


def test_an_interlock_that_does_not_hold_is_told_and_is_no_fault() -> None:
    model = Model("pi3")
    held(model)
    row = checked(model, guard(door={"value": 1.0}, fan={"state": True, "level": 1.0, "left": 30.0}))["pump"]
    assert row.answers
    assert [one.fails for one in row.interlock] == ["door == closed does not hold: open", "not fan does not hold: on"]
    row = checked(model, guard(door={"value": None, "error": "x"}))["pump"]
    assert row.answers and "not known" in row.interlock[0].fails


def test_a_running_guard_that_knows_nothing_of_a_name_was_started_with_other_settings() -> None:
    model = Model("pi3")
    held(model)
    rows = checked(model, replace(guard(), outputs={"fan": guard().outputs["fan"]}))
    assert not rows["pump"].answers and rows["pump"].fix == "start the guard anew" and rows["fan"].answers


def test_a_line_that_the_running_guard_lost_does_not_answer() -> None:
    rows = checked(Model("pi3"), guard())
    assert not rows["fan"].answers and "does not hold it" in rows["fan"].said


def test_a_line_of_a_lab_is_taken_when_it_is_written() -> None:
    owned = Owned("lines", (replace(FAN, name="GPIO22"),), (), (GpioLine("GPIO22", "", "GPIO22", lazy=True),))
    told = replace(guard(), outputs={"GPIO22": {"state": False}})
    row = checked(Model("pi3"), told, owned)["GPIO22"]
    assert row.answers and row.pin == 15


def test_a_pwm_channel_is_looked_for_in_sysfs(tmp_path: Path) -> None:
    row = checked(Model("pi3"), Guard(), WITH_PWM, str(tmp_path))["heater"]
    assert not row.answers and "no PWM chip pwmchip0" in row.said and "dtoverlay=pwm" in row.fix
    chip = tmp_path / "sys/class/pwm/pwmchip0"
    chip.mkdir(parents=True)
    (chip / "npwm").write_text("1\n")
    row = checked(Model("pi3"), Guard(), WITH_PWM, str(tmp_path))["heater"]
    assert not row.answers and "channels 0 to 0" in row.said
    (chip / "npwm").write_text("2\n")
    assert checked(Model("pi3"), Guard(), WITH_PWM, str(tmp_path))["heater"].answers


def test_an_old_kernels_name_for_the_line_finds_its_pin() -> None:
    owned = Owned("lines", (PUMP,), (DOOR,), (GpioLine("pump", "", "TXD1"), GpioLine("door", "", "GPIO4")))
    rows = checked(Model("pi3-mainline"), Guard(), replace(owned, outputs=(replace(PUMP, interlock=(), feedback=""),)))
    assert (rows["pump"].pin, rows["door"].pin) == (8, 7) and rows["pump"].answers


def test_rows_come_in_the_order_of_the_settings() -> None:
    model = Model("pi3")
    assert list(checked(model, Guard())) == ["pump", "fan", "door", "pump_runs", "stop_button"]
    assert survey(model).header is not None and OWNED.outputs[0].name == "pump"


def test_a_pin_is_told_only_where_the_header_is_known() -> None:
    module = Board("Raspberry Pi Compute Module 3", "Raspberry Pi CM3", labels=("pinctrl-bcm2835",))
    for board, model, pin in (
        *((PI3, "pi3", 11), (Board(), "pi3", 11), (module, "pi3", 0), (replace(PI3, header="26"), "pi-zero", 11)),
        (Board("BeagleBone Black", "BeagleBone"), "pi3", 0),
    ):
        assert checked(Model(model), Guard(), board=board)["pump"].pin == pin
    other = Model((Stock("gpiochip0", "soc-gpio", tuple(StockLine(f"GPIO{number}") for number in range(32))),))
    row = checked(other, Guard(), board=Board())["pump"]
    assert (row.pin, row.chip, row.answers) == (0, "soc-gpio", True)


def test_a_lab_line_that_nobody_wrote_is_no_fault_of_the_guards() -> None:
    lab = Output("GPIO22", "lab line", "GPIO22", "high")
    owned = Owned("lines", (lab,), (), (GpioLine("GPIO22", "", "GPIO22", lazy=True),))
    told = {"GPIO22": {"state": None, "level": None, "left": None, "fault": "", "why": WAITS}}
    row = checked(Model("pi3"), Guard(9, "/s", outputs=told), owned)["GPIO22"]
    assert (row.answers, row.now, row.said) == (True, "not driven", WAITS)
    told["GPIO22"]["fault"] = "held by mower"
    assert not checked(Model("pi3"), Guard(9, "/s", outputs=told), owned)["GPIO22"].answers


def test_a_place_of_a_service_where_nobody_listens_is_told(tmp_path: Path) -> None:
    paths = (str(tmp_path / "service.sock"), str(tmp_path / "own.sock"))
    assert ask(paths, OWNED) == Guard()
    Path(paths[1]).touch()
    assert ask(paths, OWNED) == Guard()  # the next start takes that away
    Path(paths[0]).touch()
    found = ask(paths, OWNED)
    assert (found.runs, found.where) == (False, paths[0]) and "no guard listens at" in found.trouble and found.fix
