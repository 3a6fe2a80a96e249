from __future__ import annotations

import random

import pytest

from edge.peripherals.sim import greenhouse, world
from edge.peripherals.sim.describe import plan
from edge.peripherals.sim.greenhouse import BIRTH, DAY, Climate
from edge.peripherals.sim.yard import TABLES
from tests.support.boards import rounds
from tests.support.worlds import GREENHOUSE

YARD = plan(TABLES)
OFF = dict.fromkeys(("valve", "pump", "heater", "light"), 0.0)


def after(seconds, airs=0.0, state=None, here=YARD, **levels):
    state = state or world.begun(here)
    return world.advance(here, state, state.time + seconds, {**OFF, **levels}, airs)


def test_the_greenhouse_in_tables_does_what_the_greenhouse_does():
    here = plan(GREENHOUSE)
    dice = random.Random(11)
    climate, state, now = Climate(), world.begun(here), BIRTH
    for _ in range(200):
        now += dice.choice((2.0, 20.0, 110.0))
        fan, pump = dice.randrange(2), dice.randrange(2)
        climate = greenhouse.advance(climate, now, bool(fan), bool(pump))
        state = world.advance(here, state, now, {"fan": float(fan), "pump": float(pump)}, 0.0)
        assert state.time == climate.time
        assert (state.air, state.humidity, state.soil) == pytest.approx((climate.air, climate.humidity, climate.soil))
        assert world.truth(here, state, "light", {"fan": 0.0, "pump": 0.0}) == pytest.approx(greenhouse.light(climate))


def test_the_same_calls_give_the_same_numbers():
    assert after(5000.0, pump=1.0, heater=0.5) == after(5000.0, pump=1.0, heater=0.5)


def test_a_stretch_is_the_same_in_one_call_or_in_many():
    dice = random.Random(3)
    for _ in range(rounds(300)):
        begin = world.begun(YARD)
        end = begin.time + dice.uniform(0.0, world.NEAR)
        levels = {name: dice.choice((0.0, 0.4, 1.0)) for name in OFF}
        airs, now, state = dice.choice((0.0, 1 / 600)), begin.time, begin
        while now < end:
            now = min(end, now + dice.choice((0.001, 0.7, 2.0, 61.0)))
            state = world.advance(YARD, state, now, levels, airs)
        assert state == world.advance(YARD, begin, end, levels, airs)


def test_time_does_not_go_back():
    later = after(100.0)
    assert world.advance(YARD, later, 0.0, OFF, 0.0) is later


@pytest.mark.parametrize("seconds", [3600.0, DAY, 30 * DAY, 365 * DAY, 1e11])
def test_a_jump_costs_bounded_work(monkeypatch, seconds):
    steps = []
    real = world._run
    monkeypatch.setattr(world, "_run", lambda *given: steps.append(given[3]) or real(*given))
    there = after(seconds, pump=1.0, heater=1.0)
    assert sum(steps) <= 800
    assert 0.0 <= YARD.start + seconds - there.time < world.STEP
    assert -30.0 < there.air < 80.0
    assert 5.0 <= there.humidity <= 98.0
    assert 0.0 <= there.soil <= 100.0
    assert all(0.0 <= held <= tank.volume for held, tank in zip(there.litres, YARD.tanks))


def test_a_pump_takes_from_the_tank_what_it_brings_and_stops_when_it_is_empty():
    dry = {"sim": {}, "tanks": {"a": {"volume": 100, "level": 50}, "b": {"volume": 100, "level": 0}}}
    here = plan({**dry, "outputs": {"pump": {"drives": "pump", "from": "a", "to": "b", "rate": 10}}})
    state = world.begun(here)
    for minute in range(1, 12):
        state = world.advance(here, state, here.start + 60.0 * minute, {"pump": 1.0}, 0.0)
        assert sum(state.litres) == pytest.approx(50.0)
        assert state.litres[1] == pytest.approx(min(50.0, 10.0 * minute))
    assert state.litres[0] == pytest.approx(0.0)


def test_a_full_tank_spills_and_use_empties_it():
    here = plan({"sim": {}, "tanks": {"a": {"level": 99, "inflow": 10}, "b": {"level": 1, "outflow": 10}}})
    state = world.advance(here, world.begun(here), here.start + 3600.0, {}, 0.0)
    assert state.litres == (200.0, 0.0)


def test_rain_fills_the_tank():
    wet = {"sim": {"climate": {"cloudiness": 1.0, "rain": 6.0}}, "tanks": {"a": {"level": 0, "catches": 10}}}
    here = plan(wet)
    state = world.advance(here, world.begun(here), here.start + 3600.0, {}, 0.0)
    assert state.litres[0] == pytest.approx(60.0)


def test_a_valve_waters_the_bed_from_the_mains():
    here = plan({"sim": {}, "outputs": {"tap": {"drives": "valve", "from": "mains", "to": "soil", "rate": 6}}})
    watered = world.advance(here, world.begun(here), here.start + 60.0, {"tap": 1.0}, 0.0)
    assert 2.0 < watered.soil - here.house.soil < 4.0


def test_an_open_door_brings_the_air_to_that_outside():
    shut, airy = after(1200.0), after(1200.0, airs=1 / 600)
    outside = world.truth(YARD, airy, "outside", OFF)
    assert abs(airy.air - outside) < abs(shut.air - outside)


def test_a_heater_warms_by_its_level():
    cold, half, full = (after(3600.0, heater=level).air for level in (0.0, 0.5, 1.0))
    assert full - half == pytest.approx(half - cold)
    assert full > cold + 4.0


def test_a_lamp_is_light_by_night_too():
    night = after(13 * 3600.0)
    assert world.truth(YARD, night, "light", OFF) == 0.0
    assert world.truth(YARD, night, "light", {**OFF, "light": 1.0}) == 800.0


@pytest.mark.parametrize(
    ("of", "value"),
    [("air", 31.0), ("outside", -3.0), ("humidity", 80.0), ("soil", 12.0), ("light", 900.0), ("tank", 3.0)],
)
def test_what_is_moved_is_so_and_stays_for_a_while(of, value):
    state = world.moved(YARD, world.begun(YARD), of, value, OFF)
    assert world.truth(YARD, state, of, OFF) == pytest.approx(value)
    later = world.truth(YARD, after(60.0, state=state), of, OFF)
    assert later == pytest.approx(value, abs=400.0 if of == "light" else 1.0)


@pytest.mark.parametrize("of", ["cloud", "rain"])
def test_the_weather_is_nobodys_to_move(of):
    with pytest.raises(ValueError, match="cannot be moved"):
        world.moved(YARD, world.begun(YARD), of, 1.0, OFF)
