from __future__ import annotations

import pytest

from edge.call import Reading, Sensor
from edge.faults import HardwareFault
from edge.peripherals.sim.parts import STALE_AFTER, Part, measure, turned

LIGHT = Part(Sensor("light", "light", "lux", "sim light sensor"), 0.0, 1000.0, 1, "I2C 1/0x23")


def test_a_healthy_part_shows_what_it_can_resolve():
    assert measure(LIGHT, 12.3456, 10.0, 10.5) == Reading("light", 12.3, "lux", "ok", 0.5, "sim light sensor")
    assert measure(LIGHT, 5000.0, 10.0, 10.0).value == 1000.0
    assert measure(LIGHT, -5.0, 10.0, 10.0).value == 0.0


def test_a_part_that_does_not_acknowledge_gives_no_value():
    with pytest.raises(HardwareFault, match="sensor light did not acknowledge") as caught:
        measure(turned(LIGHT, "nak", 1.0, 0.0), 1.0, 0.0, 0.0)
    assert "I2C 1/0x23" in caught.value.sentence


def test_a_stale_part_ages_and_then_says_so():
    part = turned(LIGHT, "stale", 7.0, 100.0)
    fresh = measure(part, 900.0, 110.0, 110.0)
    assert (fresh.value, fresh.quality, fresh.age) == (7.0, "ok", 10.0)
    old = measure(part, 900.0, 100.0, 100.0 + STALE_AFTER + 1.0)
    assert (old.value, old.quality, old.age) == (7.0, "stale", STALE_AFTER + 1.0)


def test_a_stuck_part_looks_fresh():
    reading = measure(turned(LIGHT, "stuck", 7.0, 100.0), 900.0, 5000.0, 5000.0)
    assert (reading.value, reading.quality, reading.age) == (7.0, "ok", 0.0)


def test_a_part_that_is_well_again_shows_the_truth_again():
    part = turned(turned(LIGHT, "stuck", 7.0, 0.0), "ok", 0.0, 10.0)
    assert measure(part, 900.0, 10.0, 10.0).value == 900.0


def test_turning_to_the_same_mode_does_not_make_it_younger():
    part = turned(LIGHT, "stale", 7.0, 100.0)
    assert turned(part, "stale", 8.0, 200.0) is part


def test_there_are_no_other_modes():
    with pytest.raises(ValueError, match="'melted' is not a mode"):
        turned(LIGHT, "melted", 0.0, 0.0)
