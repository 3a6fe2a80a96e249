from __future__ import annotations

from collections.abc import Callable

import pytest

from edge.faults import HardwareFault, UsageFault
from hil.drivers.far_parts import BUS, FarParts
from hil.resources import Part, named


@pytest.fixture
def parts() -> FarParts:
    return FarParts(named("virt").parts)


def raw(parts: FarParts) -> float:
    """What the thermometer's registers say."""
    parts.adapter.bus.write(0x48, b"\0")
    return int.from_bytes(parts.adapter.bus.read(0x48, 2), "big", signed=True) / 256


def test_every_part_is_named_with_what_it_measures(parts: FarParts) -> None:
    known = {"t0": ("temperature",), "climate": ("temperature", "humidity", "pressure"), "water": ("temperature",)}
    assert {name: parts.names()[name] for name in known} == known and [*parts.names()] == [*named("virt").parts]


def test_what_is_set_is_in_the_registers(parts: FarParts) -> None:
    for value in (25.5, -40.0, 125.0):
        parts.set("t0", value)
        assert raw(parts) == parts.value("t0") == value


def test_a_part_with_many_quantities_wants_one_named(parts: FarParts) -> None:
    parts.set("climate", 80.0, "humidity")
    assert parts.value("climate", "humidity") == 80.0
    with pytest.raises(UsageFault, match=r"climate measures several things.*temperature, humidity, pressure"):
        parts.set("climate", 20.0)
    with pytest.raises(UsageFault, match="t0 measures no 'light'"):
        parts.value("t0", "light")


def test_modes_are_those_of_the_simulated_board(parts: FarParts) -> None:
    parts.set("t0", 20.0)
    parts.mode("t0", "stuck")
    parts.set("t0", 30.0)
    assert raw(parts) == 20.0
    parts.mode("t0", "jump=5")
    assert raw(parts) == 35.0
    parts.mode("t0", "nak")
    with pytest.raises(HardwareFault, match="t0 did not acknowledge"):
        raw(parts)
    parts.mode("t0", "ok")
    assert raw(parts) == 30.0


def three(parts: FarParts) -> bytes:
    """A reading of all that the BME280 measures, in one message; the status is asked before."""
    bus = parts.adapter.bus
    for register, count in ((0xF3, 1), (0xF7, 8)):
        bus.write(0x76, bytes([register]))
        found = bus.read(0x76, count)
    return found


def scratchpad(parts: FarParts) -> list[int]:
    """A reading of the 1-wire thermometer through its bridge; HardwareFault when no part answers the reset."""
    bus, found = parts.adapter.bus, []
    bus.write(0x18, b"\xb4")
    if not bus.read(0x18, 1)[0] & 2:
        raise HardwareFault("nobody is on the wire")
    for byte in (0xCC, 0xBE):
        bus.write(0x18, bytes([0xA5, byte]))
    for _ in range(9):
        bus.write(0x18, b"\x96")
        bus.write(0x18, b"\xe1\xe1")
        found += bus.read(0x18, 1)
    return found


@pytest.mark.parametrize(
    "name, address, reading", [("t0", 0x48, raw), ("climate", 0x76, three), ("water", 0x18, scratchpad)]
)
def test_a_part_gives_as_many_readings_as_it_was_told_before_it_fails(
    parts: FarParts, name: str, address: int, reading: Callable[[FarParts], object]
) -> None:
    """Counted as the simulated board counts them (tests/peripherals/sim/test_parts.py); a look for a part is none."""
    parts.mode(name, "nak=3")
    first = reading(parts)
    for _ in range(2):
        parts.adapter.bus.write(address, b"")
        assert reading(parts) == first
    with pytest.raises(HardwareFault):
        reading(parts)


def test_each_quantity_of_a_part_counts_its_own_readings(parts: FarParts) -> None:
    """The first that is used up takes the part along: it has one address."""
    bus = parts.adapter.bus
    parts.mode("climate", "nak=2")
    for register, count in ((0xFA, 3), (0xFD, 2), (0xF7, 3), (0xFA, 3)):
        bus.write(0x76, bytes([register]))
        assert len(bus.read(0x76, count)) == count
    with pytest.raises(HardwareFault, match="climate did not acknowledge"):
        bus.write(0x76, b"\xfd")


def test_what_is_no_value_is_no_reading(parts: FarParts) -> None:
    bus = parts.adapter.bus
    parts.mode("t0", "nak=1")
    for _ in range(3):
        bus.write(0x48, b"\x01")
        assert bus.read(0x48, 1) == b"\0"
    assert raw(parts) == 20.0
    with pytest.raises(HardwareFault):
        bus.write(0x48, b"\x01")


def test_a_1_wire_part_that_fails_leaves_its_bridge(parts: FarParts) -> None:
    bus = parts.adapter.bus
    for mode, answered in (("ok", 2), ("nak", 0)):
        parts.mode("water", mode)
        bus.write(0x18, b"\xb4")
        assert bus.read(0x18, 1)[0] & 2 == answered


def test_the_bus_has_modes_of_its_own(parts: FarParts) -> None:
    parts.mode(BUS, "stuck")
    parts.mode(BUS, "ok")
    with pytest.raises(UsageFault, match="'nak' is no mode of an I2C bus"):
        parts.mode(BUS, "nak")


@pytest.mark.parametrize("mode", ["broken", "drift", "nak=-1", "nak=x", "ok=3", ""])
def test_a_word_that_is_no_mode_is_told(parts: FarParts, mode: str) -> None:
    with pytest.raises(UsageFault, match="ok, nak, nak=READS"):
        parts.mode("t0", mode)


@pytest.mark.parametrize("value", [300.0, -56.0, float("nan"), float("inf")])
def test_what_a_part_cannot_measure_is_refused(parts: FarParts, value: float) -> None:
    with pytest.raises(HardwareFault, match=r"t0 cannot measure .*it measures -55 to 127.938 C"):
        parts.set("t0", value)


def test_a_name_that_is_none_is_told_with_the_near_one(parts: FarParts) -> None:
    with pytest.raises(UsageFault, match=r"no part 'watr'.*did you mean water"):
        parts.set("watr", 20.0)


def test_a_kind_that_is_not_known_is_told() -> None:
    with pytest.raises(UsageFault, match=r"x is a 'tmp999'.*tmp105, .*lm75"):
        FarParts({"x": Part("tmp999", 0, 0x48)})
