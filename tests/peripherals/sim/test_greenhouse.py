from __future__ import annotations

import random

import pytest

from edge.peripherals.sim import greenhouse
from edge.peripherals.sim.greenhouse import BIRTH, DAY, Climate, advance
from tests.support.boards import rounds


def after(seconds, fan=False, pump=False, climate=None):
    climate = climate or Climate()
    return advance(climate, climate.time + seconds, fan, pump)


def test_it_begins_on_a_hot_afternoon():
    assert greenhouse.clock(BIRTH) == "day 1 15:00:00"
    assert Climate().air == 33.0
    assert greenhouse.outside(Climate()) == 26.0


def test_it_stays_hot_for_the_next_hour_when_nobody_does_anything():
    for minutes in range(0, 61):
        assert 32.0 < after(60 * minutes).air < 34.0


def test_two_minutes_of_fan_cool_by_a_degree_or_two():
    assert 1.0 < 33.0 - after(120, fan=True).air < 2.5


def test_the_fan_never_cools_below_the_outside():
    assert all(after(60 * m, fan=True).air > greenhouse.outside(after(60 * m)) for m in range(0, 180, 5))


def test_it_warms_again_when_the_fan_is_off():
    cooled = after(600, fan=True)
    assert cooled.air < 29.0
    assert after(3600, climate=cooled).air > cooled.air + 2.0


def test_the_pump_waters_and_the_sun_dries():
    watered = after(60, pump=True)
    assert 2.0 < watered.soil - 34.0 < 4.0
    assert after(DAY, climate=watered).soil < watered.soil - 3.0
    assert after(10 * 3600, pump=True).soil <= 100.0


def test_light_goes_with_the_time_of_day():
    at = {hour: greenhouse.light(after((hour - 15) % 24 * 3600)) for hour in range(24)}
    assert at[12] == max(at.values())
    assert max(at[0], at[5], at[18]) < 1e-6
    assert 0.0 < at[7] < at[9] < at[12]


def test_nights_are_cool_and_damp_and_the_next_afternoon_is_hot_again():
    night, noon = after(12 * 3600), after(DAY)
    assert night.air < 20.0
    assert night.humidity > 60.0
    assert 30.0 < noon.air < 36.0


def test_the_same_calls_give_the_same_numbers():
    assert after(5000, fan=True) == after(5000, fan=True)


def test_a_stretch_is_the_same_in_one_call_or_in_many():
    dice = random.Random(3)
    for _ in range(rounds(300)):
        end = BIRTH + dice.uniform(0.0, greenhouse.NEAR)
        fan, pump = bool(dice.randrange(2)), bool(dice.randrange(2))
        climate, now = Climate(), BIRTH
        while now < end:
            now = min(end, now + dice.choice((0.001, 0.7, 2.0, 61.0)))
            climate = advance(climate, now, fan, pump)
        assert climate == advance(Climate(), end, fan, pump)


def test_time_does_not_go_back():
    later = after(100)
    assert advance(later, BIRTH, True, True) is later


@pytest.mark.parametrize("seconds", [3600.0, DAY, 30 * DAY, 365 * DAY, 1e11])
def test_a_jump_costs_bounded_work(monkeypatch, seconds):
    steps = []
    real = greenhouse._run
    monkeypatch.setattr(greenhouse, "_run", lambda *given: steps.append(given[2]) or real(*given))
    there = after(seconds, fan=True)
    assert sum(steps) <= 2500
    assert 0.0 <= BIRTH + seconds - there.time < greenhouse.STEP
    assert -20.0 < there.air < 60.0
    assert 5.0 <= there.humidity <= 98.0
    assert 0.0 <= there.soil <= 100.0


def test_a_jump_of_a_day_is_near_a_day_in_small_steps():
    climate = Climate()
    for step in range(1, 1441):
        climate = advance(climate, BIRTH + 60.0 * step, False, False)
    jumped = after(DAY)
    assert abs(jumped.air - climate.air) < 0.5
    assert abs(jumped.humidity - climate.humidity) < 1.0
    assert abs(jumped.soil - climate.soil) < 0.5


@pytest.mark.parametrize("celsius", [-10.0, 20.0, 35.0, 55.0])
def test_air_that_was_set_stays_there_for_a_while(celsius):
    warmed = greenhouse.warmed(Climate(), celsius)
    assert warmed.air == celsius
    assert abs(after(600, climate=warmed).air - celsius) < 0.5


def test_humidity_soil_and_light_can_be_set():
    assert greenhouse.damped(Climate(), 80.0).humidity == 80.0
    assert abs(after(600, climate=greenhouse.damped(Climate(), 80.0)).humidity - 80.0) < 1.0
    assert greenhouse.watered(Climate(), 60.0).soil == 60.0
    assert greenhouse.light(greenhouse.lit(Climate(), 500.0)) == pytest.approx(500.0)


def test_any_random_life_stays_within_nature():
    dice = random.Random(4)
    climate = Climate()
    for _ in range(rounds(20_000)):
        climate = after(dice.choice((1, 10, 100, 1000)) * dice.random(), bool(dice.randrange(2)), False, climate)
        assert 0.0 < climate.air < 45.0
        assert 5.0 <= climate.humidity <= 98.0
        assert 0.0 <= climate.soil <= 100.0
