"""bin/fieldhand by itself: in front of a library that only tells how it was started."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from bench.forms import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

ECHO = """
import json, os, sys, time
def main(argv):
    if argv == ["wait"]:
        print(os.getpid(), flush=True)
        time.sleep(60)
    print(json.dumps({"argv": argv, "zero": sys.argv[0], "flags": [sys.flags.isolated, sys.flags.ignore_environment],
        "file": __file__, "python": sys.executable, "cwd": os.getcwd(), "read": sys.stdin.read()}))
    return len(argv)
"""


# Root without capabilities, as a tool's child is: a folder of mode 0 is closed to it as to everybody.
POWERLESS = """
import os, sys
sys.path.insert(0, sys.argv[1])
from edge.hands.wall import kernel
kernel.bound(())
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    """The launcher in a checkout whose library is ECHO, with the Python of the tests beside it."""
    for package in ("edge/cli", "edge/tools", "edge/peripherals"):
        (tmp_path / package).mkdir(parents=True)
    (tmp_path / "edge" / "__main__.py").write_text("")
    (tmp_path / "edge" / "cli" / "__init__.py").write_text(ECHO)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    return placed(tmp_path)


def placed(folder: Path) -> Path:
    (folder / "bin").mkdir(exist_ok=True)
    return folder / shutil.copy(os.path.join(ROOT, "bin", "fieldhand"), folder / "bin")


def start(*command: object, path: str = "/usr/bin:/bin", **more: Any) -> subprocess.CompletedProcess[str]:
    env = {"PATH": path, "HOME": "/nonexistent"}
    argv = [str(word) for word in command]
    more.setdefault("input", "")
    return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, **more)


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def failed(done: subprocess.CompletedProcess[str]) -> str:
    """The sentence of a start that failed as it should: one line on stderr, nothing on stdout, exit code 3."""
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert done.stderr.startswith("fieldhand: ") and done.stderr.count("\n") == 1
    return done.stderr


def test_arguments_arrive_as_they_were(launcher: Path) -> None:
    words = ["a b", "", "two\nlines", "--", "-x", "'", '"$HOME" `id`', "*", "\\n", "ä"]
    assert told(start(launcher, *words))["argv"] == words


def test_input_and_exit_code_pass(launcher: Path) -> None:
    done = start(launcher, "1", "2", "3", input="a line\n")
    assert done.returncode == 3
    assert told(done)["read"] == "a line\n"


def test_python_is_isolated_and_named_fieldhand(launcher: Path) -> None:
    found = told(start(launcher))
    assert found["flags"] == [1, 1]
    assert found["zero"] == "fieldhand"


def test_the_python_beside_the_launcher_comes_first(launcher: Path) -> None:
    assert told(start(launcher))["python"] == str(launcher.with_name("python3"))


def test_the_working_folder_stays(launcher: Path, tmp_path: Path) -> None:
    folder = tmp_path / "some where"
    folder.mkdir()
    assert told(start(launcher, cwd=folder))["cwd"] == str(folder)


@pytest.mark.parametrize("way", ["bin/fieldhand", "./bin/fieldhand", "bin/../bin/fieldhand", "link", "near/link"])
def test_the_library_is_found_by_every_way_to_the_launcher(launcher: Path, tmp_path: Path, way: str) -> None:
    (tmp_path / "link").symlink_to("bin/fieldhand")
    (tmp_path / "near").mkdir()
    (tmp_path / "near" / "link").symlink_to("../link")
    found = told(start(f"./{way}" if way == "link" else way, cwd=tmp_path))
    assert found["file"] == str(tmp_path / "edge" / "cli" / "__init__.py")


def test_a_name_without_a_folder_works_through_sh(launcher: Path) -> None:
    found = told(start("/bin/sh", "fieldhand", "x", cwd=launcher.parent))
    assert found["argv"] == ["x"]


def test_a_linked_folder_on_the_way_works(launcher: Path, tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to(".")
    found = told(start(tmp_path / "current" / "bin" / "fieldhand"))
    assert os.path.samefile(found["file"], tmp_path / "edge" / "cli" / "__init__.py")


def test_a_user_install_is_found_though_python_is_isolated(tmp_path: Path) -> None:
    launcher = placed(tmp_path)
    (tmp_path / "bin" / "python3").symlink_to(os.path.realpath(sys.executable))
    library = tmp_path / "lib" / "python{}.{}".format(*sys.version_info[:2]) / "site-packages" / "edge" / "cli"
    library.mkdir(parents=True)
    (library / "__init__.py").write_text(ECHO)
    assert told(start(launcher))["file"] == str(library / "__init__.py")


def test_signals_reach_python_itself(launcher: Path) -> None:
    child = subprocess.Popen([str(launcher), "wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert int(child.stdout.readline()) == child.pid
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == -signal.SIGTERM
    finally:
        child.kill()
        child.communicate()


def test_an_interrupt_ends_with_130_and_no_traceback(launcher: Path) -> None:
    child = subprocess.Popen([str(launcher), "wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 130
    finally:
        child.kill()
        _, said = child.communicate()
    assert said == b""


def test_no_python_is_a_sentence(tmp_path: Path) -> None:
    assert "no python3 on PATH" in failed(start(placed(tmp_path), path="/nonexistent"))


def test_an_old_python_is_a_sentence(launcher: Path) -> None:
    """The Python beside the launcher is a double that says it is 3.8; all else of it is the real one."""
    double = launcher.with_name("python3")
    double.unlink()
    older = "import sys; sys.version_info = (3, 8, 18); code = sys.argv.pop(1); sys.argv[0] = '-c'; exec(code)"
    double.write_text(f'#!/bin/sh\nshift 2\nexec {sys.executable} -I -c "{older}" "$@"\n')
    double.chmod(0o755)
    sentence = failed(start(launcher))
    assert "Python 3.9 or later is needed" in sentence and "is 3.8" in sentence


def test_a_missing_library_is_a_sentence_with_the_place(tmp_path: Path) -> None:
    sentence = failed(start(placed(tmp_path)))
    assert f"its library is not in {tmp_path}/lib/python" in sentence


def test_a_library_whose_files_are_closed_to_a_tools_child_is_a_sentence(launcher: Path, tmp_path: Path) -> None:
    """Landlock lets a closed folder be listed, and its files not be opened: so the import finds and cannot read."""
    closed = 'raise PermissionError(13, "Permission denied", __file__)\n'
    (tmp_path / "edge" / "cli" / "__init__.py").write_text(closed)
    assert f"its library in {tmp_path} is closed here" in failed(start(launcher))


def test_a_library_that_is_covered_for_a_tools_child_is_a_sentence(tmp_path: Path) -> None:
    """A mount covers it with a folder of root's that nobody may enter."""
    library = tmp_path / "lib" / "python{}.{}".format(*sys.version_info[:2]) / "site-packages"
    (library / "edge").mkdir(parents=True)
    script = placed(tmp_path)
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    (library / "edge").chmod(0)
    done = start(sys.executable, "-c", POWERLESS, ROOT, script)
    assert f"its library in {library} is closed here" in failed(done)


@pytest.mark.parametrize("lost", ["tools", "peripherals"])
def test_a_checkout_without_links_is_a_sentence(launcher: Path, tmp_path: Path, lost: str) -> None:
    (tmp_path / "edge" / lost).rmdir()
    (tmp_path / "edge" / lost).write_text(f"../{lost}")
    assert "without them" in failed(start(launcher))


def test_a_link_that_cannot_be_followed_is_a_sentence(launcher: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(launcher)
    assert "cannot be followed" in failed(start(tmp_path / "link", path="/nonexistent"))


def test_a_version_managers_shim_gives_way_to_the_systems_python(launcher: Path, tmp_path: Path) -> None:
    launcher.with_name("python3").unlink()
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "python3").symlink_to(sys.executable)
    found = told(start(launcher, path=f"{shims}:/usr/bin:/bin"))
    usual = os.path.exists("/usr/bin/python3")
    assert found["python"] == ("/usr/bin/python3" if usual else str(shims / "python3"))


def test_a_fault_inside_the_library_is_not_taken_for_a_missing_one(launcher: Path, tmp_path: Path) -> None:
    (tmp_path / "edge" / "cli" / "__init__.py").write_text("import no_such_module\n")
    done = start(launcher)
    assert done.returncode == 1
    assert "no_such_module" in done.stderr


def test_dash_m_without_links_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "edge").mkdir()
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(os.path.join(ROOT, "edge", name), tmp_path / "edge")
    (tmp_path / "edge" / "tools").write_text("../tools")
    assert "must be links" in failed(start(sys.executable, "-m", "edge", cwd=tmp_path))
