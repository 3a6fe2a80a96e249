from __future__ import annotations

import json
from typing import Any

import pytest

from edge.faults import StepFault
from edge.lenient import attempt, flat, whole


@pytest.mark.parametrize(
    ("text", "value", "repairs"),
    [
        ('{"a": 1,}', {"a": 1}, ["a comma before } was left out"]),
        ("[1, 2, ]", [1, 2], ["a comma before ] was left out"]),
        ("{'a': True, 'b': None, 'c': False}", {"a": True, "b": None, "c": False}, ["single quotes", "True", "None"]),
        ("{'a': 'it\\'s', \"b\": 'say \"x\"'}", {"a": "it's", "b": 'say "x"'}, ["single quotes"]),
        ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}, ["a raw line break", "a raw tab"]),
        ("{'a': '\\u00fc\\ud83c\\udf3f\\n'}", {"a": "ü🌿\n"}, ["single quotes"]),
        ('{"a": -1.5e3, "b": 0,}', {"a": -1500.0, "b": 0}, ["a comma"]),
    ],
)
def test_slips_that_lose_nothing_are_mended_and_told(text: str, value: Any, repairs: list[str]) -> None:
    found, told = whole(text)
    assert found == value
    for words in repairs:
        assert any(words in one for one in told), told


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{a: 1}", "bad_json"),
        ("{,}", "bad_json"),
        ("[1,,2]", "bad_json"),
        ('{"a": 1 "b": 2}', "bad_json"),
        ('{"a": 1, // no\n"b": 2}', "bad_json"),
        ('{"a": 1 /* no */}', "bad_json"),
        ('{"a": """x"""}', "bad_json"),
        ('{"a": 0x10}', "bad_json"),
        ('{"a": 01}', "bad_json"),
        ('{"a": +1}', "bad_json"),
        ('{"a": .5}', "bad_json"),
        ('{"a": 1_0}', "bad_json"),
        ('{"a": undefined}', "bad_json"),
        ('{"a": "x\x00"}', "bad_json"),
        ("{“a”: 1}", "bad_json"),
        ('{"a": "\\l"}', "bad_escape"),
        ('{"a": "it\\\'s"}', "bad_escape"),
        ("{'a': '\\/'}", "bad_escape"),
        ("{'a': '\\x41'}", "bad_escape"),
        ('{"a": "\\u12"}', "bad_escape"),
        ('{"a": NaN}', "not_finite"),
        ('{"a": -Infinity}', "not_finite"),
        ("{'a': nan}", "not_finite"),
        ('{"a": 1e999}', "not_finite"),
        ('{"a": 1e999,}', "not_finite"),
        ('{"a": ' + "9" * 5000 + "}", "not_finite"),
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ("{'x': {'a': 1, 'a': 1}}", "duplicate_key"),
        ('{"x": [{"\\u0061": 1, "a": 2}]}', "duplicate_key"),
        ("[" * 65 + "]" * 65, "too_deep"),
        ("[" * 100_000, "too_deep"),
        ('{"a":' * 100_000, "too_deep"),
        ("{", "truncated"),
        ('{"a": "x', "truncated"),
        ('{"a": "\\', "truncated"),
        ('{"a": "\\u00', "truncated"),
        ('{"a": tru', "truncated"),
        ('{"a": ls', "bad_json"),
        ('{"a": 1', "truncated"),
        ("", "truncated"),
        ("{} {}", "two_objects"),
        ("{},[]", "two_objects"),
        ("{} end", "bad_json"),
    ],
)
def test_what_would_be_a_guess_is_a_fault(text: str, why: str) -> None:
    with pytest.raises(StepFault) as caught:
        whole(text)
    assert caught.value.why == why
    assert caught.value.sentence


def test_sixty_four_levels_are_read_by_both_readers() -> None:
    text = "[" * 64 + "]" * 64
    assert whole(text)[0] == json.loads(text)
    assert whole(text[:64] + "1," + text[64:])[0] == json.loads(text[:64] + "1" + text[64:])


def test_many_brackets_in_a_text_are_no_depth() -> None:
    text = json.dumps({"content": "{[" * 5000, "list": [[1], [2], {"a": {}}] * 50})
    assert not flat(text)
    assert whole(text) == (json.loads(text), ())


def test_reading_starts_and_stops_at_a_place() -> None:
    value, end, repairs, fault = attempt('xx{"a": 1}yy', 2, True)
    assert (value, end, repairs, fault) == ({"a": 1}, 10, (), None)
    value, end, repairs, fault = attempt("xx{'a': 1,}yy", 2, True)
    assert (value, end, fault) == ({"a": 1}, 11, None) and len(repairs) == 2
    _, end, _, fault = attempt("xx{'a': oops}yy", 2, True)
    assert fault is not None and end == 8


def test_the_sentence_names_the_place_in_ascii() -> None:
    with pytest.raises(StepFault, match=r"expected at character 7, where '\\u3000"):
        whole('{"a": \u3000}')
