"""The agent reads a sensor whose value the host sets, by table and by the kernel's drivers: over real kernels.

Everything on the board is done by the agent of its image, called at its console. What it then does stands in
test_goal.py.
"""

from __future__ import annotations

import re

import pytest

from hil.agent import Agent
from hil.protocols import Bench
from hil.resources import Board

pytestmark = pytest.mark.emulated
FILE = "/tmp/board.toml"
DRIVEN = "/tmp/driven.toml"
MAGNET = "/tmp/magnet.toml"
SETTINGS = """
[sensors.t0]
i2c = "{bus}/0x{address:02x}"
part = "tmp105"
label = "air in the box"
[sensors.nobody]
i2c = "{bus}/0x49"
part = "tmp105"
words = ["nobody"]
"""
DRIVEN_SETTINGS = """
[sensors.t0]
hwmon = "{driver}"
at = "{bus}-{address:04x}"
"""


@pytest.fixture
def settings(board: Board, agent: Agent) -> str:
    part = board.parts["t0"]
    agent.put(FILE, SETTINGS.format(bus=board.guest.bus, address=part.address).encode())
    return FILE


def reading(agent: Agent, name: str, file: str = FILE) -> str:
    return agent.run(f"fieldhand --board {file} tool sensor_read name={name}")[1]


@pytest.mark.needs("parts")
def test_the_agent_reads_what_the_host_sets(settings: str, board: Board, bench: Bench, agent: Agent) -> None:
    # At the resolution that the part has after a start, half a degree: it rounds down.
    for value, shown in ((23.5, "23.5"), (85.0, "85.0"), (-10.25, "-10.5")):
        bench.parts.set("t0", value)
        told = reading(agent, "t0")
        source = f"tmp105 at I2C {board.guest.bus}/0x48"
        assert re.search(rf"t0 {shown} C \(ok, \d+\.\d s old, source {source}\)", told), told


@pytest.mark.needs("parts")
def test_what_does_not_acknowledge_is_told_so_and_doctor_names_it(settings: str, bench: Bench, agent: Agent) -> None:
    bench.parts.set("t0", 21.5)
    # The kernel's driver of the lab bench calls every fault an I/O error.
    silent = r"did not (acknowledge|answer cleanly) \(.*check its power, its wiring and its address\)"
    assert re.search(silent, reading(agent, "nobody").replace("\n", " "))
    found = agent.run(f"fieldhand doctor --board {settings}")[1]
    assert re.search(r"ok +sensor t0: tmp105 at I2C \d+/0x48, 21\.5 C", found), found
    assert re.search(r"wrong +sensor nobody: tmp105 at I2C \d+/0x49 did not (acknowledge|answer cleanly)", found), found


@pytest.mark.needs("parts")
def test_a_driver_of_the_kernel_has_the_part_and_shows_the_same(
    settings: str, board: Board, bench: Bench, agent: Agent
) -> None:
    driver, bus, address = "tmp105", board.guest.bus, board.parts["t0"].address
    if agent.run("modprobe lm75")[0]:
        assert board.name == "raspi0", "the kernels of all others have lm75"
        driver = "tmp102"
    devices = f"/sys/bus/i2c/devices/i2c-{bus}"
    agent.must(f"echo {driver} 0x{address:02x} >{devices}/new_device")
    try:
        agent.put(DRIVEN, DRIVEN_SETTINGS.format(driver=driver, bus=bus, address=address).encode())
        told = reading(agent, "t0")
        if driver == "tmp102":  # its driver finds that this is none, and lets go of it
            assert "no driver has it" in reading(agent, "t0", DRIVEN)
            return
        assert "belongs to the kernel's driver lm75" in told, told
        for value in (25.5, -40.0, 125.0):
            bench.parts.set("t0", value)
            told = reading(agent, "t0", DRIVEN)
            assert f"t0 {value:.1f} C (ok, " in told and f"hwmon tmp105 at {bus}-{address:04x} temp1" in told, told
    finally:
        agent.must(f"echo 0x{address:02x} >{devices}/delete_device")


@pytest.mark.needs("iio")
def test_the_agent_reads_industrial_io(board: Board, bench: Bench, agent: Agent) -> None:
    part = board.parts["m0"]
    devices = "/sys/bus/i2c/devices"
    agent.must("modprobe st_magn_i2c")
    agent.must(
        f"[ -e {devices}/{part.bus}-{part.address:04x} ] ||"
        f" echo lsm303dlhc_magn {part.address:#x} >{devices}/i2c-{part.bus}/new_device"
    )
    agent.put(MAGNET, b'[sensors.field]\niio = "lsm303dlhc_magn"\nchannel = "magn_x"\n')
    for value in (48.0, 21.5):
        bench.parts.set("m0", value, "mag-x")
        told = reading(agent, "field", MAGNET)
        found = re.search(r"field (-?\d+\.\d) uT \(ok, ", told)
        assert found is not None and abs(float(found[1]) - value) <= 0.3, told
