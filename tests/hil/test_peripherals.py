"""Lines, sensors and the second serial port go the whole way: from the host over a real kernel to the board's Python.

The guest's side are programs for the board's own Python, typed at its console; the host's side is the bench.
"""

from __future__ import annotations

import re

import pytest

from hil.agent import Agent
from hil.protocols import Bench
from hil.resources import Board

pytestmark = pytest.mark.emulated
READ, DRIVEN = 17, 27
CHIP = """
import sys
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.seam import Kernel
chip, line = Chip(Kernel(), sys.argv[1]), int(sys.argv[2])
"""
LEVEL = (
    CHIP
    + """
print("level", int(chip.request(line, Settings("input"), "hil").get()))
"""
)
# Held as long as the program runs: it goes on when Enter comes.
DRIVE = (
    CHIP
    + """
held = chip.request(line, Settings("output", False), "hil")
for level in (False, True, False):
    held.set(level)
    input(f"driven {int(level)}\\n")
"""
)
# The two bytes of register 0 of a TMP105: its temperature in 256ths of a degree.
MEASURED = """
import sys
from smbus2 import SMBus
with SMBus(int(sys.argv[1])) as bus:
    data = bus.read_i2c_block_data(int(sys.argv[2]), 0, 2)
print("measured", int.from_bytes(bytes(data), "big", signed=True) / 256)
"""
IIO = "/sys/bus/i2c/devices/1-001e/iio:device0"
ABSENT = """
import errno, sys
from smbus2 import SMBus
with SMBus(int(sys.argv[1])) as bus:
    try:
        bus.read_byte(0x2F)
    except OSError as error:
        print("refused", errno.errorcode[error.errno])
"""
TALK = """
import sys
from serial import Serial
with Serial(sys.argv[1], 115200, timeout=300) as port:
    port.write(b"HELLO\\n")
    print("heard", port.read_until(b"\\n").decode().strip())
"""


@pytest.mark.needs("lines")
def test_a_level_that_the_host_sets_is_read_through_the_kernel(board: Board, bench: Bench, agent: Agent) -> None:
    for level in (0, 1, 0):
        bench.lines.set(READ, level)
        assert f"level {level}\n" in agent.python(LEVEL, board.guest.lines, str(READ))
    bench.lines.set(READ, 1)
    bench.lines.release(READ)
    assert "level 0\n" in agent.python(LEVEL, board.guest.lines, str(READ))


@pytest.mark.needs("lines")
def test_a_level_that_the_board_drives_is_seen_by_the_host(board: Board, bench: Bench, agent: Agent) -> None:
    with agent.program(DRIVE, board.guest.lines, str(DRIVEN)) as program:
        for level in (0, 1, 0):
            program.expect(rf"driven {level}\n")
            assert bench.lines.level(DRIVEN) == level
            with pytest.raises(OSError, match=f"line {DRIVEN} is an output of the board"):
                bench.lines.set(DRIVEN, 1)
            program.line("")
    assert bench.lines.level(DRIVEN) == 0


@pytest.mark.needs("parts")
def test_a_temperature_that_the_host_sets_is_read_over_the_bus(board: Board, bench: Bench, agent: Agent) -> None:
    bus, address = str(board.guest.bus), str(board.parts["t0"].address)
    # At the resolution that the part has after a start, half a degree: it rounds down.
    for value, read in ((23.5, 23.5), (85.0, 85.0), (-10.25, -10.5)):
        bench.parts.set("t0", value)
        assert bench.parts.value("t0") == value
        assert f"measured {read}\n" in agent.python(MEASURED, bus, address)


@pytest.mark.needs("iio")
def test_a_field_that_the_host_sets_is_read_through_industrial_io(board: Board, bench: Bench, agent: Agent) -> None:
    part = board.parts["m0"]
    agent.must(
        f"modprobe st_magn_i2c; echo lsm303dlhc_magn {part.address:#x} >/sys/bus/i2c/devices/i2c-{part.bus}/new_device"
    )
    for value in (48.0, 21.5):
        bench.parts.set("m0", value, "mag-x")
        raw, scale = agent.must(f"cat {IIO}/in_magn_x_raw {IIO}/in_magn_x_scale").split()
        assert abs(int(raw) * float(scale) * 100 - value) < 0.2  # gauss; a step of the part is 0.09 µT


@pytest.mark.needs("parts")
def test_an_address_where_nothing_is_does_not_answer(board: Board, agent: Agent) -> None:
    said = agent.python(ABSENT, str(board.guest.bus))
    assert re.search(r"refused E(REMOTE)?IO\n", said), said  # as each driver of an adapter has it


@pytest.mark.needs("parts")
def test_a_value_beyond_the_part_is_refused(bench: Bench, agent: Agent) -> None:
    with pytest.raises(OSError, match="t0 cannot measure 300"):
        bench.parts.set("t0", 300.0)


@pytest.mark.needs("port")
def test_bytes_go_both_ways_over_the_second_port(board: Board, bench: Bench, agent: Agent) -> None:
    with agent.program(TALK, board.guest.port) as program:
        bench.port.expect(b"HELLO\n")
        bench.port.send(b"SENSOR 42\n")
        program.expect(r"heard SENSOR 42\n")
