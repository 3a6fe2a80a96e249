"""What the chat back end sends, and what it makes of what comes."""

from __future__ import annotations

import json
import sys

import pytest

from edge.config import ModelSettings
from edge.faults import ConfigFault, ModelFault, StepFault
from edge.model import Usage
from edge.model.chat import Chat
from edge.registry import every
from edge.schema import wire
from edge.step import Step, read, step_schema
from tests.support.agent import ROOT
from tests.support.asking import Asked, Timed, chat, late, request
from tests.support.boards import eventually
from tests.support.chatserver import ChatServer, call

SCHEMAS = {tool.name: tool.schema for tool in every()}
STEP = '{"thought": "read", "action": "sensor_read", "action_input": {"name": "temperature"}}'


def sent(**settings):
    """The body and the headers of one request."""
    with ChatServer([{"reply": "ok"}]) as server:
        model = chat(server, settings.pop("key", ""), **settings)
        model.ask(request(model.mode))
        model.close()
        return json.loads(server.requests[0]["body"]), server.requests[0]


def test_a_native_request_offers_the_tools():
    body, whole = sent(stream=False, max_tokens=77, temperature=0.25)
    assert {key: body[key] for key in ("model", "max_tokens", "temperature")} == {
        "model": "m", "max_tokens": 77, "temperature": 0.25}  # fmt: skip
    assert [tool["function"]["name"] for tool in body["tools"]] == [tool.name for tool in every()]
    assert body["tools"][1]["function"]["parameters"] == wire(SCHEMAS["sensor_read"])
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "stream" not in body
    assert "response_format" not in body
    assert (whole["method"], whole["path"]) == ("POST", "/v1/chat/completions")
    assert whole["headers"]["host"].startswith("127.0.0.1:")
    assert "authorization" not in whole["headers"]


def test_a_json_request_asks_for_a_step():
    body, _ = sent(mode="json")
    assert body["response_format"]["json_schema"]["schema"] == step_schema(SCHEMAS)
    assert "tools" not in body
    assert "temperature" not in body
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}


def test_the_options_are_encoded_once_and_again_when_the_tools_change():
    with ChatServer([{"reply": "ok"}], loop=True) as server:
        model = chat(server)
        tools = every()
        for offered in (tools, tools, tools[:2]):
            model.ask(request(tools=offered))
        first, second, third = (one["body"] for one in server.requests)
        assert first == second
        assert len(json.loads(third)["tools"]) == 2
        model.close()


@pytest.mark.parametrize("stream", [True, False])
def test_every_reply_becomes_a_step(stream):
    acts = [{"reply": call("sensor_read", {"name": "temperature"}), "usage": [7, 5]}, {"reply": "It is 33.0 \u00b0C."}]
    with ChatServer(acts) as server:
        model = chat(server, stream=stream)
        reply = model.ask(request())
        step = read(reply.raw, reply.mode, SCHEMAS)
        assert isinstance(step, Step)
        assert (step.calls[0].tool, step.calls[0].args) == ("sensor_read", {"name": "temperature"})
        assert reply.usage == Usage(7, 5)
        final = model.ask(request())
        assert read(final.raw, final.mode, SCHEMAS).final == "It is 33.0 \u00b0C."
        model.close()


@pytest.mark.parametrize("stream", [True, False])
def test_a_json_step_comes_as_text(stream):
    with ChatServer([{"reply": STEP, "deltas": 5}]) as server:
        heard = []
        model = chat(server, mode="json", stream=stream)
        reply = model.ask(request("json", heard=heard))
        assert (reply.raw, reply.mode) == (STEP, "json")
        assert "".join(heard) == STEP
        assert len(heard) == (len(STEP) + 4) // 5 if stream else 1
        model.close()


def test_a_server_may_stream_or_not_as_it_likes():
    events = 'data: {"choices":[{"delta":{"content":"33"},"finish_reason":"stop"}]}\n\n'
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    with ChatServer([{"wire": head + events, "close": True}]) as server:
        assert chat(server, stream=False).ask(request()).raw["content"] == "33"
    body = '{"choices":[{"message":{"content":"34"},"finish_reason":"stop"}]}'
    whole = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    with ChatServer([{"wire": whole}]) as server:
        assert chat(server, stream=True).ask(request()).raw["content"] == "34"


PARTS = ({"bare": True}, {"done": False}, {"bare": True, "done": False}, {"chunked": False, "close": True})


@pytest.mark.parametrize("act", PARTS)
def test_streams_with_parts_left_out(act):
    with ChatServer([{"reply": "33 C", **act}]) as server:
        reply = chat(server).ask(request())
        assert reply.raw["content"] == "33 C"
        assert (reply.usage is None) == bool(act.get("bare"))


def test_a_connection_outlives_a_stream_that_goes_on_behind_its_last_event():
    with ChatServer([{"reply": "a"}, {"reply": "b", "hang": True}, {"reply": "c"}]) as server:
        model = chat(server, retries=0)
        assert [model.ask(request()).raw["content"] for _ in range(3)] == ["a", "b", "c"]
        assert server.connections == 2
        model.close()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("mode", ["native", "json"])
def test_a_reply_that_was_cut_at_max_tokens_is_a_step_fault(stream, mode):
    with ChatServer([{"reply": STEP[:40], "finish": "length"}]) as server:
        with pytest.raises(StepFault, match=r"max_tokens \(99\)") as caught:
            chat(server, stream=stream, mode=mode, max_tokens=99).ask(request(mode))
        assert caught.value.why == "truncated"


@pytest.mark.parametrize("stream", [True, False])
def test_too_many_calls_are_said_as_what_they_are(stream):
    calls = [call("recall", {}, f"c{number}")["tool_calls"][0] for number in range(300)]
    script = [{"reply": {"content": None, "tool_calls": calls}}]
    with ChatServer(script) as server, pytest.raises(ModelFault, match="it has more than 256 tool calls") as caught:
        chat(server, stream=stream, retries=0).ask(request())
    assert "empty" not in str(caught.value) and "base_url" not in str(caught.value)


def test_a_filter_and_a_refusal_are_said():
    acts = [{"reply": "", "finish": "content_filter"}, {"reply": {"content": None, "refusal": "I\ncannot"}}]
    with ChatServer(acts) as server:
        model = chat(server, stream=False)
        with pytest.raises(ModelFault, match="held the reply back"):
            model.ask(request())
        with pytest.raises(ModelFault, match="declined: I cannot"):
            model.ask(request())


def test_an_html_error_page_is_one_sentence():
    page = "<html><head><title>x</title></head><body><h1>502 Bad Gateway</h1>\x1b[2J\n</body></html>"
    with ChatServer([{"status": 502, "body": page, "headers": {"Content-Type": "text/html"}}]) as server:
        with pytest.raises(ModelFault) as caught:
            chat(server, retries=0).ask(request())
        endpoint = f"127.0.0.1:{server.port}/v1/chat/completions"
    assert str(caught.value) == f"{endpoint} failed (status 502): 502 Bad Gateway"
    assert caught.value.endpoint == endpoint


# --- the key ---


def everywhere(model, faults):
    """All text in which a key could turn up."""
    import traceback

    told = [repr(model), str(model), repr(model._place), repr(model._settings), repr(model._cut)]
    for fault in faults:
        told += [str(fault), repr(fault), *traceback.format_exception(type(fault), fault, fault.__traceback__)]
    return "\n".join(told)


def test_the_key_goes_to_the_server_and_nowhere_else():
    key = "sesame-open-0123456789"
    acts = [{"reply": "x"}, {"status": 401, "body": f'{{"error": "wrong key {key}"}}'}, {"wire": key, "close": True}]
    acts += [{"status": 500, "body": f"<p>{key}</p>"}, {"wire": f"HTTP/1.1 {key}\r\n\r\n", "close": True}]
    acts += [{"wire": f"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n{{{key}".ljust(80), "close": True}]
    faults = []
    with ChatServer(acts) as server:
        model = chat(server, key, retries=0)
        model.ask(request())
        for _ in acts[1:]:
            with pytest.raises(ModelFault) as caught:
                model.ask(request())
            faults.append(caught.value)
        assert {one["headers"]["authorization"] for one in server.requests} == {f"Bearer {key}"}
        assert all(key.encode() not in one["body"] for one in server.requests)
        model.close()
    assert "sesame" not in everywhere(model, faults)


@pytest.mark.parametrize("key", ["a b", "a\r\nX-Evil: 1", "caf\u00e9", "\x00"])
def test_a_key_that_is_no_word_is_refused(key):
    with pytest.raises(ConfigFault, match="not one word of ASCII") as caught:
        Chat("m", ModelSettings(base_url="https://x/v1"), key)
    assert key not in str(caught.value)


def test_a_mode_that_is_none():
    with pytest.raises(ConfigFault, match="yaml"):
        Chat("m", ModelSettings(base_url="https://x/v1", mode="yaml"))


# --- one request at a time ---


def test_a_new_request_ends_the_one_that_was_given_up():
    with ChatServer([{"reply": "late", "delay": 20}, {"reply": "now"}]) as server:
        model = chat(server)
        first = Asked(model, request(seconds=30.0))
        eventually(lambda: server.requests)
        with Timed() as t:
            assert model.ask(request()).raw["content"] == "now"
        assert t.seconds < 2.0 + late(t.begun)
        first.join(60)
        assert "cut off" in str(first.end)
        model.close()


def test_nothing_dear_is_loaded_before_the_first_request():
    import subprocess

    code = (
        "import sys; from edge.config import ModelSettings; from edge.model.chat import Chat;"
        "Chat('m', ModelSettings(base_url='http://127.0.0.1:9/v1'));"
        "print(sorted({'json', 're', 'socket', 'ssl', 'http', 'email', 'random', 'threading'} & set(sys.modules)))"
    )
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stderr
