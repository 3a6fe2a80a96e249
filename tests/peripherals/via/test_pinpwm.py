"""Pulses by software: levels at once, high parts never too short, late periods left out, faults kept."""

from __future__ import annotations

from time import monotonic

import pytest

from edge.faults import HardwareFault
from edge.peripherals.via.pinpwm import SoftPwm
from tests.support.boards import eventually


class Line:
    """What was put on it, and when."""

    def __init__(self):
        self.put = []
        self.fault = None

    def __call__(self, level):
        if self.fault:
            raise self.fault
        self.put.append((monotonic(), level))

    def highs(self):
        return [end - begin for (begin, level), (end, _) in zip(self.put, self.put[1:]) if level]


@pytest.fixture
def line():
    return Line()


def test_nothing_and_all_are_levels_and_set_at_once(line) -> None:
    pulses = SoftPwm(line, 100, 0.0)
    for duty in (1, 0, 1.0):
        pulses.duty = duty
        assert line.put[-1][1] is (duty == 1)
    assert len(line.put) == 3 and pulses.stop() is True
    assert [level for _, level in line.put] == [True, False, True, True]


def test_pulses_have_their_length_and_their_number(line) -> None:
    pulses = SoftPwm(line, 200, 0.2)
    eventually(lambda: len(line.highs()) > 20)
    assert pulses.stop() is False and line.put[-1][1] is False
    assert min(line.highs()) >= 0.001
    rises = [when for when, level in line.put if level]
    assert rises[-1] - rises[0] >= (len(rises) - 2) * 0.005


def test_a_change_comes_with_the_next_pulse(line) -> None:
    pulses = SoftPwm(line, 100, 0.1)
    pulses.duty, pulses.frequency = 0.6, 50
    assert (pulses.duty, pulses.frequency) == (0.6, 50)
    eventually(lambda: any(high >= 0.012 for high in line.highs()))
    pulses.stop()


def test_abandoned_pulses_leave_the_line_as_it_is(line) -> None:
    pulses = SoftPwm(line, 100, 0.0)
    pulses.duty = 1
    pulses.abandon()
    assert [level for _, level in line.put] == [True]


def test_a_fault_ends_the_pulses_and_is_told_at_the_next_setting(line) -> None:
    pulses = SoftPwm(line, 200, 0.5)
    eventually(lambda: line.put)
    line.fault = HardwareFault("the line is gone")
    eventually(lambda: not pulses._thread.is_alive())
    with pytest.raises(HardwareFault, match="the line is gone"):
        pulses.duty = 0.1
    assert pulses.stop() is False
