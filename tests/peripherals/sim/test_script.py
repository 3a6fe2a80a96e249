from __future__ import annotations

import pytest

from edge.faults import HardwareFault
from edge.peripherals.guard import line
from tests.support.worlds import GREENHOUSE, board_of, value


def scripted(*faults):
    return {**GREENHOUSE, "contacts": {"door": {"states": ["closed", "open"]}}, "faults": list(faults)}


def board_with(*faults):
    return board_of(scripted(*faults))


def test_a_fault_comes_at_its_time_and_ends_by_itself():
    board = board_with({"at": "16:00", "part": "humidity", "mode": "nak", "lasts": 600})
    assert value(board, "humidity", 3599.0) > 0.0
    with pytest.raises(HardwareFault, match="did not acknowledge"):
        value(board, "humidity", 3600.0)
    with pytest.raises(HardwareFault):
        value(board, "humidity", 4199.0)
    assert value(board, "humidity", 4200.0) > 0.0


def test_a_sensor_that_sticks_shows_the_value_of_that_moment_even_after_a_leap():
    board, twin = board_with({"after": 600, "part": "temperature", "mode": "stick"}), board_with()
    board.drive("fan", 1.0, board.now)
    twin.drive("fan", 1.0, twin.now)
    assert value(board, "temperature", 7200.0) == value(twin, "temperature", 600.0)


@pytest.mark.parametrize(("mode", "by"), [("jump", 3.0), ("drift", 6.0)])
def test_a_jump_and_a_drift_are_off_by_what_was_told(mode, by):
    board, twin = board_with({"after": 10, "part": "temperature", "mode": mode, "by": by}), board_with()
    off = value(board, "temperature", 1810.0) - value(twin, "temperature", 1810.0)
    assert off == pytest.approx(3.0, abs=0.11)


def test_noise_is_another_each_time_and_never_more_than_told():
    board, twin = board_with({"after": 10, "part": "temperature", "mode": "noise", "by": 2.0}), board_with()
    off = [value(board, "temperature", s) - value(twin, "temperature", s) for s in range(20, 620, 20)]
    assert max(map(abs, off)) <= 2.06
    assert min(off) < -0.5 and max(off) > 0.5


def test_a_door_is_opened_by_the_script():
    board = board_with({"at": "day 2 08:00", "part": "door", "value": "open"})
    assert value(board, "door", 16.9 * 3600.0) == 0.0
    assert value(board, "door", 17 * 3600.0) == 1.0


def test_a_relay_fails_by_the_script():
    board = board_with({"after": 60, "part": "fan", "mode": "nak"})
    board.drive("fan", 1.0, board.now)
    with pytest.raises(HardwareFault, match="output fan did not take its value"):
        board.drive("fan", 0.0, board.now + 60.0)
    assert board.level("fan", board.now) is None


def test_what_happened_does_not_happen_again_in_the_next_run():
    faults = ({"after": 60, "part": "humidity", "mode": "nak"}, {"after": 900, "part": "light", "mode": "nak"})
    board = board_with(*faults)
    board.advance(board.now + 120.0)
    board.adjust("humidity", "ok", board.now)
    again = board_of(scripted(*faults), line.read(line.write(board.kept())))
    assert again.sense("humidity", again.now + 60.0).quality == "ok"
    assert [event["name"] for event in again.told(again.now)["coming"]] == ["light"]
    with pytest.raises(HardwareFault):
        again.sense("light", again.now + 900.0)


def test_what_comes_is_told_in_order():
    board = board_with(
        {"at": "17:00", "part": "light", "mode": "stale"},
        {"at": "16:00", "part": "humidity", "mode": "nak", "reads": 2},
    )
    assert [(event["name"], event["word"]) for event in board.told(board.now)["coming"]] == [
        ("humidity", "nak=2"),
        ("light", "stale"),
    ]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"part": "light", "mode": "nak"}, "faults 1 needs either at"),
        ({"at": "16:00", "after": 3, "part": "light", "mode": "nak"}, "faults 1 needs either at"),
        ({"at": "25:00", "part": "light", "mode": "nak"}, "faults 1.at is a time"),
        ({"at": "day 0 10:00", "part": "light", "mode": "nak"}, "faults 1.at is a time"),
        ({"after": -1, "part": "light", "mode": "nak"}, "faults 1.after goes from 0"),
        ({"after": 1, "part": "wind", "mode": "nak"}, "faults 1.part names no"),
        ({"after": 1, "part": "light", "mode": "broken"}, "faults 1.mode of a sensor is one of stick"),
        ({"after": 1, "part": "light", "mode": "jump"}, "faults 1.mode: jump needs a number"),
        ({"after": 1, "part": "light", "mode": "stale", "by": 2}, "faults 1.mode: stale takes no number"),
        ({"after": 1, "part": "light", "mode": "nak", "reads": 2.5}, "faults 1.reads is a whole number"),
        ({"after": 1, "part": "fan", "mode": "drift"}, "faults 1.mode of a relay is one of ok, stuck"),
        ({"after": 1, "part": "fan", "value": 1}, "the guard switches outputs"),
        ({"after": 1, "part": "light", "value": -5}, "faults: light cannot be -5 lux"),
        ({"after": 1, "part": "light", "value": "dark"}, "faults: 'dark' is neither a number nor a mode"),
        ({"after": 1, "part": "door", "value": "ajar"}, "faults 1.value of door is closed or open"),
        ({"after": 1, "part": "light"}, "faults 1 needs either a mode or a value"),
        ({"after": 1, "part": "light", "mode": "nak", "when": 3}, "faults 1.when is no key"),
    ],
)
def test_a_fault_that_cannot_be_is_a_sentence_with_its_key(fault, sentence):
    with pytest.raises(ValueError, match=sentence):
        board_with(fault)
