"""What declared things answer to, and how the slots of a pattern are filled."""

from __future__ import annotations

import pytest

from edge.call import Output, Scene, Sensor
from edge.model.names import IT, Slots, Vocabulary, spelled
from edge.model.tokens import sentences
from tests.support.planner_talk import SCENE

TWINS = Scene(
    "/w",
    "/h",
    sensors=(
        Sensor("air_temperature", "air temperature", "C", "probe 1", ("warm",)),
        Sensor("water_temperature", "temperature of the tank (deep)", "C", "probe 2", ("warm", "tank")),
    ),
    outputs=(Output("lamp", "lamp, left", "line 1"), Output("lamp_2", "", "line 2", words=("lamp two", "heat"))),
)


def fills(slot: str, text: str, scene: Scene = SCENE) -> list[object]:
    """What the slot holds when it takes all the words; the first that does is the first here."""
    tokens = sentences(text)[0].tokens
    return [value for value, end in Slots(Vocabulary(scene), text, tokens).fill(slot, 0) if end == len(tokens)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("the temperature", ("temperature",)),
        ("soil_moisture", ("soil_moisture",)),
        ("soil moisture sensor", ("soil_moisture",)),
        ("moisture level", ("soil_moisture",)),
        ("a humidity reading", ("humidity",)),
        ("light over the plants", ("light",)),
        ("temp", ("temperature",)),
        ("temperature in the greenhouse", ("temperature",)),
    ],
)
def test_a_sensor_answers_to_name_label_words_and_synonyms(text, names):
    assert fills("SENSOR", text)[0] == (names,)


@pytest.mark.parametrize("text", ["pressure", "fan", "humidity in the soil", "temperature in the cellar"])
def test_other_words_are_no_sensor(text):
    assert fills("SENSOR", text) == []


def test_words_for_two_things_name_both_and_longer_words_only_one():
    both = ("air_temperature", "water_temperature")
    assert fills("SENSOR", "temperature", TWINS) == [(both,)]
    assert fills("SENSOR", "warm", TWINS) == [(both,)]
    assert fills("SENSOR", "water temperature", TWINS) == [(("water_temperature",),)]
    assert fills("SENSOR", "temperature in the tank", TWINS)[0] == (("water_temperature",),)


def test_a_name_counts_before_a_part_of_another_name():
    assert fills("OUTPUTS", "lamp", TWINS) == [(("lamp",),)]
    assert fills("OUTPUTS", "lamp 2", TWINS) == [(("lamp_2",),)]
    assert fills("OUTPUTS", "lamp two", TWINS) == [(("lamp_2",),)]


def test_lists_are_taken_whole_and_in_order():
    assert fills("OUTPUTS", "the fan, the pump") == [(("fan",), ("pump",))]
    assert fills("OUTPUTS", "the pump and it") == [(("pump",), IT)]
    assert fills("OUTPUTS", "all outputs")[0] == (("fan",), ("pump",))
    assert fills("SENSORS", "temperature, humidity, and light")[0] == (("temperature",), ("humidity",), ("light",))
    assert len(fills("SENSORS", "everything")[0]) == 4
    assert fills("OUTPUTS", "fan or pump") == []
    assert fills("OUTPUTS", "all outputs", Scene("/", "/")) == []


def test_a_use_of_one_word_needs_an_object_or_a_time():
    assert fills("USE", "water the plants") == [(("pump",),)]
    assert fills("USE", "water") == []
    assert fills("USE", "cool the plants") == []
    assert fills("USE", "heat the room", TWINS) == [(("lamp_2",),)]


@pytest.mark.parametrize(
    ("text", "op", "low", "high", "unit"),
    [
        ("above 30 C", ">", 30, 30, "C"),
        ("no more than 5", "<=", 5, 5, ""),
        ("between 2 and 3 %", "in", 2, 3, "%"),
        ("between 2 C and 3", "in", 2, 3, "C"),
        ("30 lux or less", "<=", 30, 30, "lux"),
    ],
)
def test_comparisons_are_taken_as_said(text, op, low, high, unit):
    (test,) = fills("TEST", text)
    assert (test.op, test.low, test.high, test.unit, test.said) == (op, low, high, unit, text)


@pytest.mark.parametrize("text", ["above", "30", "above C", "between 2", "between 2 C and 3 %", "around 5"])
def test_half_a_comparison_is_none(text):
    assert fills("TEST", text) == []


@pytest.mark.parametrize(
    ("text", "path"),
    [("logs", "logs"), ("/var/log/x.txt", "/var/log/x.txt"), ('"a b.txt"', "a b.txt"), ("a-b_c.TXT", "a-b_c.TXT"),
     ("notes.txt.", "notes.txt"), ("if.txt", "if.txt"), ("now.txt", "now.txt"), ("~/x", "~/x")],
)  # fmt: skip
def test_a_path_is_taken_as_written(text, path):
    assert fills("PATH", text) == [path]


@pytest.mark.parametrize("text", ["and", "never", "don't", "if", 'x"y"', '""', "a b"])
def test_a_linking_word_or_a_mixture_is_no_path(text):
    assert fills("PATH", text) == []


def test_only_what_shows_that_it_is_a_path_is_dotted():
    assert fills("DOTTED", "notes.txt") == ["notes.txt"]
    assert fills("DOTTED", "logs/today") == ["logs/today"]
    assert fills("DOTTED", "logs") == []
    assert fills("DOTTED", "2.5") == []


def test_a_phrase_that_no_goal_can_say_names_nothing():
    assert spelled("temperature (deep)") == ()
    assert spelled("the soil-moisture") == ("soil", "moisture")
