"""How values, ages, states and reasons are said."""

from __future__ import annotations

import pytest

from edge.model.wording import (
    Outcome,
    figure,
    lit,
    measured,
    one_of,
    quantity,
    reason,
    rows,
    shown,
    stands,
    state_of,
    value_of,
)


def reading(ok: bool = True, text: str = "", **data: object) -> Outcome:
    return Outcome("sensor_read", {}, ok, text, data, 100.0)


@pytest.mark.parametrize(
    ("value", "said", "told"),
    [(33.0, "33", "33.0"), (33.257, "33.26", "33.26"), (812, "812", "812"), (-0.5, "-0.5", "-0.5"), (0.0, "0", "0.0"),
     (0.00123, "0.00123", "0.00123"), (1e-9, "1e-09", "1e-09"), (120000.0, "120000", "120000"),
     (20130.4, "20130.4", "20130")],
)  # fmt: skip
def test_numbers_keep_what_they_hold(value, said, told):
    assert (figure(value), measured(value)) == (said, told)


@pytest.mark.parametrize("value", [None, "33", True, [33]])
def test_what_is_no_number_is_no_value(value):
    assert measured(value) == "no value"
    assert value_of(reading(value=value)) is None


def test_a_value_of_a_failed_call_or_no_number_is_none():
    assert value_of(reading(value=3)) == 3.0
    assert value_of(reading(False, value=3.0)) is None
    assert value_of(reading(value=float("nan"))) is None
    assert quantity(reading(value=3.0, unit="")) == "3.0"
    assert quantity(reading(value=1.0, unit="", state="open")) == "open"
    assert quantity(reading(value=1.0, unit="", state="")) == "1.0"


@pytest.mark.parametrize(
    ("age", "now", "quality", "said"),
    [(0.2, 100.0, "ok", "0.2 s old"), (0.2, 104.1, "ok", "4.3 s old"), (400.0, 100.0, "stale", "stale, 6 min 40 s old"),
     (0.0, 90.0, "ok", "0.0 s old"), (None, 100.0, "suspect", "suspect, age unknown"), (-1, 100.0, "ok", "age unknown"),
     (float("inf"), 100.0, "ok", "age unknown"), (9.0, 112.0, "ok", "21 s old")],
)  # fmt: skip
def test_an_age_is_told_as_it_is_now_with_a_quality_that_is_not_ok(age, now, quality, said):
    assert state_of(reading(value=1.0, age=age, quality=quality), now) == said


def test_a_reading_of_another_run_has_no_age():
    earlier = Outcome("sensor_read", {}, True, "", {"value": 3.0, "age": 0.2, "quality": "stale"}, 0.0)
    assert state_of(earlier, 500.0) == "stale, of an earlier run, age unknown"


def test_an_output_is_told_with_the_time_it_has_left():
    assert lit({"state": True, "left": 90.0}) == "on, 1 min 30 s left"
    assert lit({"state": True, "left": None}) == "on"
    assert lit({"state": False, "left": 0.0}) == "off"
    assert lit({}) == "state unknown"
    assert stands("fan", {"state": False}) == "The fan is off."
    assert stands("fan", {"state": None}) == "The state of fan is not known."


def test_a_reason_is_the_outcomes_own_text_on_one_line():
    assert reason(reading(False, "refused by x.y: not here.\n")) == "refused by x.y: not here"
    assert reason(reading(False, "")) == "no reason was given"
    assert reason(Outcome("output_set", {}, False, "", {}, 0.0, False)) == "no answer came back"
    assert len(reason(reading(False, "word " * 200))) <= 300


def test_lists_are_said_with_and_before_the_last():
    assert [one_of(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_rows_of_a_failed_or_strange_list_are_none():
    assert rows(reading(outputs=[{"name": "fan"}, 3]), "outputs") == [{"name": "fan"}]
    assert rows(reading(False, outputs=[{"name": "fan"}]), "outputs") == []
    assert rows(reading(outputs="fan"), "outputs") == []


def test_text_in_a_sentence_has_no_controls_and_a_bound():
    assert shown("a\x1b[31m b\n\tc") == "a b c"
    assert shown("x" * 300).endswith(" ...")
    assert len(shown("x" * 300)) == 120
