"""Starting the board from wherever `edge` lies."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from edge.peripherals.guard import spawn
from tests.support.boards import ROOT

USE = """
import sys
sys.path.insert(0, sys.argv[1])
from edge.peripherals.guard.client import Board
board = Board.start(sys.argv[2])
print(board.sense("temperature").unit, board.set("fan", True, 60, "c1")["state"], *board.notes)
board.close()
"""
PARTS = ("edge/__init__.py", "edge/record.py", "edge/faults.py", "edge/call.py", "edge/stop.py")


def sources():
    """Every file that the client and the board need, with its name as installed."""
    found = {name: ROOT / name for name in PARTS}
    for path in (ROOT / "peripherals").rglob("*.py"):
        found[f"edge/peripherals/{path.relative_to(ROOT / 'peripherals')}"] = path
    return found


def use(library, state="", env=None, cwd="/"):
    words = [sys.executable, "-I", "-S", "-c", USE, str(library), str(state)]
    done = subprocess.run(words, capture_output=True, text=True, env=env, cwd=cwd, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_from_a_checkout_with_neither_home_nor_environment(tmp_path):
    assert use(ROOT, tmp_path, env={}) == "C True"
    assert use(ROOT, "", env={"HOME": "/nonexistent"}) == "C True"


def test_from_an_installed_folder(tmp_path):
    for name, source in sources().items():
        target = tmp_path / "site" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    (tmp_path / "state").mkdir()
    assert use(tmp_path / "site", tmp_path / "state") == "C True"


def test_from_a_stored_zip_of_compiled_files(tmp_path):
    import py_compile

    with zipfile.ZipFile(tmp_path / "one.zip", "w", zipfile.ZIP_STORED) as archive:
        for name, source in sources().items():
            compiled = py_compile.compile(str(source), cfile=str(tmp_path / "x.pyc"), dfile=name, doraise=True)
            archive.write(compiled, name + "c")
    (tmp_path / "state").mkdir()
    assert use(tmp_path / "one.zip", tmp_path / "state") == "C True"


MOVED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from edge.faults import HardwareFault
from edge.peripherals.guard import client
os.rename(sys.argv[1], sys.argv[1] + ".moved")
try:
    client.Board.start("")
except HardwareFault as fault:
    print(fault)
"""


def test_a_program_that_was_moved_after_its_start_is_named(tmp_path):
    program = tmp_path / "fieldhand.pyz"
    with zipfile.ZipFile(program, "w", zipfile.ZIP_STORED) as archive:
        for name, source in sources().items():
            archive.write(source, name)
    folder = tmp_path / "site"
    for name, source in sources().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    for where in (program, folder):
        words = [sys.executable, "-I", "-S", "-c", MOVED, str(where)]
        done = subprocess.run(words, capture_output=True, text=True, cwd="/", timeout=60)
        assert f"the program {where} is gone or was moved since this run began" in done.stdout, done.stderr
        assert "start again from where it is now" in done.stdout


def test_a_state_folder_with_a_strange_and_long_name(tmp_path):
    folder = tmp_path / ("ä" * 60) / ("b" * 100)
    folder.mkdir(parents=True)
    assert use(ROOT, folder, env={"LC_ALL": "C"}) == "C True"
    assert (folder / "sim" / "state.json").exists()


def test_hostile_modules_in_the_working_folder_and_the_environment_do_not_run(tmp_path):
    for name in ("os", "json", "edge", "sitecustomize", "select"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('hostile')")
    env = {"PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "os.py")}
    assert use(ROOT, "", env=env, cwd=str(tmp_path)).startswith("C True")


def test_the_library_is_where_edge_lies():
    assert Path(spawn.library(), "edge", "record.py").exists()


def test_little_of_the_environment_is_handed_on(monkeypatch):
    monkeypatch.setenv("FIELDHAND_API_KEY", "secret")
    from edge.peripherals.guard.client import Board

    board = Board.start("")
    environment = Path(f"/proc/{board.pid}/environ").read_bytes()
    board.close()
    assert b"secret" not in environment
    assert {part.split(b"=")[0] for part in environment.split(b"\0") if part} <= {b"PATH", b"LD_LIBRARY_PATH"}


@pytest.mark.parametrize("number", [3, 4])
def test_descriptors_in_the_way_are_no_hindrance(number, tmp_path):
    """With 0 to 2 closed the sockets get the numbers that the child's own descriptors should have."""
    code = f"import os\nos.closerange(0, {number})\n" + USE.replace("print(", "said = (")
    code += "open(sys.argv[2] + '/said', 'w').write(repr(said))\nos._exit(0)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, str(ROOT), str(tmp_path)], timeout=60)
    assert done.returncode == 0
    assert (tmp_path / "said").read_text() == "('C', True)"


def test_a_long_log_begins_anew(tmp_path):
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim" / "board.log").write_bytes(b"x" * (spawn.LOG_LIMIT + 1))
    use(ROOT, tmp_path)
    assert os.path.getsize(tmp_path / "sim" / "board.log") == 0
