from __future__ import annotations

import pytest

from edge.call import Reading, Sensor
from edge.faults import HardwareFault
from edge.peripherals.sim.parts import STALE_AFTER, Part, after, chance, measure, turned, way

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


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("ok", ("ok", 0.0)),
        ("nak", ("nak", 0.0)),
        ("nak=3", ("nak", 3.0)),
        ("drift=-0.5", ("drift", -0.5)),
        ("jump=1e2", ("jump", 100.0)),
        ("suspect", ("suspect", 0.0)),
        ("35", None),
        ("open", None),
        ("", None),
        ("=3", None),
    ],
)
def test_a_word_is_a_mode_with_its_number_or_none(word, said):
    assert way(word) == said


@pytest.mark.parametrize(
    "word",
    ["jump", "noise=", "drift=x", "jump=nan", "jump=inf", "jump=1e9", "nak=-1", "nak=1.5", "stale=3", "ok=1", "nak="],
)
def test_a_mode_with_a_number_that_it_does_not_take_is_a_sentence(word):
    with pytest.raises(ValueError, match=f"{word.partition('=')[0]} (needs|takes)"):
        way(word)


def test_a_part_that_fails_after_n_readings_gives_n_and_no_more():
    part = turned(LIGHT, "nak", 1.0, 0.0, 2.0)
    for left in (2.0, 1.0):
        assert (part.by, measure(part, 5.0, 0.0, 0.0).value) == (left, 5.0)
        part = after(part)
    assert part.shown == "nak"
    with pytest.raises(HardwareFault):
        measure(after(part), 5.0, 0.0, 0.0)


def test_a_part_that_is_off_stays_within_its_range_and_looks_healthy():
    jumped = measure(turned(LIGHT, "jump", 1.0, 0.0, 5000.0), 10.0, 1.0, 1.0)
    assert (jumped.value, jumped.quality) == (1000.0, "ok")
    drifting = turned(LIGHT, "drift", 1.0, 100.0, 36.0)
    assert [measure(drifting, 10.0, at, at).value for at in (100.0, 200.0, 3700.0)] == [10.0, 11.0, 46.0]


def test_a_value_that_the_driver_doubts_says_so():
    assert measure(turned(LIGHT, "suspect", 1.0, 0.0), 10.0, 1.0, 1.0).quality == "suspect"


def test_chance_is_always_the_same_and_everywhere_between_0_and_1():
    found = [chance(seed, number) for seed in range(4) for number in range(500)]
    assert found == [chance(seed, number) for seed in range(4) for number in range(500)]
    assert 0.0 <= min(found) < 0.01 and 0.99 < max(found) < 1.0
    assert 0.47 < sum(found) / len(found) < 0.53
    assert len(set(found)) == len(found)
