"""Days since 1970 as dates."""

from __future__ import annotations

import random
from datetime import date

from edge.tools.calendar_day import day


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
