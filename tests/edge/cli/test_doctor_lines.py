"""Doctor on lines: the header's chip, who holds what is declared, the guard."""

from __future__ import annotations

import glob
import json
from pathlib import Path
from typing import Any

import pytest

from edge.call import Gpio, Sensor
from edge.cli.board import Chosen
from edge.cli.doctor_lines import findings, guarded, looked
from edge.cli.finding import Finding
from edge.peripherals.boards.identity import Board
from edge.peripherals.boards.survey import Survey, survey
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.guard.owned import GpioLine, Owned
from edge.record import replace
from tests.support import agent
from tests.support.chips import ChipServer
from tests.support.wired import DOOR, FAN, OWNED, WITH_PWM, guard

PI3 = Board("Raspberry Pi 3 Model B Rev 1.2", "Raspberry Pi 3 B", "BCM2837", "a02082", 1024, "40", ("pinctrl-bcm2835",))
REAL = Chosen(OWNED, socket="/nowhere/guard.sock")


def look(seen: Survey, board: Board = PI3, chosen: Chosen | None = REAL) -> list[Finding]:
    return list(findings(board, chosen, "", seen))


def by_name(found: list[Finding]) -> dict[str, Finding]:
    return {finding.what: finding for finding in found}


def test_a_board_whose_lines_are_free_is_ok_and_says_which_chip_has_the_header() -> None:
    found = by_name(look(survey(Model("pi3"))))
    assert found["hardware"].sentence == "Raspberry Pi 3 Model B Rev 1.2, revision a02082, header of 40 pins"
    assert "pinctrl-bcm2835 at /dev/gpiochip0 (54 lines, the header)" in found["gpio chip"].sentence
    assert found["line pump"].sentence.startswith("GPIO17 of pinctrl-bcm2835 (pin 11): there and free")
    assert found["guard"].state == "absent" and "fieldhand guard unit systemd" in found["guard"].fix
    assert not [finding for finding in found.values() if finding.state == "wrong"]


def test_doctor_takes_no_line_at_all() -> None:
    model = Model("pi3")
    look(survey(model))
    assert {done.what for done in model.record} == {"open", "GET_CHIPINFO", "GET_LINEINFO"}


def test_who_holds_a_declared_line_is_named() -> None:
    model = Model("pi3")
    chip = Chip(model, model.chips()[0])
    chip.request(17, Settings("output"), "relayd")
    finding = by_name(look(survey(model)))["line pump"]
    assert finding.state == "wrong" and "held by relayd, not by the guard" in finding.sentence and finding.fix
    chip.close()


def test_the_chip_of_another_board_is_wrong_only_when_lines_are_wanted() -> None:
    five = replace(PI3, labels=("pinctrl-rp1",))
    found = by_name(look(survey(Model("pi3")), five))
    assert found["gpio chip"].state == "wrong" and "is at pinctrl-rp1" in found["gpio chip"].sentence
    assert "minimal image" in found["gpio chip"].fix
    found = by_name(look(survey(Model("pi3")), five, None))
    assert found["gpio chip"].state == "absent" and list(found) == ["hardware", "gpio chip"]


def test_a_board_of_sensors_alone_misses_no_chip() -> None:
    """The same faults, and what is declared alone decides whether they are wrong."""
    seen = Survey((), (("the GPIO chips cannot be listed", ""),))
    sensors = Chosen(Owned("lines"), Gpio(), sensors=(Sensor("t0", "", "C", "tmp105 at I2C 1/0x48"),))
    heater = Chosen(WITH_PWM, Gpio())
    for chosen in (sensors, heater):
        assert by_name(look(seen, PI3, chosen))["gpio chip"].state == "absent" and not chosen.lines
    named = [replace(sensors, gpio=one) for one in (Gpio(chip="a"), Gpio(lines=("GPIO4",)), Gpio(lab=("GPIO4",)))]
    for chosen in (REAL, Chosen(Owned("lines", (), (DOOR,), (GpioLine("door", "", "GPIO4"),))), *named):
        assert by_name(look(seen, PI3, chosen))["gpio chip"].state == "wrong" and chosen.lines
    assert not Chosen(Owned("sim", (FAN,))).lines and not Chosen().lines


def test_several_chips_without_a_known_header_ask_for_the_label() -> None:
    from edge.peripherals.gpiochip.stock import Line, Stock

    two = Model((Stock("gpiochip0", "a", (Line(),)), Stock("gpiochip1", "b", (Line(),))))
    finding = by_name(look(survey(two), Board(), None))["gpio chip"]
    assert finding.state == "absent" and "[gpio] chip" in finding.fix


def test_a_kernel_without_the_requests_and_a_shut_chip_say_what_to_do() -> None:
    model = Model("pi-zero")
    model.fail("GET_CHIPINFO", 25)
    finding = by_name(look(survey(model)))["gpio chip"]
    assert finding.state == "wrong" and "5.10" in finding.fix
    model.fail("open", 13)
    finding = by_name(look(survey(model)))["gpio chip"]
    assert finding.state == "wrong" and "usermod -aG gpio" in finding.fix


def test_lines_with_another_duty_are_told() -> None:
    owned = Owned("lines", (FAN,), (), (GpioLine("fan", "", "GPIO14"),))
    found = look(survey(Model("pi3")), PI3, Chosen(owned, socket="/nowhere"))
    (finding,) = [one for one in found if one.what == "wiring"]
    assert finding.state == "absent" and "serial port" in finding.sentence
    owned = Owned("lines", (FAN,), (), (GpioLine("fan", "", "SD_CLK_R"),))
    found = look(survey(Model("pi3")), PI3, Chosen(owned, socket="/nowhere"))
    finding = by_name(found)["line fan"]
    assert finding.state == "wrong" and "is not at the header" in finding.sentence and "another line" in finding.fix
    owned = Owned("lines", (FAN,), (), (GpioLine("fan", "", "GPIO40"),))
    found = look(survey(Model("pi3")), PI3, Chosen(owned, socket="/nowhere"))
    assert [one.state for one in found if one.what in ("wiring", "line fan")] == ["wrong", "wrong"]


def test_the_simulated_board_has_no_lines_and_nothing_wrong() -> None:
    assert look(Survey(), Board(), Chosen()) == []


def test_a_guard_is_told_as_service_or_child_with_its_users(tmp_path: Path) -> None:
    socket = tmp_path / "guard.sock"
    socket.write_text("")
    socket.chmod(0o600)
    runs = replace(guard(), where=str(socket))
    (finding,) = guarded(runs, Chosen(OWNED, socket=str(socket), users=("ops",)))
    assert finding.state == "ok" and "as a service (process 812)" in finding.sentence
    assert "0600, also for ops" in finding.sentence
    (finding,) = guarded(runs, REAL)
    assert "as the child of an agent" in finding.sentence
    (finding,) = guarded(replace(runs, pid=0, trouble="it did not answer", fix="ask as root"), REAL)
    assert (finding.state, finding.sentence, finding.fix) == ("wrong", "it did not answer", "ask as root")


def test_a_place_of_chips_where_nobody_answers_is_a_finding(tmp_path: Path) -> None:
    seen = looked(Chosen(Owned("lines", chips=f"model:{tmp_path}/none")))
    assert seen.chips == () and len(seen.faults) == 1
    assert by_name(look(seen))["gpio chip"].state == "wrong"


def test_the_whole_doctor_looks_at_a_declared_board(tmp_path: Path) -> None:
    with ChipServer(tmp_path) as server:
        file = tmp_path / "board.toml"
        file.write_text(f'[gpio]\nchips = "{server.chips}"\n[outputs.pump]\nline = "GPIO17"\n')
        done: Any = agent.run("doctor", "--board", str(file), home=tmp_path)
    assert "ok     line pump: GPIO17 of pinctrl-bcm2835 (pin 11): there and free" in done.stdout, done.stderr
    assert f"absent gpio model: the settings name a model of chips ({server.chips})" in done.stdout
    assert "ok     gpio chip: pinctrl-bcm2835 at " in done.stdout and "absent guard: none runs now" in done.stdout
    assert "ok     board: this one, 1 outputs and inputs and 0 sensors declared" in done.stdout


SENSOR = '[sensors.t0]\ni2c = "1/0x48"\npart = "tmp105"\n'
FAN_TABLE = '[outputs.fan]\nline = "GPIO27"\n'


@pytest.mark.parametrize("declared, wanted", [(SENSOR, False), ("", False), (SENSOR + FAN_TABLE, True)])
def test_the_whole_doctor_wants_a_chip_only_for_lines(tmp_path: Path, declared: str, wanted: bool) -> None:
    file = tmp_path / "board.toml"
    file.write_text(declared)
    done: Any = agent.run("doctor", "--json", "--board", str(file), home=tmp_path)
    wrong = [one["what"] for one in json.loads(done.stdout) if one["state"] == "wrong"]
    missing = wanted and not glob.glob("/dev/gpiochip*")
    assert ("devices: GPIO" in wrong) is missing, done.stdout
    assert wanted or not {"gpio chip", "kernel", "devices: GPIO"} & {*wrong}, done.stdout
