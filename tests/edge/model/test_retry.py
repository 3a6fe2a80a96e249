"""Pauses between tries."""

from __future__ import annotations

import pytest

from edge.model.retry import LONGEST, asked, span, worth

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"


def test_which_statuses_may_go_away():
    assert [status for status in range(200, 600) if worth(status)] == [408, 409, 425, 429, *range(500, 600)]


def test_jitter_is_full_and_doubles_up_to_a_cap():
    assert [span(tries, lambda: 1.0, None) for tries in (1, 2, 3, 4, 5, 6, 99)] == [
        0.5,
        1,
        2,
        4,
        LONGEST,
        LONGEST,
        LONGEST,
    ]
    assert span(3, lambda: 0.0, None) == 0.0
    assert span(3, lambda: 0.25, None) == 0.5


def test_what_the_server_asks_for_is_never_shortened():
    assert span(1, lambda: 0.0, 7.0) == 7.0
    assert 7.0 < span(1, lambda: 1.0, 7.0) <= 7.8


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("3", "", 3.0),
        ("1.5", "", 1.5),
        (" 20 ", "", 20.0),
        ("", "", None),
        ("soon", "", None),
        ("-3", "", None),
        ("\u0663", "", None),
        ("9" * 400, "", 1e9),
        ("Sun, 06 Nov 1994 08:50:07 GMT", DATE, 30.0),
        (DATE, "Sun, 06 Nov 1994 08:50:07 GMT", 0.0),
        ("Sun, 06 Nov 1994 08:49:47 GMT", "", 10.0),
        ("Sun, 06 Nov 999999999999 08:49:47 GMT", DATE, None),
    ],
)
def test_retry_after(value, date, seconds):
    now = 784111777.0  # DATE
    assert asked(value, date, now) == seconds
