from __future__ import annotations

import random

import pytest

from edge.call import Output, Reading, Sensor
from edge.faults import HardwareFault
from edge.peripherals.guard.interlock import LENGTH, Condition, Look, check, vocabulary
from tests.support.boards import rounds

WORDS = vocabulary(
    (Output("valve", "valve", "relay 1"), Output("heater", "heater", "pwm 0", pwm=True)),
    (
        Sensor("tank", "tank level", "%", "probe"),
        Sensor("tank_b", "tank level", "%", "probe 2"),
        Sensor("door", "door", "", "line 4", states=("closed", "open")),
        Sensor("float_switch", "float switch", "", "line 5"),
    ),
)


def look(age=0.0, quality="ok", **values):
    """A view in which sensors have these values, None for one that does not answer; outputs are off unless told."""

    def sense(name):
        value = values.get(name, 0.0)
        if value is None:
            raise HardwareFault(f"sensor {name} did not acknowledge")
        return Reading(name, value, "%" if name.startswith("tank") else "", quality, age, "bench")

    return Look(sense, lambda name: values.get(name, 0.0), ("valve", "heater"))


def why(text, view, max_age=10.0):
    return Condition(text, WORDS).fails(view, max_age)


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ("not valve", {}, True),
        ("not valve", {"valve": 1.0}, False),
        ("valve", {"valve": 1.0}, True),
        ("valve == on", {"valve": 1.0}, True),
        ("valve == off", {"valve": 1.0}, False),
        ("heater == on", {"heater": 0.3}, True),
        ("heater != off", {"heater": 0.3}, True),
        ("heater <= 0.5", {"heater": 0.3}, True),
        ("tank > 10", {"tank": 10.0}, False),
        ("tank >= 10", {"tank": 10.0}, True),
        ("tank<10", {"tank": 9.9}, True),
        ("tank <= 10", {"tank": 10.1}, False),
        ("tank == 10", {"tank": 10.0}, True),
        ("tank != 10", {"tank": 10.0}, False),
        ("tank > -1.5e1", {"tank": -14.0}, True),
        ("door == closed", {"door": 0.0}, True),
        ("door == open", {"door": 0.0}, False),
        ("door != open", {"door": 0.0}, True),
        ("door", {"door": 1.0}, True),
        ("float_switch == on", {"float_switch": 1.0}, True),
        ("tank > 10 and not valve", {"tank": 11.0}, True),
        ("tank > 10 and not valve", {"tank": 11.0, "valve": 1.0}, False),
        ("valve or tank > 10", {"valve": 1.0}, True),
        ("valve or tank > 10 and door", {"tank": 11.0, "door": 0.0}, False),
        ("(valve or tank > 10) and door", {"tank": 11.0, "door": 1.0}, True),
        ("not (valve or door)", {"door": 1.0}, False),
        ("not not valve", {"valve": 1.0}, True),
        ("agree(tank, tank_b, 2)", {"tank": 50.0, "tank_b": 52.0}, True),
        ("agree ( tank , tank_b , 2.0 )", {"tank": 50.0, "tank_b": 52.1}, False),
        ("not agree(tank, tank_b, 2)", {"tank": 50.0, "tank_b": 60.0}, True),
    ],
)
def test_a_condition_is_judged_by_what_is_read(text, values, holds):
    assert check(text, WORDS) == ""
    assert (why(text, look(**values)) == "") is holds


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "a name is expected at its end"),
        ("   ", "a name is expected"),
        ("wind > 3", "there is no output or sensor 'wind'; there are tank, tank_b, door, float_switch, valve, heater"),
        ("tank", "tank is measured: compare it, such as tank > 10"),
        ("not tank", "tank is measured"),
        ("tank >", "a number or a word is expected at its end"),
        ("tank > full", "a number is expected, not 'full'"),
        ("tank > nan", "a number is expected, not 'nan'"),
        ("tank > 1e999", "a number is expected, not '1e999'"),
        ("door == ajar", "a number or one of closed, open is expected, not 'ajar'"),
        ("door > open", "open is a word of door: compare it with == or !="),
        ("tank = 3", "'=' at character 6 means nothing here"),
        ("tank > 3 valve", "'valve' is too much"),
        ("tank > 3 &", "means nothing here"),
        ("(tank > 3", "')' is expected at its end"),
        ("tank > 3)", "')' is too much"),
        ("and tank > 3", "a name is expected, not 'and'"),
        ("3 < tank", "a name is expected, not '3'"),
        ("agree(tank, 3, 2)", "a name is expected, not '3'"),
        ("agree(tank, tank_b)", "',' is expected, not ')'"),
        ("agree(tank, tank_b, x)", "a number is expected, not 'x'"),
        ("not " * 21 + "valve", "more than 20 levels"),
        ("(" * 60 + "valve" + ")" * 60, "more than 20 levels"),
        ("valve or " * 30 + "valve", f"longer than {LENGTH} characters"),
    ],
)
def test_text_that_is_no_condition_is_said_and_never_holds(text, wrong):
    said = check(text, WORDS)
    assert "is no condition" in said
    assert wrong in said
    assert wrong in why(text, look())


@pytest.mark.parametrize("text", ["tank > 10", "not (tank > 10)", "tank != 10", "valve or tank > 10", "tank < 10"])
@pytest.mark.parametrize(
    ("view", "said"),
    [
        (look(tank=None), "sensor tank did not acknowledge"),
        (look(tank=50.0, quality="stale"), "the reading of tank is stale"),
        (look(tank=50.0, quality="suspect"), "the reading of tank is suspect"),
        (look(tank=50.0, quality="fault"), "the reading of tank is fault"),
        (look(tank=50.0, age=10.1), "the reading of tank is 10 s old, 10 s at most are allowed"),
        (look(tank=50.0, age=float("nan")), "s old"),
        (look(tank=float("nan")), "the reading of tank is no number"),
        (look(tank=float("inf")), "the reading of tank is no number"),
    ],
)
def test_a_reading_that_cannot_be_used_never_makes_a_condition_hold(text, view, said):
    assert said in why(text, view)


def test_a_reading_without_a_value_is_no_number():
    def empty(name):
        return Reading(name, None, "%", "ok", 0.0, "bench")

    assert "no number" in why("tank > 10", Look(empty, lambda name: None, ()))


def test_an_output_in_an_unknown_state_never_makes_a_condition_hold():
    view = look(valve=None)
    for text in ("valve", "not valve", "valve == off"):
        assert "the state of valve is unknown" in why(text, view)


def test_one_side_of_an_or_is_enough_when_the_other_is_unknown():
    view = look(tank=None, valve=1.0, door=0.0)
    assert why("valve or tank > 10", view) == ""
    assert why("not (tank > 10 and door)", view) == ""
    assert why("valve and tank > 10", view) != ""


def test_the_sentence_says_what_is_so():
    assert why("tank > 10", look(tank=8.0)) == "tank > 10 does not hold: 8 %"
    assert why("door  ==  closed", look(door=1.0)) == "door == closed does not hold: open"
    assert why("not valve", look(valve=1.0)) == "not valve does not hold: on"
    said = why("agree(tank, tank_b, 2)", look(tank=8.0, tank_b=90.5))
    assert said == "agree(tank, tank_b, 2) does not hold: tank 8 %, tank_b 90.5 %"


def test_each_sensor_is_read_once_in_a_look():
    reads = []

    def sense(name):
        reads.append(name)
        return Reading(name, 50.0, "%", "ok", 5.0, "bench")

    view = Look(sense, lambda name: 0.0, ("valve",))
    assert why("tank > 1 and tank < 99 or tank == 3", view) == ""
    assert why("tank > 60", view) != ""
    assert why("tank > 1", view, 4.0) != ""  # another output allows another age
    assert reads == ["tank"]


def test_any_text_is_a_condition_or_a_sentence():
    dice = random.Random(5)
    pieces = [
        "tank",
        "valve",
        "door",
        "not",
        "and",
        "or",
        "agree",
        "(",
        ")",
        ",",
        "<",
        ">=",
        "==",
        "!",
        "=",
        "10",
        "-1",
    ]
    pieces += ["closed", "on", " ", "é", "\t", "\n", ".", "1e", "_", "'"]
    counts = {True: 0, False: 0}
    for _ in range(rounds(100_000)):
        text = " ".join(dice.choice(pieces) for _ in range(dice.randrange(1, 7)))
        condition = Condition(text, WORDS)
        counts[bool(condition.wrong)] += 1
        assert bool(check(text, WORDS)) == bool(condition.wrong)
        holds = condition.fails(look(tank=dice.choice((None, 5.0, 20.0)), valve=dice.choice((None, 0.0, 1.0))), 10.0)
        assert holds or not condition.wrong
    print(counts)
    assert all(counts.values())
