"""Repeats and troubles of a turn."""

from __future__ import annotations

from edge.call import Call, Observation
from edge.verdicts import Repeats, Troubles

READ = Call("sensor_read", {"name": "soil"}, "c1")
SET = Call("output_set", {"name": "fan", "state": True}, "c2")


def reading(value: float, age: float = 0.0) -> Observation:
    return Observation(True, f"soil {value} %, {age} s old", {"name": "soil", "value": value, "age": age})


def test_three_times_the_same_is_told_and_five_times_ends() -> None:
    repeats = Repeats()
    seen = [repeats.seen(READ, reading(40.0, age)) for age in (0.1, 0.2, 0.3, 0.4, 0.5)]
    assert [bool(nudge) for nudge, _ in seen] == [False, False, True, True, False]
    assert [fault is not None for _, fault in seen] == [False, False, False, False, True]
    assert "5 times in a row" in str(seen[-1][1])


def test_polling_that_brings_news_is_no_repeat() -> None:
    repeats = Repeats()
    assert all(repeats.seen(READ, reading(40.0 + n)) == ("", None) for n in range(20))


def test_another_call_in_between_starts_the_count_anew() -> None:
    repeats = Repeats()
    for _ in range(10):
        assert repeats.seen(READ, reading(40.0)) == ("", None)
        assert repeats.seen(SET, Observation(True, "on")) == ("", None)


def test_a_refusal_stands_until_a_call_of_its_class_was_done() -> None:
    troubles = Troubles()
    troubles.outcome(SET, "refused", False, False, "output.medium")
    troubles.outcome(READ, "done", True, True, "sense.declared")
    assert troubles.code() == 6
    troubles.outcome(SET, "done", True, False, "output.medium")
    assert troubles.code() == 0


def test_a_used_up_budget_and_a_deadline_are_five() -> None:
    for status, rule in (("refused", "budget.calls"), ("deadline", "sense.declared")):
        troubles = Troubles()
        troubles.outcome(READ, status, False, True, rule)
        assert troubles.code() == 5


def test_a_hardware_fault_stands_until_the_same_call_was_done() -> None:
    troubles = Troubles()
    troubles.outcome(READ, "hardware", False, True, "sense.declared")
    troubles.outcome(Call("sensor_read", {"name": "air"}, "c3"), "done", True, True, "sense.declared")
    assert troubles.code() == 7
    troubles.outcome(READ, "done", True, True, "sense.declared")
    assert troubles.code() == 0


def test_nothing_wrong_is_zero() -> None:
    assert Troubles().code() == 0
