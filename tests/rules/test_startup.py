"""What is loaded when the prompt waits for a line: a list, held to the module.

Start-up is a feature: every module costs instructions at each start, and one careless import at the head of a
file can cost more than the interpreter. Rules:
1. The shipped launcher is run as it is; only the `python3` it finds adds `-X importtime`, which names every module
   that was loaded, in order. What the bare interpreter loads with the same flags does not count.
2. The lists below are exact, on every Python. A module that is not in them is a failure here: the importing file has
   to change or, by argument, the list; and so is one that is listed and no longer loaded.
3. None of FORBIDDEN may ever come into a list.
"""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.sources import ROOT, none_of

ALWAYS = (
    "__future__",
    "edge",
    "edge.cli",
    "edge.cli.args",
    "edge.cli.repl",
    "edge.cli.settle",
    "edge.record",
)
AT_A_TERMINAL = ("readline",)
# A settings file may be wrong, and names a preset: the faults, and the policy, which knows the names.
WITH_SETTINGS = (
    "edge.config",
    "edge.config_keys",
    "edge.faults",
    "edge.gate",
    "edge.gate.policy",
    "edge.toml",
)
FORBIDDEN = (
    *("argparse", "dataclasses", "enum", "json", "logging", "pathlib", "re"),
    *("socket", "ssl", "subprocess", "threading", "tomllib", "typing"),
)
MOST_OWN = 14
SETTINGS = """
mode = "guarded"

[model]
name = "offline"
seconds = 90.0

[budgets]
steps = 20
"""


def loaded(importtime: str) -> list[str]:
    """The modules that a run with -X importtime names, each once (some are told twice), in order."""
    lines = [line for line in importtime.splitlines() if line.startswith("import time:") and "|" in line]
    return list(dict.fromkeys(line.rsplit("|", 1)[1].strip() for line in lines if "[us]" not in line))


def judge(modules: list[str], wanted: tuple[str, ...]) -> list[str]:
    """What is wrong with a list of loaded modules, as sentences."""
    found = [f"{name} is forbidden before the prompt" for name in modules if name in FORBIDDEN]
    found += [f"{name} is loaded before the prompt" for name in modules if name not in (*wanted, *FORBIDDEN)]
    found += [f"{name} is in the list and was not loaded" for name in wanted if name not in modules]
    own = [name for name in modules if name.split(".")[0] == "edge"]
    if len(own) > MOST_OWN:
        found.append(f"{len(own)} modules of ours before the prompt, {MOST_OWN} are allowed")
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a `bin/python3` that tells what it loads, and a settings file."""
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin/python3"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -X importtime "$@"\n')
    shim.chmod(0o755)
    (tmp_path / "settings.toml").write_text(SETTINGS)
    return tmp_path


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin", "TERM": "dumb"}


def bare(home: Path) -> list[str]:
    """What the interpreter loads by itself, with the flags of the launcher."""
    command = [str(home / "bin/python3"), "-I", "-c", "import sys"]
    return loaded(subprocess.run(command, env=environment(home), capture_output=True, text=True, timeout=60).stderr)


def piped(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The prompt with nothing on stdin."""
    command = [str(ROOT / "bin/fieldhand"), *options]
    return subprocess.run(
        command, env=environment(home), cwd=home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )


def read_some(leader: int) -> bytes:
    """What is there now; nothing when the other side has closed (Linux says EIO then)."""
    try:
        return os.read(leader, 4096)
    except OSError:
        time.sleep(0.05)
        return b""


def at_terminal(home: Path, *options: str) -> tuple[int, str, str]:
    """The prompt at a terminal of its own, ended by Ctrl-D once it shows; exit code, screen, stderr."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [str(ROOT / "bin/fieldhand"), *options],
        env=environment(home),
        cwd=home,
        stdin=follower,
        stdout=follower,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(follower)
    screen = b""
    try:
        deadline = time.monotonic() + 60
        while b"> " not in screen and time.monotonic() < deadline:
            if select.select([leader], [], [], 0.2)[0]:
                screen += read_some(leader)
            if child.poll() is not None:
                break
        os.write(leader, b"\x04")
        errors = child.communicate(timeout=60)[1]
    finally:
        child.kill()
        child.wait()
        os.close(leader)
    return child.returncode, screen.decode("utf-8", "replace"), errors


def beyond_bare(home: Path, importtime: str) -> list[str]:
    before = set(bare(home))
    return [name for name in loaded(importtime) if name not in before]


def test_without_a_terminal_the_prompt_loads_the_list(home: Path) -> None:
    ran = piped(home)
    assert ran.returncode == 0, ran.stderr[-2000:]
    none_of(judge(beyond_bare(home, ran.stderr), ALWAYS))


def test_at_a_terminal_line_editing_comes_and_no_more(home: Path) -> None:
    code, screen, errors = at_terminal(home)
    assert code == 0 and "fieldhand> " in screen, errors[-2000:]
    none_of(judge(beyond_bare(home, errors), ALWAYS + AT_A_TERMINAL))


def test_with_a_settings_file_its_reader_and_the_presets_come_and_no_more(home: Path) -> None:
    code, screen, errors = at_terminal(home, "--config", str(home / "settings.toml"))
    assert code == 0 and "fieldhand> " in screen, errors[-2000:]
    none_of(judge(beyond_bare(home, errors), ALWAYS + AT_A_TERMINAL + WITH_SETTINGS))


def test_a_module_too_many_or_too_few_is_found() -> None:
    text = "import time: self [us] | cumulative | imported package\nimport time:  30 |  30 |   _io\n"
    assert loaded(text) == ["_io"]
    assert judge(["edge", "edge.loop"], ("edge",)) == ["edge.loop is loaded before the prompt"]
    assert judge(["json"], ("json",)) == ["json is forbidden before the prompt"]
    assert judge(["edge", "collections"], ("edge",)) == ["collections is loaded before the prompt"]
    assert judge(["edge"], ("edge", "edge.x")) == ["edge.x is in the list and was not loaded"]
    many = tuple(f"edge.x{n}" for n in range(15))
    assert judge(list(many), many) == ["15 modules of ours before the prompt, 14 are allowed"]
