"""A loop with a scripted model, a simulated board and a real tape and audit, in a folder of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edge.approve import SaidYes
from edge.call import Call, Observation, Root, Scene
from edge.catalogue import Catalogue
from edge.config import Budgets
from edge.context import Context
from edge.gate.policy import Policy
from edge.grants import Grants
from edge.hands.world import World
from edge.loop import Loop
from edge.model.scripted import Scripted
from edge.parts import Parts
from edge.peripherals.guard.inprocess import InProcessBoard
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.record import replace
from edge.redact import Redactor
from edge.registry import every
from edge.taint import Taint
from edge.tape.journal import Tape
from edge.tape.reader import Reader
from edge.tape.unaudited import Unaudited
from edge.tape.unkept import Unkept
from edge.watch import Watcher

READ = '{"thought": "look", "action": "sensor_read", "action_input": {"name": "temperature"}}'
FAN = '{"thought": "cool", "action": "output_set", "action_input": {"name": "fan", "state": true, "for_seconds": 120}}'
DONE = '{"thought": "done", "action": "final", "action_input": "It is warm."}'


class Seen(Watcher):
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def outcome(self, call: Call, status: str, found: Observation) -> None:
        self.told.append((status, found.text))


class Bench:
    """A loop on a tape in a folder."""

    def __init__(self, folder: Path, replies: list[Any], **changes: Any) -> None:
        self.tape: Any = Tape.create(str(folder / "tapes")) if changes.pop("kept", True) else Unkept()
        self.board = InProcessBoard()
        scene = Scene(str(folder), "", (Root("work", str(folder)),), SENSORS, OUTPUTS)
        scene = changes.pop("declared", lambda given: given)(scene)
        self.world = World(scene, self.tape, lambda: self.board)
        self.watcher = Seen()
        self.model = Scripted(replies)
        parts = Parts(
            model=self.model,
            world=self.world,
            context=Context("system", "json"),
            catalogue=changes.pop("catalogue", None) or Catalogue(changes.pop("tools", every())),
            policy=Policy("guarded"),
            budgets=Budgets(),
            approver=SaidYes(),
            watcher=self.watcher,
            clock=lambda: "",
            audit=Unaudited(),
            redact=Redactor(),
            taint=Taint(),
            grants=Grants((), scene),
            stopped=lambda: None,
        )
        self.loop = Loop(replace(parts, **changes))

    def kinds(self) -> list[str]:
        return [record["kind"] for record in self.records()]

    def records(self) -> list[dict[str, Any]]:
        self.tape.sync()
        return list(Reader(self.tape.path))
