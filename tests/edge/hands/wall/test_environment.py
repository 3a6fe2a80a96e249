"""What a child finds in its environment; its folder for temporary files comes and goes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from edge.hands.wall import environment
from tests.support.walls import needs_root


def test_nothing_is_copied_but_language_and_time_zone() -> None:
    own = {
        "FIELDHAND_API_KEY": "hush",
        "OPENAI_API_KEY": "hush",
        "PATH": "/tmp/evil",
        "LD_PRELOAD": "/tmp/evil.so",
        "PYTHONPATH": "/tmp",
        "HOME": "/elsewhere",
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "C.UTF-8",
        "LC_TIME": "$(evil)",
        "TZ": "Europe/Zurich",
        "TERM": "xterm-256color",
        "SSH_AUTH_SOCK": "/tmp/agent",
    }
    made = dict(environment.environment(own, "/home/me"))
    assert set(made) == {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ"}
    assert "hush" not in str(made) and "evil" not in str(made)
    assert (made["HOME"], made["TERM"], made["TZ"]) == ("/home/me", "dumb", "Europe/Zurich")
    assert all(part.startswith(("/usr/", "/bin", "/sbin")) for part in made["PATH"].split(":"))
    assert dict(environment.environment({}, "", "/tmp/x"))["TMPDIR"] == "/tmp/x"


def test_a_folder_for_temporary_files_is_private_and_goes_with_all_in_it(tmp_path: Path) -> None:
    folder = environment.temporary()
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    out = tmp_path / "out"
    out.write_text("stays")
    deep = folder
    for _ in range(300):
        deep += "/d"
        os.mkdir(deep)
    os.symlink(out, folder + "/link")
    os.symlink(tmp_path, folder + "/folder")
    os.mkdir(folder + "/shut")
    Path(folder, "shut", "f").write_text("x")
    os.chmod(folder + "/shut", 0)
    os.mkfifo(folder + "/fifo")
    assert environment.remove(folder)
    assert not os.path.lexists(folder)
    assert out.read_text() == "stays"
    assert environment.remove(folder), "what is gone is gone"


def test_what_lies_deep_and_is_hard_to_remove_goes_too(tmp_path: Path) -> None:
    folder = environment.temporary()
    made = os.open(folder, os.O_RDONLY)
    for number in range(3000):  # deeper than a path can be long, and than a process can hold descriptors
        os.mkdir("a-folder", dir_fd=made)
        deeper = os.open("a-folder", os.O_RDONLY, dir_fd=made)
        os.close(os.open(f"file-{number}", os.O_WRONLY | os.O_CREAT, dir_fd=made))
        os.close(made)
        made = deeper
    os.fchmod(made, 0)
    os.close(made)
    for name in ("one", "two"):
        Path(folder, "wide", name, "x").mkdir(parents=True)
        Path(folder, "wide", name).chmod(0o100)
    before = len(os.listdir("/proc/self/fd"))
    assert environment.remove(folder) and not os.path.lexists(folder)
    assert len(os.listdir("/proc/self/fd")) < before, "the lock is let go"


LEFT = "fieldhand-0123456789abcdef"


def test_what_a_killed_agent_left_goes_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    keep = tmp_path / "keep"
    keep.mkdir()
    (keep / "f").write_text("kept")
    code = (
        "import os, signal; from edge.hands.wall import environment; folder = environment.temporary();"
        "os.mkdir(folder + '/d'); os.symlink(%r, folder + '/d/link'); print(folder, flush=True); %s"
    )
    root = str(Path(__file__).parents[4])
    dead = subprocess.run(
        [sys.executable, "-c", code % (str(keep), "os.kill(os.getpid(), signal.SIGKILL)")],
        cwd=root, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    left = Path(dead.stdout.strip())
    assert dead.returncode == -9 and left.parent == tmp_path.resolve() and (left / "d/link").is_symlink()
    with subprocess.Popen(
        [sys.executable, "-c", code % (str(keep), "input()")],
        cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as living:  # fmt: skip
        assert living.stdout is not None and living.stdin is not None
        owned = Path(living.stdout.readline().strip())
        assert not left.exists(), "the next agent of this user took it away at its first"
        (tmp_path / LEFT).symlink_to(keep)
        (tmp_path / LEFT.replace("0", "1")).write_text("a file")
        (tmp_path / LEFT.replace("0", "2")).mkdir()
        (tmp_path / LEFT.replace("0", "2")).chmod(0o777)
        (tmp_path / "fieldhand-notes").mkdir()
        assert environment.sweep(str(tmp_path)) == 0
        assert owned.exists() and len(os.listdir(tmp_path)) == 6 and (keep / "f").read_text() == "kept"
        (tmp_path / LEFT.replace("0", "3")).mkdir(mode=0o700)
        assert environment.sweep(str(tmp_path)) == 1
        living.stdin.write("\n")
    assert environment.sweep(str(tmp_path)) == 1 and not owned.exists()


@needs_root
def test_the_folders_of_others_are_left_to_them(tmp_path: Path) -> None:
    others = tmp_path / LEFT
    others.mkdir(mode=0o700)
    os.chown(others, 12345, 12345)
    assert environment.sweep(str(tmp_path)) == 0 and others.exists()
