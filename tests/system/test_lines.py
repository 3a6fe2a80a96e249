"""Lines from outside: the command line, its guard and a chip of its own process; what is said is what the wires did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import agent
from tests.support.chips import ChipServer
from tests.support.lined import CHIP

BOARD = """
[gpio]
chips = "model:{socket}"
lines = ["GPIO22"]
lab = true

[outputs.pump]
label = "irrigation pump"
line = "GPIO17"
max_on = 600

[inputs.door]
label = "greenhouse door"
line = "GPIO27"
states = ["closed", "open"]
"""


@pytest.fixture
def chips(tmp_path: Path) -> Iterator[Any]:
    with ChipServer(tmp_path) as server:
        (tmp_path / "board.toml").write_text(BOARD.format(socket=server.socket))
        yield server.outside()


def tool(home: Path, *words: str) -> Any:
    return agent.run("--board", str(home / "board.toml"), *words, home=home)


def test_reading_changes_no_line_and_tells_what_the_wire_has(chips: Any, tmp_path: Path) -> None:
    chips.pull(CHIP, "GPIO24", True)
    chips.pull(CHIP, "GPIO27", True)
    assert tool(tmp_path, "tool", "gpio_read", "line=24").stdout.startswith("GPIO24 (physical pin 18) is high (1)")
    record = [one for one in chips.record() if one["line"] == 24]
    assert {one["what"] for one in record} == {"GET_LINEINFO", "GET_LINE", "GET_VALUES"}
    assert all(one["flags"] == 0 for one in record)
    assert tool(tmp_path, "tool", "gpio_read", "line=GPIO27").stdout.startswith("door open (1) (ok, ")
    assert "pump: irrigation pump, off" in tool(tmp_path, "tool", "gpio_read", "line=pin 11").stdout
    refused = tool(tmp_path, "tool", "gpio_read", "line=GPIO14", "--mode", "full", "--yes")
    assert refused.returncode == 6
    assert not [one for one in chips.record() if (one["line"], one["what"]) == (14, "GET_LINE")]


def test_pulses_are_on_the_wire_one_by_one(chips: Any, tmp_path: Path) -> None:
    done = tool(
        tmp_path,
        "--grant",
        "output_pulse pump <=1",
        "tool",
        "output_pulse",
        "name=pump",
        "seconds=0.2",
        "times=2",
        "pause=0.3",
    )
    assert done.stdout.startswith("pump: 2 of 2 pulses of 0.2 s on"), done.stderr
    changes = [(stamp / 1e9, level) for stamp, level in chips.changes(CHIP, "GPIO17")]
    levels = [level for _, level in changes]
    assert levels == [False, True, False, True, False]
    on = [later[0] - first[0] for first, later in zip(changes[1::2], changes[2::2])]
    assert all(0 < one < 10 for one in on) and changes[3][0] - changes[2][0] >= 0.29


def test_a_lab_line_is_driven_for_its_time_and_only_where_that_is_granted(chips: Any, tmp_path: Path) -> None:
    words = ("tool", "gpio_write", "line=22", "value=true", "for=0.3")
    assert tool(tmp_path, *words).returncode == 6 and chips.changes(CHIP, "GPIO22")[1:] == []
    done = tool(tmp_path, "--grant", "gpio_write GPIO22 <=1", *words)
    assert done.returncode == 0 and "is driven high" in done.stdout, done.stderr
    assert [level for _, level in chips.changes(CHIP, "GPIO22")] == [False, True, False]


def test_an_agent_that_is_killed_in_a_pulse_leaves_the_output_safe(chips: Any, tmp_path: Path) -> None:
    words = ("--board", str(tmp_path / "board.toml"), "--yes", "tool", "output_pulse", "name=pump", "seconds=20")
    running = agent.start(*words, home=tmp_path)
    try:
        on = chips.wait(CHIP, "GPIO17", True, 60.0)
    finally:
        running.kill()
        running.communicate(timeout=60)
    off = chips.wait(CHIP, "GPIO17", False, 60.0)
    assert 0 < off - on < 20e9  # not by the end of the pulse
