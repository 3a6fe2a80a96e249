"""`parallel` is grammar: several reads of one step, each a call of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edge import parallel
from edge.faults import StepFault
from edge.registry import find
from edge.step import Step, read

TOOLS = {name: find(name).schema for name in ("file_read", "http_request", "bash", "recall", "file_write")}
READ = {"action": "file_read", "input": {"path": "a"}}
GET = {"action": "http_request", "input": {"url": "http://example.com/"}}


def asked(calls: Any, mode: str = "json") -> Step | StepFault:
    if mode == "json":
        return read(json.dumps({"thought": "t", "action": "parallel", "action_input": {"calls": calls}}), mode, TOOLS)
    function = {"name": "parallel", "arguments": json.dumps({"calls": calls})}
    return read({"role": "assistant", "tool_calls": [{"function": function}]}, mode, TOOLS)


@pytest.mark.parametrize("mode", ["json", "native"])
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_one_to_four_reads_become_calls_in_their_order(mode: str, number: int) -> None:
    got = asked([{"action": "file_read", "input": {"path": f"f{n}"}} for n in range(number)], mode)
    assert isinstance(got, Step)
    assert [call.args["path"] for call in got.calls] == [f"f{n}" for n in range(number)]
    assert {call.parent for call in got.calls} == {f"parallel:{number}"}


def test_input_may_be_json_text_and_an_alias_brings_its_own_arguments() -> None:
    got = asked([{"action": "file_read", "input": '{"path": "a"}'}, GET])
    assert isinstance(got, Step)
    assert [(call.tool, dict(call.args)) for call in got.calls] == [
        ("file_read", {"path": "a"}),
        ("http_request", {"url": "http://example.com/"}),
    ]


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([], "1 to 4 calls, not 0"),
        ([READ] * 5, "1 to 4 calls, not 5"),
        ([READ, {"action": "bash", "input": "ls"}], "call 2 of parallel is bash"),
        ([{"action": "file_write", "input": {"path": "a", "content": "b"}}], "only reads"),
        ([{"action": "recall", "input": {"query": "x"}}], "recall"),
        ([{"action": "skill", "input": {"name": "x"}}], "skill"),
        ([{"action": "final", "input": "x"}], "final"),
        ([{"action": "mcp_call", "input": {}}], "mcp_call"),
        ([{"action": "parallel", "input": {"calls": [READ]}}], "call 1 of parallel is parallel"),
        ([{"action": "http_request", "input": {"url": "http://x/", "method": "POST"}}], "does not only read"),
        ([READ, "file_read"], "call 2 of parallel is no object"),
        ([{"input": {"path": "a"}}], "no object with action"),
        ([{"action": "file_read", "input": {"path": 1.5}}], "path must be a string"),
        ([{"action": "file_read", "input": {}}], "path is missing"),
        ("file_read", "takes one list, calls"),
        (None, "takes one list, calls"),
    ],
)
def test_what_is_no_set_of_reads_is_told_to_the_model(calls: Any, said: str) -> None:
    got = asked(calls)
    assert isinstance(got, StepFault) and said in got.sentence and got.why in ("bad_args", "unknown_tool")


def test_it_stands_beside_no_other_call_and_is_no_name_for_a_tool() -> None:
    function = {"function": {"name": "parallel", "arguments": json.dumps({"calls": [READ]})}}
    other = {"function": {"name": "recall", "arguments": '{"query": "x"}'}}
    got = read({"role": "assistant", "tool_calls": [function, other]}, "native", TOOLS)
    assert isinstance(got, StepFault) and got.why == "bad_action"


def test_the_observations_share_twelve_kilobytes() -> None:
    assert [parallel.room(parallel.parent(n), 8192) for n in (1, 2, 3, 4)] == [8192, 6144, 4096, 3072]
    assert parallel.room("", 8192) == parallel.room("c7", 8192) == 8192
