"""The guard's decisions over real lines: interlock, feedback, override, levels and leases at the wire."""

from __future__ import annotations

import pytest

from edge.call import Output, Sensor
from edge.faults import HardwareFault, Refused
from edge.peripherals.gpiochip.chip import Chip as GpioChip
from edge.peripherals.gpiochip.chip import Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.guard.inprocess import InProcessBoard
from edge.peripherals.guard.lines import LinesPlant
from edge.peripherals.guard.owned import GpioLine, Owned, PwmChannel
from edge.peripherals.guard.protocol import WAITS
from edge.peripherals.sysfs.model import Chip, PwmModel
from tests.support.boards import Clock

CHIP = "pinctrl-bcm2835"
PUMP = Output("pump", "Pump", "GPIO17", interlock=("door == closed",), feedback="flow", override="button")
FAN = Output("fan", "Fan", "channel 0", pwm=True, max_on=100.0)
LAMP = Output("lamp", "Lamp", "GPIO22", on_start="hold", max_on=50.0)
LAB = Output("gpio23", "lab line", "GPIO23", "high", on_start="hold")
CONTACTS = (
    Sensor("door", "Door", "", "GPIO4", states=("open", "closed")),
    Sensor("flow", "Flow", "", "GPIO17", states=("off", "on")),
    Sensor("button", "Stop button", "", "GPIO6", states=("free", "pressed")),
)
LINES = (
    GpioLine("pump", "", "GPIO17"),
    GpioLine("flow", "", "GPIO17"),
    GpioLine("door", "", "GPIO4", bias="up"),
    GpioLine("button", "", "GPIO6", active_low=True, bias="up"),
    GpioLine("lamp", "", "22"),
    GpioLine("gpio23", "", "23", lazy=True),
)
OWNED = Owned("lines", (PUMP, FAN, LAMP, LAB), CONTACTS, LINES, (PwmChannel("fan", "a.pwm", 0),))


class Rig:
    """Model, plant and an agent at its guard, in injected time; `seconds` lets it pass as the process would."""

    def __init__(self, model: Model | None = None) -> None:
        self.model = model or Model("pi3", "keep")
        self.pwm = PwmModel(pwmchip0=Chip("a.pwm", 1))
        self.plant = LinesPlant(OWNED, self.model, tree=self.pwm)
        self.clock = Clock()
        self.board = InProcessBoard(self.clock, 1.0, self.plant)

    def seconds(self, seconds: float) -> None:
        for _ in range(int(seconds / 0.25)):
            self.clock.pass_(0.25)
            self.board.beat()
            self.plant.retry(self.clock())

    def wire(self, line: int = 17) -> bool:
        return self.model.outside(CHIP, line)

    def row(self, name: str = "pump") -> dict:
        return self.board.states()[name]


def test_an_open_door_refuses_the_pump_and_opening_it_later_stops_the_pump() -> None:
    rig = Rig()
    rig.model.pull(CHIP, 4, False)
    with pytest.raises(Refused, match="door") as caught:
        rig.board.set("pump", True, 10.0, "c1")
    assert caught.value.rule == "guard.interlock" and not rig.wire()
    rig.model.pull(CHIP, 4, True)
    assert rig.board.set("pump", True, 10.0, "c2")["state"] is True and rig.wire()
    rig.model.pull(CHIP, 4, False)
    rig.seconds(0.5)
    assert not rig.wire() and "door" in rig.row()["why"]


def test_a_contact_that_cannot_be_read_stops_the_pump() -> None:
    rig = Rig()
    rig.board.set("pump", True, 10.0, "c1")
    rig.model.fail("GET_VALUES", 5, times=-1, line=4)
    rig.seconds(0.5)
    assert not rig.wire()
    with pytest.raises(Refused):
        rig.board.set("pump", True, 10.0, "c2")


def test_the_stop_button_at_the_box_stops_the_pump_and_holds_it() -> None:
    rig = Rig()
    rig.board.set("pump", True, 10.0, "c1")
    rig.model.pull(CHIP, 6, False)
    rig.seconds(0.5)
    assert not rig.wire()
    with pytest.raises(Refused) as caught:
        rig.board.set("pump", True, 10.0, "c2")
    assert caught.value.rule == "guard.override"
    rig.model.pull(CHIP, 6, None)
    rig.seconds(2.5)
    assert rig.board.set("pump", True, 10.0, "c3")["state"] is True and rig.wire()


def test_a_wire_that_something_holds_down_is_found_by_the_feedback_at_that_very_line() -> None:
    rig = Rig()
    rig.board.set("pump", True, 10.0, "c1")
    rig.model.stick(CHIP, 17, False)
    rig.seconds(1.0)
    assert rig.row()["fault"] and rig.row()["left"] is None
    rig.model.stick(CHIP, 17, None)
    assert not rig.wire()


def test_a_level_goes_to_the_channel_and_the_end_of_the_lease_takes_it_back() -> None:
    rig = Rig()
    done = rig.board.set("fan", True, 2.0, "c1", level=0.4)
    assert (done["state"], done["level"]) == (True, 0.4) and rig.pwm.level("pwmchip0", 0) == 0.4
    assert rig.row("fan")["level"] == 0.4
    rig.seconds(3.0)
    assert rig.pwm.level("pwmchip0", 0) == 0.0 and rig.row("fan")["state"] is False


def test_an_output_that_was_left_on_and_is_to_hold_runs_on_for_its_longest_time_and_no_longer() -> None:
    model = Model("pi3", "keep")
    GpioChip(model, "/dev/gpiochip0").request(22, Settings("output", True), "before").close()
    rig = Rig(model)
    assert rig.wire(22) and rig.row("lamp")["state"] is True
    rig.seconds(49.0)
    assert rig.wire(22)
    rig.seconds(2.0)
    assert not rig.wire(22)


def test_a_lab_line_is_taken_with_the_first_value_that_is_written_and_ends_with_its_lease() -> None:
    rig = Rig()
    assert rig.row("gpio23")["state"] is None and "fieldhand:gpio23" not in rig.model.holders().values()
    rig.board.set("gpio23", True, 2.0, "c1")
    assert rig.wire(23) and rig.row("gpio23")["state"] is True
    rig.seconds(3.0)
    assert not rig.wire(23) and rig.row("gpio23")["state"] is False


def test_a_chip_that_goes_while_the_pump_is_on_is_unknown_and_then_safe() -> None:
    rig = Rig()
    rig.board.set("pump", True, 60.0, "c1")
    rig.model.unplug(CHIP)
    rig.seconds(1.5)
    assert rig.row()["state"] is None
    with pytest.raises((HardwareFault, Refused)):
        rig.board.set("pump", True, 10.0, "c2")
    rig.model.plug(CHIP)
    rig.seconds(2.5)
    assert not rig.wire() and rig.row()["state"] is False
    rig.board.set("lamp", True, 10.0, "c3")
    assert rig.wire(22)


def test_a_lab_line_that_is_first_written_low_is_driven_low() -> None:
    rig = Rig()
    rig.model.pull(CHIP, 23, True)
    assert rig.row("gpio23")["state"] is None
    done = rig.board.set("gpio23", False, None, "c1")
    assert done["state"] is False and not rig.wire(23)
    assert rig.row("gpio23")["state"] is False


def test_safe_for_a_line_that_somebody_else_holds_is_a_fault_that_names_them() -> None:
    model = Model("pi3", "keep")
    other = GpioChip(model, "/dev/gpiochip0").request(17, Settings("output", True), "motor-daemon")
    rig = Rig(model)
    with pytest.raises(HardwareFault, match="motor-daemon"):
        rig.board.set("pump", False, None, "c1")
    other.close()


def test_an_output_that_could_not_be_had_says_who_has_it_and_one_that_came_back_says_nothing() -> None:
    model = Model("pi3", "keep")
    chip = GpioChip(model, model.chips()[0])
    held = chip.request(17, Settings("output"), "mower")
    rig = Rig(model)
    row = rig.row()
    assert row["state"] is None and 'held by "mower"' in row["fault"]
    assert rig.row("gpio23")["fault"] == ""  # nobody wrote it yet
    held.close()
    rig.seconds(3.0)
    assert (rig.row()["state"], rig.row()["fault"]) == (False, "")
    chip.close()


def test_all_safe_leaves_an_unwritten_lab_line_alone_unless_somebody_left_it_driven() -> None:
    rig = Rig()
    row = rig.board.safe_all()["gpio23"]
    assert (row["state"], row["fault"], row["why"]) == (None, "", WAITS)
    assert not [done for done in rig.model.record if done.what == "GET_LINE" and done.line == 23]
    chip = GpioChip(rig.model, rig.model.chips()[0])
    other = chip.request(23, Settings("output", True), "mower")
    assert rig.board.safe_all()["gpio23"]["state"] is None and rig.wire(23) is True  # it is the other's
    other.close()
    assert rig.wire(23) is True  # this kernel keeps what was driven
    assert rig.board.safe_all()["gpio23"]["state"] is False and rig.wire(23) is False
    chip.close()
