"""Whatever lies in the working folder or stands in the environment, only Fieldhand's own code runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.agent import BRIEF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

OFFLINE = ["--board", "sim", "--model", "offline", "--yes"]
MODULES = ["json", "re", "os", "socket", "typing", "threading", "readline", "sitecustomize", "usercustomize", "startup"]
PACKAGES = ["edge", "edge/cli", "edge/peripherals", "tools", "peripherals", "encodings", "site-packages"]


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder of modules named like those Fieldhand loads; each leaves its name in `ran` when it is imported."""
    folder = tmp_path / "trap"
    ran = tmp_path / "ran"
    ran.mkdir()
    for name in [*MODULES, *(f"{package}/__init__" for package in PACKAGES)]:
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        mark = ran / name.replace("/", "-")
        file.write_text(f"open({str(mark)!r}, 'w').close()\n")
    user = folder / "base" / "lib" / "python{}.{}".format(*sys.version_info[:2]) / "site-packages"
    user.mkdir(parents=True)
    (user / "trap.pth").write_text(f"import os; open({str(ran / 'pth')!r}, 'w').close()\n")
    return folder


def hostile(trap: Path, home: Path) -> dict[str, str]:
    """An environment in which every variable that Python or sh may read points into the trap."""
    return {
        "HOME": str(home),
        "PATH": os.path.dirname(os.path.realpath(sys.executable)) + ":/usr/bin:/bin",
        "PYTHONPATH": f":{trap}",
        "PYTHONHOME": str(trap),
        "PYTHONSTARTUP": str(trap / "startup.py"),
        "PYTHONUSERBASE": str(trap / "base"),
        "PYTHONPLATLIBDIR": str(trap),
        "PYTHONINSPECT": "1",
        "CDPATH": str(trap),
        "ENV": str(trap / "startup.py"),
    }


def ran(trap: Path) -> list[str]:
    return sorted(os.listdir(trap.parent / "ran"))


def start(command: list[str], trap: Path, home: Path) -> subprocess.CompletedProcess[str]:
    env = hostile(trap, home)
    return subprocess.run(
        command, cwd=trap, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )


def test_the_trap_catches_a_python_that_is_not_isolated(trap: Path) -> None:
    subprocess.run([sys.executable, "-c", "import json, tools"], cwd=trap, check=True, timeout=60)
    assert {"json", "tools-__init__"} <= set(ran(trap))


def test_version_runs_nothing_of_a_hostile_folder(form: Path, trap: Path, tmp_path: Path) -> None:
    done = start([str(form), "--version"], trap, tmp_path)
    assert (done.returncode, ran(trap)) == (0, []), done.stderr
    assert done.stdout.startswith("fieldhand ")


def test_the_catalogue_runs_nothing_of_a_hostile_folder(form: Path, trap: Path, tmp_path: Path) -> None:
    done = start([str(form), "tools"], trap, tmp_path)
    assert (done.returncode, ran(trap)) == (0, []), done.stderr
    assert "sensor_read" in done.stdout


def test_a_goal_and_its_board_run_nothing_of_a_hostile_folder(form: Path, trap: Path, tmp_path: Path) -> None:
    done = start([str(form), *OFFLINE, "-e", BRIEF], trap, tmp_path)
    assert (done.returncode, ran(trap)) == (0, []), done.stderr
    assert " C" in done.stdout or "°C" in done.stdout
