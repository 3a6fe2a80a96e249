"""A conversation with the built-in planner: the real tools over a small board, no loop, no process, a clock by hand."""

from __future__ import annotations

from typing import Any

from edge.call import Call, Observation, Reading, Scene
from edge.context import Context
from edge.faults import Fault, HardwareFault, ToolFault
from edge.model import Request
from edge.model.offline import Offline
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.record import replace
from edge.step import Step, read
from edge.tool import Tool
from edge.tools import file_read, file_write, output_list, output_set, recall, sensor_list, sensor_read

TOOLS = tuple(m.TOOL for m in (sensor_list, sensor_read, output_list, output_set, file_read, file_write, recall))
SCENE = Scene("/garden", "/home/op", sensors=SENSORS, outputs=OUTPUTS)
TREE: dict[str, Any] = {".": ["logs/", "notes.txt"], "logs": ["today.log"], "notes.txt": "valve 3 sticks"}


class Sensors:
    def __init__(self, board: Board) -> None:
        self.board = board

    def read(self, name: str) -> Reading:
        self.board.answer(name)
        return self.board.readings[name]


class Outputs:
    def __init__(self, board: Board) -> None:
        self.board = board

    def set(self, name: str, state: bool, seconds: float | None) -> dict[str, Any]:
        self.board.answer(name)
        longest = next(output.max_on for output in self.board.scene.outputs if output.name == name)
        self.board.on.pop(name, None)
        if state:
            self.board.on[name] = longest if seconds is None else seconds
        return {"name": name, "state": state, "left": self.board.on.get(name, 0.0), "max_on": longest}

    def states(self) -> dict[str, dict[str, Any]]:
        on = self.board.on
        return {o.name: {"state": o.name in on, "left": on.get(o.name, 0.0)} for o in self.board.scene.outputs}


class Files:
    def read(self, path: str, first: int, lines: int, limit: int = 0) -> dict[str, Any]:
        found = TREE.get(path)
        if found is None:
            raise ToolFault(f"there is no {path}")
        if isinstance(found, list):
            return {"path": path, "entries": found, "place": "workspace"}
        told = {"path": path, "place": "workspace", "said": [], "total": 1}
        return {**told, "text": found, "first": 1, "lines": 1, "more": False}


class Board:
    """The hands of the tools. `broken` names raise a HardwareFault; `on` holds the seconds left."""

    def __init__(self, scene: Scene = SCENE) -> None:
        self.scene = scene
        self.bytes = 8192
        self.readings = {
            "temperature": Reading("temperature", 33.0, "C", "ok", 0.2, "sim air probe"),
            "soil_moisture": Reading("soil_moisture", 38.5, "%", "ok", 0.1, "sim soil probe"),
            "humidity": Reading("humidity", 55.0, "%", "ok", 0.3, "sim humidity sensor"),
            "light": Reading("light", 812.0, "lux", "stale", 400.0, "sim light sensor"),
        }
        self.on: dict[str, float] = {}
        self.broken: set[str] = set()
        self.sensors, self.outputs, self.files = Sensors(self), Outputs(self), Files()

    def answer(self, name: str) -> None:
        if name in self.broken:
            raise HardwareFault(f"{name} does not answer", "check its cable")


class Talk:
    """Lines in, answers out. `calls` are those of the last line; `refuse` names outputs that the gate refuses."""

    def __init__(self, board: Board | None = None, tools: tuple[Tool, ...] = TOOLS) -> None:
        self.board = board or Board()
        self.tools = tools
        self.now = 1000.0
        self.model = Offline(self.board.scene, lambda: self.now)
        self.begin()

    def begin(self) -> None:
        """An empty record."""
        self.context = Context("", "json")
        self.calls: list[Call] = []
        self.refuse: set[str] = set()
        self._count = 0

    def line(self, text: str) -> None:
        """Put the operator's line on the record."""
        self.calls = []
        self.context.user(text, self.now)

    def step(self) -> Step:
        """Ask once; the reply must read as a step of one call or one answer, without repairs."""
        reply = self.model.ask(Request(self.context, self.tools, 30.0, lambda text: None))
        step = read(reply.raw, reply.mode, {tool.name: tool.schema for tool in self.tools})
        assert isinstance(step, Step), f"{step}: {reply.raw!r}"
        assert not step.repairs
        assert (step.final is not None and not step.calls) or len(step.calls) == 1
        return step

    def intend(self, step: Step) -> Call:
        """Put a step's call on the record, numbered."""
        self._count += 1
        call = replace(step.calls[0], id=f"c{self._count}")
        self.context.step(step.thought, (call,), self.now)
        self.calls.append(call)
        return call

    def act(self, call: Call) -> None:
        """Run the call's tool and put what came of it on the record."""
        tool = next(tool for tool in self.tools if tool.name == call.tool)
        self.now += 0.1
        try:
            if call.tool == "output_set" and call.args["name"] in self.refuse:
                found = Observation(False, "refused by output.readonly: this preset switches nothing")
            else:
                found = tool.run(call.args, self.board)  # type: ignore[arg-type]
        except Fault as fault:
            found = Observation(False, str(fault))
        self.context.observation(call, found, self.now)

    def finish(self, most: int = 24) -> str:
        """Go on to the answer."""
        for _ in range(most):
            step = self.step()
            if step.final is not None:
                self.context.answer(step.final, self.now)
                return step.final
            self.act(self.intend(step))
        raise AssertionError("no answer after many steps")

    def say(self, text: str) -> str:
        """A whole turn: the answer."""
        self.line(text)
        return self.finish()

    @property
    def did(self) -> str:
        """The calls of the last line in few letters."""
        return " ".join(map(short, self.calls))


def short(call: Call) -> str:
    """A call in few letters: `read:temperature`, `on:fan:120`, `off:pump`, `file:notes.txt`, `sensors`, `outputs`."""
    args = call.args
    if call.tool == "output_set":
        seconds = f":{args['for_seconds']:g}" if "for_seconds" in args else ""
        return f"{'on' if args['state'] else 'off'}:{args['name']}{seconds}"
    if call.tool == "sensor_read":
        return f"read:{args['name']}"
    return f"file:{args['path']}" if call.tool == "file_read" else call.tool.replace("_list", "s")
