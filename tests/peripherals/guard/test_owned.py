"""What a guard is told to own: said and read back, and nothing else believed."""

from __future__ import annotations

import json

import pytest

from edge.call import Output, Sensor
from edge.peripherals.guard import owned as told
from edge.peripherals.guard.owned import GpioLine, Owned, PwmChannel

PUMP = Output("pump", "Pump", "GPIO17", max_on=60.0, interlock=("not door",), feedback="flow", on_exit="hold")
FAN = Output("fan", "Fan", "channel 0", pwm=True, words=("air",))
FLOW = Sensor("flow", "Flow", "", "GPIO27", states=("dry", "wet"))
OWNED = Owned(
    "lines",
    (PUMP, FAN),
    (FLOW,),
    (GpioLine("pump", "", "GPIO17", True), GpioLine("flow", "pinctrl-rp1", "27", bias="up", debounce=0.02)),
    (PwmChannel("fan", "pwmchip0", 1, 25000.0, True),),
    chips="model:/run/x",
    heartbeat=2.0,
)


def changed(path: str, value: object) -> str:
    """The text of OWNED with one value exchanged (`outputs.0.max_on`)."""
    fields = json.loads(told.text(OWNED))
    *way, last = path.split(".")
    place = fields
    for step in way:
        place = place[int(step)] if step.isdigit() else place[step]
    place[int(last) if last.isdigit() else last] = value
    return json.dumps(fields)


def test_what_is_said_is_read_back_whole_and_is_one_line_of_ascii() -> None:
    assert told.read(told.text(OWNED)) == OWNED
    assert told.read(told.text(Owned())) == Owned()
    assert told.text(OWNED).isascii() and "\n" not in told.text(OWNED)


def test_a_whole_number_where_seconds_are_meant_becomes_seconds() -> None:
    assert type(told.read(changed("outputs.0.max_on", 30)).outputs[0].max_on) is float


WRONG = [
    ("version", 2, "no description of version 1"),
    ("kind", "relay", "kind of Owned is 'relay' and may be: sim, lines"),
    ("world", 3, "world of Owned is no text"),
    ("heartbeat", 0, "heartbeat of Owned is 0 and must lie between 0.1 and 3600"),
    ("heartbeat", True, "heartbeat of Owned is no number"),
    ("outputs", {}, "its outputs are no list"),
    ("outputs.0.name", "", "name of Output is no name"),
    ("outputs.0.name", "p\nump", "name of Output is no name"),
    ("outputs.0.name", "x" * 81, "name of Output is no name"),
    ("outputs.0.safe", 1, "safe of Output is neither true nor false"),
    ("outputs.0.max_on", "60", "max_on of Output is no number"),
    ("outputs.0.max_on", 0, "max_on of Output is 0 and must lie"),
    ("outputs.0.min_off", -1, "min_off of Output is -1 and must lie"),
    ("outputs.0.max_per_hour", 1.5, "max_per_hour of Output is no whole number"),
    ("outputs.0.interlock", "not door", "interlock of Output is no list of words"),
    ("outputs.0.interlock", [1], "interlock of Output is no list of words"),
    ("outputs.0.risk", "none", "risk of Output is 'none' and may be: low, medium, high"),
    ("outputs.0.on_exit", "on", "on_exit of Output is 'on' and may be: safe, hold"),
    ("outputs.0.colour", "red", "unknown field of Output"),
    ("outputs.1.name", "pump", "the name 'pump' stands twice"),
    ("sensors.0.name", "pump", "the name 'pump' stands twice"),
    ("sensors.0.states", [None], "states of Sensor is no list of words"),
    ("lines.0.line", 17, "line of GpioLine is no text"),
    ("lines.0.bias", "sideways", "bias of GpioLine is 'sideways' and may be: up, down, off"),
    ("lines.1.debounce", 5000, "debounce of GpioLine is 5000 and must lie"),
    ("lines.0.name", "flow", "the wiring of 'flow' stands twice"),
    ("lines.0.name", "valve", "'valve' is wired but not declared"),
    ("lines.0", ["pump"], "unknown field of GpioLine"),
    ("lines.0", {"name": "pump"}, "GpioLine is not complete"),
    ("channels.0.channel", -1, "channel of PwmChannel is -1 and must lie"),
    ("channels.0.channel", 1.0, "channel of PwmChannel is no whole number"),
    ("channels.0.frequency", 0, "frequency of PwmChannel is 0 and must lie"),
]


@pytest.mark.parametrize(("path", "value", "sentence"), WRONG, ids=[f"{path}={value!r}" for path, value, _ in WRONG])
def test_what_cannot_be_is_a_sentence(path: str, value: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        told.read(changed(path, value))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused(number: str) -> None:
    with pytest.raises(ValueError):
        told.read(told.text(OWNED).replace('"max_on":60.0', f'"max_on":{number}'))


@pytest.mark.parametrize("said", ["", "[]", "7", "null", '{"version":1,"version":1}', '{"version":1}x'])
def test_what_is_no_description_is_refused(said: str) -> None:
    with pytest.raises(ValueError):
        told.read(said)
