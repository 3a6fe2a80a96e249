"""The chat back end against a model server that is not ours: llama.cpp's, with a model of 135 million parameters.

The model is too small to be right often. What counts: streams, constrained steps, usage and cuts work, and every reply
becomes a Step or a fault. Run by `make real-model` only.
"""

from __future__ import annotations

import time

import pytest

from edge.brief import brief
from edge.call import Call, Observation, Scene
from edge.catalogue import Catalogue
from edge.config import ModelSettings
from edge.context import Context
from edge.faults import BudgetFault, ModelFault, StepFault
from edge.model import Request
from edge.model.chat import Chat
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.registry import every
from edge.step import Step, read
from tests.support import agent
from tests.support.asking import Asked, Timed
from tests.support.realserver import RealServer

pytestmark = pytest.mark.real_model

TOOLS = every()
SCHEMAS = {tool.name: tool.schema for tool in TOOLS}
SCENE = Scene("/", "/", (), SENSORS, OUTPUTS)
GOALS = (
    "How warm is it?",
    "Switch the fan on for two minutes.",
    "Which sensors are there?",
    "Read the soil moisture. If it is below 20 %, run the pump for 30 seconds.",
    "Say hello.",
)
WHOLE = 240.0  # seconds for one reply on a slow machine


@pytest.fixture(scope="module")
def server():
    with RealServer() as running:
        yield running


def asked(server, mode, stream, goal, heard, **more):
    """One reply to one goal with the product's own standing text, tools and settings."""
    settings = ModelSettings(
        "chat:smollm2", server.base_url, mode, stream, seconds=WHOLE, max_tokens=more.pop("max_tokens", 96), **more
    )
    model = Chat("smollm2", settings)
    context = Context(brief(SCENE, Catalogue(TOOLS), mode), mode)
    context.user(goal, 0.0, "Sat 2026-11-28 14:03")
    return model, Request(context, TOOLS, WHOLE, heard.append)


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
@pytest.mark.parametrize("mode", ["json", "native"])
def test_every_reply_becomes_a_step_or_a_fault(server, mode, stream, this_run):
    counts = {"calls": 0, "answers": 0, "step faults": 0, "cut at max_tokens": 0}
    tokens = 0
    for goal in GOALS:
        heard = []
        model, request = asked(server, mode, stream, goal, heard, temperature=0.7)
        try:
            reply = model.ask(request)
        except StepFault as fault:
            assert fault.why == "truncated"
            counts["cut at max_tokens"] += 1
            continue
        finally:
            model.close()
        assert reply.mode == mode
        assert reply.usage is not None
        assert reply.usage.prompt > 100
        assert 0 < reply.usage.completion <= 96
        tokens += reply.usage.completion
        said = reply.raw if mode == "json" else reply.raw["content"] or ""
        assert "".join(heard) == said
        assert not stream or len(heard) >= min(2, reply.usage.completion - 1) or not said
        step = read(reply.raw, reply.mode, SCHEMAS)
        assert isinstance(step, (Step, StepFault))
        if mode == "json":  # what the server was told to constrain is a step, if its arguments fit
            assert isinstance(step, Step) or step.why in ("bad_args", "empty"), (reply.raw, step)
        counts["step faults" if isinstance(step, StepFault) else "answers" if step.final else "calls"] += 1
    told = ", ".join(f"{number} {what}" for what, number in counts.items())
    this_run.notes.append(f"real model, {mode}, {'streamed' if stream else 'whole'}: {told}; {tokens} tokens")
    assert sum(counts.values()) == len(GOALS)


def test_a_conversation_with_results_goes_on(server):
    heard = []
    model, request = asked(server, "native", True, GOALS[0], heard)
    call = Call("sensor_read", {"name": "temperature"}, "c1")
    request.context.step("", (call,), 0.0)
    request.context.observation(call, Observation(True, "temperature 33.0 C (ok, 0.2 s old)", untrusted=True), 0.0)
    request.context.fault("reply in one short sentence", 0.0)
    try:
        reply = model.ask(request)
        assert isinstance(read(reply.raw, reply.mode, SCHEMAS), (Step, StepFault))
    except StepFault as fault:
        assert fault.why == "truncated"
    finally:
        model.close()


@pytest.mark.parametrize("mode", ["json", "native"])
def test_a_stream_is_cut_soon_and_the_next_request_works(server, mode, this_run):
    heard = []
    model, request = asked(server, mode, True, "Tell a long story.", heard, max_tokens=1024)
    running = Asked(model, request)
    wait_for(heard, running)
    begun = time.monotonic()
    model.cut()
    running.join(30)
    took = running.ended - begun
    assert type(running.end) is ModelFault, running.end
    assert "cut off" in str(running.end)
    assert took < 0.5
    this_run.notes.append(f"real model, {mode}: cut in {took * 1000:.1f} ms after {len(heard)} pieces")
    again = Request(request.context, TOOLS, 1.0, request.heard)
    with pytest.raises((BudgetFault, StepFault)):  # it is asked for the same long story
        model.ask(again)
    model.close()


def wait_for(heard, running):
    end = time.monotonic() + WHOLE
    while not heard and running.is_alive() and time.monotonic() < end:
        time.sleep(0.01)
    assert heard, running.end


def test_the_deadline_holds_against_it(server):
    model, request = asked(server, "native", True, "Tell a long story.", [], max_tokens=2048)
    with Timed() as t, pytest.raises(BudgetFault, match=r"within 1 s"):
        model.ask(Request(request.context, TOOLS, 1.0, request.heard))
    assert t.seconds < 1.5
    model.close()


def test_a_server_that_is_killed_in_a_stream_is_a_sentence_with_the_endpoint(this_run):
    heard = []
    with RealServer() as doomed:
        model, request = asked(doomed, "json", True, "Tell a long story.", heard, max_tokens=1024)
        running = Asked(model, request)
        wait_for(heard, running)
        doomed.kill()
        running.join(30)
    assert type(running.end) is ModelFault, running.end
    assert model.endpoint in str(running.end)
    this_run.notes.append(f"real model, killed: {running.end}")
    with pytest.raises(ModelFault, match="nothing listens"):
        model.ask(request)
    model.close()


@pytest.mark.parametrize("stream", ["true", "false"], ids=["stream", "whole"])
@pytest.mark.parametrize("replies", ["json", "native"])
def test_the_whole_agent_holds_this_model_as_any_other(server, replies, stream, tmp_path, this_run):
    """Same command line, same gate: what it calls is judged by the rules that judge all, and is on the tape."""
    (tmp_path / "settings.toml").write_text(
        f'[model]\nreplies = "{replies}"\nstream = {stream}\nmax_tokens = 96\nseconds = 240\ntemperature = 0.0\n'
        "[budgets]\nsteps = 3\n"
    )
    options = ["--board", "sim", "--model", "chat:smollm2", "--base-url", server.base_url, "--mode", "readonly"]
    done = agent.run(
        *options, "--config", str(tmp_path / "settings.toml"), "-e", "How warm is it?", home=tmp_path, timeout=540
    )
    rows = agent.records(agent.tapes(tmp_path)[-1])
    kinds = [row["kind"] for row in rows]
    assert kinds[:2] == ["open", "line"]
    assert kinds[-1] == "close"
    replied = [row for row in rows if row["kind"] in ("step", "repair")]
    assert replied, done.stderr
    assert all(row.get("usage", {}).get("completion", 1) > 0 for row in replied)
    for row in rows:
        if row["kind"] == "intent":
            assert (row["verdict"], row["by"]) == ("allow", "gate")
            assert row["tool"] not in ("output_set", "file_write"), "readonly let a change through"
    assert done.returncode in (0, 4, 5, 6, 7)
    assert "Traceback" not in done.stderr
    this_run.notes.append(f"the whole agent, {replies}, stream {stream}: exit {done.returncode}, {kinds}")
