"""The scripted model: files, faults, delays."""

from __future__ import annotations

import json

import pytest

from edge.faults import BudgetFault, ConfigFault, ModelFault
from edge.model.scripted import Scripted
from tests.support.asking import Timed, late, request
from tests.support.chatserver import call


def script(folder, *lines):
    path = folder / "script.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_a_file_is_played_line_by_line(tmp_path):
    step = '{"thought": "t", "action": "final", "action_input": "33 \u2028 C"}'
    path = script(tmp_path, json.dumps(step), "", json.dumps({"delay": 0.01, "reply": step}))
    model = Scripted.load(path)
    heard = []
    assert model.mode == "json"
    assert [model.ask(request("json", heard=heard)).raw for _ in range(2)] == [step, step]
    assert heard == [step, step]
    with pytest.raises(ModelFault, match=f"used up: scripted:{path} has nothing after line 3"):
        model.ask(request("json"))


def test_messages_are_native():
    model = Scripted([call("sensor_read", {"name": "x"}), {"role": "assistant", "content": "done"}])
    assert model.mode == "native"
    assert model.ask(request()).raw["tool_calls"][0]["function"]["name"] == "sensor_read"
    assert model.ask(request()).raw["content"] == "done"
    with pytest.raises(ModelFault, match="after 2 replies"):
        model.ask(request())


def test_a_fault_is_said():
    with pytest.raises(ModelFault, match="the provider is on strike"):
        Scripted([{"fault": "the provider is on strike"}]).ask(request())


def test_a_delay_beyond_the_deadline_is_a_budget_fault_in_time():
    with Timed() as t, pytest.raises(BudgetFault, match=r"no reply within 0\.2 s"):
        Scripted([{"delay": 30, "reply": "x"}]).ask(request(seconds=0.2))
    assert t.seconds < 0.2 + late(t.begun)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not a JSON value"),
        ("3", "neither text nor an object"),
        ("null", "neither text nor an object"),
        ('{"reply": 3}', "neither text nor an object"),
        ('{"delay": -1, "reply": ""}', "not a number of seconds"),
        ('{"delay": "1", "reply": ""}', "not a number of seconds"),
        ('{"delay": NaN, "reply": ""}', "not a number of seconds"),
        ("[" * 100_000, "not a JSON value"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, said):
    path = script(tmp_path, '"good"', line)
    with pytest.raises(ConfigFault, match=said) as caught:
        Scripted.load(path)
    assert f"{path}:2" in str(caught.value)


def test_an_absent_or_binary_script_is_a_config_fault(tmp_path):
    with pytest.raises(ConfigFault, match="cannot be read"):
        Scripted.load(str(tmp_path / "absent"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigFault, match="cannot be read"):
        Scripted.load(str(tmp_path / "binary"))


def test_why_a_script_cannot_be_read_is_said_in_plain_words(tmp_path):
    with pytest.raises(ConfigFault) as caught:
        Scripted.load(str(tmp_path / "nope"))
    assert (
        str(caught.value)
        == f"the script {tmp_path}/nope cannot be read: no such file or directory (name one that exists)"
    )
