"""The names and arguments of other agents' tools become calls of ours."""

from __future__ import annotations

from typing import Any

import pytest

from edge.dialects import DIALECTS, RENAMED, form, meant
from edge.faults import StepFault, UsageFault
from edge.gate.names import ALIASES, canonical
from edge.registry import TOOLS, every
from edge.schema import fit
from edge.step import Step, read

SCHEMAS = {tool.name: tool.schema for tool in every()}


def test_every_dialect_is_an_alias_of_a_tool_that_there_is() -> None:
    assert set(DIALECTS) <= set(ALIASES)
    assert {canonical(name) for name in DIALECTS} <= set(TOOLS)
    assert set(RENAMED) <= set(TOOLS)


@pytest.mark.parametrize("name", ["fs.write", "fs_write", "FS.Write", "Fs_write"])
def test_a_dot_and_the_case_make_no_difference(name: str) -> None:
    assert meant(name, {"path": "a", "content": "b"}, SCHEMAS)[:2] == ("file_write", {"path": "a", "content": "b"})


def test_arguments_that_fit_neither_are_told_with_the_form_of_the_dialect() -> None:
    with pytest.raises(UsageFault, match="start"):
        meant("fs.edit", {"path": "a", "old": "b", "new": "c", "start": -1}, SCHEMAS)
    assert "start" in form("fs.edit", SCHEMAS)["properties"] and "all" not in form("fs.edit", SCHEMAS)["properties"]
    got = read('{"thought": "", "action": "fs.edit", "action_input": {"path": "a"}}', "json", SCHEMAS)
    assert isinstance(got, StepFault) and "old" in got.sentence and '"start"' in got.sentence


@pytest.mark.parametrize("mode", ["json", "native"])
def test_a_model_may_use_any_of_the_names(mode: str) -> None:
    for name in DIALECTS:
        args = _least(DIALECTS[name].schema)
        raw: Any = {"thought": "", "action": name, "action_input": args}
        if mode == "native":
            raw = {"role": "assistant", "tool_calls": [{"function": {"name": name, "arguments": args}}]}
        got = read(_json(raw), mode, SCHEMAS)
        assert isinstance(got, Step), (name, got)
        (call,) = got.calls
        assert call.tool == canonical(name)
        fit(call.args, SCHEMAS[call.tool])


def test_an_alias_of_a_tool_that_is_not_there_is_unknown() -> None:
    got = read('{"thought": "", "action": "fs.write", "action_input": {"path": "a", "content": ""}}', "json", {})
    assert isinstance(got, StepFault) and got.why == "unknown_tool"


def test_the_shells_text_may_stand_alone_under_its_alias_too() -> None:
    got = read('{"thought": "", "action": "shell", "action_input": "uptime"}', "json", SCHEMAS)
    assert isinstance(got, Step) and got.calls[0].tool == "bash" and got.calls[0].args == {"command": "uptime"}


def _least(schema: Any) -> dict[str, Any]:
    """The required arguments of a schema, each with some value of its type."""
    values = {"string": "a", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}
    return {name: values[schema["properties"][name]["type"]] for name in schema["required"]}


def _json(value: Any) -> str:
    import json

    return json.dumps(value)
