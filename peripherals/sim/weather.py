"""Sun, clouds, rain and the temperature outside, over any number of days.

Rules this file keeps:
1. A function of the time and the seed alone: nothing is remembered, so any moment costs the same and a jump nothing.
2. Clouds come and go over blocks of BLOCK seconds with straight lines between; a day as a whole is rather clear or
   rather grey. It rains where the clouds are thick.
3. Plausible, not measured: the constants are chosen so that a week shows clear, grey and wet days.
"""

from __future__ import annotations

from math import cos, pi, sin

from edge.peripherals.sim.parts import chance
from edge.peripherals.sim.plan import Weather

DAY = 86400.0
BLOCK = 3 * 3600.0
WET = 0.75  # from this much cloud on it rains
DIMS = 0.75  # of the light that full cloud takes away
CHILLS = 3.0  # C that full cloud takes away by day
DAYS_DIFFER = 4.0  # C between the coolest and the warmest day of the seed


def sun(weather: Weather, time: float) -> float:
    """How high the sun stands, 0 (by night) to 1 (noon)."""
    hours = weather.day_hours
    since = time % DAY / 3600.0 - (12.0 - hours / 2.0)
    return sin(pi * since / hours) if 0.0 < since < hours else 0.0


def cloud(weather: Weather, time: float) -> float:
    """How much of the sky is covered, 0 to 1."""
    if weather.cloudiness <= 0.0:
        return 0.0
    number, part = divmod(time, BLOCK)
    before, after = _block(weather, int(number)), _block(weather, int(number) + 1)
    return before + (after - before) * part / BLOCK


def rain(weather: Weather, covered: float) -> float:
    """mm per hour under so much cloud."""
    return weather.rain * (covered - WET) / (1.0 - WET) if covered > WET else 0.0


def outside(weather: Weather, time: float, height: float, covered: float) -> float:
    """The temperature outside, C; `height` of the sun and cover as of then."""
    usual = weather.mean + weather.swing * cos(2.0 * pi * (time % DAY / 3600.0 - 15.0) / 24.0)
    if weather.cloudiness <= 0.0:
        return usual
    number, part = divmod(time, DAY)
    today, tomorrow = (chance(weather.seed, int(number) + more) - 0.5 for more in (0, 1))
    return usual + DAYS_DIFFER * (today + (tomorrow - today) * part / DAY) - CHILLS * covered * height


def _block(weather: Weather, number: int) -> float:
    """The cover at the start of a block: its day and its own chance, pushed towards the cloudiness of the place."""
    day = chance(weather.seed + 1, int(number * BLOCK // DAY))
    mixed = 0.6 * day + 0.4 * chance(weather.seed + 2, number)
    clear = 1.0 - weather.cloudiness
    return min(1.0, max(0.0, 0.5 + (mixed - clear) * 2.0)) if weather.cloudiness < 1.0 else 1.0
