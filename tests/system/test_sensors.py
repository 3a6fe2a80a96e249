"""A real board's sensors end to end: settings, gate, hand, reading, planner, and a fan at a line of a chip.

The kernel's tree and the bus are doubles here; the chips are a process of their own, as is the guard.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from edge.cli import main
from edge.peripherals.bus import Bus
from edge.peripherals.sensors import engine
from tests.support.agent import GOAL
from tests.support.chips import ChipServer
from tests.support.sensed import HWMON, PROBE, Board

SETTINGS = """
[gpio]
chips = "{chips}"
[outputs.fan]
line = "GPIO17"
label = "cooling fan"
max_on = 600
[inputs.door]
line = "GPIO22"
states = ["closed", "open"]
[sensors.t0]
hwmon = "lm75"
label = "air in the box"
[sensors.cpu]
thermal = "cpu-thermal"
[sensors.probe]
onewire = "{probe}"
words = ["soil"]
[sensors.t1]
i2c = "1/0x48"
part = "tmp105"
words = ["pipe"]
"""


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Board:
    found = Board()
    monkeypatch.setattr(engine, "kernel", lambda: (found.tree, Bus(found.buses.opened)))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("FIELDHAND_CONFIG", raising=False)
    (tmp_path / "board.toml").write_text(SETTINGS.format(chips="", probe=PROBE))
    return found


class Said:
    """What a run of the agent in this process came to."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str], *words: str) -> None:
        self.code = main(["--board", str(folder / "board.toml"), *words])
        self.out, self.err = capfd.readouterr()

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@pytest.mark.parametrize(
    ("name", "value", "source"),
    [
        ("t0", "23.5 C", "hwmon lm75 at 1-0048 temp1"),
        ("t1", "23.5 C", "tmp105 at I2C 1/0x48"),
        ("probe", "23.5 C", f"1-wire {PROBE}"),
        ("cpu", "48.3 C", "thermal zone cpu-thermal"),
    ],
)
def test_one_gated_call_reads_a_sensor(
    board: Board, tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, value: str, source: str
) -> None:
    said = Said(tmp_path, capfd, "tool", "sensor_read", f"name={name}")
    assert said.code == 0, said.err
    assert said.out.startswith(f"{name} {value} (ok, ") and said.out.rstrip().endswith(f"source {source})")
    assert "low risk, allow [sense.declared]" in said.err


def test_what_does_not_answer_is_a_sentence_and_no_value(
    board: Board, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    del board.buses.buses[1].parts[0x48]
    said = Said(tmp_path, capfd, "tool", "sensor_read", "name=t1")
    assert said.code == 7 and "tmp105 at I2C 1/0x48 did not acknowledge (check its power" in said.out + said.err
    board.tree.texts[f"{HWMON}/hwmon1/temp1_fault"] = "1"
    said = Said(tmp_path, capfd, "tool", "sensor_read", "name=t0")
    assert "t0 gave no value (fault" in said.out + said.err and said.code != 0


def test_nobody_reads_what_is_not_declared(board: Board, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    said = Said(tmp_path, capfd, "tool", "sensor_read", "name=lm75")
    assert said.code == 6 and "lm75" in said.out + said.err


def test_sensors_and_contacts_are_listed_together(
    board: Board, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said = Said(tmp_path, capfd, "tool", "sensor_list")
    assert "t0: air in the box, in C" in said.out and "door: door, closed (0) or open (1)" in said.out


def test_how_warm_it_is_the_built_in_planner_answers(
    board: Board, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said = Said(tmp_path, capfd, "-e", "How warm is it?")
    assert said.code == 0 and said.out.startswith("It is 23.5 C (t0, "), said.out + said.err
    said = Said(tmp_path, capfd, "-e", "read the pipe and the soil")
    assert "t1: 23.5 C" in said.out and "probe: 23.5 C" in said.out


@pytest.fixture
def chips(board: Board, tmp_path: Path) -> Any:
    server = ChipServer(tmp_path)
    (tmp_path / "board.toml").write_text(SETTINGS.format(chips=server.chips, probe=PROBE))
    yield server
    server.close()


GOAL_SHORT = GOAL.replace("for 2 minutes", "for 1 second")


@pytest.mark.parametrize("value", [29.5, 31.0])
def test_a_fan_at_a_line_goes_by_a_sensor_of_the_kernel(
    board: Board, chips: ChipServer, tmp_path: Path, capfd: pytest.CaptureFixture[str], value: float
) -> None:
    board.value = value
    said = Said(tmp_path, capfd, "--yes", "-e", GOAL_SHORT)
    assert said.code == 0, said.out + said.err
    assert said.out.startswith(f"It is {value:.1f} C (t0, ")
    assert ("The fan is on for 1 s, confirmed by the board" in said.out) is (value > 30), said.out


def test_a_reading_that_is_doubted_switches_nothing(
    board: Board, chips: ChipServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    board.value = 85.0
    text = (tmp_path / "board.toml").read_text().replace('hwmon = "lm75"\n', 'hwmon = "lm75"\nhigh = 60\n')
    (tmp_path / "board.toml").write_text(text)
    said = Said(tmp_path, capfd, "--yes", "-e", GOAL_SHORT)
    assert "No condition is judged by a reading that is suspect" in said.out, said.out + said.err
