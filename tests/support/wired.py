"""A declared board for tests: pump with feedback and interlock, fan, door, over a model of its chips."""

from __future__ import annotations

from typing import Any

from edge.call import Output, Sensor
from edge.cli.wiring import Guard, Row, heard, rows
from edge.peripherals.boards.header import FULL
from edge.peripherals.boards.identity import Board
from edge.peripherals.boards.survey import survey
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.guard.owned import GpioLine, Owned, PwmChannel

PI3 = Board("Raspberry Pi 3 Model B", "Raspberry Pi 3 B", "BCM2837", "a02082", 1024, FULL, ("pinctrl-bcm2835",))
PUMP = Output(
    name="pump",
    label="irrigation pump, relay 2",
    where="GPIO17",
    max_on=600.0,
    min_off=60.0,
    max_per_hour=6,
    interlock=("door == closed", "not fan"),
    feedback="pump_runs",
    override="stop_button",
)
FAN = Output(name="fan", label="exhaust fan", where="GPIO27")
HEATER = Output(name="heater", label="frost heater", where="channel 0 of pwmchip0", pwm=True)
DOOR = Sensor("door", "greenhouse door", "", "GPIO4", (), ("closed", "open"))
RUNS = Sensor("pump_runs", "flow switch", "", "GPIO5", (), ("off", "on"))
BUTTON = Sensor("stop_button", "stop button at the box", "", "GPIO6", (), ("free", "pressed"))
LINES = (
    GpioLine("pump", "", "GPIO17", active_low=True),
    GpioLine("fan", "pinctrl-bcm2835", "27"),
    GpioLine("door", "", "GPIO4", bias="up"),
    GpioLine("pump_runs", "", "GPIO5"),
    GpioLine("stop_button", "", "GPIO6", active_low=True, bias="up"),
)
OWNED = Owned("lines", (PUMP, FAN), (DOOR, RUNS, BUTTON), LINES)
WITH_PWM = Owned("lines", (HEATER,), (), (), (PwmChannel("heater", "pwmchip0", 1),))


def guard(**changes: Any) -> Guard:
    """A guard that runs, with everything at rest; `pump=...` changes the fields of that row."""
    outputs = {
        name: {"state": False, "level": 0.0, "left": None, "fault": "", "override": ""} for name in ("pump", "fan")
    }
    sensors = {name: {"name": name, "value": 0.0, "unit": "", "quality": "ok"} for name in ("door", "pump_runs")}
    sensors["stop_button"] = {"name": "stop_button", "value": 0.0, "unit": "", "quality": "ok"}
    for name, fields in changes.items():
        (outputs if name in outputs else sensors)[name].update(fields)
    return heard({"pid": 812, "outputs": outputs, "sensors": list(sensors.values())}, "/run/guard.sock")


def held(model: Model, owned: Owned = OWNED) -> None:
    """Hold every declared line as the guard does."""
    from edge.peripherals.gpiochip.chip import Chip, Settings

    chip = Chip(model, next(path for path in model.chips() if path.endswith("gpiochip0")))
    outputs = {one.name for one in owned.outputs}
    for wired in owned.lines:
        settings = Settings(
            "output" if wired.name in outputs else "input", active_low=wired.active_low, bias=wired.bias
        )
        chip.request(chip.offset_of(wired.line), settings, f"fieldhand:{wired.name}")
    chip.close()


def checked(
    model: Model, told: Guard, owned: Owned = OWNED, root: str = "/nowhere", board: Board = PI3
) -> dict[str, Row]:
    """name -> row."""
    return {row.name: row for row in rows(owned, told, survey(model), model, board, root)}
