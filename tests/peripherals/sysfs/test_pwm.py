"""PWM channels over a model of the kernel's files: levels, order of writes, who has a channel, chips that go."""

from __future__ import annotations

import pytest

from edge.faults import HardwareFault
from edge.peripherals.sysfs.model import Chip, PwmModel
from edge.peripherals.sysfs.pwm import Channel, find


def board(channels: int = 2) -> PwmModel:
    return PwmModel(pwmchip0=Chip("fe20c000.pwm", channels), pwmchip3=Chip("1f00098000.pwm", 4))


def taken(tree: PwmModel, frequency: float = 1000.0, inverted: bool = False, level: float = 0.0) -> Channel:
    channel = Channel(tree, "pwmchip0", 1, frequency, inverted)
    channel.take(level)
    return channel


def writes(tree: PwmModel) -> list[tuple[str, str]]:
    """What was written since the last call, by the names of the attributes."""
    found = [(path.rpartition("/")[2], text) for path, text in tree.record]
    tree.record.clear()
    return found


def test_a_channel_is_exported_given_a_period_then_a_duty_and_enabled() -> None:
    tree = board()
    channel = taken(tree)
    order = [name for name, _ in writes(tree)]
    assert order[:2] == ["export", "period"] and order[-1] == "enable"
    assert tree.chips["pwmchip0"].channels[1] == {
        "period": "1000000",
        "duty_cycle": "0",
        "enable": "1",
        "polarity": "normal",
    }
    assert channel.get() == 0.0 and not channel.taken_over


@pytest.mark.parametrize("level", [0.0, 0.1, 1 / 3, 0.5, 0.999999, 1.0])
def test_a_level_is_read_back_as_it_was_given(level: float) -> None:
    tree = board()
    channel = taken(tree, 25000.0)
    channel.set(level)
    assert channel.get() == level
    assert tree.level("pwmchip0", 1) == pytest.approx(level, abs=1 / 40000)


def test_a_servo_gets_pulses_of_one_to_two_milliseconds_at_50_hz() -> None:
    tree = board()
    channel = taken(tree, 50.0)
    for milliseconds in (1.0, 1.5, 2.0):
        channel.set(milliseconds / 20.0)
        said = tree.chips["pwmchip0"].channels[1]
        assert (said["period"], said["duty_cycle"]) == ("20000000", str(int(milliseconds * 1e6)))


def test_an_active_low_output_is_inverted_by_the_chip_before_it_is_enabled() -> None:
    tree = board()
    channel = taken(tree, inverted=True)
    order = [name for name, _ in writes(tree)]
    assert order.index("period") < order.index("polarity") < order.index("enable")
    assert tree.level("pwmchip0", 1) == 1.0
    channel.set(0.25)
    assert tree.level("pwmchip0", 1) == 0.75 and channel.get() == 0.25


def test_setting_writes_the_duty_alone() -> None:
    tree = board()
    channel = taken(tree)
    writes(tree)
    channel.set(0.5)
    channel.set(0.0)
    assert writes(tree) == [("duty_cycle", "500000"), ("duty_cycle", "0")]


@pytest.mark.parametrize(("before", "duty"), [(20_000_000, 19_000_000), (10_000, 10_000), (1_000_000, 0)])
@pytest.mark.parametrize("level", [0.0, 1.0])
def test_a_running_channel_is_taken_over_without_a_refused_or_wider_step(before: int, duty: int, level: float) -> None:
    tree = board()
    chip = tree.chips["pwmchip0"]
    chip.exported.add(1)
    chip.channels[1] = {"period": str(before), "duty_cycle": str(duty), "enable": "1", "polarity": "normal"}
    channel = taken(tree, level=level)
    assert channel.taken_over and channel.get() == level
    assert "export" not in [name for name, _ in writes(tree)]
    channel.close()
    assert 1 in chip.exported and tree.level("pwmchip0", 1) == level


def test_a_running_channel_of_the_other_polarity_is_disabled_before_it_is_turned() -> None:
    tree = board()
    chip = tree.chips["pwmchip0"]
    chip.exported.add(1)
    chip.channels[1] = {"period": "500", "duty_cycle": "400", "enable": "1", "polarity": "inversed"}
    assert taken(tree).get() == 0.0
    names = [name for name, _ in writes(tree)]
    assert names.index("enable") < names.index("polarity") and tree.level("pwmchip0", 1) == 0.0


def test_what_is_to_hold_keeps_the_level_it_has_at_the_declared_frequency() -> None:
    tree = board()
    chip = tree.chips["pwmchip0"]
    chip.exported.add(1)
    chip.channels[1] = {"period": "2000", "duty_cycle": "500", "enable": "1", "polarity": "normal"}
    channel = Channel(tree, "pwmchip0", 1, 1000.0)
    channel.take(0.0, hold=True)
    assert channel.get() == 0.25 and chip.channels[1]["period"] == "1000000"
    channel.close(hold=True)
    assert tree.level("pwmchip0", 1) == 0.25


def test_holding_what_does_not_run_gives_the_safe_level() -> None:
    tree = board()
    channel = Channel(tree, "pwmchip0", 1, 1000.0)
    channel.take(0.0, hold=True)
    assert channel.get() == 0.0


def test_closing_gives_back_what_was_exported_here_and_leaves_its_level() -> None:
    tree = board()
    channel = taken(tree)
    channel.set(1.0)
    writes(tree)
    channel.close()
    assert writes(tree) == [("unexport", "1")] and tree.chips["pwmchip0"].exported == set()
    assert tree.level("pwmchip0", 1) == 1.0
    channel.close()
    with pytest.raises(HardwareFault, match="not held"):
        channel.set(0.0)


def test_a_channel_that_a_driver_of_the_kernel_has_is_not_taken() -> None:
    tree = board()
    tree.chips["pwmchip0"].drivers.add(1)
    with pytest.raises(HardwareFault, match="held by a driver of the kernel"):
        taken(tree)


def test_two_guards_do_not_share_a_channel() -> None:
    tree = board()
    first = taken(tree)
    with pytest.raises(HardwareFault, match="held by another guard"):
        taken(tree)
    assert first.get() == 0.0
    first.close(hold=True)
    assert taken(tree).taken_over


@pytest.mark.parametrize(
    ("chip", "folder"), [("pwmchip3", "pwmchip3"), ("1f00098000.pwm", "pwmchip3"), ("fe20c000.pwm", "pwmchip0")]
)
def test_a_chip_is_found_by_its_folder_or_its_device(chip: str, folder: str) -> None:
    assert find(board(), chip) == f"/sys/class/pwm/{folder}"


def test_a_chip_that_is_not_there_or_not_alone_is_a_sentence_with_those_that_are() -> None:
    with pytest.raises(HardwareFault, match=r"no PWM chip pwmchip9 \(there are: pwmchip0 \(fe20c000.pwm\), pwmchip3"):
        find(board(), "pwmchip9")
    with pytest.raises(HardwareFault, match="dtoverlay=pwm"):
        find(PwmModel(), "pwmchip0")
    with pytest.raises(HardwareFault, match="has several PWM chips: pwmchip0, pwmchip1"):
        find(PwmModel(pwmchip0=Chip("a.pwm", 1), pwmchip1=Chip("a.pwm", 1)), "a.pwm")


def test_a_channel_beyond_the_chips_is_a_sentence() -> None:
    with pytest.raises(HardwareFault, match="no channel 1 of pwmchip0: it has 1"):
        taken(board(1))


def test_missing_rights_a_frequency_too_high_and_a_shared_period_are_sentences() -> None:
    tree = board()
    tree.chips["pwmchip0"].rights = False
    with pytest.raises(HardwareFault, match=r"cannot be exported.*udev rule"):
        taken(tree)
    tree = board()
    tree.chips["pwmchip0"].shortest = 10_000
    with pytest.raises(HardwareFault, match=r"did not take 100 as its period.*another frequency"):
        taken(tree, 10_000_000.0)
    tree.chips["pwmchip0"].shared = True
    Channel(tree, "pwmchip0", 0, 50.0).take(0.0)
    with pytest.raises(HardwareFault, match="they share one"):
        taken(tree)


def test_what_reads_back_otherwise_is_a_fault_and_what_others_wrote_is_told() -> None:
    tree = board()
    channel = taken(tree)
    tree.chips["pwmchip0"].stuck.add("duty_cycle")
    with pytest.raises(HardwareFault, match="was given 500000 of 1000000 ns and reads 0 of 1000000 ns"):
        channel.set(0.5)
    assert channel.get() == 0.0
    tree.chips["pwmchip0"].channels[1]["duty_cycle"] = "250000"
    assert channel.get() == 0.25
    tree.chips["pwmchip0"].channels[1]["enable"] = "0"
    with pytest.raises(HardwareFault, match="is disabled"):
        channel.get()


def test_a_channel_that_something_disabled_is_enabled_by_the_next_set() -> None:
    tree = board()
    channel = taken(tree)
    tree.chips["pwmchip0"].channels[1]["enable"] = "0"
    channel.set(0.0)
    assert tree.level("pwmchip0", 1) == 0.0


def test_a_chip_that_goes_is_a_fault_and_its_number_given_to_another_is_not_written_to() -> None:
    tree = board()
    channel = taken(tree)
    tree.chips["pwmchip0"] = Chip("other.pwm", 2)
    tree.chips["pwmchip0"].exported.add(1)
    with pytest.raises(HardwareFault, match="No such device"):
        channel.set(1.0)
    assert tree.level("pwmchip0", 1) is None
    channel.close()


def test_rights_that_come_after_the_export_are_waited_for_by_the_next_try() -> None:
    tree = board()
    tree.chips["pwmchip0"].slow = 1
    channel = Channel(tree, "pwmchip0", 1, 1000.0)
    with pytest.raises(HardwareFault, match="cannot be opened"):
        channel.take(0.0)
    channel.take(0.0)
    assert channel.get() == 0.0 and not channel.taken_over
    channel.close()
    assert tree.chips["pwmchip0"].exported == set()
