"""Days and seconds since 1970 as dates and times."""

from __future__ import annotations

import random
import time
from datetime import date

import pytest

from edge.tools.calendar_day import day, moment


def test_every_day_is_that_of_the_calendar() -> None:
    first, last = date.min.toordinal(), date.max.toordinal()
    chance = random.Random(3)
    for ordinal in [
        first,
        last,
        *range(719_163 - 800, 719_163 + 800),
        *(chance.randint(first, last) for _ in range(5000)),
    ]:
        there = date.fromordinal(ordinal)
        assert day(ordinal - 719_163) == (there.year, there.month, there.day)


def test_moments_are_those_of_the_calendar() -> None:
    for seconds in (0, -1, 951_782_399, 951_868_800, 1_709_164_800, 4_102_444_800, 13_569_465_600):
        assert moment(seconds) == time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "1970-01-01 00:00:00"), (951782400, "2000-02-29 00:00:00"), (4102444799, "2099-12-31 23:59:59")],
)
def test_a_moment_is_told_to_the_second(seconds: int, text: str) -> None:
    assert moment(seconds) == text
