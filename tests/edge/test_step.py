"""Replies to steps: the recorded rows, the rules one by one, and that nothing but Step or StepFault comes back."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from typing import Any

import pytest

from edge.faults import STEP_KINDS, StepFault, UsageFault
from edge.schema import fit
from edge.step import LONGEST, Step, read, step_schema
from tests.support.replies import JSON_DIALECTS, NATIVE_DIALECTS, TOOLS, Row, plain, rows

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
MUTATIONS = 100_000 if SOAK else 10_000
HERE = [row for row in rows() if row.dialect in JSON_DIALECTS + NATIVE_DIALECTS]

READ = '{"thought": "t", "action": "sensor_read", "action_input": {"name": "a"}}'


def mode(row: Row) -> str:
    return "json" if row.dialect in JSON_DIALECTS else "native"


def fault(raw: Any, how: str = "json") -> StepFault:
    got = read(raw, how, TOOLS)
    assert isinstance(got, StepFault), got
    return got


def step(raw: Any, how: str = "json") -> Step:
    got = read(raw, how, TOOLS)
    assert isinstance(got, Step), got
    return got


def message(*calls: tuple[str, Any], content: Any = None) -> dict[str, Any]:
    made = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": content, "tool_calls": made}


@pytest.mark.parametrize("row", HERE, ids=[row.id for row in HERE])
def test_a_recorded_reply_is_read_as_its_row_says(row: Row) -> None:
    got = plain(read(row.raw, mode(row), TOOLS))
    if "fault" in row.expected:
        assert "fault" in got
    else:
        assert got == row.expected


def test_the_recorded_dialects_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    later = Counter(row.dialect for row in rows() if row not in HERE)
    hints = sum(row.expected.get("fault") == plain(read(row.raw, mode(row), TOOLS)).get("fault") for row in HERE)
    with capsys.disabled():
        print(f"\nreplies.tsv: {len(HERE)} rows ran ({hints} with the very word of the file), later: {dict(later)}")
    assert len(HERE) > 100 and not set(later) & set(JSON_DIALECTS + NATIVE_DIALECTS)


# --- one step in JSON ---


def test_a_step_has_thought_calls_without_ids_and_no_repairs() -> None:
    got = step(READ)
    assert got.thought == "t" and got.final is None and got.repairs == ()
    assert [(call.tool, call.args, call.id, call.parent) for call in got.calls] == [
        ("sensor_read", {"name": "a"}, "", "")
    ]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ('{"action": "sensor_read", "action_input": {"name": "a"}}', "the thought was missing"),
        ('{"thought": null, "action": "sensor_read", "action_input": {"name": "a"}}', "the thought was missing"),
        ('{"thought": 5, "action": "sensor_read", "action_input": {"name": "a"}}', "the thought was not text"),
        ('{"thought": "t", "action": "sensor_read", "action_input": {"name": "a",}}', "a comma before }"),
        ("{'thought': 't', 'action': 'sensor_read', 'action_input': {'name': 'a'}}", "single quotes"),
        ('{"thought": "t", "action": "sensor_read", "action_input": "{\'name\': \'a\'}"}', "single quotes"),
        ("```\n" + READ, "the fence"),
    ],
)
def test_every_repair_is_told(raw: str, said: str) -> None:
    got = step(raw)
    assert [(call.tool, call.args) for call in got.calls] == [("sensor_read", {"name": "a"})]
    assert any(said in words for words in got.repairs), got.repairs


def test_arguments_may_come_as_the_json_text_of_an_object() -> None:
    assert step('{"thought": "t", "action": "sensor_read", "action_input": "{\\"name\\": \\"a\\"}"}').repairs == ()


def test_no_arguments_may_be_spelled_in_four_ways() -> None:
    tools = {"sensor_list": {"type": "object", "properties": {}, "required": []}}
    for given in ("", ', "action_input": null', ', "action_input": {}', ', "action_input": ""'):
        got = read('{"thought": "t", "action": "sensor_list"' + given + "}", "json", tools)
        assert isinstance(got, Step) and got.calls[0].args == {}


def test_a_member_that_is_null_is_not_there_and_another_one_is_a_fault() -> None:
    assert step(READ[:-1] + ', "observation": null}').calls
    assert fault(READ[:-1] + ', "observation": "54 %"}').why == "not_a_step"
    assert fault(READ[:-1] + ', "approved": true}').why == "not_a_step"


def test_text_for_bash_is_the_command_whatever_it_holds() -> None:
    for text in ("ls -l", '{"command": "ls"}', "", "  "):
        raw = json.dumps({"thought": "t", "action": "bash", "action_input": text})
        assert step(raw).calls[0].args == {"command": text}
    assert fault('{"thought": "t", "action": "bash", "action_input": ["ls"]}').why == "bad_args"
    assert fault('{"thought": "t", "action": "bash"}').why == "bad_args"


def test_final_takes_text_or_one_named_text_and_is_always_there() -> None:
    for given in ('"done"', '{"text": "done"}', '{"answer": "done"}'):
        got = read('{"thought": "t", "action": "Final", "action_input": ' + given + "}", "json", {})
        assert isinstance(got, Step) and got.final == "done" and got.calls == ()
    for given in ('["done"]', '{"text": "a", "answer": "b"}', '{"result": "a"}', "null", "true", "2.50"):
        assert fault('{"thought": "t", "action": "final", "action_input": ' + given + "}").why == "bad_args"
    assert fault('{"thought": "t", "action": "final", "action_input": " "}').why == "empty"


UNSEEN = ("", " ", "\0", "\x1b\a", "\t\n\r", "\u00a0\u2003", "\u200b\ufeff", "\x7f \x85\u2028", "\0" * 9999)


@pytest.mark.parametrize("text", UNSEEN, ids=ascii)
def test_an_answer_of_which_nothing_can_be_seen_is_empty(text: str) -> None:
    for given in (text, {"text": text}, {"answer": text}):
        assert fault(json.dumps({"thought": "t", "action": "final", "action_input": given})).why == "empty"
    assert fault(message(("final", {"text": text})), "native").why == "empty"
    assert fault(text, "native").why == "empty"
    assert fault({"role": "assistant", "content": text}, "native").why == "empty"
    seen = json.dumps({"thought": "t", "action": "final", "action_input": text + "0"})
    assert step(seen).final == text + "0"  # what surrounds an answer is left as it is


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("sensor_read\u200b", "did you mean sensor_read?"),
        (" sensor_read", "did you mean sensor_read?"),
        ("\uff53\uff45\uff4e\uff53\uff4f\uff52_read", "did you mean sensor_read?"),
        ("sensor-read", "did you mean sensor_read?"),
        ("fi\u0000nal", "did you mean final?"),
        ("\u212aelvin", "the tools are"),
        ("sensor_read; reboot", "did you mean sensor_read?"),
    ],
)
def test_a_tools_name_is_exact_but_for_ascii_case(name: str, hint: str) -> None:
    got = fault(json.dumps({"thought": "t", "action": name, "action_input": {"name": "a"}}))
    assert got.why == "unknown_tool" and hint in got.sentence and got.sentence.isascii()
    assert read('{"action": "\u212a", "action_input": {}}', "json", {"k": {"properties": {}}}).why == "unknown_tool"  # type: ignore[union-attr]
    assert step(READ.replace("sensor_read", "SENSOR_Read")).calls[0].tool == "sensor_read"


def test_a_fault_tells_the_model_the_form_it_has_to_keep() -> None:
    assert '"action_input": {<arguments>}' in fault("I will read it.").sentence
    assert (
        '{"name": <string>, "state": <boolean>, "for_seconds": <number, optional>}'
        in fault('{"thought": "t", "action": "output_set", "action_input": {"name": "fan"}}').sentence
    )
    assert "state is missing" in fault('{"action": "output_set", "action_input": {"name": "fan"}}').sentence
    for row in HERE:
        got = read(row.raw, mode(row), TOOLS)
        if isinstance(got, StepFault):
            assert got.why in STEP_KINDS and len(got.sentence) < 600 and got.__traceback__ is None


@pytest.mark.parametrize("where", ["thought", "action_input"])
def test_half_a_surrogate_pair_is_a_fault_wherever_it_stands(where: str) -> None:
    parts = {"thought": "t", "action": "final", "action_input": "x"}
    assert fault(json.dumps({**parts, where: "a\ud800"})).why == "not_text"
    assert fault(json.dumps({**parts, where: "a\ud800"}, ensure_ascii=False)).why == "not_text"
    assert step(json.dumps({**parts, where: "a\U0001f33f"})).final is not None


def test_a_reply_beyond_the_cap_is_a_fault() -> None:
    long = json.dumps({"thought": "t", "action": "final", "action_input": "x" * LONGEST})
    assert fault(long).why == "too_long"
    assert fault(message(("bash", long))).why == "empty"  # in json mode only the text counts
    assert fault(message(("bash", long)), "native").why == "too_long"
    assert step(long[: LONGEST // 2] + '"}').final


@pytest.mark.parametrize("raw", [b"{}", 5, None, [1], {"content": 5}, {"content": b"x"}, {}, object()])
@pytest.mark.parametrize("how", ["json", "native"])
def test_what_is_no_text_is_a_fault(raw: Any, how: str) -> None:
    assert fault(raw, how).why in ("not_text", "empty")


def test_in_json_mode_a_message_counts_by_its_text() -> None:
    assert step({"role": "assistant", "content": READ}).calls
    assert step({"role": "assistant", "content": [{"type": "text", "text": READ}]}).calls


def test_another_mode_is_the_callers_mistake() -> None:
    with pytest.raises(UsageFault, match="json or native"):
        read(READ, "xml", TOOLS)


def test_a_caller_near_the_recursion_limit_gets_a_step_or_a_fault() -> None:
    nested = READ[:-2] + ', "x": ' + "[" * 60 + "1," + "]" * 60 + "}}"

    def dive(depth: int) -> Any:
        return dive(depth - 1) if depth else read(nested, "json", TOOLS)

    for depth in range(600, 990, 5):
        try:
            got = dive(depth)
        except RecursionError as error:  # before `read` began, or on its own last frames
            assert error
            break
        assert isinstance(got, (Step, StepFault))


# --- native messages ---


def test_several_native_calls_keep_their_order() -> None:
    got = step(message(("sensor_read", '{"name": "a"}'), ("Sensor_Read", {"name": "b"}), content="Two."), "native")
    assert [(call.tool, call.args) for call in got.calls] == [
        ("sensor_read", {"name": "a"}),
        ("sensor_read", {"name": "b"}),
    ]
    assert got.thought == "Two." and got.final is None


def test_one_bad_call_among_good_ones_is_a_fault() -> None:
    assert fault(message(("sensor_read", '{"name": "a"}'), ("sensor_read", "{}")), "native").why == "bad_args"
    assert fault(message(("sensor_read", '{"name": "a"}'), ("nope", "{}")), "native").why == "unknown_tool"


def test_final_as_a_native_call_ends_the_turn_but_not_beside_others() -> None:
    assert step(message(("final", '{"text": "done"}')), "native").final == "done"
    both = message(("final", '{"text": "done"}'), ("sensor_read", '{"name": "a"}'))
    assert fault(both, "native").why == "bad_action"


def test_no_arguments_of_a_native_call_may_be_empty_null_or_absent() -> None:
    tools = {"sensor_list": {"type": "object", "properties": {}, "required": []}}
    for arguments in ("", "{}", {}, None, " "):
        got = read(message(("sensor_list", arguments)), "native", tools)
        assert isinstance(got, Step) and got.calls[0].args == {}


def test_arguments_that_were_encoded_twice_are_read() -> None:
    assert step(message(("sensor_read", json.dumps('{"name": "a"}'))), "native").calls[0].args == {"name": "a"}


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ("x", "bad_action"),
        ([None], "no_action"),
        ([{"function": None}], "no_action"),
        ([{"function": {"name": ""}}], "no_action"),
        ([{"function": {"name": 5}}], "no_action"),
        ([{"function": {"name": "bash", "arguments": 5}}], "bad_args"),
        ([{"function": {"name": "bash", "arguments": "ls"}}], "bad_json"),
        ([{"function": {"name": "bash", "arguments": {"command": "a\ud800"}}}], "bad_args"),
        ([{"function": {"name": "bash", "arguments": {5: 1}}}], "bad_args"),
        ([{"function": {"name": "bash", "arguments": "{}"}}] * 65, "bad_action"),
    ],
)
def test_a_malformed_native_call_is_a_fault(calls: Any, why: str) -> None:
    assert fault({"role": "assistant", "content": "said beside", "tool_calls": calls}, "native").why == why


def test_a_native_message_may_come_as_its_json_text_in_any_order_of_members() -> None:
    whole = message(("sensor_read", '{"name": "a"}'))
    assert step(json.dumps(whole), "native").calls
    assert step(json.dumps(dict(reversed(list(whole.items())))), "native").calls
    assert step('{"refusal": null, "content": "Hi", "role": "assistant"}', "native").final == "Hi"


def test_every_cut_of_a_native_message_is_a_fault() -> None:
    text = json.dumps(message(("output_set", '{"name": "fan", "state": true}'), content="Ok."))
    for end in range(len(text)):
        fault(text[:end], "native")


def test_text_that_only_looks_like_json_is_an_answer() -> None:
    for text in ('{"value": 21.4}', '{"role": "user"}', '{"tool_calls": 3} is no call', "[1]"):
        assert step(text, "native").final == text


# --- the schema of a step ---


def test_the_schema_of_a_step_has_a_branch_for_each_tool_and_for_final() -> None:
    made = step_schema(
        {**TOOLS, "x": {"properties": {"a": {"type": "array", "items": {"type": "string", "maxLength": 9}}}}}
    )
    actions = {branch["properties"]["action"]["const"]: branch for branch in made["anyOf"]}
    assert sorted(actions) == ["bash", "file_read", "final", "grep", "output_set", "parallel", "sensor_read", "x"]
    assert list(actions["grep"]["properties"]) == ["thought", "action", "action_input"]
    assert actions["bash"]["properties"]["action_input"] == {"type": "string"}
    assert actions["final"]["properties"]["action_input"] == {"type": "string"}
    assert actions["output_set"]["properties"]["action_input"]["additionalProperties"] is False
    call = actions["parallel"]["properties"]["action_input"]["properties"]["calls"]["items"]
    assert sorted(call["properties"]["action"]["enum"]) == ["file_read", "grep"]
    assert "maxLength" not in json.dumps(made) and "description" not in json.dumps(made)
    assert [branch["properties"]["action"]["const"] for branch in step_schema({})["anyOf"]] == ["final"]


# --- nothing else comes back ---


def check(raw: Any, how: str) -> bool:
    """Whether it was a step; in any case it was a step with a known tool and fitting arguments, or a fault."""
    got = read(raw, how, TOOLS)
    if isinstance(got, StepFault):
        assert got.why in STEP_KINDS and got.sentence
        return False
    assert isinstance(got, Step)
    assert (got.final is None) == bool(got.calls)
    for call in got.calls:
        assert fit(call.args, TOOLS[call.tool]) == (call.args, ())
    json.dumps([call.args for call in got.calls], allow_nan=False, ensure_ascii=False).encode()
    f"{got.thought}{got.final}{got.repairs}".encode()
    return True


GOOD = [row for row in HERE if "fault" not in row.expected and len(row.raw) < 2000]


def test_every_cut_of_a_good_reply_is_a_step_or_a_fault() -> None:
    cuts = steps = 0
    assert len(GOOD) >= 20
    for row in GOOD:
        raw = row.raw.encode()
        for text in {raw[:end].decode("utf-8", "replace") for end in range(len(raw))} | {
            row.raw[:end] for end in range(len(row.raw))
        }:
            cuts += 1
            steps += check(text, mode(row))
    print(f"{len(GOOD)} replies, {cuts} cuts, {steps} of them steps")


def test_no_cut_of_a_bare_step_is_a_step() -> None:
    bare = [row for row in GOOD if mode(row) == "json" and row.raw[:1] == "{" and row.raw.rstrip()[-1:] == "}"]
    assert len(bare) >= 20
    for row in bare:
        for end in range(len(row.raw.rstrip())):
            fault(row.raw[:end])


SPELLED = (
    "{ } [ ] , : \" ' \\ \\u \\ud83d \\n ` ``` ```json ~~~ > - null true True None NaN 1e999 -1 0x1 "
    "\n \r\n \t \x00 \ufeff \u200b \ud800 "
    '<think> </think> [THINK] <|channel|>final<|message|> <|start|> <|im_end|> </s> "action" "thought" "action_input" '
    '"name" final bash sensor_read {} [] "" // # {"action": "name": "a" ({[ ]}) x'
)
PIECES = SPELLED.split(" ")


def mutate(chance: random.Random, text: str) -> str:
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        at, end = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
        kind = chance.randrange(6)
        if kind == 0:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + chance.randrange(1, 4) :]
        elif kind == 2:
            text = text[:at] + text[end:]
        elif kind == 3:
            text = text[:end] + text[at:]
        elif kind == 4:
            text = text[:at] + chr(chance.choice((chance.randrange(128), chance.randrange(0x3000)))) + text[at + 1 :]
        else:
            other = chance.choice(GOOD).raw
            text = text[:at] + other[chance.randrange(len(other)) :]
    return text


@pytest.mark.soak
def test_mutated_replies_are_steps_or_faults(capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(20240607)
    steps = 0
    for _ in range(MUTATIONS):
        text = mutate(chance, chance.choice(GOOD).raw)
        steps += check(text, chance.choice(("json", "native")))
    with capsys.disabled():
        print(f"\n{MUTATIONS} mutated replies: {steps} steps, {MUTATIONS - steps} faults, nothing else")
    assert MUTATIONS // 50 < steps < MUTATIONS


@pytest.mark.soak
def test_mutated_native_messages_are_steps_or_faults() -> None:
    chance = random.Random(7)
    odd = [None, 5, "", "x", [], {}, True, float("nan"), b"x", '{"name": "a"}', {"name": "a"}, [{}], "\ud800"]
    for _ in range(MUTATIONS // 10):
        made = message(("sensor_read", '{"name": "a"}'), ("output_set", {"name": "fan", "state": True}), content="c")
        for _ in range(chance.randrange(1, 4)):
            place = chance.choice((made, made["tool_calls"][0], made["tool_calls"][1]["function"]))
            place[chance.choice(list(place))] = chance.choice(odd)
            if not isinstance(made["tool_calls"], list) or len(made["tool_calls"]) < 2:
                break
            if not all(isinstance(call, dict) and isinstance(call["function"], dict) for call in made["tool_calls"]):
                break
        check(made, "native")


def test_a_plain_step_of_300_bytes_is_read_quickly(capsys: pytest.CaptureFixture[str]) -> None:
    thought = "The air is at 33.0 C, above the 30 C that were named, so the fan has to run for two minutes, then see."
    args = {"name": "fan", "state": True, "for_seconds": 120}
    raw = json.dumps({"thought": thought.ljust(192, "."), "action": "output_set", "action_input": args})
    assert 295 <= len(raw) <= 305
    best = 1e9
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(500):
            read(raw, "json", TOOLS)
        best = min(best, (time.perf_counter() - start) / 500)
    with capsys.disabled():
        print(f"\na step of {len(raw)} bytes: {best * 1e6:.1f} us")
    assert best < 1e-3
