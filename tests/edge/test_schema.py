from __future__ import annotations

from typing import Any

import pytest

from edge.faults import UsageFault
from edge.schema import encodable, fit, form, near, wire

SET = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 8},
        "state": {"type": "boolean"},
        "for_seconds": {"type": "number", "minimum": 0.5, "maximum": 600},
        "tries": {"type": "integer", "minimum": 1},
        "mode": {"type": "string", "enum": ["slow", "fast"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "more": {"type": "object"},
        "place": {"type": "object", "properties": {"row": {"type": "integer"}}, "required": ["row"]},
        "free": {},
    },
    "required": ["name", "state"],
    "additionalProperties": False,
}
BASE = {"name": "fan", "state": True}


def test_arguments_of_the_declared_types_pass_unchanged_and_without_a_repair() -> None:
    args = {
        **BASE,
        "for_seconds": 2.5,
        "tries": 3,
        "mode": "fast",
        "tags": ["a", "b"],
        "more": {"deep": [1, None, {"x": True}]},
        "place": {"row": 4},
        "free": [1, "x"],
    }
    assert fit(args, SET) == (args, ())


@pytest.mark.parametrize(
    ("name", "given", "meant"),
    [
        ("tries", "3", 3),
        ("tries", "-0", 0),
        ("tries", 3.0, 3),
        ("tries", "3.0", 3),
        ("tries", "1e2", 100),
        ("for_seconds", "2.5", 2.5),
        ("for_seconds", "300", 300),
        ("state", "false", False),
        ("state", "True", True),
        ("name", 7, "7"),
        ("name", -7, "-7"),
    ],
)
def test_a_value_in_another_spelling_is_read_and_told(name: str, given: Any, meant: Any) -> None:
    schema = {"properties": {**SET["properties"], "tries": {"type": "integer"}}, "required": []}
    args, repairs = fit({name: given}, schema)
    assert args == {name: meant}
    assert type(args[name]) is type(meant)
    assert len(repairs) == 1 and repairs[0].startswith(name)


def test_null_for_an_argument_that_may_be_left_out_is_not_given() -> None:
    assert fit({**BASE, "tries": None}, SET) == (BASE, ("tries was null, read as not given",))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tries": "0x10"}, 'tries must be an integer, not "0x10"'),
        ({"tries": "\uff13"}, 'not "\\uff13"'),
        ({"tries": "\u0663"}, "tries must be an integer"),
        ({"tries": " 3"}, "tries must be an integer"),
        ({"tries": "3_0"}, "tries must be an integer"),
        ({"tries": "+3"}, "tries must be an integer"),
        ({"tries": "03"}, "tries must be an integer"),
        ({"tries": ""}, "tries must be an integer"),
        ({"tries": "9" * 5000}, "tries must be an integer"),
        ({"tries": 1.5}, "not 1.5"),
        ({"tries": 1e300}, "tries must be an integer"),
        ({"tries": True}, "not true"),
        ({"tries": 0}, "tries must be at least 1, not 0"),
        ({"tries": 10**5000}, "too many digits"),
        ({"state": "yes please"}, 'state must be true or false, not "yes please"'),
        ({"state": "\uff54\uff52\uff55\uff45"}, "state must be true or false"),
        ({"state": 1}, "state must be true or false, not 1"),
        ({"state": None}, "state must not be null"),
        ({"name": ["fan"]}, "name must be a string, not a list"),
        ({"name": {"id": 1}}, "name must be a string, not an object"),
        ({"name": True}, "name must be a string, not true"),
        ({"name": 1.5}, "name must be a string, not 1.5"),
        ({"name": ""}, "name must have at least 1 characters"),
        ({"name": "x" * 9}, "name must have at most 8 characters, not 9"),
        ({"name": "a\ud800"}, "half of a surrogate pair"),
        ({"for_seconds": float("nan")}, "for_seconds must be a finite number"),
        ({"for_seconds": float("inf")}, "for_seconds must be a finite number"),
        ({"for_seconds": "1e999"}, "for_seconds must be a finite number"),
        ({"for_seconds": 10**400}, "for_seconds must be a finite number"),
        ({"for_seconds": 601}, "for_seconds must be at most 600, not 601"),
        ({"mode": "fasst"}, "did you mean fast?"),
        ({"mode": "FAST"}, 'mode must be one of "slow", "fast"'),
        ({"tags": "a"}, "tags must be a list"),
        ({"tags": ["a", []]}, "tags[1] must be a string"),
        ({"more": []}, "more must be an object"),
        ({"more": {"x": float("nan")}}, "more holds nan"),
        ({"more": {"x": b"raw"}}, "more holds"),
        ({"more": {1: 2}}, "more holds an object"),
        ({"place": {}}, "place.row is missing"),
        ({"place": {"row": "x"}}, "place.row must be an integer"),
        ({"free": {"\ud800": 1}}, "free holds"),
        ({"stat": True}, "stat is not an argument; did you mean state?"),
        ({"na\u200bme": "x"}, "na\\u200bme is not an argument; did you mean name?"),
        ({"approved": True}, "approved is not an argument"),
        ({5: True}, "5 is not an argument"),
    ],
)
def test_what_would_be_a_guess_is_refused_with_the_right_form(changes: dict[Any, Any], words: str) -> None:
    with pytest.raises(UsageFault) as caught:
        fit({**BASE, **changes}, SET)
    assert words in caught.value.sentence
    assert caught.value.fix.startswith('usage: {"name": <string>, "state": <boolean>, "for_seconds": <number, opt')


def test_a_fault_shows_the_form_that_its_sentence_asks_for() -> None:
    wanted = r'state must be true or false, not "on" \(usage: .*"state": <boolean>'
    with pytest.raises(UsageFault, match=wanted) as caught:
        fit({"name": "fan", "state": "on"}, SET)
    assert "on|off" not in str(caught.value) and "state=" not in str(caught.value)


def test_missing_arguments_are_named_together() -> None:
    with pytest.raises(UsageFault, match="name and state are missing"):
        fit({}, SET)


def test_arguments_that_are_no_object_are_refused() -> None:
    with pytest.raises(UsageFault, match="must be an object, not a list"):
        fit(["fan"], SET)  # type: ignore[arg-type]


def test_a_deep_value_is_refused_without_a_recursion_error() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(UsageFault, match="nested deeper than 64"):
        fit({**BASE, "free": deep}, SET)


def test_no_arguments_take_no_arguments() -> None:
    schema = {"type": "object", "properties": {}, "required": []}
    assert fit({}, schema) == ({}, ())
    assert form(schema) == "{}"
    with pytest.raises(UsageFault, match=r"known: none.*usage: \{\}"):
        fit({"x": 1}, schema)


def test_the_form_shows_what_is_optional() -> None:
    assert form(SET).startswith('{"name": <string>, "state": <boolean>, "for_seconds": <number, optional>')
    assert '"mode": <"slow"|"fast", optional>' in form(SET)


def test_a_near_name_sees_through_look_alikes() -> None:
    assert near("\uff42\uff41\uff53\uff48", ["bash", "grep"]) == "bash"
    assert near("sensor_read\u200b", ["sensor_read"]) == "sensor_read"
    assert near("weather", ["bash", "grep"]) == ""


def test_half_a_surrogate_pair_is_not_encodable() -> None:
    assert encodable("") and encodable("aü🌿") and not encodable("a\udc00")


def test_a_model_is_sent_no_bounds_and_an_object_of_any_content_is_not_sent_as_an_empty_one() -> None:
    one = {"type": "string", "minLength": 1, "maxLength": 9, "description": "a word"}
    free = {"type": "object", "additionalProperties": {"type": "string"}}
    rules = {"one": one, "free": free, "more": {"type": "array", "items": {"type": "integer", "minimum": 0}}}
    sent = wire({"type": "object", "properties": rules, "required": ["one"], "additionalProperties": False})
    assert sent["properties"]["one"] == {"type": "string", "description": "a word"} and sent["required"] == ["one"]
    assert sent["properties"]["free"] == {"type": "object"}
    assert sent["properties"]["more"] == {"type": "array", "items": {"type": "integer"}}
    nothing = wire({"type": "object", "properties": {}, "required": [], "additionalProperties": False})
    assert nothing == {"type": "object", "properties": {}}
