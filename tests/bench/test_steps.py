"""The scripted server, the anchors and the agent of the step figures do the same exchanges."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import sys

import pytest

from bench import agent, memory, server, steps
from bench.harness import Absent, Broken


def posted(connection: http.client.HTTPConnection, steps: int, body: bytes) -> bytes:
    connection.request("POST", f"/steps/{steps}/chat/completions", body)
    return connection.getresponse().read()


@pytest.mark.parametrize("number", [1, 42, 1000])
def test_a_reply_calls_the_tool_in_three_hundred_bytes(number: int) -> None:
    reply = server.called(number)
    (call,) = json.loads(reply)["choices"][0]["message"]["tool_calls"]
    assert len(reply) == 300
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("noop", {"n": number})


def test_the_server_calls_as_often_as_wanted_and_then_answers() -> None:
    with agent.Server() as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
        replies = [json.loads(posted(connection, 2, b"x" * size)) for size in (10, 20, 200_000)]
        connection.close()
        assert [reply["choices"][0]["finish_reason"] for reply in replies] == ["tool_calls", "tool_calls", "stop"]
        assert running.sizes() == (10, 20, 200_000)
        assert running.sizes() == ()


def test_the_agent_takes_every_step_over_one_growing_conversation() -> None:
    count = agent.SKIP + 2 * agent.WINDOW
    runs = agent.Runs(count)
    figures = runs.run()
    assert runs.last() is figures
    assert len(figures.sizes) == count + 1
    growth = [after - before for before, after in zip(figures.sizes, figures.sizes[1:])]
    assert min(growth) > 0 and max(growth) - min(growth) < 20
    assert min(figures.mean, figures.first, figures.last) > 0
    assert 0 < figures.early_mib <= figures.late_mib


@pytest.mark.parametrize("client", ["http.client", "httpx"])
def test_an_anchor_exchanges_requests_of_the_same_sizes(client: str) -> None:
    sizes = tuple(range(1000, 1000 + 100 * (agent.SKIP + 4), 100))
    measure = steps.exchanged(client, lambda: sizes)
    if importlib.util.find_spec(client) is None:
        with pytest.raises(Absent, match="httpx is not installed"):
            measure()
    else:
        assert measure() > 0


def test_a_client_that_is_not_there_is_absent() -> None:
    with pytest.raises(Absent, match="nosuchclient is not installed"):
        steps.exchanged("nosuchclient", lambda: (1, 2))()


def test_a_child_that_fails_is_broken_with_its_last_words() -> None:
    with pytest.raises(Broken, match=r"^ValueError: no way$"):
        agent.told([sys.executable, "-c", "raise ValueError('no way')"])


def test_a_child_that_hangs_is_broken() -> None:
    with pytest.raises(Broken, match=r"did not end within 0\.2 s"):
        agent.told([sys.executable, "-c", "import time; time.sleep(60)"], 0.2)


def test_private_memory_is_read_from_the_kernel() -> None:
    assert 1 < memory.private(os.getpid()) < 1000
