"""`parallel` is grammar: several reads of one step, each a call of its own."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from edge import parallel
from edge.approve import Answer, Question, SaidYes
from edge.call import Observation
from edge.faults import StepFault
from edge.gate.policy import Policy
from edge.record import replace
from edge.registry import find
from edge.step import Step, read
from tests.support.turns import DONE, Bench

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


def test_it_may_hold_every_tool_that_only_reads_files_and_requests_that_only_read() -> None:
    reads = {"grep": {"pattern": "x", "path": "a"}, "glob": {"pattern": "*"}, "outline": {"path": "a"}}
    tools = {name: find(name).schema for name in (*TOOLS, *reads)}
    calls = [{"action": name, "input": given} for name, given in reads.items()]
    head = {"action": "http_request", "input": {"url": "http://x/", "method": "HEAD"}}
    given = {"thought": "t", "action": "parallel", "action_input": {"calls": [*calls, head]}}
    got = read(json.dumps(given), "json", tools)
    assert isinstance(got, Step) and [call.tool for call in got.calls] == [*reads, "http_request"]


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


# --- through the loop and the gate ---


def together(calls: list[tuple[str, dict[str, Any]]], text: bool = False) -> str:
    """A step with these calls, their input as an object or as its JSON text."""
    given = [{"action": name, "input": json.dumps(args) if text else args} for name, args in calls]
    return json.dumps({"thought": "t", "action": "parallel", "action_input": {"calls": given}})


class SaysNo(SaidYes):
    """A person who is there and refuses; what was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def at_once(self, question: Question) -> Answer | None:
        self.asked.append(question)
        return Answer(False, "operator", "not now")


def outcomes(bench: Bench) -> list[tuple[str, str, str]]:
    return [(row["call"], row["status"], row.get("rule", "")) for row in bench.records() if row["kind"] == "outcome"]


@pytest.mark.parametrize("text", [True, False])
def test_four_run_at_the_same_time_and_their_results_keep_the_order_that_was_asked(tmp_path: Path, text: bool) -> None:
    barrier, ended = threading.Barrier(4, timeout=60), [threading.Event() for _ in range(5)]
    ended[4].set()

    def run(args: Any, hands: Any) -> Observation:
        barrier.wait()  # none goes on before all four have begun
        number = int(args["path"])
        assert ended[number + 1].wait(60)  # and the last one asked for is done first
        ended[number].set()
        return Observation(True, f"result {number}")

    tools = (replace(find("file_read"), run=run),)
    asked = together([("file_read", {"path": str(number)}) for number in range(4)], text)
    bench = Bench(tmp_path, [asked, DONE], tools=tools)
    assert bench.loop.run("go").code == 0
    assert bench.watcher.told == [("done", f"result {number}") for number in range(4)]
    heard = [entry.text for entry in bench.loop.parts.context.entries if "result " in entry.text]
    assert [text.count(f"result {number}") for number, text in enumerate(heard)] == [1, 1, 1, 1]


def test_each_of_them_is_decided_by_itself_and_a_refused_one_stops_no_other(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("the pump\n")
    (tmp_path / "closed").write_text("hush\n")
    policy = Policy("guarded", forbidden_paths=(str(tmp_path / "closed"),))
    calls = [
        ("file_read", {"path": "note"}),
        ("file_read", {"path": "closed"}),  # denied by a path rule
        ("http_request", {"url": "http://169.254.169.254/latest/"}),  # denied: an internal host
        ("grep", {"pattern": "pump", "path": "note"}),
    ]
    bench = Bench(tmp_path, [together(calls), DONE], policy=policy)
    bench.loop.run("go")
    assert outcomes(bench) == [
        *(("c1", "done", ""), ("c2", "refused", "read.forbidden")),
        *(("c3", "refused", "fetch.internal"), ("c4", "done", "")),
    ]
    assert "hush" not in json.dumps(bench.records()) and bench.watcher.told[3] == ("done", "1:the pump")


def test_one_of_them_that_asks_is_asked_about_alone(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "note").write_text("the pump\n")
    (tmp_path / "elsewhere").write_text("hush\n")
    person = SaysNo()
    calls = [("file_read", {"path": str(tmp_path / "elsewhere")}), ("file_read", {"path": "note"})]
    bench = Bench(tmp_path / "work", [together(calls), DONE], approver=person)
    bench.loop.run("go")
    assert [question.call.args["path"] for question in person.asked] == [str(tmp_path / "elsewhere")]
    assert [(call, status) for call, status, _ in outcomes(bench)] == [("c1", "refused"), ("c2", "done")]
    assert "hush" not in json.dumps(bench.records())


def test_lists_and_presets_hold_inside_it_as_outside(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("the pump\n")
    calls = [("file_read", {"path": "note"}), ("grep", {"pattern": "pump", "path": "note"})]
    for policy, wanted in (
        (Policy("full", deny_all_tools=True), ["refused", "refused"]),
        (Policy("full", allowed_tools=("grep",)), ["refused", "done"]),
        (Policy("readonly"), ["done", "done"]),
    ):
        bench = Bench(tmp_path, [together(calls), DONE], policy=policy)
        bench.loop.run("go")
        assert [status for _, status, _ in outcomes(bench)] == wanted, policy
