from __future__ import annotations

import pytest

from edge.faults import HardwareFault
from edge.peripherals.sim.ds2482 import Bridge
from edge.peripherals.sim.onewire import Ds18b20, Wire, crc, rom

FIRST, SECOND = "28-060504030201", "28-0000000000ff"
SKIP, MATCH, READ_ROM, CONVERT, SCRATCHPAD, WRITE = 0xCC, 0x55, 0x33, 0x44, 0xBE, 0x4E


def wire(**values: float | None) -> Wire:
    """A line with parts by number, as first=21.5; None: it is not there."""

    def measured(name: str) -> float:
        value = values[name]
        if value is None:
            raise HardwareFault("it is broken off")
        return value

    numbers = {"first": FIRST, "second": SECOND}
    return Wire([Ds18b20(numbers[name], lambda name=name: measured(name)) for name in values])  # type: ignore[misc]


def scratchpad(line: Wire, *select: int) -> bytes:
    assert line.reset()
    for byte in (*select, SCRATCHPAD):
        line.write(byte)
    return bytes(line.read() for _ in range(9))


def converted(line: Wire, *select: int) -> bytes:
    assert line.reset()
    for byte in (*select, CONVERT):
        line.write(byte)
    assert line.touch(1) == 1  # done
    return scratchpad(line, *select)


def matching(number: str) -> tuple[int, ...]:
    return (MATCH, *rom(number).to_bytes(8, "little"))


def test_the_checksum_is_that_of_the_application_note() -> None:
    assert crc(bytes.fromhex("021cb801000000")) == 0xA2  # note 27, its example
    assert rom(FIRST).to_bytes(8, "little")[:7].hex() == "28010203040506"


@pytest.mark.parametrize("number", ["28-06050403020", "2806050403020", "28-06050403020g", "228-060504030201"])
def test_a_number_that_is_none_is_told(number: str) -> None:
    with pytest.raises(ValueError):
        rom(number)


@pytest.mark.parametrize(
    ("value", "shown"),  # the table of the datasheet
    [
        (125.0, "d007"),
        (85.0, "5005"),
        (25.0625, "9101"),
        (10.125, "a200"),
        (0.5, "0800"),
        (0.0, "0000"),
        (-0.5, "f8ff"),
        (-10.125, "5eff"),
        (-25.0625, "6ffe"),
        (-55.0, "90fc"),
        (-60.0, "90fc"),
    ],
)
def test_a_temperature_has_the_bits_of_the_datasheet(value: float, shown: str) -> None:
    found = converted(wire(first=value), SKIP)
    assert found[:2].hex() == shown and found[8] == crc(found[:8])


def test_before_a_conversion_it_shows_what_it_has_after_power_on() -> None:
    assert scratchpad(wire(first=20.0), SKIP)[:2].hex() == "5005"


def test_a_coarser_resolution_leaves_bits_out() -> None:
    line = wire(first=10.9375)
    line.reset()
    for byte in (SKIP, WRITE, 0, 0, 0x1F):
        line.write(byte)
    assert converted(line, SKIP)[:2].hex() == "a800"  # 10.5


def test_one_of_two_is_addressed_by_its_number() -> None:
    line = wire(first=21.5, second=-10.125)
    assert converted(line, *matching(FIRST))[:2].hex() == "5801"
    assert converted(line, *matching(SECOND))[:2].hex() == "5eff"
    line.reset()
    for byte in matching("28-000000000001"):
        line.write(byte)
    line.write(SCRATCHPAD)
    assert bytes(line.read() for _ in range(9)) == b"\xff" * 9  # nobody was meant


def test_the_only_part_says_its_number() -> None:
    line = wire(first=20.0)
    line.reset()
    line.write(READ_ROM)
    assert sum(line.read() << 8 * at for at in range(8)) == rom(FIRST)


def test_a_part_that_is_not_there_does_not_answer_a_reset() -> None:
    assert not wire(first=None).reset() and not Wire([]).reset()
    assert wire(first=None, second=20.0).reset()


class Master:
    """A driver of the bridge."""

    def __init__(self, line: Wire) -> None:
        self.bridge = Bridge(line)

    def status(self, *command: int) -> int:
        self.bridge.write(bytes(command))
        return self.bridge.read(1)[0]

    def search(self) -> list[int]:
        """All parts, by the steps of application note 187."""
        found: list[int] = []
        turns = [0]
        while turns:
            way = turns.pop()
            assert self.status(0xB4) & 0x02
            self.status(0xA5, 0xF0)
            number = 0
            for at in range(64):
                said = self.status(0x78, 0xFF if way >> at & 1 else 0)
                assert said & 0x60 != 0x60, "nobody is left"
                if not said & 0x60 and not way >> at & 1:
                    turns.append(number | 1 << at)
                number |= (said >> 7) << at
                if not said & 0x60 and way >> at & 1:
                    way = number
            found.append(number)
        return found


def test_a_search_by_triplets_finds_all_parts() -> None:
    assert sorted(Master(wire(first=1.0, second=2.0)).search()) == sorted([rom(FIRST), rom(SECOND)])


def test_a_search_without_parts_says_so() -> None:
    master = Master(Wire([]))
    assert not master.status(0xB4) & 0x02
    assert master.status(0x78, 0) & 0xE0 == 0xE0


def test_bytes_go_both_ways_over_the_bridge() -> None:
    master = Master(wire(first=-10.125))
    for command in (CONVERT, SCRATCHPAD):
        master.status(0xB4)
        master.status(0xA5, SKIP)
        master.status(0xA5, command)
    read = b""
    for _ in range(2):
        master.status(0x96)
        master.bridge.write(b"\xe1\xe1")
        read += master.bridge.read(1)
    assert read.hex() == "5eff"


def test_a_bit_is_read_from_the_status() -> None:
    master = Master(wire(first=20.0))
    assert master.status(0x87, 0xFF) & 0x20  # nobody pulls it
    assert not master.status(0x87, 0x00) & 0x20


def test_the_bridge_says_that_it_was_reset_until_it_is_configured() -> None:
    master = Master(Wire([]))
    assert master.status(0xF0) == 0x18
    assert master.status(0xD2, 0xE1) == 0x01
    assert master.status(0xE1, 0xF0) == 0x08
    assert master.status(0xE1, 0xC3) == 0x01


@pytest.mark.parametrize("command", [b"\xc3\xf0", b"\xd2\x01", b"\xe1\xd2", b"\x00", b"\xa5", b"\xb4\x00"])
def test_what_it_has_not_is_not_acknowledged(command: bytes) -> None:
    with pytest.raises(HardwareFault):
        Bridge(Wire([])).write(command)


def test_an_empty_message_finds_it() -> None:
    Bridge(Wire([])).write(b"")
