"""Which line may carry what: refused, doubted, free."""

from __future__ import annotations

import pytest

from edge.call import Output, Sensor
from edge.peripherals.guard.owned import GpioLine, Owned, PwmChannel
from edge.peripherals.guard.wiring import barred, doubtful, refusals, warnings


def board(*lines: GpioLine, channels: tuple[PwmChannel, ...] = (), pump: Output | None = None) -> Owned:
    outputs = (pump or Output("pump", "Pump", ""), Output("valve", "Valve", ""))
    names = [one.name for one in (*lines, *channels)]
    sensors = tuple(Sensor(name, name, "", "") for name in ("door", "flow") if name in names)
    return Owned("lines", tuple(one for one in outputs if one.name in names), sensors, lines, channels)


@pytest.mark.parametrize("line", ["GPIO28", "28", "GPIO47", "53"])
@pytest.mark.parametrize("chip", ["", "pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"])
def test_lines_above_the_header_are_the_boards_own_and_refused(chip: str, line: str) -> None:
    (sentence,) = refusals(board(GpioLine("pump", chip, line)))
    assert sentence.startswith("pump: ") and f"{line} is not at the header" in sentence


@pytest.mark.parametrize("chip", ["raspberrypi-exp-gpio", "gpio-brcmstb@107d508500", "brcmvirt-gpio"])
def test_every_line_of_a_chip_that_serves_the_board_is_refused(chip: str) -> None:
    (sentence,) = refusals(board(GpioLine("pump", chip, "3")))
    assert sentence.startswith(f"pump: line 3 is at {chip}") and "the board's own" in sentence


@pytest.mark.parametrize("line", ["RELAY_2", "PA10", "GPIO60", "SD_CLK_R"])
def test_a_name_of_a_chip_not_looked_for_yet_is_judged_when_the_chip_is_there(line: str) -> None:
    owned = board(GpioLine("pump", "", line))
    assert refusals(owned) == () and warnings(owned) == ()


def test_a_number_beyond_the_header_says_how_another_board_is_meant() -> None:
    assert refusals(board(GpioLine("pump", "", "40")))[0].endswith("say the label of its chip")


def test_on_other_chips_high_numbers_are_lines_like_any_other() -> None:
    assert refusals(board(GpioLine("pump", "pl061", "28"))) == ()
    assert barred("mcp23017", "40") == "" and doubtful("mcp23017", "RELAY_2") == ""


@pytest.mark.parametrize("line", ["GPIO4", "17", "GPIO27"])
def test_the_headers_common_lines_pass_without_a_word(line: str) -> None:
    owned = board(GpioLine("pump", "", line))
    assert refusals(owned) == () and warnings(owned) == ()


@pytest.mark.parametrize(
    ("line", "word"), [("0", "EEPROM"), ("GPIO1", "EEPROM"), ("2", "I2C"), ("GPIO14", "console"), ("ID_SDA", "EEPROM")]
)
def test_lines_with_another_common_use_are_doubted_and_not_refused(line: str, word: str) -> None:
    owned = board(GpioLine("pump", "", line))
    assert refusals(owned) == ()
    (sentence,) = warnings(owned)
    assert sentence.startswith("pump: ") and word in sentence


def test_two_names_for_one_line_are_refused_however_the_line_is_written() -> None:
    for lines in (("GPIO17", "17"), ("17", "GPIO17"), ("TXD1", "GPIO14"), ("14", "TXD1")):
        owned = board(GpioLine("pump", "", lines[0]), GpioLine("valve", "pinctrl-rp1", lines[1]))
        (sentence,) = refusals(owned)
        assert sentence.endswith("has two names: pump and valve")
    assert refusals(board(GpioLine("pump", "a", "1"), GpioLine("valve", "b", "1"))) == ()


def test_an_input_at_an_outputs_line_is_refused_unless_it_is_its_feedback() -> None:
    lines = (GpioLine("flow", "", "17"), GpioLine("pump", "", "GPIO17"))
    assert refusals(board(*lines)) == ("line 17 has two names: pump and flow",)
    assert refusals(board(*lines, pump=Output("pump", "Pump", "", feedback="flow"))) == ()
    assert refusals(board(*lines, pump=Output("pump", "Pump", "", feedback="door"))) != ()


def test_what_is_wired_nowhere_or_twice_to_a_channel_is_refused() -> None:
    owned = Owned("lines", (Output("pump", "", ""),), (Sensor("door", "", "", ""),))
    assert refusals(owned) == ("pump is declared but wired nowhere", "door is declared but wired nowhere")
    twice = (PwmChannel("pump", "pwmchip0", 1), PwmChannel("valve", "pwmchip0", 1))
    assert refusals(board(channels=twice)) == ("channel 1 of pwmchip0 has two names: pump and valve",)
    assert refusals(board(channels=(PwmChannel("door", "pwmchip0", 1),))) == (
        "door is no output and cannot be a PWM channel",
    )


def test_a_level_between_off_and_on_needs_a_channel_of_the_hardware() -> None:
    owned = board(GpioLine("pump", "", "17"), pump=Output("pump", "Pump", "", pwm=True))
    (sentence,) = refusals(owned)
    assert "takes no level between off and on" in sentence and "gpiozero" in sentence


def test_a_simulated_board_has_no_wiring() -> None:
    assert refusals(Owned()) == () and warnings(Owned()) == ()


def test_what_a_line_is_for_at_a_header_is_told_of_no_other_chip() -> None:
    owned = board(GpioLine("pump", "", "3"), GpioLine("valve", "", "GPIO14"))
    assert (
        [one.partition(":")[0] for one in warnings(owned)]
        == ["pump", "valve"]
        == [one.partition(":")[0] for one in warnings(owned, "pinctrl-rp1")]
    )
    assert warnings(owned, "9030000.pl061") == ()
    assert warnings(board(GpioLine("pump", "", "GPIO40")), "pinctrl-rp1") == ()  # refused, which says more
