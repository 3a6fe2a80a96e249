from __future__ import annotations

import pytest

from edge.call import Sensor
from edge.faults import HardwareFault
from edge.peripherals.sim.parts import Part, measure, turned
from edge.peripherals.sim.registers import THERMOMETERS, Bus, ThermometerChip


def chip(name: str, value: float) -> ThermometerChip:
    return ThermometerChip(name, lambda: value)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("tmp105", 23.5, "1780"),
        ("tmp105", -10.25, "f580"),  # cut off to half degrees, downwards
        ("tmp105", 127.9, "7f80"),
        ("lm75", 125.0, "7d00"),
        ("lm75", 130.0, "7d00"),
        ("lm75", -55.0, "c900"),
        ("lm75", 0.6, "0080"),
        ("tmp102", 25.0, "1900"),  # the rows of the datasheet's table of 12-bit results
        ("tmp102", 0.25, "0040"),
        ("tmp102", -0.25, "ffc0"),
        ("tmp102", -25.0, "e700"),
        ("tmp102", 150.0, "7ff0"),
    ],
)
def test_a_temperature_has_the_bits_of_the_datasheet(name: str, value: float, shown: str):
    part = chip(name, value)
    part.write(b"\x00")
    assert part.read(2).hex() == shown


def test_a_finer_resolution_is_asked_for_in_the_configuration():
    part = chip("tmp105", -10.1875)
    part.write(b"\x01\x60")
    part.write(b"\x00")
    assert part.read(2).hex() == "f5d0"


@pytest.mark.parametrize(("value", "shown"), [(150.0, "4b01"), (128.0, "4001"), (-55.0, "e481")])
def test_the_extended_mode_reaches_higher_and_says_that_it_is_on(value: float, shown: str):
    part = chip("tmp102", value)
    part.write(b"\x01\x60\xb0")
    part.write(b"\x00")
    assert part.read(2).hex() == shown


def test_the_pointer_stays_and_read_only_bits_too():
    part = chip("tmp102", 20.0)
    part.write(b"\x01\x00\x00")
    assert part.read(2).hex() == part.read(2).hex() == "6020"
    part.write(b"\x00\x12\x34")
    assert part.read(2).hex() == "1400"


def test_beyond_a_register_the_bus_is_open():
    part = chip("lm75", 1.0)
    part.write(b"\x01")
    assert part.read(3).hex() == "00ffff"


@pytest.mark.parametrize(("name", "rest", "once"), [("tmp105", b"\x01\x01", b"\x01\x81")])
def test_at_rest_it_keeps_its_last_result_until_one_is_asked_for(name: str, rest: bytes, once: bytes):
    truth = [20.0]
    part = ThermometerChip(name, lambda: truth[0])
    part.write(rest)
    truth[0] = 30.0
    part.write(b"\x00")
    assert part.read(2).hex() == "1400"
    part.write(once)
    part.write(b"\x00")
    assert part.read(2).hex() == "1e00"


@pytest.mark.parametrize("name", THERMOMETERS)
def test_every_chip_wakes_with_the_limits_of_the_datasheet(name: str):
    part = chip(name, 20.0)
    for register, limit in ((2, "4b00"), (3, "5000")):
        part.write(bytes([register]))
        assert part.read(2).hex() == limit


def test_it_is_fed_by_the_part_model_with_its_modes():
    parts = [Part(Sensor("t0", "t0", "C", "sim"), -55.0, 125.0, 1, "I2C 1/0x48")]
    bus = Bus({0x48: ThermometerChip("lm75", lambda: measure(parts[0], 21.5, 0.0, 0.0).value or 0.0)})
    bus.write(0x48, b"\x00")
    assert bus.read(0x48, 2).hex() == "1580"
    parts[0] = turned(parts[0], "nak", 21.5, 0.0)
    for ask in (lambda: bus.read(0x48, 2), lambda: bus.write(0x48, b"")):
        with pytest.raises(HardwareFault, match="did not acknowledge"):
            ask()


def test_nobody_answers_at_an_empty_address():
    with pytest.raises(HardwareFault, match="nobody acknowledged at 0x49"):
        Bus({0x48: chip("lm75", 1.0)}).write(0x49, b"")
