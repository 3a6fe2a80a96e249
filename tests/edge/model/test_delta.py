"""Replies put together from pieces."""

from __future__ import annotations

import json
import random

import pytest

from edge.model import Usage
from edge.model.delta import Built, clean, usage
from tests.support.boards import rounds


def chunk(delta=None, finish=None, **more):
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **more}


def piece(index=None, name=None, tool=None, arguments=None):
    function = {key: value for key, value in (("name", tool), ("arguments", arguments)) if value is not None}
    call = {key: value for key, value in (("index", index), ("id", name)) if value is not None}
    return {**call, "function": function}


def calls(*pieces):
    built = Built()
    for one in pieces:
        built.take(chunk({"tool_calls": [one]}))
    found = built.message().get("tool_calls", [])
    return [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in found]


def test_text_in_pieces():
    built = Built()
    assert [built.take(chunk({"content": text})) for text in ("33", " \u00b0", "C")] == ["33", " \u00b0", "C"]
    built.take(chunk(finish="stop"))
    assert built.message() == {"role": "assistant", "content": "33 \u00b0C"}
    assert built.finish == "stop"


def test_calls_belong_together_by_index():
    made = calls(piece(0, "a", "x", ""), piece(1, "b", "y", ""), piece(0, arguments='{"n"'), piece(1, arguments="{}"),
                 piece(0, arguments=":1}"))  # fmt: skip
    assert made == [("a", "x", '{"n":1}'), ("b", "y", "{}")]


def test_another_id_at_the_same_index_is_another_call():
    assert calls(piece(0, "a", "x", "{}"), piece(0, "b", "y", "{}")) == [("a", "x", "{}"), ("b", "y", "{}")]


def test_pieces_without_index_go_on_with_the_last():
    assert calls(piece(None, "a", "x", "{"), piece(arguments="}"), piece(None, "b", "y", "{}")) == [
        ("a", "x", "{}"),
        ("b", "y", "{}"),
    ]


def test_a_name_that_is_sent_again_is_not_doubled():
    assert calls(piece(0, "a", "x", "{"), piece(0, "a", "x", "}")) == [("a", "x", "{}")]
    assert calls(piece(0, "a", "sensor_"), piece(0, None, "read", "{}")) == [("a", "sensor_read", "{}")]


def test_arguments_that_are_a_value_stay_one():
    assert calls(piece(0, "a", "x", {"n": 1})) == [("a", "x", {"n": 1})]


def test_a_whole_completion():
    built = Built()
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": "3"}, {"type": "x"}, {"type": "text", "text": "4"}],
    }
    value = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert built.take({**value, "usage": {"prompt_tokens": 2, "completion_tokens": 3}}) == "34"
    assert built.usage == Usage(2, 3)


@pytest.mark.parametrize(
    "value",
    [None, [], "x", 3, {}, {"choices": 3}, {"choices": [3]}, {"choices": [{"message": 3}]}, {"choices": "no"},
     {"choices": [{"message": {"content": 3}}]}, {"choices": [{"message": {"tool_calls": {}}}]},
     {"choices": [{"message": {"tool_calls": [3]}}]}, {"choices": [{"message": {"tool_calls": [{"function": 3}]}}]}],
)  # fmt: skip
def test_what_is_no_completion_is_a_value_error(value):
    with pytest.raises(ValueError):
        Built().take(value)


def test_too_many_calls():
    with pytest.raises(ValueError, match="more than"):
        calls(*(piece(n, f"c{n}", "x", "{}") for n in range(300)))


@pytest.mark.parametrize("counted", [None, 3, {}, {"prompt_tokens": 1}, {"prompt_tokens": 1.5, "completion_tokens": 1},
                                     {"prompt_tokens": True, "completion_tokens": 1},
                                     {"prompt_tokens": -1, "completion_tokens": 1}])  # fmt: skip
def test_usage_that_is_none(counted):
    assert usage(counted) is None


def test_a_torn_surrogate_pair_becomes_its_character():
    built = Built()
    built.take(chunk({"content": "\ud83d"}))
    built.take(chunk({"content": "\ude00 \ud83d"}))
    assert built.text == "\U0001f600 \ufffd"
    assert clean("plain") == "plain"


def test_mutated_chunks_end_in_a_message_or_a_value_error():
    chance = random.Random(11)
    base = json.dumps(
        {**chunk({"content": "a", "tool_calls": [piece(0, "a", "x", "{}")]}, "stop"), "usage": {"prompt_tokens": 1}}
    )
    values = ["null", "3", '"s"', "[]", "{}", "true", "[{}]", "1e3", "-1"]
    tokens = ['"a"', '"x"', "[]", '"stop"', "0", "1", '"{}"', "{", "}", "[", "]"]
    count, read = rounds(40_000), 0
    for _ in range(count):
        text = base
        for _ in range(chance.randrange(1, 4)):
            text = text.replace(chance.choice(tokens), chance.choice(values), chance.randrange(1, 3))
        try:
            value = json.loads(text)
        except ValueError:
            continue
        built = Built()
        try:
            built.take(value)
            built.take(value)
            json.dumps(built.message())
            read += 1
        except ValueError:
            pass
    print(f"{count} mutated chunks, {read} read")
