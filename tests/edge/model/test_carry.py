"""Carrying out plans against outcomes that are made up call by call."""

from __future__ import annotations

from typing import Any

from edge.call import Output, Scene
from edge.model import intents as i
from edge.model.carry import LONGEST_TEXT, Carrier, Want
from edge.model.wording import Outcome

OUTPUTS = (Output("fan", "", "r1"), Output("pump", "", "r2"), Output("vent", "", "r3", safe=True))
SCENE = Scene("/", "/", outputs=OUTPUTS)
ALL = frozenset(("sensor_read", "sensor_list", "output_set", "output_list", "file_read"))
HOT = i.Condition("air", i.Limit(">", 30.0, 30.0, "above 30 C"))


def plan(*intents: i.Intent) -> i.Plan:
    return tuple(i.Clause(intent, "") for intent in intents)


def outcome(want: Want, ok: bool = True, text: str = "", **data: Any) -> Outcome:
    return Outcome(want.call.tool, want.call.args, ok, text, data, 100.0)


def air(want: Want, value: float, quality: str = "ok") -> Outcome:
    return outcome(want, name="air", value=value, unit="C", quality=quality, age=0.0)


def run(steps: i.Plan, *answers: Any, offered: frozenset[str] = ALL) -> tuple[list[Want], list[str]]:
    """All wants, and the lines at the end. Each answer is made of the want it answers."""
    carrier = Carrier(SCENE, (), offered, 100.0)
    going = carrier.carry(steps)
    wants: list[Want] = []
    left = list(answers)
    try:
        want = next(going)
        while True:
            wants.append(want)
            want = going.send(left.pop(0)(want) if left else want.instead or outcome(want, False, "nothing there"))
    except StopIteration:
        assert not left
        return wants, carrier.lines


def test_a_condition_chooses_its_branch_by_the_reading():
    steps = plan(i.If(HOT, plan(i.Switch(("fan",), True, 9.5)), plan(i.Switch(("pump",), False))))
    wants, _ = run(steps, lambda w: air(w, 31.0), lambda w: outcome(w, state=True, left=9.5))
    assert wants[1].call.args == {"name": "fan", "state": True, "for_seconds": 9.5}
    wants, lines = run(steps, lambda w: air(w, 30.0), lambda w: outcome(w, state=False, left=0))
    assert wants[1].call.args == {"name": "pump", "state": False}
    assert "The fan was left as it was." in lines


def test_whole_seconds_are_asked_for_as_whole_numbers():
    wants, _ = run(plan(i.Switch(("fan",), True, 120.0)), lambda w: outcome(w, state=True, left=120))
    assert repr(wants[0].call.args["for_seconds"]) == "120"


def test_a_lease_shorter_than_asked_is_told_as_the_board_tells_it():
    _, lines = run(plan(i.Switch(("fan",), True, 120.0)), lambda w: outcome(w, state=True, left=45.0))
    assert lines == ["The fan is on for 2 min, confirmed by the board (45 s left, then it goes back by itself)."]


def test_nothing_is_read_twice_until_something_is_switched():
    steps = plan(i.Read(("air",)), i.Ask(HOT), i.Switch(("fan",), False), i.Read(("air",)))
    wants, _ = run(steps, lambda w: air(w, 31.0), lambda w: w.instead, lambda w: outcome(w, state=False))
    assert [want.instead is None for want in wants] == [True, False, True, True]


def test_a_condition_on_a_state_that_is_not_known_chooses_nothing():
    steps = plan(i.If(i.Condition("fan", None, False), plan(i.Switch(("fan",), True)), plan(i.Switch(("pump",), True))))
    for answer in (
        lambda w: outcome(w, outputs=[{"name": "fan", "state": None}]),
        lambda w: outcome(w, outputs=[]),
        lambda w: outcome(w, False, "the board is gone"),
    ):
        wants, lines = run(steps, answer)
        assert len(wants) == 1
        assert lines == ["The state of fan is not known.", "The fan and pump were left as they were."]


def test_a_question_about_states_is_only_answered_when_all_are_known():
    rows = [{"name": "fan", "state": True, "left": 5}, {"name": "pump", "state": None}]
    _, lines = run(plan(i.States(("fan", "pump"), True)), lambda w: outcome(w, outputs=rows))
    assert lines == ["The fan is on, 5 s left. The state of pump is not known."]
    _, lines = run(plan(i.States((), False)), lambda w: outcome(w, outputs=rows))
    assert lines == ["The state of pump is not known."]
    _, lines = run(plan(i.States()), lambda w: outcome(w, False, "the board is gone"))
    assert lines == ["How the outputs stand is not known: the board is gone."]


def test_orders_after_a_failed_one_are_told_and_not_given():
    steps = plan(i.Switch(("fan", "pump"), True, 5.0), i.Switch(("fan",), False, None, True))
    wants, lines = run(steps, lambda w: outcome(w, False, "refused: nobody could be asked"))
    assert len(wants) == 1
    assert lines[1:] == [
        "The pump was not switched on, because fan was not switched as ordered.",
        "The fan was not switched off: its run before that was not confirmed.",
    ]


def test_orders_towards_a_safe_value_are_given_whatever_failed_before():
    steps = plan(i.Switch(("fan", "pump", "vent"), False), i.Switch(("vent",), True))
    refused = [lambda w: outcome(w, False, "refused: no")] * 2
    wants, lines = run(steps, *refused, lambda w: outcome(w, state=True, left=0.0))
    assert [(w.call.args["name"], w.call.args["state"]) for w in wants] == [
        ("fan", False),
        ("pump", False),
        ("vent", True),
    ]
    assert "The vent was not switched off, because pump was not switched as ordered." in lines
    assert lines[-1] == "The vent is on, confirmed by the board."


def test_a_time_that_the_board_did_not_grant_is_not_claimed():
    steps = plan(i.Switch(("vent",), True, 5.0), i.Switch(("vent",), False, None, True))
    _, lines = run(steps, lambda w: outcome(w, state=True, left=0.0))
    assert lines == [
        "The vent is on, confirmed by the board, which gave it no end.",
        "The vent was not switched off: its run before that was not confirmed.",
    ]


def test_a_failure_that_is_no_refusal_is_read_back_or_said_to_be_unknown():
    steps = plan(i.Switch(("fan",), True, 5.0))
    late = "stopped waiting after 30 s; what it did is unknown"
    rows = [{"name": "fan", "state": True, "left": 3.0}]
    _, lines = run(steps, lambda w: outcome(w, False, late), lambda w: outcome(w, outputs=rows))
    assert lines[1] == "Read back: The fan is on, 3 s left."
    wants, lines = run(steps, lambda w: outcome(w, False, late), offered=ALL - {"output_list"})
    assert len(wants) == 1
    assert lines[1] == "The state of fan is not known."


def test_a_long_file_is_cut_and_the_cut_is_stated():
    _, lines = run(plan(i.Files("a.txt", False)), lambda w: outcome(w, text="x" * 9000 + "\x1b[2J"))
    assert len(lines[0]) < LONGEST_TEXT + 40
    assert lines[0].endswith(f"[cut: {9000 + 7 - LONGEST_TEXT} characters]")


def test_a_folder_that_is_empty_is_told_as_such():
    _, lines = run(plan(i.Files(".", True)), lambda w: outcome(w, entries=[]))
    assert lines == ["In the working folder: nothing."]


def test_a_list_that_failed_is_told_with_its_reason():
    _, lines = run(plan(i.Listing("sensors")))
    assert lines == ["The sensors could not be listed: nothing there."]
    _, lines = run(plan(i.Listing("outputs")), lambda w: outcome(w, outputs=[]))
    assert lines == ["Outputs: none are declared."]


def test_words_of_the_operator_in_place_of_a_yes_are_not_taken_for_the_boards():
    said = "not run; the operator answers instead: only after noon"
    wants, lines = run(plan(i.Switch(("fan",), True, 5.0)), lambda w: outcome(w, True, said))
    assert len(wants) == 1
    assert lines == ["The fan was not switched on for 5 s: the operator answered instead: only after noon"]
