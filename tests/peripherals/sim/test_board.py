from __future__ import annotations

import copy
import random

import pytest

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.guard import line
from edge.peripherals.sim.board import SimBoard
from edge.peripherals.sim.greenhouse import BIRTH
from edge.peripherals.sim.restore import restored
from tests.support.boards import rounds


@pytest.fixture
def board():
    return SimBoard()


def read(board, name, seconds=0.0):
    return board.sense(name, BIRTH + seconds)


def test_the_first_reading_is_about_33(board):
    reading = read(board, "temperature")
    assert (reading.value, reading.unit, reading.quality, reading.source) == (33.0, "C", "ok", "sim air probe")
    assert reading.age == 0.0


def test_every_declared_sensor_can_be_read(board):
    assert [read(board, sensor.name).unit for sensor in board.sensors] == ["C", "%", "%", "lux"]


def test_an_unknown_sensor_is_named_with_those_there_are(board):
    with pytest.raises(UsageFault, match=r"no sensor 'wind' .*temperature, soil_moisture, humidity, light"):
        read(board, "wind")


def test_the_fan_cools_what_the_sensor_shows(board):
    board.drive("fan", True, BIRTH)
    assert 30.5 < read(board, "temperature", 120.0).value < 32.0


def test_the_pump_raises_soil_moisture(board):
    board.drive("pump", True, BIRTH)
    assert read(board, "soil_moisture", 120.0).value > 38.0


@pytest.mark.parametrize(
    ("name", "word"), [("temperature", "35"), ("soil_moisture", "12.5"), ("humidity", "80"), ("light", "1e3")]
)
def test_a_value_that_is_set_is_read(board, name, word):
    assert board.adjust(name, word, BIRTH).startswith(f"{name} is ")
    assert read(board, name).value == float(word)


@pytest.mark.parametrize(
    ("name", "word", "sentence"),
    [
        ("temperature", "99", "temperature cannot be 99 C .*from -20 to 60"),
        ("temperature", "nan", "cannot be nan"),
        ("temperature", "warm", "'warm' is neither a number nor a mode"),
        ("humidity", "-1", "from 5 to 98"),
        ("light", "inf", "from 0 to 120000"),
        ("fan", "1", "fan is an output"),
        ("wind", "3", "no sensor 'wind'"),
    ],
)
def test_what_cannot_be_set_is_said(board, name, word, sentence):
    with pytest.raises(UsageFault, match=sentence):
        board.adjust(name, word, BIRTH)


def test_a_part_that_is_set_to_fail_fails_and_recovers(board):
    assert board.adjust("humidity", "nak", BIRTH) == "sensor humidity is nak"
    with pytest.raises(HardwareFault, match="did not acknowledge"):
        read(board, "humidity")
    board.adjust("humidity", "ok", BIRTH)
    assert read(board, "humidity").value == 49.0


def test_a_value_behind_a_failed_part_is_said_to_be_hidden(board):
    board.adjust("temperature", "stuck", BIRTH)
    assert "does not show it" in board.adjust("temperature", "40", BIRTH)
    assert read(board, "temperature").value == 33.0


def test_what_is_kept_is_restored_with_every_output_safe(board):
    board.drive("fan", True, BIRTH + 5.0)
    board.adjust("light", "stale", BIRTH + 60.0)
    board.adjust("temperature", "40", BIRTH + 61.0)
    again = restored(line.read(line.write(board.kept())))
    assert again.circuit.climate == board.circuit.climate
    assert again.now == board.now
    assert again.parts == board.parts
    assert again.left_on == ("fan",)
    assert again.on == {"fan": False, "pump": False}


def test_time_that_goes_back_is_no_news(board):
    read(board, "temperature", 100.0)
    before = board.kept()
    read(board, "temperature", 50.0)
    assert board.kept() == before


def test_damage_to_what_is_kept_is_a_sentence_or_a_board_that_works():
    dice = random.Random(9)
    board = SimBoard()
    board.drive("fan", True, BIRTH)
    board.adjust("humidity", "nak", BIRTH + 10.0)
    strange = (None, True, -1, 1e300, "x", [], {}, 0.5, "nak", ["fan"], {"mode": "ok"})
    counts = {"refused": 0, "restored": 0}
    for _ in range(rounds(20_000)):
        kept = copy.deepcopy(board.kept())
        place = dice.choice((kept, kept["climate"], kept["parts"], kept["parts"]["humidity"]))
        name = dice.choice([*place, "else"])
        if dice.randrange(4):
            place[name] = dice.choice(strange)
        else:
            place.pop(name, None)
        try:
            again = restored(kept)
        except ValueError as error:
            assert str(error)
            counts["refused"] += 1
            continue
        counts["restored"] += 1
        assert not any(again.on.values())
        assert again.shown(again.now + 10.0)
    print(counts)
    assert all(counts.values())


@pytest.mark.parametrize("kept", [None, [], "x", {}, {"version": 2}])
def test_what_is_no_kept_state_is_refused(kept):
    with pytest.raises(ValueError, match="no kept state"):
        restored(kept)


def test_shown_has_an_error_in_place_of_a_failed_reading(board):
    board.adjust("humidity", "nak", BIRTH)
    rows = {row["name"]: row for row in board.shown(BIRTH)}
    assert rows["humidity"]["value"] is None
    assert rows["humidity"]["quality"] == "fault"
    assert "did not acknowledge" in rows["humidity"]["error"]
    assert rows["temperature"]["value"] == 33.0


def test_a_state_that_an_earlier_version_kept_is_taken_up():
    climate = {"time": 54060.0, "air": 32.5, "humidity": 50.0, "soil": 33.0, "weather": 1.0, "damp": 0.0, "lamp": 0.0}
    parts = {"humidity": {"mode": "nak", "held": 49.0, "since": 54010.0}}
    board = restored({"version": 1, "now": 54061.0, "climate": climate, "parts": parts, "on": ["fan"]})
    assert (board.now, board.circuit.climate.air, board.left_on) == (54061.0, 32.5, ("fan",))
    with pytest.raises(HardwareFault):
        board.sense("humidity", board.now)
    assert set(SimBoard().kept()) == {"version", "now", "climate", "parts", "on"}
