"""Chips of hwmon and thermal zones: found by name and device, with what is wrong where they are not."""

from __future__ import annotations

import errno

import pytest

from edge.call import Source
from edge.faults import HardwareFault
from edge.peripherals.sensors.hwmon import read, zone
from edge.peripherals.sensors.quantities import SPEED, TEMPERATURE
from tests.support.sensed import HWMON, THERMAL, Board


def lm75(at: str = "", channel: str = "temp1") -> Source:
    return Source("t0", "hwmon", "lm75", at, channel)


def fault(board: Board, source: Source) -> HardwareFault:
    with pytest.raises(HardwareFault) as caught:
        read(source, board.tree)
    return caught.value


@pytest.mark.parametrize("value", [23.5, 85.0, -10.5])
def test_a_chip_is_read_by_its_name_whatever_its_number(value: float) -> None:
    board = Board()
    board.value = value
    found = read(lm75(), board.tree)
    assert (found.value, found.quantity, found.where) == (value, TEMPERATURE, "hwmon lm75 at 1-0048 temp1")
    assert found.age == 0.125, "the chip itself has a new value so often"


def test_of_two_chips_of_a_name_the_settings_say_which() -> None:
    board = Board()
    board.tree.texts[f"{HWMON}/hwmon7/name"] = "lm75"
    board.tree.texts[f"{HWMON}/hwmon7/temp1_input"] = "1000"
    board.tree.links[f"{HWMON}/hwmon7/device"] = "../../../1-0049"
    told = fault(board, lm75())
    assert told.sentence == "2 hwmon devices are called lm75: 1-0048, 1-0049"
    assert told.fix == 'say which in its table, for example at = "1-0048"'
    assert read(lm75("1-0049"), board.tree).value == 1.0


def test_a_channel_that_its_driver_calls_faulty_has_no_value() -> None:
    board = Board()
    board.tree.texts[f"{HWMON}/hwmon1/temp1_fault"] = "1"
    found = read(lm75(), board.tree)
    assert (found.value, found.quality, found.why) == (None, "fault", "its driver says that temp1 is faulty")


@pytest.mark.parametrize(
    ("number", "sentence", "fix"),
    [
        (errno.EREMOTEIO, "did not acknowledge", "check its power"),
        (errno.ENXIO, "did not acknowledge", "check its power"),
        (errno.EIO, "did not answer cleanly", "noise"),
        (errno.ETIMEDOUT, "did not answer in time", "holds the bus"),
        (errno.ENODATA, "has no value", "measures nothing"),
        (errno.ENODEV, "is gone", "doctor"),
        (errno.EACCES, "may not be read by this user", "which group"),
        (errno.E2BIG, "cannot be read: argument list too long", "check its power"),
    ],
)
def test_what_the_kernel_refuses_is_a_sentence(number: int, sentence: str, fix: str) -> None:
    board = Board()
    board.tree.texts[f"{HWMON}/hwmon1/temp1_input"] = OSError(number, "")
    told = fault(board, lm75())
    assert told.sentence == f"hwmon lm75 at 1-0048 {sentence}" and fix in told.fix


def test_a_chip_that_is_nowhere_and_one_that_has_no_driver() -> None:
    board = Board()
    told = fault(board, Source("x", "hwmon", "tmp102", "1-004a", "temp1"))
    assert told.sentence == "there is no hwmon device tmp102 at 1-004a"
    assert told.fix.startswith("there are: cpu_thermal, lm75; an overlay declares it (dtoverlay=i2c-sensor,tmp102)")
    assert "echo tmp102 0x4a > /sys/bus/i2c/devices/i2c-1/new_device" in told.fix
    told = fault(board, lm75("1-0049"))
    assert told.sentence == "1-0049 is there and no driver has it" and "modprobe lm75" in told.fix
    told = fault(board, Source("x", "hwmon", "tmp102", "1-0048", "temp1"))
    assert told.sentence == "1-0048 is there, and its driver lm75 shows no tmp102"


def test_a_board_without_any_chip() -> None:
    board = Board()
    board.tree.texts = {path: text for path, text in board.tree.texts.items() if "hwmon" not in path}
    assert "there is none at all" in fault(board, lm75()).fix


def test_a_channel_that_the_chip_does_not_have() -> None:
    told = fault(Board(), lm75(channel="temp2"))
    assert told.sentence == "hwmon lm75 at 1-0048 has no channel temp2" and told.fix == "it has: temp1"


@pytest.mark.parametrize("said", ["", "nonsense", "nan", "inf", "1e400"])
def test_what_is_no_number_is_no_value(said: str) -> None:
    board = Board()
    board.tree.texts[f"{HWMON}/hwmon1/temp1_input"] = said
    assert "which is no number" in fault(board, lm75()).sentence


def test_other_quantities_have_their_own_counts() -> None:
    board = Board()
    board.tree.texts[f"{HWMON}/hwmon1/fan2_input"] = "1450"
    found = read(lm75(channel="fan2"), board.tree)
    assert (found.value, found.quantity) == (1450.0, SPEED)


def test_a_thermal_zone_is_found_by_its_type() -> None:
    board = Board()
    found = zone(Source("cpu", "thermal", "cpu-thermal"), board.tree)
    assert found.value == pytest.approx(48.312) and found.where == "thermal zone cpu-thermal"
    with pytest.raises(HardwareFault, match="there is no thermal zone gpu-thermal") as caught:
        zone(Source("gpu", "thermal", "gpu-thermal"), board.tree)
    assert caught.value.fix == "there are: cpu-thermal"
    board.tree.texts[f"{THERMAL}/thermal_zone1/type"] = "cpu-thermal"
    with pytest.raises(HardwareFault, match="2 thermal zones are of the type cpu-thermal"):
        zone(Source("cpu", "thermal", "cpu-thermal"), board.tree)
