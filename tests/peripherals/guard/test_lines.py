"""Outputs and contacts at lines of a modelled chip, under both ways in which kernels release a line."""

from __future__ import annotations

import errno

import pytest

from edge.call import Output, Sensor
from edge.faults import HardwareFault, UsageFault
from edge.peripherals.gpiochip import uapi
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.guard.held import consumer
from edge.peripherals.guard.lines import LinesPlant
from edge.peripherals.guard.owned import GpioLine, Owned, PwmChannel
from edge.peripherals.sysfs.model import Chip as PwmChip
from edge.peripherals.sysfs.model import PwmModel
from edge.record import replace

HEADER = "pinctrl-bcm2835"
PUMP = Output("pump", "Pump", "GPIO17")
DOOR = Sensor("door", "Door", "", "GPIO4", states=("open", "closed"))


@pytest.fixture(params=["keep", "input"])
def model(request):
    return Model("pi3", request.param)


def one(output: Output = PUMP, **wiring: object) -> Owned:
    """A board with one output, at GPIO17 unless said otherwise."""
    return Owned("lines", (output,), (), (GpioLine(output.name, **{"chip": "", "line": "GPIO17", **wiring}),))


def contact(sensor: Sensor = DOOR, **wiring: object) -> Owned:
    return Owned("lines", (), (sensor,), (GpioLine(sensor.name, **{"chip": "", "line": "GPIO4", **wiring}),))


def asked(model: Model, since: int = 0) -> list[str]:
    """The ioctls at lines since a point of the record, as `NAME value`, looks aside."""
    looks = ("GET_CHIPINFO", "GET_LINEINFO", "open")
    return [done.what for done in model.record[since:] if done.what not in looks]


def wire(model: Model, line: int = 17) -> list[bool]:
    """Every level that the wire ever had."""
    return [level for _, level in model.changes(HEADER, line)]


def other(model: Model, line: int, name: str = "relayd"):
    """Somebody else who holds a line."""
    return Chip(model, "/dev/gpiochip0").request(line, Settings("output", False), name)


def held(model: Model) -> dict[int, str]:
    """The lines of the header's chip that somebody holds."""
    return {offset: name for (path, offset), name in model.holders().items() if path == "/dev/gpiochip0"}


# --- outputs ---


def test_an_output_is_had_set_read_and_let_go_without_one_other_ioctl(model):
    plant = LinesPlant(one(), model)
    plant.drive("pump", 1.0, 0.0)
    assert model.outside(HEADER, 17) and plant.level("pump", 0.0) == 1.0
    plant.drive("pump", 0.0, 1.0)
    plant.close()
    assert asked(model) == [
        "GET_LINE",
        *("SET_VALUES", "GET_VALUES", "GET_VALUES"),
        *("SET_VALUES", "GET_VALUES"),
        *("SET_VALUES", "GET_VALUES"),
    ]
    request = next(done for done in model.record if done.what == "GET_LINE")
    assert request.flags == uapi.OUTPUT and request.value is False
    assert wire(model) == [False, True, False] and held(model) == {}


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("safe", [False, True])
def test_the_wire_shows_the_safe_value_from_the_first_moment_and_nothing_else(model, low, safe):
    model.pull(HEADER, 17, safe == low)  # before the guard, the board's pull has it the dangerous way
    LinesPlant(one(replace(PUMP, safe=safe), active_low=low), model)
    assert wire(model)[-1] is (safe != low)
    assert len(wire(model)) <= 3  # as it was at power-on, as it was pulled, safe
    assert asked(model) == ["GET_LINE"]


def test_a_line_is_held_under_the_outputs_name_in_what_the_kernel_keeps_of_it(model):
    LinesPlant(one(replace(PUMP, name="pump_behind_the_second_greenhouse")), model)
    assert list(held(model).values()) == [f"fieldhand:{'pump_behind_the_second_greenhouse'[:21]}"]
    assert len(consumer("é" * 40).encode()) <= 31


def test_what_is_read_back_otherwise_is_a_fault_and_the_level_is_what_is_read(model):
    plant = LinesPlant(one(), model)
    model.stick(HEADER, 17, False)
    with pytest.raises(HardwareFault, match="pump was told to be on and GPIO17 of pinctrl-bcm2835 reads off"):
        plant.drive("pump", 1.0, 0.0)
    assert plant.level("pump", 0.0) == 0.0
    model.stick(HEADER, 17, None)
    plant.drive("pump", 0.0, 1.0)


def test_a_write_that_fails_is_not_repeated_and_what_the_wire_does_is_read(model):
    plant = LinesPlant(one(), model)
    model.fail("SET_VALUES", errno.EIO, done=True)
    before = len(model.record)
    with pytest.raises(HardwareFault, match="its state is unknown"):
        plant.drive("pump", 1.0, 0.0)
    assert asked(model, before) == ["SET_VALUES"]
    assert plant.level("pump", 0.0) == 1.0
    model.fail("GET_VALUES", errno.EIO)
    assert plant.level("pump", 0.0) is None
    plant.drive("pump", 0.0, 1.0)
    assert not model.outside(HEADER, 17) and asked(model).count("GET_LINE") == 1


def test_a_level_between_is_refused_at_a_plain_line_and_nothing_is_switched(model):
    plant = LinesPlant(one(), model)
    before = len(model.record)
    for level in (0.5, -1.0, 2.0, float("nan")):
        with pytest.raises(UsageFault, match=r"takes no level between off and on \(wire it to a PWM channel"):
            plant.drive("pump", level, 0.0)
    assert model.record[before:] == []


def test_names_that_nobody_declared_are_usage_and_those_without_a_wire_are_faults(model):
    plant = LinesPlant(Owned("lines", (PUMP,), (DOOR,)), model)
    with pytest.raises(UsageFault, match="no output 'fan'"):
        plant.drive("fan", 1.0, 0.0)
    with pytest.raises(UsageFault, match="no sensor 'wind'"):
        plant.sense("wind", 0.0)
    with pytest.raises(HardwareFault, match="pump is wired nowhere"):
        plant.drive("pump", 1.0, 0.0)
    with pytest.raises(HardwareFault, match="door is wired nowhere"):
        plant.sense("door", 0.0)
    assert set(plant.missing) == {"pump", "door"} and plant.level("pump", 0.0) is None


# --- how it begins and ends ---


def left_on(model: Model, low: bool = False) -> None:
    """An earlier holder leaves the line as an output, active."""
    request = Chip(model, "/dev/gpiochip0").request(17, Settings("output", True, active_low=low), "before")
    request.close()


@pytest.mark.parametrize("low", [False, True])
def test_an_output_that_is_to_hold_is_found_as_it_was_left_without_a_glitch(model, low):
    left_on(model, low)
    kept = model.release == "keep"
    before, shown = len(model.record), wire(model)
    plant = LinesPlant(one(replace(PUMP, on_start="hold"), active_low=low), model)
    assert plant.level("pump", 0.0) == (1.0 if kept else 0.0)
    if kept:
        assert asked(model, before)[:3] == ["GET_LINE", "GET_VALUES", "SET_CONFIG"]
        assert wire(model) == shown
    else:  # the kernel's memory said output, the line itself had become an input: the safe value, not what it read
        assert wire(model)[-1] is low
    plant.drive("pump", 0.0, 0.0)
    assert model.outside(HEADER, 17) is low


def test_an_output_that_is_to_begin_safe_is_safe_whatever_was_left(model):
    left_on(model)
    LinesPlant(one(), model)
    assert not model.outside(HEADER, 17)


def test_a_line_that_was_an_input_is_not_held_but_made_safe(model):
    model.pull(HEADER, 17, True)
    plant = LinesPlant(one(replace(PUMP, on_start="hold")), model)
    assert plant.level("pump", 0.0) == 0.0


def test_a_failure_while_looking_at_what_was_left_leaves_no_line_half_held(model):
    left_on(model)
    model.fail("SET_CONFIG", errno.EIO)
    plant = LinesPlant(one(replace(PUMP, on_start="hold")), model)
    assert plant.missing["pump"].startswith("line 17 of pinctrl-bcm2835 could not be changed")
    assert held(model) == {}
    assert plant.retry(1.0) == ("pump",) and plant.missing == {}


@pytest.mark.parametrize(("on_exit", "on"), [("safe", False), ("hold", True)])
def test_the_end_is_safe_first_or_as_it_is_and_then_the_line_is_free(model, on_exit, on):
    plant = LinesPlant(one(replace(PUMP, on_exit=on_exit)), model)
    plant.drive("pump", 1.0, 0.0)
    model.pull(HEADER, 17, False)  # what an input would show
    plant.close()
    assert model.outside(HEADER, 17) is (on and model.release == "keep")
    assert held(model) == {}
    with pytest.raises(HardwareFault, match="released"):
        plant.drive("pump", 1.0, 0.0)


def test_all_outputs_are_safe_before_the_first_is_released_also_when_one_fails(model):
    valve = Output("valve", "Valve", "GPIO27")
    lines = (GpioLine("pump", "", "17"), GpioLine("valve", "", "27"))
    plant = LinesPlant(Owned("lines", (PUMP, valve), (), lines), model)
    plant.drive("pump", 1.0, 0.0)
    plant.drive("valve", 1.0, 0.0)
    model.fail("SET_VALUES", errno.EIO, line=17)
    held_then = []
    model.listen(lambda _chip, offset, _level, _ns: held_then.append((offset, len(held(model)))))
    plant.close()
    assert (27, 2) in held_then
    assert any(note.startswith("pump may not be safe") for note in plant.notes)


def test_a_lazy_line_is_taken_at_its_first_drive_with_that_value(model):
    plant = LinesPlant(one(lazy=True), model)
    assert asked(model) == [] and plant.level("pump", 0.0) is None and plant.missing == {} and plant.retry(1.0) == ()
    plant.drive("pump", 1.0, 2.0)
    request = next(done for done in model.record if done.what == "GET_LINE")
    assert request.value is True and wire(model) == [False, True]


def test_a_lazy_line_that_was_never_driven_is_not_touched_at_the_end(model):
    LinesPlant(one(lazy=True), model).close()
    assert asked(model) == []


def test_a_lazy_line_that_could_not_be_had_is_not_switched_on_later(model):
    holder = other(model, 17)
    plant = LinesPlant(one(lazy=True), model)
    with pytest.raises(HardwareFault, match="relayd"):
        plant.drive("pump", 1.0, 0.0)
    holder.close()
    assert plant.retry(10.0) == () and not model.outside(HEADER, 17)
    plant.drive("pump", 0.0, 11.0)
    assert plant.level("pump", 11.0) == 0.0 and True not in wire(model)


# --- what cannot be had, and what goes ---


def test_one_output_that_cannot_be_had_keeps_no_other_from_being_safe(model):
    fan = Output("fan", "Fan", "GPIO27", safe=True)
    valve = Output("valve", "Valve", "GPIO99")
    lamp = Output("lamp", "Lamp", "GPIO5")
    holder = other(model, 17)
    lines = (
        *(GpioLine("pump", "", "17"), GpioLine("valve", "", "GPIO99")),
        *(GpioLine("lamp", "expander", "5"), GpioLine("fan", HEADER, "GPIO27")),
    )
    plant = LinesPlant(Owned("lines", (PUMP, valve, lamp, fan), (), lines), model)
    assert model.outside(HEADER, 27) and plant.level("fan", 0.0) == 1.0
    assert set(plant.missing) == {"pump", "valve", "lamp"}
    with pytest.raises(
        HardwareFault, match=r'pump is not available: GPIO17 \(line 17 of pinctrl-bcm2835\) is held by "relayd"'
    ):
        plant.drive("pump", 1.0, 0.0)
    with pytest.raises(HardwareFault, match="has no line GPIO99"):
        plant.drive("valve", 0.0, 0.0)
    with pytest.raises(HardwareFault, match="no GPIO chip has the label expander"):
        plant.drive("lamp", 1.0, 0.0)
    assert plant.level("pump", 0.0) is None
    holder.close()
    assert plant.level("pump", 0.5) is None


def test_what_was_missing_is_asked_for_again_every_second_and_comes_back_safe(model):
    holder = other(model, 17)
    plant = LinesPlant(one(replace(PUMP, safe=True)), model)
    assert plant.retry(100.0) == ()
    holder.close()
    before = len(model.record)
    assert plant.retry(100.9) == () and model.record[before:] == []
    assert plant.retry(101.0) == ("pump",)
    assert model.outside(HEADER, 17) and plant.missing == {}
    assert plant.retry(102.5) == ()


def test_a_chip_that_goes_is_found_without_being_asked_and_its_lines_come_back_safe(model):
    plant = LinesPlant(Owned("lines", (PUMP,), (DOOR,), (*one().lines, *contact().lines)), model)
    plant.drive("pump", 1.0, 0.0)
    model.unplug(HEADER)
    assert plant.level("pump", 0.0) is None
    with pytest.raises(HardwareFault, match="the chip is gone"):
        plant.sense("door", 0.0)
    with pytest.raises(HardwareFault, match="pump is not available"):
        plant.drive("pump", 0.0, 0.0)
    assert plant.retry(1.0) == () and set(plant.missing) == {"pump", "door"}
    model.plug(HEADER)
    assert plant.retry(2.0) == ("pump",)
    assert plant.level("pump", 2.0) == 0.0 and wire(model) == [False] and plant.missing == {}
    assert plant.sense("door", 2.0).quality == "ok"


def test_a_chip_that_goes_while_nothing_happens_is_noticed_by_the_next_look(model):
    plant = LinesPlant(one(), model)
    plant.retry(0.0)
    model.unplug(HEADER)
    plant.retry(1.0)
    assert "pump" in plant.missing


def test_a_header_that_is_gone_is_not_taken_for_the_only_chip_that_is_left(model):
    plant = LinesPlant(one(line="5"), model)
    model.unplug(HEADER)
    for second in range(1, 4):
        assert plant.retry(float(second)) == ()
    assert model.holders() == {("/dev/gpiochip1", 2): "ACT"}
    assert "no GPIO chip has the label pinctrl-bcm2835" in plant.missing["pump"]


def test_a_held_output_whose_chip_returns_is_safe_although_it_was_to_hold(model):
    left_on(model)
    plant = LinesPlant(one(replace(PUMP, on_start="hold")), model)
    plant.drive("pump", 1.0, 0.0)
    model.unplug(HEADER)
    plant.retry(1.0)
    model.plug(HEADER)
    left_on(model)
    assert plant.retry(2.0) == ("pump",) and plant.level("pump", 2.0) == 0.0


# --- contacts ---


def test_a_contact_is_a_reading_that_says_where_it_comes_from(model):
    plant = LinesPlant(contact(bias="up"), model)
    reading = plant.sense("door", 5.0)
    assert (reading.value, reading.unit, reading.quality, reading.age) == (1.0, "", "ok", 0.0)
    assert reading.source == "GPIO4 of pinctrl-bcm2835"
    model.pull(HEADER, 4, False)
    assert plant.sense("door", 6.0).value == 0.0


@pytest.mark.parametrize("low", [False, True])
def test_a_contact_is_logical_and_reading_changes_nothing(model, low):
    plant = LinesPlant(contact(active_low=low, bias="down", debounce=0.005), model)
    request = next(done for done in model.record if done.what == "GET_LINE")
    assert request.flags == uapi.INPUT | uapi.PULL_DOWN | (uapi.ACTIVE_LOW if low else 0)
    assert request.debounce == 0.005
    before = len(model.record)
    assert plant.sense("door", 0.0).value == float(low)
    assert asked(model, before) == ["GET_VALUES"]


def test_a_contact_that_cannot_be_read_is_a_fault_and_never_a_value(model):
    plant = LinesPlant(contact(), model)
    model.fail("GET_VALUES", errno.EIO)
    with pytest.raises(HardwareFault, match="line 4 of pinctrl-bcm2835 cannot be read"):
        plant.sense("door", 0.0)
    assert plant.sense("door", 1.0).quality == "ok"
    other(model, 5)
    plant = LinesPlant(contact(line="5"), model)
    with pytest.raises(HardwareFault, match=r'door is not available: GPIO5 .* held by "relayd"'):
        plant.sense("door", 0.0)


def test_the_feedback_of_an_output_can_be_its_own_line(model):
    pump = replace(PUMP, feedback="flow")
    flow = Sensor("flow", "Flow", "", "GPIO17")
    for low, on in ((True, 1.0), (False, 0.0)):
        lines = (GpioLine("flow", HEADER, "17", active_low=low), GpioLine("pump", "", "GPIO17", active_low=True))
        plant = LinesPlant(Owned("lines", (pump,), (flow,), lines), model)
        assert plant.missing == {} and len(held(model)) == 1
        plant.drive("pump", 1.0, 0.0)
        assert plant.sense("flow", 0.0).value == on
        assert plant.retry(1.0) == ()
        plant.close()


# --- what is wired wrongly ---


@pytest.mark.parametrize("line", ["GPIO28", "28", "47", "SD_CLK_R", "LAN_RUN_BOOT", "53"])
def test_a_line_of_the_boards_own_is_never_asked_for(model, line):
    plant = LinesPlant(one(line=line), model)
    assert asked(model) == [] and plant.missing["pump"]
    assert plant.retry(1.0) == () and asked(model) == []


def test_lines_of_the_power_chip_are_never_asked_for(model):
    plant = LinesPlant(one(chip="raspberrypi-exp-gpio", line="WL_ON"), model)
    assert "the board's own" in plant.missing["pump"] and asked(model) == []


@pytest.mark.parametrize("lines", [("17", "GPIO17"), ("GPIO17", "17")])
def test_one_line_under_two_names_is_had_once_whichever_way_it_is_written(model, lines):
    valve = Output("valve", "Valve", "GPIO17", safe=True)
    wired = (GpioLine("pump", "", lines[0]), GpioLine("valve", HEADER, lines[1]))
    plant = LinesPlant(Owned("lines", (PUMP, valve), (DOOR,), (*wired, GpioLine("door", "", "17"))), model)
    assert asked(model) == ["GET_LINE"]
    for name in ("valve", "door"):
        assert plant.missing[name].startswith("GPIO17 of pinctrl-bcm2835 is pump already")


def test_a_line_with_another_common_use_is_had_and_told(model):
    plant = LinesPlant(one(line="GPIO14"), model)
    assert plant.missing == {}
    (note,) = plant.notes
    assert note.startswith("pump: line 14 ") and "console" in note


def test_a_chip_without_names_is_used_by_offset_and_its_lines_are_doubted():
    model = Model("generic")
    plant = LinesPlant(one(line="3"), model)
    plant.drive("pump", 1.0, 0.0)
    assert model.outside("9030000.pl061", 3)
    assert "has no name on this board" in plant.notes[0]


def test_the_header_of_a_board_with_many_chips_is_found_by_its_label():
    model = Model("pi5")
    LinesPlant(one(), model).drive("pump", 1.0, 0.0)
    assert model.outside("pinctrl-rp1", "GPIO17")


# --- channels ---


def channels(tree: PwmModel, model: Model, output: Output, **wiring: object) -> LinesPlant:
    wired = PwmChannel(output.name, **{"chip": "a.pwm", "channel": 0, **wiring})
    lines = (*one().lines, GpioLine("lamp", "", "27"))
    outputs = (output, PUMP, Output("lamp", "Lamp", "GPIO27"))
    return LinesPlant(Owned("lines", outputs, (), lines, (wired,)), model, tree=tree)


FAN = Output("fan", "Fan", "channel 0", pwm=True)


def test_a_channel_takes_levels_begins_safe_and_ends_safe(model):
    tree = PwmModel(pwmchip0=PwmChip("a.pwm", 2))
    plant = channels(tree, model, FAN, frequency=25000.0)
    assert tree.level("pwmchip0", 0) == 0.0 and plant.level("fan", 0.0) == 0.0
    plant.drive("fan", 0.4, 0.0)
    assert tree.level("pwmchip0", 0) == 0.4 and plant.level("fan", 0.0) == 0.4
    with pytest.raises(UsageFault, match="between 0 and 1"):
        plant.drive("fan", 1.5, 0.0)
    plant.close()
    assert tree.level("pwmchip0", 0) == 0.0 and tree.chips["pwmchip0"].exported == set()


def test_a_channel_that_must_run_when_nobody_holds_it_is_full_on_when_safe(model):
    tree = PwmModel(pwmchip0=PwmChip("a.pwm", 2))
    plant = channels(tree, model, replace(FAN, safe=True, on_exit="hold"), active_low=True)
    assert plant.level("fan", 0.0) == 1.0 and tree.level("pwmchip0", 0) == 0.0
    plant.drive("fan", 0.25, 0.0)
    plant.close()
    assert tree.level("pwmchip0", 0) == 0.75 and tree.chips["pwmchip0"].exported == {0}


def test_a_channel_that_is_not_there_keeps_no_line_from_being_safe_and_is_tried_again(model):
    tree = PwmModel()
    plant = channels(tree, model, FAN)
    plant.drive("pump", 1.0, 0.0)
    assert set(plant.missing) == {"fan"} and model.outside(HEADER, 17)
    with pytest.raises(HardwareFault, match=r"fan is not available: there is no PWM chip a\.pwm"):
        plant.drive("fan", 1.0, 0.0)
    tree.chips["pwmchip2"] = PwmChip("a.pwm", 1)
    assert plant.retry(1.0) == ("fan",) and tree.level("pwmchip2", 0) == 0.0


def test_a_channel_whose_chip_goes_and_comes_at_another_number_is_found_and_safe(model):
    tree = PwmModel(pwmchip0=PwmChip("a.pwm", 2))
    plant = channels(tree, model, FAN)
    plant.drive("fan", 0.5, 0.0)
    tree.chips.clear()
    assert plant.level("fan", 0.0) is None and plant.retry(1.0) == ()
    tree.chips.update(pwmchip0=PwmChip("b.pwm", 1), pwmchip1=PwmChip("a.pwm", 1))
    assert plant.retry(2.0) == ("fan",)
    assert tree.level("pwmchip1", 0) == 0.0 and tree.level("pwmchip0", 0) is None


def test_a_channel_that_was_exported_before_is_taken_over_and_told(model):
    tree = PwmModel(pwmchip0=PwmChip("a.pwm", 2))
    tree.chips["pwmchip0"].exported.add(0)
    plant = channels(tree, model, FAN)
    assert plant.missing == {} and "exported already" in plant.notes[0]


# --- lab lines ---


LAB = Output("lab", "lab line", "GPIO17", "high", on_start="hold")


def test_a_lab_line_that_a_killed_guard_left_driven_is_safe_with_the_next_start(model):
    left_on(model)
    plant = LinesPlant(one(LAB, lazy=True), model)
    assert not model.outside(HEADER, 17)
    if model.release == "keep":  # it was an output indeed: held at its safe value from now on
        assert plant.level("lab", 0.0) == 0.0 and held(model) == {17: consumer("lab")}
    else:  # the kernel's memory of it was wrong: it is an input, and nobody takes it before it is written
        assert plant.waits("lab") and held(model) == {}
        assert not [done for done in model.record if done.what == "SET_CONFIG"]


def test_a_lab_line_that_nobody_drove_or_somebody_holds_is_not_touched_at_the_start(model):
    plant = LinesPlant(one(LAB, lazy=True), model)
    assert plant.waits("lab") and not asked(model)
    holder = other(model, 17)
    holder.set(True)
    since = len(model.record)
    plant = LinesPlant(one(LAB, lazy=True), model)
    assert plant.waits("lab") and not asked(model, since) and model.outside(HEADER, 17)
    holder.close()
