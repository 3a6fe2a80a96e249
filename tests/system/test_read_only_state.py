"""A state folder that can be read and not written: a card mounted read-only, or one of another machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import agent

# Root may write whatever the mode says: there the folder is mounted read-only, for this one command.
MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A home whose state folder holds a tape and an audit log, and is closed to writing for a normal user."""
    assert agent.run("tool", "output_list", home=tmp_path).returncode == 0
    agent.state(tmp_path).chmod(0o555)
    return tmp_path


def read_only(home: Path, *words: str, cwd: Path = agent.ROOT) -> Any:
    argv = agent.command("--state", str(agent.state(home)), *words)
    if os.geteuid() == 0:
        argv = ["unshare", "--mount", "sh", "-c", MOUNTED, "sh", str(agent.state(home)), *argv]
    env = agent.environment(home, PYTHONPATH=str(agent.ROOT))
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, encoding="utf-8", timeout=60)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    return done


def test_the_audit_log_of_a_read_only_card_is_verified_shown_and_exported(kept: Path, tmp_path: Path) -> None:
    done = read_only(kept, "audit", "verify")
    assert done.returncode == 0 and done.stdout.startswith("sound: records 1 to "), done.stderr
    assert "output_list" in read_only(kept, "audit", "show").stdout
    target = tmp_path / "log.jsonl"
    assert read_only(kept, "audit", "export", str(target)).returncode == 0
    assert b"output_list" in target.read_bytes()


def test_the_tapes_of_a_read_only_card_are_listed_and_shown(kept: Path) -> None:
    done = read_only(kept, "tape", "list")
    assert done.returncode == 0 and "tool output_list" in done.stdout, done.stderr
    assert "output_list" in read_only(kept, "tape", "show", "last").stdout


def test_what_has_to_write_says_so(kept: Path) -> None:
    for words in (("audit", "key"), ("tape", "resume", "last"), ("tool", "output_list")):
        done = read_only(kept, *words)
        assert done.returncode == 3 and "cannot be written" in done.stderr, (words, done.stderr)


def test_doctor_says_it_in_the_line_of_the_state_and_goes_on(kept: Path) -> None:
    done = read_only(kept, "doctor")
    assert f"wrong  state: the state folder {agent.state(kept)} cannot be written" in done.stdout, done.stderr
    assert "\nok     model: " in done.stdout and "\nok     board: " in done.stdout and " wall: " in done.stdout
    assert done.returncode == 1
