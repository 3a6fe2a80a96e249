"""board_info as the model meets it: the header as a drawing, on real lines and on the simulated board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.call import Gpio
from edge.hands.board import chips
from edge.peripherals.boards.survey import survey
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import Line, Stock
from edge.record import replace
from edge.tools.board_drawing import LEGEND, drawn
from edge.tools.board_info import ROOM, shown
from edge.tools.fact_text import fitted
from tests.edge.hands.test_board import PI3, scene
from tests.support.chips import ChipServer
from tests.support.fact_calls import allowed_everywhere, only_own_faults, plain, small_on_the_wire
from tests.support.one_call import carry, world


def test_it_is_small_low_and_robust(tmp_path: Path) -> None:
    assert small_on_the_wire("board_info") and allowed_everywhere("board_info", {}, tmp_path)
    assert only_own_faults("board_info", tmp_path, 500) > 0


def found(model: Model) -> dict[str, Any]:
    board = {"model": PI3.model, "family": PI3.family, "soc": PI3.soc, "revision": "a02082", "memory_fitted_mib": 1024}
    return {"board": board, "kernel": "6.1.0", "nodes": {"i2c": ["i2c-1"]}, **chips(survey(model), PI3, scene())}


def test_the_header_is_drawn_with_what_is_at_each_pin() -> None:
    model = Model("pi3")
    chip = Chip(model, model.chips()[0])
    chip.request(4, Settings("input"), "w1")
    lines = shown(found(model))
    assert "board      Raspberry Pi 3 Model B Rev 1.2 (Raspberry Pi 3 B, BCM2837)" in lines
    drawing = [line for line in lines if " o o " in line]
    assert len(drawing) == 20 and all(len(line) <= 80 for line in lines)
    assert drawing[0].split() == ["3V3", "1", "o", "o", "2", "5V"]
    assert drawing[3].split() == ["[w1]", "GPIO4", "7", "o", "o", "8", "GPIO14", "(UART", "TXD)"]
    assert drawing[5].startswith(" " * 20 + "pump = GPIO17  11 o o 12  GPIO18 (PCM CLK")
    assert drawing[6].split()[:3] == ["door", "=", "GPIO27"]
    assert {line.index(" o o ") for line in drawing} == {37} and LEGEND in lines
    chip.close()


def test_a_declared_line_that_another_holds_shows_both() -> None:
    model = Model("pi3")
    chip = Chip(model, model.chips()[0])
    chip.request(17, Settings("input"), "relayd")
    door = chip.request(27, Settings("input"), "fieldhand:door")
    drawing = [" ".join(line.split()) for line in shown(found(model)) if " o o " in line]
    assert drawing[5].startswith("pump [relayd] = GPIO17 11") and drawing[6].startswith("door = GPIO27 13")
    door.close()
    chip.request(27, Settings("input"), "fieldhand-look")  # a look of another agent's, and not the guard
    drawing = [" ".join(line.split()) for line in shown(found(model)) if " o o " in line]
    assert drawing[6].startswith("door [fieldhand-look] = GPIO27 13")
    chip.close()


def test_held_lines_stand_with_their_holders_and_free_ones_by_name() -> None:
    text = "\n".join(shown(found(Model("pi3"))))
    assert "STATUS_LED  raspberrypi-exp-gpio  output  held by ACT" in text
    assert "GPIO17" in text and "declared as pump" in text and "\nfree to declare:\n  GPIO4, GPIO5, " in text
    assert "I2C        i2c-1" in text and "memory     1.0 GiB fitted" in text


@pytest.mark.parametrize("count", [10, 2000])
def test_a_board_of_many_held_lines_is_cut_and_says_so(count: int) -> None:
    many = Stock("gpiochip0", "pinctrl-bcm2835", tuple(Line(f"L{n}", "someone " * 4, "", True) for n in range(count)))
    text = fitted(shown(found(Model((many,)))), ROOM)
    assert len(text.encode()) <= 8192 and (" lines shown; " in text) is (count == 2000)
    assert " o o " in text


def test_names_that_would_act_on_a_terminal_do_not() -> None:
    model = Model("pi3")
    chip = Chip(model, model.chips()[0])
    chip.request(4, Settings("input"), "\x1b[2Jw\nx")
    text = fitted(shown(found(model)), ROOM)
    assert "\x1b" not in text and "[w x] GPIO4" in text
    chip.close()


def test_an_old_header_is_drawn_with_its_26_pins_and_an_unknown_one_is_not() -> None:
    model = Model("pi-zero")
    short = chips(survey(model), replace(PI3, header="26"), scene())
    assert len(drawn(short["header"]["pins"])) == 14
    other = chips(survey(Model("generic")), replace(PI3, header=""), scene())
    assert "the pins of this board's header are not known here; its lines go by their names" in shown(other)


def test_the_simulated_board_says_so_and_draws_its_parts(tmp_path: Path) -> None:
    from edge.peripherals.sim.declare import OUTPUTS, SENSORS

    here = world(tmp_path)
    here.scene = replace(here.scene, outputs=OUTPUTS, sensors=SENSORS)
    told = carry("board_info", {}, here, "readonly")
    assert told.data is not None and plain(told.data) and told.data["simulated"] and told.untrusted
    assert "simulated  yes" in told.text and "|--> fan " in told.text and "|<-- temperature " in told.text
    assert " o o " not in told.text and len(told.data["parts"]) == len(OUTPUTS) + len(SENSORS)


def test_sensors_and_what_drivers_measure_stand_among_the_facts() -> None:
    told = found(Model("pi3"))
    told["nodes"] = {"hwmon": ["lm75 at 1-0048"], "iio": ["bme280"], "i2c_parts": ["1-0048 lm75"]}
    told["sensors"] = [{"name": "t0", "label": "air\nin the box", "where": "hwmon lm75 temp1"}]
    lines = shown(told)
    for line in ("hwmon      lm75 at 1-0048", "iio        bme280", "I2C parts  1-0048 lm75"):
        assert line in lines
    assert "sensor     t0: air in the box (hwmon lm75 temp1)" in lines


def test_a_real_call_looks_at_the_chips_that_the_settings_name(tmp_path: Path) -> None:
    here = world(tmp_path)
    with ChipServer(tmp_path) as server:
        here.scene = replace(scene(), gpio=Gpio(chips=server.chips))
        told = carry("board_info", {}, here, "readonly")
    assert told.data is not None and plain(told.data) and "pinctrl-bcm2835 (54 lines, the header)" in told.text
    assert "declared as pump" in told.text
