from __future__ import annotations

from statistics import mean

import pytest

from edge.peripherals.sim import weather
from edge.peripherals.sim.plan import Weather
from edge.peripherals.sim.weather import DAY

HOURS = [3600.0 * hour for hour in range(30 * 24)]


def covers(**given):
    return [weather.cloud(Weather(**given), time) for time in HOURS]


def test_the_same_seed_gives_the_same_weather_and_another_another():
    assert covers(seed=1, cloudiness=0.5) == covers(seed=1, cloudiness=0.5)
    assert covers(seed=1, cloudiness=0.5) != covers(seed=2, cloudiness=0.5)


@pytest.mark.parametrize("seed", range(6))
def test_the_sky_is_as_cloudy_as_the_place(seed):
    clear, mixed, grey = (mean(covers(seed=seed, cloudiness=part)) for part in (0.2, 0.5, 0.9))
    assert clear < mixed < grey
    assert all(0.0 <= cover <= 1.0 for cover in covers(seed=seed, cloudiness=0.5))
    assert 0.2 < mixed < 0.8


def test_a_place_without_clouds_has_none_and_one_under_clouds_no_others():
    assert set(covers(cloudiness=0.0)) == {0.0}
    assert set(covers(cloudiness=1.0)) == {1.0}


def test_a_month_has_clear_and_wet_days():
    here = Weather(seed=4, cloudiness=0.45, rain=4.0)
    days = [mean(weather.cloud(here, day * DAY + 3600.0 * hour) for hour in range(24)) for day in range(30)]
    assert min(days) < 0.2
    assert max(days) > 0.6
    rain = [weather.rain(here, weather.cloud(here, time)) for time in HOURS]
    assert 0.03 < sum(fall > 0.0 for fall in rain) / len(rain) < 0.6
    assert 0.0 == min(rain) < max(rain) <= 4.0


def test_nothing_of_the_weather_leaps():
    here = Weather(seed=9, cloudiness=0.6, rain=5.0)

    def sky(time):
        cover, height = weather.cloud(here, time), weather.sun(here, time)
        return cover, height, weather.outside(here, time, height, cover)

    before = sky(0.0)
    for minute in range(1, 4 * 24 * 60):
        now = sky(60.0 * minute)
        assert all(abs(new - old) < 0.1 for new, old in zip(now, before))
        before = now


def test_the_day_is_as_long_as_told():
    here = Weather(day_hours=8.0)
    assert [hour for hour in range(24) if weather.sun(here, 3600.0 * hour) > 0.0] == [9, 10, 11, 12, 13, 14, 15]
    assert weather.sun(here, 12 * 3600.0) == 1.0


def test_a_grey_day_is_cooler_than_a_clear_one():
    here = Weather(cloudiness=0.5)
    assert weather.outside(here, 12 * 3600.0, 1.0, 1.0) < weather.outside(here, 12 * 3600.0, 1.0, 0.0)
    assert weather.outside(Weather(mean=10.0, swing=5.0), 15 * 3600.0, 1.0, 0.0) == 15.0
