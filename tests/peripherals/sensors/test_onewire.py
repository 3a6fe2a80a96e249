"""1-wire thermometers through w1_therm: values, power-on value, check sums, and what is missing."""

from __future__ import annotations

import errno

import pytest

from edge.call import Source
from edge.faults import HardwareFault
from edge.peripherals.sensors.onewire import TRIES, read
from tests.support.sensed import PROBE, W1, Board

SOURCE = Source("probe", "onewire", PROBE)
GOOD = "58 01 4b 46 7f ff 0c 10 ee : crc=ee YES\n58 01 4b 46 7f ff 0c 10 ee t=21500"
BAD = "58 01 4b 46 7f ff 0c 10 ff : crc=ee NO\n58 01 4b 46 7f ff 0c 10 ff t=21500"


def fault(board: Board) -> HardwareFault:
    with pytest.raises(HardwareFault) as caught:
        read(SOURCE, board.tree)
    return caught.value


def old(*said: str) -> Board:
    """A board whose kernel has only w1_slave, which says this one after the other, the last for ever."""
    board, left = Board(), list(said)
    del board.tree.texts[f"{W1}/{PROBE}/temperature"]
    board.tree.texts[f"{W1}/{PROBE}/w1_slave"] = lambda: left.pop(0) if len(left) > 1 else left[0]
    return board


@pytest.mark.parametrize("value", [21.5, -10.125, 99.937, 0.0])
def test_a_temperature(value: float) -> None:
    board = Board()
    board.value = value
    found = read(SOURCE, board.tree)
    assert (found.value, found.quality, found.where) == (value, "ok", f"1-wire {PROBE}")


def test_the_power_on_value_is_read_once_more_and_then_doubted() -> None:
    board, left = Board(), [85.0, 85.0, 21.0]
    board.tree.texts[f"{W1}/{PROBE}/temperature"] = lambda: f"{left.pop(0) * 1000:.0f}"
    found = read(SOURCE, board.tree)
    assert (found.value, found.quality) == (85.0, "suspect") and "loss of power" in found.why
    left[:] = [85.0, 21.0]
    assert (read(SOURCE, board.tree).value, left) == (21.0, [])


@pytest.mark.parametrize("value", [-127.0, 130.0])
def test_what_it_cannot_measure_is_no_value(value: float) -> None:
    board = Board()
    board.value = value
    found = read(SOURCE, board.tree)
    assert (found.value, found.quality) == (None, "fault") and f"{value:g} C" in found.why


def test_an_old_kernel_shows_the_check_sum_which_is_asked_again_when_it_is_wrong() -> None:
    assert read(SOURCE, old(GOOD).tree).value == 21.5
    assert read(SOURCE, old(*[BAD] * (TRIES - 1), GOOD).tree).value == 21.5
    told = fault(old(*[BAD] * TRIES, GOOD))
    assert told.sentence == f"1-wire {PROBE} answers with a wrong check sum" and "pull-up" in told.fix


def test_a_line_that_is_held_low_is_no_0_degrees_whichever_attribute_the_kernel_has() -> None:
    zeros = "00 00 00 00 00 00 00 00 00 : crc=00 YES\n00 00 00 00 00 00 00 00 00 t=0"
    assert fault(old(zeros)).sentence == f"1-wire {PROBE} answers with zeros alone: its line is held low"
    board = Board()
    board.value = 0.0
    board.tree.texts[f"{W1}/{PROBE}/w1_slave"] = zeros
    assert "short circuit" in fault(board).fix
    board.tree.texts[f"{W1}/{PROBE}/w1_slave"] = "00 00 4b 46 7f ff 0c 10 2f : crc=2f YES\n00 00 4b 46 7f ff t=0"
    assert (read(SOURCE, board.tree).value, read(SOURCE, board.tree).quality) == (0.0, "ok")


def test_what_is_missing_is_told_apart() -> None:
    board = Board()
    board.tree.texts[f"{W1}/{PROBE}/temperature"] = OSError(errno.EIO, "")
    assert fault(board).sentence == f"1-wire {PROBE} did not answer cleanly"
    del board.tree.texts[f"{W1}/{PROBE}/temperature"]
    board.tree.texts[f"{W1}/{PROBE}/name"] = PROBE
    assert fault(board).fix == "load it: modprobe w1_therm"
    del board.tree.texts[f"{W1}/{PROBE}/name"]
    assert fault(board).sentence == f"no thermometer answers on the 1-wire bus, nor does {PROBE}"
    board.tree.texts[f"{W1}/10-000000000001/temperature"] = "1"
    assert fault(board).fix == "there are: 10-000000000001"
    board.tree.texts.clear()
    assert fault(board).sentence == f"there is no 1-wire bus, so {PROBE} is not there"
    assert "dtoverlay=w1-gpio" in fault(board).fix
