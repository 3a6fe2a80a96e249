from __future__ import annotations

import random
import shlex
from typing import Any

import pytest

from edge.cli.spelling import duration, parse, say, usage
from edge.faults import UsageFault
from edge.registry import find
from edge.schema import fit

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "state": {"type": "boolean"},
        "for_seconds": {"type": "number", "minimum": 0.1},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "more": {"type": "object"},
    },
    "required": ["name", "state"],
}


@pytest.mark.parametrize(
    ("line", "args"),
    [
        ("name=fan state=on for=2m", {"name": "fan", "state": True, "for_seconds": 120}),
        ("fan state=OFF", {"name": "fan", "state": False}),
        ("state=1 fan", {"name": "fan", "state": True}),
        ("fan state=yes for_seconds=120", {"name": "fan", "state": True, "for_seconds": 120}),
        ("fan state=no for=90s", {"name": "fan", "state": False, "for_seconds": 90}),
        ("fan state=true for=1h30m limit=-3", {"name": "fan", "state": True, "for_seconds": 5400, "limit": -3}),
        ("fan state=false for=0.5 limit=1e2", {"name": "fan", "state": False, "for_seconds": 0.5, "limit": 100}),
        ("name=a=b state=0", {"name": "a=b", "state": False}),
        ("./a=b state=0", {"name": "./a=b", "state": False}),
        ("name= state=on", {"name": "", "state": True}),
        ("name=12 state=on", {"name": "12", "state": True}),
        ("'two words' state=on", {"name": "two words", "state": True}),
        (
            'fan state=on tags=\'["a", "b"]\' more=\'{"x": 1}\'',
            {"name": "fan", "state": True, "tags": ["a", "b"], "more": {"x": 1}},
        ),
    ],
)
def test_words_become_checked_arguments(line: str, args: dict[str, Any]) -> None:
    assert parse(shlex.split(line), SCHEMA) == args


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("fan state=perhaps", "state is on or off, not 'perhaps'"),
        ("fan state=", "state is on or off, not ''"),
        ("fan", "state is missing"),
        ("state=on", "name is missing"),
        ("fan heater state=on", "name is given twice, the second time as heater; quote a value that holds blanks"),
        ("fan state=on state=off", "state is given twice"),
        ("fan state=on for=1m for_seconds=2", "for_seconds is given twice"),
        ("fan stat=on", "stat is not an argument; did you mean state?"),
        ("fan state=on fro=2m", "fro is not an argument; did you mean for?"),
        ("fan state=on for=2x", "for_seconds is a time such as 90, 90s, 2m or 1h30m, not '2x'"),
        ("fan state=on for=30m1h", "not '30m1h'"),
        ("fan state=on for=1m2m", "not '1m2m'"),
        ("fan state=on for=m", "not 'm'"),
        ("fan state=on for=", "not ''"),
        ("fan state=on for=\u0663", "for_seconds is a time"),
        ("fan state=on for=-5", "for_seconds must be at least 0.1"),
        ("fan state=on for=nan", "for_seconds is a time"),
        ("fan state=on for=1e999", "for_seconds must be a finite number"),
        ("fan state=on limit=2.5", "limit must be an integer"),
        ("fan state=on limit=0x10", "limit is a number, not '0x10'"),
        ("fan state=on tags=a", "tags is given as JSON"),
        ("fan state=on tags=[1.5]", "tags[0] must be a string"),
    ],
)
def test_a_wrong_word_is_named_with_the_usage(line: str, words: str) -> None:
    with pytest.raises(UsageFault) as caught:
        parse(shlex.split(line), SCHEMA)
    assert words in caught.value.sentence
    assert caught.value.fix.startswith("usage: name=<string> state=on|off [for=<time, such as 2m>]")


def test_what_only_the_schema_refuses_shows_the_form_of_words_too() -> None:
    for line in ("fan", "fan state=on for=0.01", "fan state=on limit=2.5"):
        with pytest.raises(UsageFault) as caught:
            parse(shlex.split(line), SCHEMA)
        assert caught.value.fix.startswith("usage: name=<string> state=on|off"), caught.value


def test_the_usage_shows_how_each_kind_is_typed_and_what_may_be_left_out() -> None:
    assert usage({"properties": {}}) == ""
    assert usage(SCHEMA).startswith("name=<string> state=on|off [for=<time, such as 2m>]")
    rules = {
        "mode": {"enum": ["slow", "fast"]},
        "tags": {"type": "array"},
        "more": {"type": "object"},
        "free": {},
        "wait": {"type": "string"},
        "wait_seconds": {"type": "integer"},
    }
    shown = "mode=slow|fast [tags=<JSON list>] [more=<JSON object>] [free=<value>] [wait=<string>]"
    assert usage({"properties": rules, "required": ["mode"]}) == f"{shown} [wait_seconds=<time, such as 2m>]"


def test_the_catalogue_shows_the_short_spelling_of_a_time() -> None:
    assert usage(find("output_set").schema) == "name=<string> state=on|off [for=<time, such as 2m>]"


def test_a_bare_word_needs_a_required_text() -> None:
    schema = {"properties": {"limit": {"type": "integer"}, "query": {"type": "string"}}, "required": ["limit"]}
    with pytest.raises(UsageFault, match="pump is not an argument of the form name=value"):
        parse(["pump"], schema)
    assert parse([], {"properties": {}}) == {}


def test_an_argument_whose_own_name_is_for_keeps_it() -> None:
    schema = {"properties": {"for": {"type": "string"}, "for_seconds": {"type": "number"}}}
    args = {"for": "2m", "for_seconds": 120}
    assert parse(["for=2m", "for_seconds=2m"], schema) == args
    assert parse(shlex.split(say(args, schema)), schema) == args


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("90s", 90),
        ("2m", 120),
        ("2min", 120),
        ("1.5h", 5400),
        ("1d", 86400),
        ("250ms", 0.25),
        ("1h1m1s", 3661),
    ],
)
def test_durations_have_units(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "2 m", "2M", "1.5.5s", "-2m", "m2", "1h 30m", "1e3s", "2months", "\u0662m"])
def test_what_is_no_duration_is_none(text: str) -> None:
    assert duration(text) is None


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"name": "fan", "state": True, "for_seconds": 120}, "name=fan state=on for=2m"),
        ({"name": "fan", "state": False, "for_seconds": 90}, "name=fan state=off for=90s"),
        ({"for_seconds": 5400, "limit": 3}, "for=1h30m limit=3"),
        ({"for_seconds": 2.5}, "for=2.5s"),
        ({"name": "it's here"}, "name='it'\"'\"'s here'"),
        ({"tags": ["a b"]}, "tags='[\"a b\"]'"),
        ({"name": None}, ""),
    ],
)
def test_arguments_are_said_as_they_are_typed(args: dict[str, Any], words: str) -> None:
    assert say(args, SCHEMA) == words


def test_what_is_said_is_read_again() -> None:
    chance = random.Random(3)
    letters = "ab =\"'\\$`;#\n\t ü🌿2m[]{}"
    for _ in range(2000):
        text = "".join(chance.choice(letters) for _ in range(chance.randrange(8)))
        args: dict[str, Any] = {"name": text, "state": chance.random() < 0.5}
        if chance.random() < 0.7:
            args["for_seconds"] = chance.choice(
                (0.25, 1.5, 1e-7 + 1, 60, 120, 3661, 86400, 10**12, 1e22, chance.randrange(1, 10**6))
            )
        if chance.random() < 0.5:
            args["tags"] = [text, "x"]
        if chance.random() < 0.5:
            args["limit"] = chance.randrange(-(10**6), 10**6)
        args = fit(args, SCHEMA)[0]
        assert parse(shlex.split(say(args, SCHEMA)), SCHEMA) == args
