"""The driver by table, on register models: every value that a part can say, and every way in which it can fail."""

from __future__ import annotations

import random

import pytest

from edge.call import Sensor, Source
from edge.faults import HardwareFault
from edge.peripherals.bus import Bus
from edge.peripherals.sensors.i2c import read
from edge.peripherals.sensors.table import PARTS
from edge.peripherals.sim.adapter import Buses
from edge.peripherals.sim.parts import Part, measure, turned
from edge.peripherals.sim.registers import Bus as Parts
from edge.peripherals.sim.registers import ThermometerChip
from tests.support.sensed import Board

SOURCE = Source("t0", "i2c", "1/0x48", "", "", "tmp105")
FINEST = {"lm75": 0.5, "tmp105": 0.5, "tmp102": 0.0625}


def of(part: str) -> Source:
    return Source("t0", "i2c", "1/0x48", "", "", part)


def fault(board: Board, source: Source = SOURCE, seconds: float = 3.0) -> HardwareFault:
    with pytest.raises(HardwareFault) as caught:
        read(source, board.tree, Bus(board.buses.opened, seconds))
    return caught.value


def only(device: object) -> Board:
    board = Board()
    board.buses = Buses({1: Parts({0x48: device})})  # type: ignore[dict-item]
    return board


class Says:
    """A part that says this, whatever is asked: configuration and value."""

    def __init__(self, config: bytes, value: bytes) -> None:
        self.registers, self.pointer = {0: value, 1: config}, 0

    def write(self, data: bytes) -> None:
        self.pointer = data[0]

    def read(self, count: int) -> bytes:
        return self.registers[self.pointer][:count]


@pytest.mark.parametrize("part", PARTS)
def test_each_part_says_what_the_model_of_it_measures_over_its_whole_range(part: str) -> None:
    values = random.Random(7)
    row = PARTS[part]
    board = Board()
    board.buses = Buses({1: Parts({0x48: ThermometerChip(part, lambda: board.value)})})
    for _ in range(200):
        truth = board.value = values.uniform(row.low, row.high)
        found = read(of(part), board.tree, Bus(board.buses.opened))
        assert found.value is not None and 0.0 <= truth - found.value < FINEST[part], (truth, found)
        assert (found.quality, found.where) == ("ok", f"{part} at I2C 1/0x48")


@pytest.mark.parametrize(("truth", "shown"), [(23.5, 23.5), (85.0, 85.0), (-10.25, -10.5), (-0.1, -0.5), (0.0, 0.0)])
def test_a_tmp105_as_it_wakes_cuts_to_half_degrees(truth: float, shown: float) -> None:
    board = Board()
    board.value = truth
    assert read(SOURCE, board.tree, Bus(board.buses.opened)).value == shown


def test_a_tmp102_in_extended_mode_stands_otherwise_and_is_read_all_the_same() -> None:
    chip = ThermometerChip("tmp102", lambda: -25.0625)
    chip.write(b"\x01\x60\xb0")
    board = only(chip)
    assert read(of("tmp102"), board.tree, Bus(board.buses.opened)).value == -25.0625


@pytest.mark.parametrize(("rate", "age"), [(0x20, 4.0), (0x60, 1.0), (0xA0, 0.25), (0xE0, 0.125)])
def test_how_old_a_result_may_be_the_configuration_says(rate: int, age: float) -> None:
    chip = ThermometerChip("tmp102", lambda: 20.0)
    chip.write(bytes([1, 0x60, rate]))
    board = only(chip)
    assert read(of("tmp102"), board.tree, Bus(board.buses.opened)).age == age


def test_a_part_that_does_not_acknowledge_has_no_value_and_is_asked_again_a_few_times() -> None:
    parts = [Part(Sensor("t0", "t0", "C", "sim"), -55.0, 125.0, 1, "I2C 1/0x48")]
    board = only(ThermometerChip("tmp105", lambda: measure(parts[0], 21.5, 0.0, 0.0).value or 0.0))
    assert read(SOURCE, board.tree, Bus(board.buses.opened)).value == 21.5
    parts[0] = turned(parts[0], "nak", 21.5, 0.0)
    told = fault(board)
    assert told.sentence == "tmp105 at I2C 1/0x48 did not acknowledge"
    assert told.fix == "check its power, its wiring and its address"
    parts[0] = turned(parts[0], "ok", 22.0, 1.0)
    assert read(SOURCE, board.tree, Bus(board.buses.opened)).value == 21.5


def test_a_part_at_rest_shows_no_old_value_as_fresh() -> None:
    chip = ThermometerChip("tmp105", lambda: 30.0)
    chip.write(b"\x01\x01")
    told = fault(only(chip))
    assert told.sentence == "tmp105 at I2C 1/0x48 is shut down: what it shows is of before"


@pytest.mark.parametrize(
    ("part", "config", "value", "quality", "why"),
    [
        ("tmp105", b"\x00", b"\x17\x8f", "fault", "it says 0x178f, which that part never does"),
        ("tmp102", b"\x60\xa0", b"\x17\x81", "fault", "it says 0x1781, which that part never does"),
        ("tmp102", b"\x60\xb0", b"\x17\x82", "fault", "it says 0x1782, which that part never does"),
        ("lm75", b"\x00", b"\xff\xff", "suspect", "an open bus reads the same"),
        ("lm75", b"\x00", b"\x7f\x80", "suspect", "it measures from -55 to 125"),
        ("tmp105", b"\x00", b"\x80\x00", "suspect", "it measures from -55 to 125"),
    ],
)
def test_what_a_part_cannot_mean_is_no_good_value(
    part: str, config: bytes, value: bytes, quality: str, why: str
) -> None:
    board = only(Says(config, value))
    found = read(of(part), board.tree, Bus(board.buses.opened))
    assert (found.quality, found.why) == (quality, why)
    assert (found.value is None) is (quality == "fault")


@pytest.mark.parametrize(("part", "config"), [("lm75", b"\x60"), ("tmp105", b"\x80"), ("tmp102", b"\x00\xa0")])
def test_another_part_at_the_address_is_told_by_its_configuration(part: str, config: bytes) -> None:
    told = fault(only(Says(config, b"\x17\x80")), of(part))
    assert "which that part never has" in told.sentence and "lm75, tmp105, tmp102" in told.fix


def test_a_part_that_a_driver_has_is_left_to_it() -> None:
    board = Board()
    board.buses.driven.add((1, 0x48))
    told = fault(board)
    assert told.sentence == "tmp105 at I2C 1/0x48 belongs to the kernel's driver lm75"
    assert told.fix == 'declare what it shows: hwmon or iio with at = "1-0048" instead of i2c'
    del board.tree.links["/sys/bus/i2c/devices/1-0048/driver"]
    assert fault(board).sentence == "tmp105 at I2C 1/0x48 is in use by another program"


def test_a_bus_that_is_held_low_missing_shut_or_without_a_node() -> None:
    board = Board()
    board.buses.stuck.add(1)
    assert "something holds the bus" in fault(board).fix and len(board.buses.asked) == 1
    board.buses.buses.clear()
    assert fault(board).fix == "modprobe i2c-dev"
    del board.tree.links["/sys/bus/i2c/devices/i2c-1"]
    told = fault(board)
    assert told.sentence == "there is no I2C bus 1: tmp105 at I2C 1/0x48"
    assert told.fix.startswith("there is none; dtparam=i2c_arm=on")
    board.buses.opened = shut  # type: ignore[method-assign]
    told = fault(board)
    assert told.sentence == "/dev/i2c-1 is not open to this user, so tmp105 at I2C 1/0x48 cannot be read"
    assert "group i2c" in told.fix


def shut(number: int) -> object:
    raise PermissionError(13, "Permission denied")
