"""The goal of the README against a chat-completions server on loopback: the same calls, and what a cut leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import agent
from tests.support.chatserver import ChatServer

READ = ("sensor_read", {"name": "temperature"})
FAN = ("output_set", {"name": "fan", "state": True, "for_seconds": 15})
ANSWER = "It is 33.0 C, read just now; the fan runs for 15 seconds."


def native(tool: str, args: dict[str, Any], number: int) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(args)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return {"reply": {"role": "assistant", "content": None, "tool_calls": [call]}, "usage": [100, 10]}


def step(action: str, given: Any) -> dict[str, Any]:
    return {"reply": json.dumps({"thought": "so", "action": action, "action_input": given}), "usage": [100, 10]}


def ask(server: ChatServer, home: Path, *words: str, config: str = "") -> Any:
    options = ["--model", "chat:small", "--base-url", server.base_url, *words]
    if config:
        (home / "settings.toml").write_text(config)
        options += ["--config", str(home / "settings.toml")]
    return agent.run(*options, "-e", agent.BRIEF, home=home)


def calls(home: Path) -> list[tuple[str, Any, str]]:
    """Tool, arguments and rule of every intent on the newest tape."""
    rows = agent.records(agent.tapes(home)[-1])
    return [(row["tool"], row["args"], row["rule"]) for row in rows if row["kind"] == "intent"]


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Any, str]]:
    """The calls of the built-in planner for the same goal."""
    home = tmp_path_factory.mktemp("offline")
    assert agent.run("--yes", "-e", agent.BRIEF, home=home).returncode == 0
    return calls(home)


@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize("replies", ["native", "json"])
def test_the_same_goal_gives_the_same_calls(
    replies: str, stream: str, offline: list[tuple[str, Any, str]], tmp_path: Path
) -> None:
    if replies == "native":
        script = [native(*READ, 1), native(*FAN, 2), {"reply": ANSWER}]
    else:
        script = [step(*READ), step(*FAN), step("final", ANSWER)]
    with ChatServer(script) as server:
        done = ask(server, tmp_path, "--yes", config=f'[model]\nreplies = "{replies}"\nstream = {stream}\n')
    assert done.returncode == 0, done.stderr
    assert done.stdout == ANSWER + "\n"
    assert calls(tmp_path) == offline
    steps = [row for row in agent.records(agent.tapes(tmp_path)[-1]) if row["kind"] == "step"]
    assert steps[0]["usage"] == {"prompt": 100, "completion": 10}
    assert len({request["connection"] for request in server.requests}) == 1, "keep-alive"


@pytest.mark.parametrize("after", [40, 400])
def test_a_server_that_dies_in_mid_stream_is_four_with_its_endpoint_and_a_tape(after: int, tmp_path: Path) -> None:
    with ChatServer([native(*READ, 1), {"reply": ANSWER * 20, "deltas": 8, "cut": after}]) as server:
        done = ask(server, tmp_path, "--yes")
    assert done.returncode == 4 and f"127.0.0.1:{server.port}" in done.stderr
    kinds = [row["kind"] for row in agent.records(agent.tapes(tmp_path)[-1])]
    assert kinds == ["open", "line", "step", "intent", "child", "outcome", "fault", "close"]
    assert done.stdout == ""


def test_with_nobody_to_ask_the_model_is_told_and_the_code_is_six(tmp_path: Path) -> None:
    script = [native(*READ, 1), native(*FAN, 2), {"reply": "The fan was refused."}]
    with ChatServer(script) as server:
        done = ask(server, tmp_path)
        told = json.loads(server.requests[-1]["body"])["messages"][-1]
    assert done.returncode == 6 and "nobody could be asked" in done.stderr
    assert told["role"] == "tool" and told["tool_call_id"] == "c2" and "nobody could be asked" in told["content"]


def test_the_key_reaches_the_server_and_nothing_else(tmp_path: Path) -> None:
    key = "sk-only-for-the-server-1234567890"
    with ChatServer([native(*READ, 1), {"reply": ANSWER}]) as server:
        done = agent.run(
            "--yes", "--trace", "json", "--model", "chat:small", "--base-url", server.base_url, "-e", agent.BRIEF,
            env=agent.environment(tmp_path, FIELDHAND_API_KEY=key),
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert server.requests[0]["headers"]["authorization"] == f"Bearer {key}"
    assert key not in done.stderr + done.stdout
    for file in agent.state(tmp_path).rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


def test_the_beginning_of_every_request_is_the_same(tmp_path: Path) -> None:
    with ChatServer([native(*READ, 1), native(*FAN, 2), {"reply": ANSWER}]) as server:
        assert ask(server, tmp_path, "--yes").returncode == 0
    bodies = [request["body"] for request in server.requests]
    assert len(bodies) == 3
    for earlier, later in zip(bodies, bodies[1:]):
        assert later.startswith(earlier[: earlier.rindex(b"]")])


def test_replies_that_are_no_step_are_sent_back_twice_and_end_with_a_plain_reason(tmp_path: Path) -> None:
    script = [{"reply": "I will read the sensor."}] * 3
    with ChatServer(script) as server:
        done = ask(server, tmp_path, "--yes", config='[model]\nreplies = "json"\n')
    assert done.returncode == 4 and "3 replies in a row" in done.stderr and "asking again" in done.stderr
