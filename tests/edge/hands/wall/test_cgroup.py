"""A child that stays root is bounded in processes by a control group, where this machine has one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from edge.hands.wall import cgroup, limits
from edge.hands.wall.confine import Limits
from edge.record import replace
from tests.support.walls import act, needs_root, plan

BOMB = (
    "import os, sys, time\n"
    "made = 0\n"
    "try:\n"
    "    while made < 200:\n"
    "        if os.fork() == 0: time.sleep(99); os._exit(0)\n"
    "        made += 1\n"
    "except OSError: pass\n"
    "print(made)\n"
)


def made_in(folder: Path, processes: int) -> int:
    """How many children a child could make before it was refused."""
    (folder / "bomb.py").write_text(BOMB)
    made = plan(folder, level="seccomp", limits=replace(limits_of(folder), processes=processes))
    return int(act(made, "exec /usr/bin/python3 bomb.py").text)


def limits_of(folder: Path) -> Limits:
    return plan(folder).limits


@needs_root
def test_a_root_child_cannot_make_more_than_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not os.path.exists("/usr/bin/python3"):
        pytest.skip("there is no /usr/bin/python3 here")
    monkeypatch.setattr(cgroup, "_made", {})
    monkeypatch.setattr(cgroup, "NAME", "fieldhand-test-")
    found = cgroup.group(50)
    if found is None:
        pytest.skip("no controller of processes can be used here")
    try:
        assert 10 <= made_in(tmp_path, 50) < 50
        assert Path(found.path, "cgroup.procs").read_text().split() == []
    finally:
        found.remove()
    assert not os.path.exists(found.path)


@needs_root
def test_the_agent_itself_stays_where_it_is_and_dead_agents_groups_go(tmp_path: Path) -> None:
    before = Path("/proc/self/cgroup").read_text()
    found = cgroup.group(limits_of(tmp_path).processes)
    if found is None:
        pytest.skip("no controller of processes can be used here")
    act(plan(tmp_path, level="seccomp"), "true")
    assert Path("/proc/self/cgroup").read_text() == before
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = os.path.join(os.path.dirname(found.path), f"{cgroup.NAME}{gone.pid}")
    os.mkdir(left)
    code = "from edge.hands.wall import cgroup; print(cgroup.group(9).path)"
    its = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    assert os.path.dirname(its) == os.path.dirname(found.path) and not os.path.exists(its), "it goes with its agent"
    assert not os.path.exists(left) and os.path.exists(found.path)


def test_without_a_right_to_it_there_is_no_group_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_made", {})
    monkeypatch.setattr(cgroup, "_bases", lambda: iter([("/proc/no/such", True)]))
    assert cgroup.group(9) is None


def test_the_users_own_processes_count_beside_the_bound(tmp_path: Path) -> None:
    """The limit of a child under the agent's user is on top of what runs already."""
    import resource

    made = replace(plan(tmp_path), tag=1)
    most = dict(limits.wanted(made))[resource.RLIMIT_NPROC]
    assert most == made.limits.processes if os.geteuid() == 0 else most > made.limits.processes
