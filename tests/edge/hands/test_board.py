"""What the hand on the board tells: header, lines, holders, buses; without taking a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.call import Gpio, Output, Scene, Sensor
from edge.gate import lines as of_the_gate
from edge.hands.board import chips, nodes
from edge.hands.facts_reader import Reader
from edge.peripherals.boards.header import FULL, physical, placed
from edge.peripherals.boards.identity import Board
from edge.peripherals.boards.survey import survey
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import Line, Stock

PI3 = Board("Raspberry Pi 3 Model B Rev 1.2", "Raspberry Pi 3 B", "BCM2837", "a02082", 1024, FULL, ("pinctrl-bcm2835",))
PUMP = Output("pump", "irrigation pump", "GPIO17")
DOOR = Sensor("door", "greenhouse door", "", "line 27 of pinctrl-bcm2835", (), ("closed", "open"))
LAMP = Output("lamp", "grow lamp", "channel 0 of pwmchip0", pwm=True)


def scene(**changes: Any) -> Scene:
    return Scene("/srv", "", (), (DOOR,), (PUMP, LAMP), simulated=False, gpio=Gpio(**changes))


def told(model: Model, board: Board = PI3, **changes: Any) -> dict[str, Any]:
    return chips(survey(model), board, scene(**changes))


def test_each_pin_of_the_header_says_what_is_declared_and_who_holds_it() -> None:
    model = Model("pi3")
    chip = Chip(model, model.chips()[0])
    chip.request(17, Settings("output"), "fieldhand:pump")
    chip.request(4, Settings("input"), "w1")
    pins = {pin["number"]: pin for pin in told(model)["header"]["pins"]}
    assert (pins[11]["declared"], pins[11]["held_by"], pins[11]["direction"]) == ("pump", "fieldhand:pump", "output")
    assert (pins[13]["declared"], pins[7]["held_by"]) == ("door", "w1") and "held_by" not in pins[13]
    assert pins[1] == {"number": 1, "name": "3V3"} and pins[3]["others"] == ["I2C1 SDA"]
    chip.close()


def test_lines_are_those_that_are_held_or_declared_and_free_ones_are_fit_to_declare() -> None:
    found = told(Model("pi3"), lab=("GPIO22",))
    assert {line["name"]: line.get("declared") for line in found["lines"] if line["chip"] == "pinctrl-bcm2835"} == {
        "GPIO17": "pump",
        "GPIO27": "door",
    }
    assert [line["held_by"] for line in found["lines"] if line["chip"] == "raspberrypi-exp-gpio"] == ["ACT"]
    assert found["free"][0] == "GPIO4" and not {
        "GPIO2",
        "GPIO14",
        "SD_CLK_R",
        "ID_SDA",
        "GPIO0",
        "GPIO17",
        "GPIO27",
    } & set(found["free"])
    assert found["lab"] == ["GPIO22"] and found["troubles"] == []
    assert [one["header"] for one in found["chips"]] == [True, False]


def test_where_the_header_is_not_known_the_named_lines_of_all_chips_are_told() -> None:
    stock = [Stock(f"gpiochip{n}", f"gpio-{n}", (Line(f"P9_1{n}"), Line(f"SD_CD{n}"), Line())) for n in range(2)]
    found = told(Model(tuple(stock)), Board("BeagleBone Black", "BeagleBone"))
    assert found["free"] == ["P9_10", "P9_11"] and found["header"] == {"chip": "", "pins": []}


def test_nothing_is_requested() -> None:
    model = Model("pi5")
    told(model)
    assert {done.what for done in model.record} == {"open", "GET_CHIPINFO", "GET_LINEINFO"}


def test_a_board_whose_header_is_not_known_has_lines_and_no_pins() -> None:
    found = told(Model("generic"), Board())
    assert found["header"] == {"chip": "9030000.pl061", "pins": []} and found["free"] == [] and found["lines"] == []


def test_a_board_without_chips_tells_its_pins_and_no_holders() -> None:
    found = told(Model(()))
    assert len(found["header"]["pins"]) == 40 and found["chips"] == [] and found["header"]["chip"] == ""


@pytest.mark.parametrize(
    "where, line, chip",
    [
        *(("GPIO17", "GPIO17", ""), ("GPIO17 of pinctrl-rp1", "GPIO17", "pinctrl-rp1"), ("line 3 of x", "3", "x")),
        *(("line 27", "27", ""), ("channel 0 of pwmchip0", "", ""), ("", "", "")),
    ],
)
def test_a_place_in_words_is_a_line_and_a_chip(where: str, line: str, chip: str) -> None:
    assert placed(where) == (line, chip)


def test_buses_are_told_by_what_sysfs_has(tmp_path: Path) -> None:
    for path in (
        *(
            "class/i2c-dev/i2c-1",
            "class/i2c-dev/i2c-20",
            "class/spidev/spidev0.0",
            "class/tty/ttyAMA0",
            "class/tty/tty1",
        ),
        *("bus/w1/devices/28-0123", "bus/w1/devices/w1_bus_master1", "class/tty/ttyS0", "class/tty/ttyS1"),
        "class/watchdog/watchdog0",
    ):
        (tmp_path / "sys" / path).mkdir(parents=True)
    (tmp_path / "sys/class/tty/ttyS0/type").write_text("0\n")
    (tmp_path / "sys/class/tty/ttyS1/type").write_text("4\n")
    assert nodes(Reader(("/sys",), (), str(tmp_path))) == {
        "i2c": ["i2c-1", "i2c-20"],
        "spi": ["spidev0.0"],
        "one_wire": ["28-0123"],
        "watchdog": ["watchdog0"],
        "serial": ["ttyAMA0", "ttyS1"],
    }
    assert nodes(Reader(("/sys",), ("/sys/class",), str(tmp_path))) == {"one_wire": ["28-0123"]}


def test_what_drivers_measure_is_told_by_the_names_that_settings_use(tmp_path: Path) -> None:
    for path, said in (
        ("class/hwmon/hwmon0/name", "cpu_thermal"),
        ("class/hwmon/hwmon1/name", "lm75"),
        ("bus/iio/devices/iio:device0/name", "bme280"),
        ("bus/iio/devices/trigger0/name", "other"),
        ("class/thermal/thermal_zone0/type", "cpu-thermal"),
        ("class/thermal/cooling_device0/type", "fan"),
        ("bus/i2c/devices/1-0048/name", "lm75"),
        ("bus/i2c/devices/i2c-1/name", "bcm2835 (i2c@7e804000)"),
    ):
        at = tmp_path / "sys" / path
        at.parent.mkdir(parents=True)
        at.write_text(said + "\n")
    (tmp_path / "sys/class/hwmon/hwmon1/device").symlink_to("../../../1-0048")
    assert nodes(Reader(("/sys",), (), str(tmp_path))) == {
        "hwmon": ["cpu_thermal", "lm75 at 1-0048"],
        "iio": ["bme280"],
        "thermal": ["cpu-thermal"],
        "i2c_parts": ["1-0048 lm75"],
    }
    assert nodes(Reader(("/sys",), ("/sys/class", "/sys/bus"), str(tmp_path))) == {}


def test_the_gates_table_of_the_header_is_the_boards() -> None:
    assert [of_the_gate.pin(f"GPIO{number}") for number in range(60)] == [physical(f"GPIO{n}") for n in range(60)]
