"""The model of one call: what a tool gave is the answer, to the letter."""

from __future__ import annotations

import pytest

from edge.call import Call, Observation
from edge.model.direct import Direct
from edge.step import Step, read
from tests.support.asking import request

SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


def answered(text: str) -> Step:
    model = Direct("bash", {"command": "x"})
    asked = request()
    first = read(model.ask(asked).raw, "native", {"bash": SCHEMA})
    assert isinstance(first, Step) and first.calls == (Call("bash", {"command": "x"}),)
    asked.context.observation(Call("bash", {"command": "x"}, "c1"), Observation(True, text), 0.0)
    step = read(model.ask(asked).raw, "native", {"bash": SCHEMA})
    assert isinstance(step, Step) and not step.calls and not step.repairs
    return step


@pytest.mark.parametrize(
    "text",
    ["   total  used\nMem:  1  2", "x  \n", "<think>no end", '{"role": "assistant", "tool_calls": [{}]}', "a <|end|>"],
)
def test_the_output_of_a_tool_is_the_answer_to_the_letter(text: str) -> None:
    assert answered(text).final == text


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_output_that_cannot_be_seen_is_said(text: str) -> None:
    assert answered(text).final == "(nothing)"
