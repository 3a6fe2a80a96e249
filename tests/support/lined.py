"""A board with lines: the chip model behind the hands, and a scene that declares some of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edge.call import Gpio, Output, Root, Scene, Sensor
from edge.hands.gpio import Header
from edge.hands.world import World
from edge.peripherals.gpiochip.model import Model
from edge.record import replace
from edge.tape.unkept import Unkept

CHIP = "pinctrl-bcm2835"
GPIO = Gpio(lines=("GPIO2", "GPIO22"), lab=("GPIO22",))
LAB = Output("GPIO22", "lab line GPIO22", "GPIO22", "high")
LAMP = Output("lamp", "grow lamp", "channel 0 of pwmchip0", pwm=True)
PUMP = Output("pump", "irrigation pump", "GPIO17", max_on=600.0)
DOOR = Sensor("door", "greenhouse door", "", "GPIO27", (), ("closed", "open"))


def with_lines(scene: Scene) -> Scene:
    """The scene, and for every tool there is something that it could touch."""
    return replace(scene, outputs=(*scene.outputs, LAMP, LAB), gpio=GPIO)


def world(folder: Path, model: Model, gpio: Gpio = GPIO, board: Any = None) -> World:
    """A world whose lines are those of the model; `board` is asked for the declared outputs and the door."""
    scene = Scene(str(folder), "", (Root("work", str(folder)),), (DOOR,), (PUMP, LAMP, LAB), simulated=False, gpio=gpio)
    made = World(scene, Unkept(), lambda: board)
    made._header = Header(gpio, model)
    return made
