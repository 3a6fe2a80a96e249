"""What only the lab bench can: parts behind the kernel's own drivers, parts and buses that fail, edges, 1-wire.

The parts are the models of the simulated board; what is read of them went through Debian's kernel and its drivers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from edge.faults import HardwareFault
from hil.agent import Agent
from hil.drivers.far_parts import BUS, FarParts
from hil.drivers.lab import Lab
from hil.protocols import Bench
from hil.resources import Board

pytestmark = [pytest.mark.emulated, pytest.mark.needs("faults")]
BRIDGE, LINE, RELAY = 0x18, 22, 23
SCAN = """
import sys
from smbus2 import SMBus
with SMBus(int(sys.argv[1])) as bus:
    for address in range(8, 0x78):
        try:
            bus.write_quick(address)
        except OSError:
            continue
        print(f"found {address:#x}")
"""
REGISTER = """
import errno, sys
from smbus2 import SMBus
with SMBus(int(sys.argv[1])) as bus:
    try:
        data = bus.read_i2c_block_data(int(sys.argv[2], 0), 0, 2)
        print("measured", int.from_bytes(bytes(data), "big", signed=True) / 256)
    except OSError as error:
        print("refused", errno.errorcode[error.errno])
"""
EDGES = """
import select, sys
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.seam import Kernel
line = Chip(Kernel(), sys.argv[1]).request(int(sys.argv[2]), Settings("input", edges=sys.argv[3]), "hil")
print("level", int(line.get()))
for _ in range(int(sys.argv[4])):
    select.select([line.fd], [], [], 300)
    print(*("rising" if edge.rising else "falling" for edge in line.events()), "level", int(line.get()))
"""
LEVEL = """
import sys
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.seam import Kernel
chip = Chip(Kernel(), sys.argv[1])
print("level", int(chip.request(chip.offset_of(sys.argv[2]), Settings("input"), "hil").get()))
"""
DRIVE = """
import sys
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.seam import Kernel
line = Chip(Kernel(), sys.argv[1]).request(int(sys.argv[2]), Settings("output", True), "hil")
input("driven 1\\n")
line.set(False)
input("driven 0\\n")
line.set(True)
"""


@pytest.fixture
def parts(bench: Bench) -> Iterator[FarParts]:
    """The parts and the bus, whole again behind each test."""
    assert isinstance(bench, Lab)
    yield bench.parts
    for name in (BUS, *bench.parts.names()):
        bench.parts.mode(name, "ok")
    assert bench.faults == []


@contextmanager
def driven(agent: Agent, bus: int, driver: str, kind: str, address: int) -> Iterator[str]:
    """The folder of a part that the kernel's driver has taken over."""
    folder = f"/sys/bus/i2c/devices/i2c-{bus}"
    agent.must(f"modprobe {driver}; echo {kind} {address:#x} >{folder}/new_device")
    try:
        yield f"/sys/bus/i2c/devices/{bus}-{address:04x}"
    finally:
        agent.must(f"echo {address:#x} >{folder}/delete_device")


def number(agent: Agent, path: str) -> float:
    """What a file of the kernel's says."""
    return float(agent.must(f"cat {path}").split()[-1])


def test_a_scan_finds_the_parts_of_the_board_and_no_others(board: Board, agent: Agent, parts: FarParts) -> None:
    found = agent.python(SCAN, str(board.guest.bus))
    assert re.findall(r"found (\w+)", found) == ["0x18", "0x48", "0x76"]


@pytest.mark.parametrize("value", [25.5, -40.0, 125.0])
def test_the_kernels_thermometer_reads_what_the_host_set(
    value: float, board: Board, agent: Agent, parts: FarParts
) -> None:
    parts.set("t0", value)
    with driven(agent, board.guest.bus, "lm75", "tmp105", board.parts["t0"].address) as folder:
        assert number(agent, f"{folder}/hwmon/hwmon*/temp1_input") == value * 1000
        parts.set("t0", value - 0.5)
        assert number(agent, f"{folder}/hwmon/hwmon*/temp1_input") == (value - 0.5) * 1000


def test_a_part_that_does_not_acknowledge_is_an_error_and_no_value(board: Board, agent: Agent, parts: FarParts) -> None:
    bus, address = str(board.guest.bus), str(board.parts["t0"].address)
    parts.set("t0", 21.5)
    assert "measured 21.5\n" in agent.python(REGISTER, bus, address)
    parts.mode("t0", "nak")
    assert "refused EIO\n" in agent.python(REGISTER, bus, address)
    parts.mode("t0", "ok")
    assert "measured 21.5\n" in agent.python(REGISTER, bus, address)


def test_a_part_that_fails_after_some_readings_gave_those_to_the_kernel(
    board: Board, agent: Agent, parts: FarParts
) -> None:
    parts.set("t0", 24.5)
    with driven(agent, board.guest.bus, "lm75", "tmp105", board.parts["t0"].address) as folder:
        parts.mode("t0", "nak=2")
        for _ in range(2):
            assert number(agent, f"{folder}/hwmon/hwmon*/temp1_input") == 24500
        code, said = agent.run(f"cat {folder}/hwmon/hwmon*/temp1_input")
        assert code != 0 and "Input/output error" in said
        parts.mode("t0", "ok")


def test_a_sensor_that_broke_off_is_an_error_of_its_driver(board: Board, agent: Agent, parts: FarParts) -> None:
    with driven(agent, board.guest.bus, "lm75", "tmp105", board.parts["t0"].address) as folder:
        parts.mode("t0", "nak")
        code, said = agent.run(f"cat {folder}/hwmon/hwmon*/temp1_input")
        assert code != 0 and "Input/output error" in said
        parts.mode("t0", "ok")
        number(agent, f"{folder}/hwmon/hwmon*/temp1_input")


def test_a_stuck_bus_fails_everybody_and_is_free_again(board: Board, agent: Agent, parts: FarParts) -> None:
    bus = str(board.guest.bus)
    parts.mode(BUS, "stuck")
    for name in ("t0", "climate"):
        assert "refused EIO\n" in agent.python(REGISTER, bus, str(board.parts[name].address))
    parts.mode(BUS, "ok")
    assert "measured" in agent.python(REGISTER, bus, str(board.parts["t0"].address))


def test_a_slow_part_is_waited_for(board: Board, agent: Agent, parts: FarParts) -> None:
    parts.set("t0", 30.5)
    parts.mode(BUS, "slow=2")
    assert "measured 30.5\n" in agent.python(REGISTER, str(board.guest.bus), str(board.parts["t0"].address))


@pytest.mark.parametrize(("temperature", "humidity", "pressure"), [(21.5, 45.0, 1013.25), (-10.0, 80.0, 950.0)])
def test_the_kernels_compensation_gives_back_what_the_host_set(
    temperature: float, humidity: float, pressure: float, board: Board, agent: Agent, parts: FarParts
) -> None:
    for name, value in (("temperature", temperature), ("humidity", humidity), ("pressure", pressure)):
        parts.set("climate", value, name)
    with driven(agent, board.guest.bus, "bmp280-i2c", "bme280", board.parts["climate"].address) as folder:
        place = f"{folder}/iio:device*"
        assert number(agent, f"{place}/in_temp_input") / 1000 == pytest.approx(temperature, abs=0.02)
        assert number(agent, f"{place}/in_humidityrelative_input") / 1000 == pytest.approx(humidity, abs=0.1)
        assert number(agent, f"{place}/in_pressure_input") * 10 == pytest.approx(pressure, abs=0.1)


def test_a_1_wire_thermometer_behind_a_bridge_reads_what_the_host_set(
    board: Board, agent: Agent, parts: FarParts
) -> None:
    agent.must("modprobe wire; modprobe w1_therm")
    with driven(agent, board.guest.bus, "ds2482", "ds2482", BRIDGE):
        place = f"/sys/bus/w1/devices/{board.parts['water'].wire}"
        agent.must(
            f"i=0; while [ ! -e {place}/temperature ] && [ $i -lt 120 ]; do i=$((i+1)); sleep 1; done; ls {place}"
        )
        for value in (21.5, -10.125, 99.9375):
            parts.set("water", value)
            assert number(agent, f"{place}/temperature") == int(value * 1000)
        parts.mode("water", "nak")
        code, said = agent.run(f"cat {place}/temperature")
        assert code != 0 or said.strip() == ""


def test_lines_have_the_names_of_the_header(board: Board, bench: Bench, agent: Agent) -> None:
    for level in (1, 0):
        bench.lines.set(LINE, level)
        assert f"level {level}\n" in agent.python(LEVEL, board.guest.lines, f"GPIO{LINE}")
    bench.lines.release(LINE)


def test_edges_that_the_host_makes_reach_the_board(board: Board, bench: Bench, agent: Agent) -> None:
    bench.lines.set(LINE, 0)
    with agent.program(EDGES, board.guest.lines, str(LINE), "rising", "2") as program:
        program.expect(r"level 0\n")
        bench.lines.set(LINE, 1)
        program.expect(r"rising level 1\n")
        bench.lines.set(LINE, 0)
        bench.lines.set(LINE, 1)
        program.expect(r"rising level 1\n")
    with agent.program(EDGES, board.guest.lines, str(LINE), "both", "2") as program:
        program.expect(r"level 1\n")
        bench.lines.release(LINE)
        program.expect(r"falling level 0\n")
        bench.lines.set(LINE, 1)
        program.expect(r"rising level 1\n")
    bench.lines.release(LINE)


def test_an_output_is_seen_until_the_board_lets_go(board: Board, bench: Bench, agent: Agent) -> None:
    with agent.program(DRIVE, board.guest.lines, str(RELAY)) as program:
        for level in (1, 0):
            program.expect(rf"driven {level}\n")
            assert bench.lines.level(RELAY) == level
            with pytest.raises(HardwareFault, match=f"line {RELAY} is an output of the board"):
                bench.lines.set(RELAY, 1)
            program.line("")
    assert bench.lines.level(RELAY) == 0
