"""The air, the soil and the light of a small greenhouse with a fan and a pump.

Rules this file keeps:
1. Pure and without chance: the same calls give the same numbers.
2. Time is board time: seconds since midnight of day 1. It begins at BIRTH, a hot afternoon, and never goes back.
3. Fixed steps on a grid of STEP seconds. What has not reached the next step yet waits for the next call, so
   that a stretch of time gives the same numbers in one call of up to NEAR seconds or in many.
4. Bounded work: what lies further back than NEAR is gone through in longer steps and further than FAR left out, so
   one call is at most 2,500 steps (30 days in one jump). Every step is a relaxation, stable at any length.
5. The constants are chosen for a plausible little house, not taken from a real one: closed, it follows the sun with a
   time constant of 40 minutes; the fan brings it to 6; two minutes of fan cool hot air by nearly two degrees.
"""

from __future__ import annotations

from math import cos, exp, pi, sin

from edge.record import Record, replace

DAY = 86400.0
BIRTH = 15 * 3600.0
STEP = 2.0
NEAR, NEAR_STEP = 600.0, 60.0
MIDDLE, FAR_STEP = 12 * 3600.0, 1800.0
FAR = 30 * DAY

OUTSIDE, SWING = 20.0, 6.0  # C: mean of the day and how far its warmest hour (15:00) is above it
GLASS = 11.0  # C that the full sun adds to the closed house
CLOSED, VENTED = 2400.0, 400.0  # s: time constant of the closed house, and what the fan adds to it
DAMP, DAMP_VENTED = 900.0, 300.0  # s: the same for humidity
OUTSIDE_DAMP = 45.0  # %
WATERING = 0.00075  # 1/s: the pump brings dry soil up by 3 % per minute
DRYING = 1.5e-6  # 1/s at night; the full sun triples it
NOON = 58000.0  # lux under the shaded glass


class Climate(Record):
    """The greenhouse at `time` (board s, on the grid). Temperatures C, humidity and soil %, lamp lux.

    `weather` (C), `damp` (%) and `lamp` (lux, negative for a shade) are what an operator moved away from the usual.
    """

    time: float = BIRTH
    air: float = 33.0
    humidity: float = 49.0
    soil: float = 34.0
    weather: float = 0.0
    damp: float = 0.0
    lamp: float = 0.0


def sun(time: float) -> float:
    """How high the sun stands, 0 (from 18:00 to 6:00) to 1 (noon)."""
    return max(0.0, sin(pi * (time % DAY / 3600.0 - 6.0) / 12.0))


def outside(climate: Climate) -> float:
    """The temperature outside, C."""
    return _outside(climate.time) + climate.weather


def light(climate: Climate) -> float:
    """Light over the plants, lux."""
    return max(0.0, NOON * sun(climate.time) + climate.lamp)


def advance(climate: Climate, until: float, fan: bool, pump: bool) -> Climate:
    """The greenhouse at the last step before `until`, with fan and pump as they are all the while."""
    if until - climate.time > FAR:
        skipped = (until - FAR - climate.time) // FAR_STEP * FAR_STEP
        climate = replace(climate, time=climate.time + skipped)
    for step, reserve in ((FAR_STEP, MIDDLE), (NEAR_STEP, NEAR), (STEP, 0.0)):
        count = int((until - climate.time - reserve) // step)
        if count > 0:
            climate = _run(climate, step, count, fan, pump)
    return climate


def warmed(climate: Climate, celsius: float) -> Climate:
    """The air at `celsius`, with the weather moved so that the closed house would stay there."""
    usual = _outside(climate.time) + GLASS * sun(climate.time)
    return replace(climate, air=celsius, weather=celsius - usual)


def damped(climate: Climate, percent: float) -> Climate:
    """The humidity at `percent`, and inclined to stay there while the air stays as it is."""
    usual = _damp(climate.air, climate.soil, 0.0)
    return replace(climate, humidity=percent, damp=percent - usual)


def watered(climate: Climate, percent: float) -> Climate:
    """The soil at `percent`; it dries from there."""
    return replace(climate, soil=percent)


def lit(climate: Climate, lux: float) -> Climate:
    """Light of `lux` now, by a lamp or a shade that stays."""
    return replace(climate, lamp=lux - NOON * sun(climate.time))


def clock(time: float) -> str:
    """Board time for people: `day 1 15:00:00`."""
    second = int(time)
    return f"day {second // 86400 + 1} {second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def _outside(time: float) -> float:
    return OUTSIDE + SWING * cos(2.0 * pi * (time % DAY / 3600.0 - 15.0) / 24.0)


def _damp(air: float, soil: float, damp: float) -> float:
    """The humidity that the closed house tends to: warm air holds more water, wet soil gives some."""
    return 62.0 + damp - 1.6 * (air - 25.0) + 0.1 * (soil - 35.0)


def _run(climate: Climate, step: float, count: int, fan: bool, pump: bool) -> Climate:
    """`count` steps of `step` seconds. Each value goes exponentially to where it tends during the step."""
    rate = 1.0 / CLOSED + (1.0 / VENTED if fan else 0.0)
    open_part = (1.0 / VENTED if fan else 0.0) / rate
    keep_air = exp(-step * rate)
    keep_damp = exp(-step * (1.0 / DAMP + (1.0 / DAMP_VENTED if fan else 0.0)))
    keep_dry = exp(-step * WATERING) if pump else 1.0
    time, air, humidity, soil = climate.time, climate.air, climate.humidity, climate.soil
    for _ in range(count):
        height = sun(time)
        cool = _outside(time) + climate.weather
        target = cool + (1.0 - open_part) * GLASS * height
        air = target + (air - target) * keep_air
        tends = _damp(air, soil, climate.damp)
        if fan:
            tends = 0.25 * tends + 0.75 * OUTSIDE_DAMP
        tends = min(98.0, max(5.0, tends))
        humidity = tends + (humidity - tends) * keep_damp
        soil = 100.0 + (soil - 100.0) * keep_dry
        soil *= 1.0 - min(0.5, step * DRYING * (1.0 + 2.0 * height) * (1.3 if fan else 1.0))
        time += step
    return replace(climate, time=time, air=air, humidity=humidity, soil=soil)
