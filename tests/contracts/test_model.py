"""One suite over every model: what whoever asks may rely on."""

from __future__ import annotations

import contextlib
import time

import pytest

from edge.call import Scene
from edge.faults import BudgetFault, ModelFault
from edge.model import Reply
from edge.model.scripted import Scripted
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.registry import every
from edge.step import Step, read
from tests.support.asking import Asked, Timed, chat, late, moment, request, soon
from tests.support.chatserver import ChatServer

# A model that was closed must not complain when it is collected.
pytestmark = [
    pytest.mark.filterwarnings("error::ResourceWarning"),
    pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning"),
]

SCHEMAS = {tool.name: tool.schema for tool in every()}
STEP = '{"thought": "read", "action": "sensor_read", "action_input": {"name": "temperature"}}'
CALL = {
    "role": "assistant",
    "content": "I read it.",
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "sensor_read", "arguments": '{"name": "temperature"}'}}
    ],
}


class Rig:
    """How the suite gets a model that answers, waits or fails. `slow`: it can be made to wait."""

    slow = True

    def __init__(self, stack):
        self._stack = stack

    def answering(self, times):
        """A model that wants to read the temperature, `times` times."""
        return self.made([("reply", 0)] * times)

    def waiting(self, seconds):
        """A model whose first reply takes `seconds`; the next comes at once."""
        return self.made([("reply", seconds), ("reply", 0)])

    def failing(self):
        """A model that fails once, then answers."""
        return self.made([("fault", 0), ("reply", 0)])


class ScriptedRig(Rig):
    said = CALL

    def made(self, acts):
        fault = {"fault": "it failed"}
        return Scripted([fault if what == "fault" else {"delay": delay, "reply": self.said} for what, delay in acts])


class ScriptedJson(ScriptedRig):
    said = STEP


class Chatting(Rig):
    mode, stream = "native", True
    said = CALL

    def made(self, acts):
        script = [
            {"status": 404, "body": "gone"} if what == "fault" else {"reply": self.said, "delay": delay}
            for what, delay in acts
        ]
        server = self._stack.enter_context(ChatServer(script))
        model = chat(server, mode=self.mode, stream=self.stream)
        self._stack.callback(model.close)
        return model


class ChattingWhole(Chatting):
    stream = False


class ChattingJson(Chatting):
    mode = "json"
    said = STEP


class OfflineRig(Rig):
    slow = False

    def made(self, acts):
        from edge.model.offline import Offline

        assert all(act == ("reply", 0) for act in acts)
        return Offline(Scene("/", "/", (), SENSORS, OUTPUTS))


RIGS = [ScriptedRig, ScriptedJson, Chatting, ChattingWhole, ChattingJson, OfflineRig]
SLOW = [rig for rig in RIGS if rig.slow]


@pytest.fixture
def rig(request):
    with contextlib.ExitStack() as stack:
        yield request.param(stack)


def over(rigs):
    return pytest.mark.parametrize("rig", rigs, ids=[rig.__name__ for rig in rigs], indirect=True)


@over(RIGS)
def test_it_has_a_name_a_mode_and_maybe_an_endpoint(rig):
    model = rig.answering(1)
    assert model.name
    assert model.mode in ("native", "json")
    assert isinstance(model.endpoint, str)


@over(RIGS)
def test_a_reply_is_read_as_a_step(rig):
    model = rig.answering(1)
    reply = model.ask(request(model.mode))
    assert isinstance(reply, Reply)
    assert reply.mode == model.mode
    step = read(reply.raw, reply.mode, SCHEMAS)
    assert isinstance(step, Step), step
    assert [(call.tool, call.args) for call in step.calls] == [("sensor_read", {"name": "temperature"})]
    assert step.calls[0].id == ""


@over(SLOW)
def test_text_is_heard(rig):
    model = rig.answering(1)
    heard = []
    reply = model.ask(request(model.mode, heard=heard))
    text = reply.raw if isinstance(reply.raw, str) else reply.raw["content"]
    assert "".join(heard) == text != ""


@over(RIGS)
def test_it_can_be_asked_again_and_again(rig):
    model = rig.answering(5)
    assert len([model.ask(request(model.mode)) for _ in range(5)]) == 5


@over(SLOW)
def test_a_failure_is_a_model_fault_and_the_next_request_works(rig):
    model = rig.failing()
    with pytest.raises(ModelFault):
        model.ask(request(model.mode))
    assert model.ask(request(model.mode)).mode == model.mode


@over(SLOW)
def test_the_deadline_holds_and_the_next_request_works(rig):
    model = rig.waiting(3)
    with Timed() as t, pytest.raises(BudgetFault, match=r"0\.3 s"):
        model.ask(request(model.mode, seconds=0.3))
    assert t.seconds < 0.3 + late(t.begun)
    assert model.ask(request(model.mode)).mode == model.mode


@over(SLOW)
def test_a_cut_ends_a_running_request_soon_and_the_next_works(rig):
    model = rig.waiting(20)
    asked = Asked(model, request(model.mode, seconds=30.0))
    time.sleep(0.3)
    begun = moment()
    model.cut()
    asked.join(60)
    assert type(asked.end) is ModelFault
    assert "cut off" in str(asked.end)
    assert asked.ended - begun < soon(begun)
    assert model.ask(request(model.mode)).mode == model.mode


@over(RIGS)
def test_a_cut_while_nothing_runs_harms_nothing(rig):
    model = rig.answering(1)
    model.cut()
    model.cut()
    assert model.ask(request(model.mode)).mode == model.mode


@over(SLOW)
def test_a_cut_between_making_a_request_and_asking_counts(rig):
    model = rig.waiting(20)
    wanted = request(model.mode, seconds=30.0, made=time.monotonic())
    model.cut()
    with Timed() as t, pytest.raises(ModelFault, match="cut off"):
        model.ask(wanted)
    assert t.seconds < soon(t.begun)


@over(SLOW)
def test_closing_ends_a_running_request(rig):
    model = rig.waiting(20)
    asked = Asked(model, request(model.mode, seconds=30.0))
    time.sleep(0.3)
    begun = moment()
    model.close()
    asked.join(60)
    assert isinstance(asked.end, ModelFault)
    assert asked.ended - begun < 5 * soon(begun)


@over(RIGS)
def test_it_can_be_closed_twice_and_before_the_first_request(rig):
    model = rig.answering(1)
    model.close()
    model.close()
