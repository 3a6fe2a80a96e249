"""Lines behind a real guard process: the chips are a process of their own, and the wire is seen from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from edge.call import Output, Sensor
from edge.faults import HardwareFault
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.guard import owned as told
from edge.peripherals.guard.client import Board
from edge.peripherals.guard.lines import LinesPlant
from edge.peripherals.guard.owned import GpioLine, Owned
from edge.record import replace
from tests.support.boards import alive, eventually
from tests.support.chips import ChipServer

ROOT = Path(__file__).resolve().parents[3]
CHIP = "pinctrl-bcm2835"
OWNED = Owned(
    "lines",
    (Output("pump", "Pump", "GPIO17"), Output("lamp", "Lamp", "GPIO27", on_exit="hold")),
    (Sensor("door", "Door", "", "GPIO4", states=("open", "closed")),),
    (GpioLine("pump", "", "GPIO17", active_low=True), GpioLine("lamp", "", "27"), GpioLine("door", "", "4", bias="up")),
)
# What dies: an agent with the pump on, or a plant without a guard around it.
AGENT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from edge.peripherals.guard import owned
from edge.peripherals.guard.client import Board
board = Board.start(sys.argv[2], owned=owned.read(sys.argv[3]))
board.set("pump", True, 60.0, "c1")
print(board.pid, flush=True)
while True:
    board.beat()
    time.sleep(0.2)
"""


@pytest.fixture(params=["keep", "input"])
def chips(request, tmp_path):
    with ChipServer(tmp_path, "pi3", request.param) as server:
        yield server


@pytest.fixture
def keeping(tmp_path):
    with ChipServer(tmp_path) as server:
        yield server


@pytest.fixture
def state(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return str(folder)


def agent(chips: ChipServer, state: str, heartbeat: float = 3.0) -> tuple[subprocess.Popen, int]:
    """An agent in a process of its own, its pump on; and the pid of its guard."""
    said = told.text(replace(OWNED, chips=chips.chips, heartbeat=heartbeat))
    process = subprocess.Popen([sys.executable, "-c", AGENT, str(ROOT), state, said], stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert line, "the agent did not get its pump on"
    return process, int(line)


def granted() -> int:
    """What a process of ours gets when it asks to come first: an ordinary user, and some containers, are refused."""
    code = (
        f"import sys, os; sys.path.insert(0, {str(ROOT)!r}); from edge.peripherals.guard.ending import lead; lead();"
        "print(os.sched_getscheduler(0))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_a_guard_of_lines_comes_before_all_that_compute(keeping, state):
    process, guard = agent(keeping, state)
    assert os.sched_getscheduler(guard) == granted()
    assert os.sched_getscheduler(process.pid) == os.SCHED_OTHER
    if os.geteuid() == 0 and granted() != os.SCHED_OTHER:
        assert granted() == os.SCHED_RR | os.SCHED_RESET_ON_FORK
    ended(process)


def ended(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()
    process.stdout.close()


def keeps(chips: ChipServer) -> bool:
    """Whether these chips keep driving a released output."""
    return "keep" in chips.process.args


def test_a_killed_agent_leaves_the_wire_safe_and_the_line_free(chips, state):
    outside = chips.outside()
    outside.pull(CHIP, 17, True)  # the resistor that an active-low relay needs: the wire is safe when nobody drives it
    process, guard = agent(chips, state)
    assert outside.level(CHIP, 17) is False  # the pump runs
    ended(process)
    outside.wait(CHIP, 17, True, 30.0)
    eventually(lambda: not alive(guard))
    assert [name for (path, _), name in outside.holders().items() if path.endswith("chip0")] == []
    calls = [row["what"] for row in outside.record() if row["line"] == 17 and row["what"] != "GET_LINEINFO"]
    assert calls.count("GET_LINE") == 1 and "SET_CONFIG" not in calls
    assert [level for _, level in outside.changes(CHIP, 17)] == [False, True, False, True]


def test_a_stopped_agent_leaves_the_wire_safe_while_its_guard_stays(keeping, state):
    outside = keeping.outside()
    process, guard = agent(keeping, state, 1.0)
    os.kill(process.pid, signal.SIGSTOP)
    outside.wait(CHIP, 17, True, 30.0)
    assert alive(guard)
    ended(process)
    eventually(lambda: not alive(guard))


def test_a_killed_guard_is_made_good_by_the_next_ones_start(chips, state):
    outside = chips.outside()
    process, guard = agent(chips, state)
    os.kill(guard, signal.SIGKILL)
    eventually(lambda: not alive(guard))
    ended(process)
    board = Board.start(state, owned=replace(OWNED, chips=chips.chips))
    try:
        assert outside.level(CHIP, 17) is True
        assert board.states()["pump"]["state"] is False
    finally:
        board.close()


def test_an_agent_reads_contacts_and_sees_what_the_wire_shows(keeping, state):
    outside = keeping.outside()
    board = Board.start(state, owned=replace(OWNED, chips=keeping.chips))
    try:
        assert board.sense("door").value == 1.0
        outside.pull(CHIP, 4, False)
        assert board.sense("door").source == "GPIO4 of pinctrl-bcm2835" and board.sense("door").value == 0.0
        outside.stick(CHIP, 27, False)
        with pytest.raises(HardwareFault, match="lamp was told to be on and GPIO27 of pinctrl-bcm2835 reads off"):
            board.set("lamp", True, 10.0, "c1")
        outside.stick(CHIP, 27, None)
        board.set("lamp", True, 10.0, "c2")
        assert outside.level(CHIP, 27)
    finally:
        board.close()
    outside.wait(CHIP, 27, True, 30.0)


def test_a_line_that_somebody_holds_is_named_and_had_when_it_is_free(keeping, state):
    seam = keeping.remote()
    chip = Chip(seam, "/dev/gpiochip0")
    holder = chip.request(27, Settings("output", True), "lgd")
    board = Board.start(state, owned=replace(OWNED, chips=keeping.chips))
    try:
        assert any('GPIO27 (line 27 of pinctrl-bcm2835) is held by "lgd"' in note for note in board.notes)
        assert board.states()["lamp"]["state"] is None and board.states()["pump"]["state"] is False
        with pytest.raises(HardwareFault, match='held by "lgd"'):
            board.set("lamp", True, 10.0, "c1")
        holder.close()
        eventually(lambda: board.states()["lamp"]["state"] is False)
        assert keeping.outside().level(CHIP, 27) is False
    finally:
        board.close()
        chip.close()


def test_chips_that_go_leave_a_guard_that_says_so_and_ends_in_order(keeping, state):
    board = Board.start(state, owned=replace(OWNED, chips=keeping.chips))
    try:
        board.set("pump", True, 60.0, "c1")
        keeping.process.kill()
        keeping.process.wait()
        eventually(lambda: board.states()["pump"]["state"] is None)
        for name, on in (("pump", False), ("lamp", True)):
            with pytest.raises(HardwareFault, match="not available"):
                board.set(name, on, 10.0, f"c-{name}")
        with pytest.raises(HardwareFault, match="door"):
            board.sense("door")
    finally:
        board.close()
    eventually(lambda: not alive(board.pid))


def test_a_plant_at_a_remote_model_is_what_it_is_at_one_in_the_same_process(chips):
    outside = chips.outside()
    plant = LinesPlant(OWNED, chips.remote())
    plant.drive("pump", 1.0, 0.0)
    assert plant.level("pump", 0.0) == 1.0 and outside.level(CHIP, 17) is False
    assert plant.sense("door", 0.0).value == 1.0
    plant.drive("lamp", 1.0, 0.0)
    plant.close()
    assert outside.level(CHIP, 27) is keeps(chips)
    levels = [level for _, level in outside.changes(CHIP, 17)]
    assert levels[:4] == [False, True, False, True]
