"""From goals to plans: names settled, units converted, and what must not become an order."""

from __future__ import annotations

import pytest

from edge.call import Output, Scene, Sensor
from edge.faults import UsageFault
from edge.model import intents as i
from edge.model.planner import LONGEST, Planner
from tests.support.planner_talk import SCENE

PLANNER = Planner(SCENE)
WARM = Planner(
    Scene("/", "/", sensors=(Sensor("air", "air", "F", "probe", ("warm",)), Sensor("ph", "acidity", "", "p")))
)


def intents(goal: str, planner: Planner = PLANNER) -> list[i.Intent]:
    return [clause.intent for clause in planner.plan(goal)]


def limit(goal: str, planner: Planner = PLANNER) -> i.Limit:
    (intent,) = intents(goal, planner)
    assert isinstance(intent, i.Ask)
    assert intent.condition.limit is not None
    return intent.condition.limit


def fault(goal: str, planner: Planner = PLANNER) -> str:
    with pytest.raises(UsageFault) as caught:
        planner.plan(goal)
    return caught.value.sentence


def test_the_first_goal_becomes_a_reading_and_a_condition():
    fan = i.Clause(i.Switch(("fan",), True, 120.0), "run the fan for 2 minutes")
    condition = i.Condition("temperature", i.Limit(">", 30.0, 30.0, "above 30 C"))
    assert PLANNER.plan("How warm is it? If it is above 30 C, run the fan for 2 minutes.") == (
        i.Clause(i.Read(("temperature",)), "How warm is it"),
        i.Clause(i.If(condition, (fan,)), "If it is above 30 C"),
    )


def test_it_is_the_last_sensor_named_in_a_comparison_and_the_last_outputs_in_an_order():
    goal = "read the humidity. if the temperature is above 3 C run the fan, otherwise stop it. is it below 9 C?"
    _, choice, ask = intents(goal)
    assert isinstance(choice, i.If)
    assert choice.otherwise[0].intent == i.Switch(("fan",), False)
    assert isinstance(ask, i.Ask)
    assert ask.condition.name == "temperature"


def test_them_are_the_outputs_named_last_and_it_must_be_one():
    assert intents("stop the fan and the pump. run them for 2 s.")[1] == i.Switch(("fan", "pump"), True, 2.0)
    assert "fits 2 outputs, fan and pump: which one do you mean?" in fault("stop the fan and the pump. run it for 2 s.")


def test_what_stands_behind_its_orders_is_said_first():
    assert "stands for nothing named before" in fault("run it if the fan is off")
    (choice,) = intents("run the fan if it is off")
    assert isinstance(choice, i.If)
    assert choice.condition == i.Condition("fan", None, False)


@pytest.mark.parametrize(
    ("goal", "op", "low", "high", "said", "note"),
    [
        ("is the temperature above 86 F", ">", 30, 30, "above 30 C", "86 F is 30 C"),
        (
            "is the temperature between 50 and 86 F",
            "in",
            10,
            30,
            "between 10 and 30 C",
            "50 F is 10 C and 86 F is 30 C",
        ),
        ("is the temperature below 20 degrees", "<", 20, 20, "below 20 C", ""),
        ("is the light at least two thousand lux", ">=", 2000, 2000, "at least 2000 lux", ""),
        ("is the humidity at most 12.345", "<=", 12.345, 12.345, "at most 12.35 %", ""),
        ("is the temperature below -40 F", "<", -40, -40, "below -40 C", ""),
    ],
)
def test_limits_are_in_the_unit_of_the_sensor(goal, op, low, high, said, note):
    found = limit(goal)
    assert (found.op, found.said, found.note) == (op, said, note)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_a_sensor_in_other_degrees_converts_the_other_way():
    assert limit("is the air above 30 C", WARM) == i.Limit(">", 86.0, 86.0, "above 86 F", "30 C is 86 F")
    assert limit("is the air above 80 degrees", WARM) == i.Limit(">", 80.0, 80.0, "above 80 F")
    assert limit("is the ph below 7", WARM).said == "below 7"
    assert fault("is the ph below 7 C", WARM) == '"below 7 C" does not fit ph, which is measured in no unit'


def test_a_denial_spares_its_outputs_and_forbids_to_order_them():
    assert intents("read the light but never run the pump")[1] == i.Spare(("pump",))
    assert "it orders and forbids the same thing (pump)" in fault(
        "if it is warmer than 3 C run the pump. don't run the pump"
    )


@pytest.mark.parametrize(
    "goal",
    [
        "run the fan?",
        "if the light is above 3 lux run the fan?",
        "read the light, run the fan?",
        "run the fan!?",
        "run the fan ...?",
        "run the fan\uff1f",
        'read file "a". run the fan',
        "is the fan on? run the pump",
        "is it humid, run the pump",
        "tell me whether it is humid and run the pump",
        "has it been warm? run the pump",
    ],
)
def test_orders_in_questions_behind_quotations_and_behind_open_answers_are_held_back(goal):
    assert fault(goal).startswith('I did not understand "run the')


def test_a_question_how_much_does_not_hold_an_order_back():
    assert intents("how warm is it? run the fan for 2 s.")[1] == i.Switch(("fan",), True, 2.0)


def test_an_order_hanging_on_an_if_may_follow_a_question():
    assert isinstance(intents("is the fan on? if the light is below 9 lux run the pump")[1], i.If)


def test_the_end_of_a_timed_run_is_left_to_its_lease():
    for goal in (
        "run the fan for 9 s then stop it",
        "run the fan for 9 s. stop the fan.",
        "run the fan 9 s and stop it",
    ):
        assert intents(goal)[1] == i.Switch(("fan",), False, None, True)
    assert intents("run the fan and stop it")[1] == i.Switch(("fan",), False)


@pytest.mark.parametrize(
    "goal",
    [
        "run the fan for 9 s, then run the pump for 9 s",
        "run the fan for 9 s, then stop the pump",
        "run the fan for 9 s. then run the fan for 9 s.",
        "run the fan for 9 s, then if the light is below 9 lux run the pump",
        "run the fan for 9 s and turn off the fan and the pump",
        "if the light is below 9 lux run the fan for 9 s. stop the fan.",
    ],
)
def test_what_would_have_to_wait_for_a_timed_run_is_not_understood(goal):
    assert "the built-in planner acts at once" in fault(goal)


def test_branches_do_not_wait_for_each_other():
    (choice,) = intents("if the light is below 9 lux run the fan for 9 s, otherwise stop the fan")
    assert isinstance(choice, i.If)
    assert choice.otherwise[0].intent == i.Switch(("fan",), False)


@pytest.mark.parametrize(
    ("goal", "why"),
    [
        ("turn on the lamp", 'there is no output called "lamp" here'),
        ("stop the red lamp", 'there is no output called "red lamp" here'),
        ("what is the pressure", 'there is no sensor called "pressure" here'),
        ("if the pressure is above 3, stop the fan", 'there is no sensor called "pressure" here'),
        ("if it is warm, stop the fan", "say a value to compare with"),
        ("would you stop the fan", "a question is no order"),
        ("stop 'the fan'", "text in quotation marks"),
        ("stop the fan at 5", "does not wait"),
        ("stop the fan in a minute", "does not wait"),
        ("dance", ""),
    ],
)
def test_the_reason_is_said_where_one_is_seen(goal, why):
    sentence = fault(goal)
    assert sentence.startswith("I did not understand ")
    assert why in sentence
    assert ('": ' in sentence) == bool(why)


def test_the_words_quoted_are_bounded_and_harmless():
    sentence = fault("sing \x1b[31m" + "la " * 300)
    assert len(sentence) < 200
    assert "\x1b" not in sentence
    assert f"at most {LONGEST}" in fault("x" * (LONGEST + 1))


def test_a_board_without_outputs_says_so():
    assert fault("stop everything", WARM) == "This board declares no outputs"


def test_words_for_two_outputs_are_asked_back():
    lamps = (Output("lamp_1", "lamp", "l1"), Output("lamp_2", "lamp", "l2"))
    planner = Planner(Scene("/", "/", outputs=lamps))
    assert (
        fault("is the lamp on?", planner)
        == '"is the lamp on" fits 2 outputs, lamp_1 and lamp_2: which one do you mean?'
    )
