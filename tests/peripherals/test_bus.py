"""Transactions of I2C: locked against each other, read again a few times, never beyond their time."""

from __future__ import annotations

import errno

import pytest

from edge.faults import HardwareFault
from edge.peripherals.bus import TRIES, Bus
from edge.peripherals.sim.adapter import Buses
from tests.support.sensed import Board

TEMPERATURE = ((0x01, 1), (0x00, 2))


@pytest.fixture
def buses() -> Buses:
    return Board().buses


def test_registers_come_in_the_order_they_were_asked_for(buses: Buses) -> None:
    assert Bus(buses.opened).registers(1, 0x48, TEMPERATURE) == [b"\x00", b"\x17\x80"]
    assert buses.asked == [(1, 0x48, 1), (1, 0x48, 0)] and not buses.holder


@pytest.mark.parametrize("number", [errno.EIO, errno.ENXIO, errno.EAGAIN, errno.EREMOTEIO])
def test_what_may_pass_is_read_again_and_no_more_often_than_that(buses: Buses, number: int) -> None:
    buses.failing = [number] * (TRIES - 1)
    assert Bus(buses.opened).registers(1, 0x48, ((0x00, 2),)) == [b"\x17\x80"]
    buses.failing, buses.asked = [number] * TRIES, []
    with pytest.raises(OSError) as caught:
        Bus(buses.opened).registers(1, 0x48, ((0x00, 2),))
    assert caught.value.errno == number and len(buses.asked) == TRIES and not buses.holder


@pytest.mark.parametrize("number", [errno.ETIMEDOUT, errno.EBUSY, errno.EOPNOTSUPP])
def test_what_does_not_pass_is_not_asked_again(buses: Buses, number: int) -> None:
    buses.failing = [number]
    with pytest.raises(OSError) as caught:
        Bus(buses.opened).registers(1, 0x48, ((0x00, 2),))
    assert caught.value.errno == number and len(buses.asked) == 1


def test_nothing_is_read_again_when_the_time_is_over(buses: Buses) -> None:
    buses.failing = [errno.EIO]
    with pytest.raises(OSError):
        Bus(buses.opened, seconds=0.0).registers(1, 0x48, ((0x00, 2),))
    assert len(buses.asked) == 1


def test_a_bus_that_stays_locked_is_told_and_not_read(buses: Buses) -> None:
    other = buses.opened(1)
    assert other.lock()
    with pytest.raises(HardwareFault, match="I2C bus 1 is in use"):
        Bus(buses.opened, seconds=0.05).registers(1, 0x48, TEMPERATURE)
    assert not buses.asked
    other.close()
    assert Bus(buses.opened).registers(1, 0x48, ((0x00, 2),)) == [b"\x17\x80"]


def test_a_bus_that_is_not_there_is_not_waited_for(buses: Buses) -> None:
    with pytest.raises(FileNotFoundError):
        Bus(buses.opened).registers(7, 0x48, TEMPERATURE)
