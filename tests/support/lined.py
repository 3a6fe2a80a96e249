"""A board with lines: the chip model behind the hands, and a greenhouse with a lamp, a lab line and a door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edge.call import Gpio, Output, Port, Root, Scene, Sensor
from edge.hands.gpio import Header
from edge.hands.world import World
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.guard.inprocess import InProcessBoard
from edge.peripherals.sim.board import SimBoard
from edge.peripherals.sim.declare import OUTPUTS, PARTS, SENSORS
from edge.peripherals.sim.default import Greenhouse
from edge.peripherals.sim.parts import Part
from edge.record import replace
from edge.tape.unkept import Unkept

CHIP = "pinctrl-bcm2835"
GPIO = Gpio(lines=("GPIO2", "GPIO22"), lab=("GPIO22",))
LAB = Output("GPIO22", "lab line GPIO22", "GPIO22", "high")
LAMP = Output("lamp", "grow lamp", "channel 0 of pwmchip0", pwm=True)
VALVE = Output("valve", "drain valve", "GPIO5", safe=True, min_off=30.0, max_per_hour=4)
PUMP = replace(OUTPUTS[1], label="irrigation pump", where="GPIO17")
METER = Port("meter", "energy meter", "/dev/ttyUSB0")
DOOR = Sensor("door", "greenhouse door", "", "GPIO27", (), ("closed", "open"))


class Garden(Greenhouse):
    """The greenhouse, and what its simulation knows nothing of."""

    outputs = (OUTPUTS[0], PUMP, LAMP, VALVE, LAB)
    parts = (*PARTS, Part(DOOR, low=0.0, high=1.0, places=0, address="line 27"))
    open = 0.0

    def truth(self, name: str, relays: Any, now: float) -> tuple[float, float]:
        return (self.open, now) if name == "door" else super().truth(name, relays, now)


def with_lines(scene: Scene) -> Scene:
    """The scene, and for every tool there is something that it could touch."""
    return replace(scene, outputs=(*scene.outputs, LAMP, VALVE, LAB), gpio=GPIO, ports=(METER,))


def board(speed: float = 60.0, **changes: Any) -> InProcessBoard:
    """The guard of that greenhouse, in this process."""
    return InProcessBoard(speed=speed, plant=SimBoard(Garden()), **changes)


def world(folder: Path, model: Model, gpio: Gpio = GPIO, guard: Any = None) -> World:
    """A world whose lines are those of the model; `guard` (made at first use) has the outputs and the door."""
    scene = Scene(str(folder), "", (Root("work", str(folder)),), (*SENSORS, DOOR), Garden.outputs, gpio=gpio)
    made = World(scene, Unkept(), lambda: guard or board())
    made._header = Header(gpio, model)
    return made
