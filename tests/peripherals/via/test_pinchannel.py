"""Pins at channels of the hardware's PWM, over a model of the kernel's files."""

from __future__ import annotations

import pytest

from edge.peripherals.sysfs.model import Chip, PwmModel
from edge.peripherals.via import pinchannel
from edge.peripherals.via.pinreserved import Reserved
from tests.support.pins import Bench, gpiozero, places


@pytest.fixture
def bench():
    with made() as bench:
        yield bench


def made(**options):
    bench = Bench(pwm={"GPIO18": "pwmchip0/0", "J8:35": "fe20c000.pwm/1"}, **options)
    bench.factory.tree = PwmModel(pwmchip0=Chip("fe20c000.pwm", 2))
    return bench


def level(bench, channel):
    return bench.factory.tree.level("pwmchip0", channel)


def test_a_pwm_led_is_the_hardwares_and_its_line_is_never_asked_for(bench, recwarn) -> None:
    with gpiozero.PWMLED(18, frequency=5000, pin_factory=bench.factory) as led:
        led.value = 0.25
        assert level(bench, 0) == 0.25 and led.value == 0.25 and led.frequency == 5000
        assert bench.factory.tree.chips["pwmchip0"].channels[0]["period"] == "200000"
    assert level(bench, 0) == 0
    assert bench.calls(18) == [] and not recwarn.list


def test_a_servo_and_a_tone_have_their_own_periods(bench) -> None:
    with gpiozero.Servo(19, pin_factory=bench.factory) as servo:
        servo.max()
        assert level(bench, 1) == 0.1 and servo.value == 1
        servo.detach()
        assert servo.value is None and level(bench, 1) == 0
    with gpiozero.TonalBuzzer(18, pin_factory=bench.factory) as buzzer:
        buzzer.play("A4")
        assert bench.factory.tree.chips["pwmchip0"].channels[0]["period"] == str(round(1e9 / 440))
        assert level(bench, 0) == pytest.approx(0.5, abs=1e-6)


def test_rights_that_udev_gives_after_the_export_are_waited_for(bench, monkeypatch) -> None:
    chip = bench.factory.tree.chips["pwmchip0"]
    chip.slow = 3
    with gpiozero.PWMLED(18, pin_factory=bench.factory) as led:
        led.value = 0.5
        assert level(bench, 0) == 0.5 and chip.slow == 0
    monkeypatch.setattr(pinchannel, "PATIENCE", 0.05)
    chip.slow = 10_000
    with pytest.raises(gpiozero.PinError, match=r"cannot be opened.*udev"):
        gpiozero.PWMLED(19, pin_factory=bench.factory)


def test_nothing_is_touched_before_its_first_use_and_close_leaves_it_on(bench) -> None:
    pin = bench.factory.pin(18)
    assert pin.function == "output" and pin.frequency is None and bench.factory.tree.record == []
    pin.output_with_state(1)
    pin.close()
    assert level(bench, 0) == 1
    pin.function = "output"
    assert pin.state is True and level(bench, 0) == 1


def test_another_frequency_keeps_the_duty(bench) -> None:
    pin = bench.factory.pin(18)
    pin.function, pin.frequency, pin.state = "output", 100, 0.5
    for frequency in (10_000, 50):
        pin.frequency = frequency
        assert pin.state == 0.5 and level(bench, 0) == 0.5


def test_what_a_channel_cannot_do_is_gpiozeros_own_error(bench) -> None:
    pin = bench.factory.pin(18)
    with pytest.raises(gpiozero.PinInvalidFunction, match="it is an output"):
        gpiozero.Button(18, pin_factory=bench.factory)
    with pytest.raises(gpiozero.PinFixedPull):
        pin.pull = "up"
    for attribute, value in (("edges", "both"), ("bounce", 1), ("when_changed", print)):
        with pytest.raises(gpiozero.PinEdgeDetectUnsupported, match="has no edges"):
            setattr(pin, attribute, value)
    with pytest.raises(gpiozero.PinInvalidState, match="0 or 1"):
        pin.state = 0.5
    with pytest.raises(gpiozero.PinPWMUnsupported, match="at most"):
        pin.frequency = 2e6


def test_a_channel_that_is_not_there_or_refuses_is_told(bench) -> None:
    bench.factory.tree.chips.clear()
    with pytest.raises(gpiozero.PinError, match="no PWM chip pwmchip0"):
        gpiozero.PWMLED(18, pin_factory=bench.factory)


def test_a_channel_of_the_guard_is_refused_by_either_name() -> None:
    with made(reserved=(Reserved("fan", "fe20c000.pwm", channel=0),)) as bench:
        with pytest.raises(gpiozero.GPIOPinInUse, match="the output fan"):
            gpiozero.PWMLED(18, pin_factory=bench.factory)
        gpiozero.PWMLED(19, pin_factory=bench.factory).close()


def test_places_are_read_from_text_and_table() -> None:
    told = {"GPIO18": ("pwmchip0", 2), "19": ("fe20c000.pwm", 1)}
    assert places("GPIO18=pwmchip0/2, 19=fe20c000.pwm/1,") == places({"GPIO18": "pwmchip0/2", "19": "fe20c000.pwm/1"})
    assert places("GPIO18=pwmchip0/2,19=fe20c000.pwm/1") == told and places("") == {}
    for wrong in ("GPIO18", "GPIO18=", "GPIO18=pwmchip0", "GPIO18=/1", "GPIO18=pwmchip0/-1", "GPIO18=pwmchip0/1000"):
        with pytest.raises(ValueError, match="GPIO18=pwmchip0/2"):
            places(wrong)


@pytest.mark.parametrize("said", ["GPIO18", "GPIO99=pwmchip0/0"])
def test_a_mapping_that_is_none_is_told_at_the_start(said, monkeypatch) -> None:
    monkeypatch.setenv("FIELDHAND_PWM", said)
    with pytest.raises(gpiozero.BadPinFactory, match="pins at PWM channels"):
        Bench(pwm=None)
