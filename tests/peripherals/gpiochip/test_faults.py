"""Faults of a model: which calls fail, in which order, how often."""

from __future__ import annotations

import errno

import pytest

from edge.peripherals.gpiochip.chip import Settings
from edge.peripherals.gpiochip.faults import ANYWHERE, Fault, Faults
from edge.peripherals.gpiochip.find import find
from edge.peripherals.gpiochip.model import Model


def test_a_call_that_two_are_meant_for_has_the_first_and_is_counted_by_one_that_lets_it_pass() -> None:
    faults = Faults()
    faults.ask(Fault("open", 5, 1, 1, ANYWHERE))
    faults.ask(Fault("open", -6, 0, 2, ANYWHERE))
    assert [faults.next("open", -1) for _ in range(4)] == [-6, 5, -6, 0]
    faults.ask(Fault("read", 5, 0, -1, 17))
    assert [faults.next("read", line) for line in (16, 17, 17)] == [0, 5, 5]
    faults.clear()
    assert faults.next("read", 17) == 0


def test_a_model_fails_after_so_many_for_so_many_at_one_line() -> None:
    model = Model()
    held, other = (find(model).request(line, Settings("output", False), "fieldhand") for line in (17, 18))
    model.fail("SET_VALUES", errno.EIO, after=2, times=2, line=17)
    went = []
    for _ in range(6):
        other.set(True)
        try:
            held.set(True)
        except OSError as error:
            went.append(error.errno)
        else:
            went.append(0)
    assert went == [0, 0, errno.EIO, errno.EIO, 0, 0]
    model.fail("SET_VALUES", errno.EIO, times=-1)
    for _ in range(3):
        with pytest.raises(OSError):
            held.set(True)
    model.mend()
    held.set(True)
