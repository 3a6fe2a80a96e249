"""Starts where unshare(2) is refused, as in most containers: each in an agent of its own, behind a filter that does so.

What is looked at is the same as of other starts: descriptors, folder, mask, environment, files, the agent itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.support.walls import needs_landlock

ROOT = Path(__file__).parents[4]
LEVELS = ["seccomp", "off", pytest.param("landlock", marks=needs_landlock)]
# The agent: closes unshare to itself, then starts a shell as every start is made.
AGENT = """
import json, os, sys
from pathlib import Path
from edge.hands.wall import bpf, kernel, numbers, seccomp, spawn
from tests.support.walls import act, plan

refused, level, folder, text, alone = int(sys.argv[1]), *sys.argv[2:5], sys.argv[5] == "alone"
leak = os.open(sys.argv[0] if os.path.exists(sys.argv[0]) else "/etc/passwd", os.O_RDONLY)
os.set_inheritable(leak, True)
if refused:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    call = numbers.number("unshare", kernel.machine())
    seccomp.install(bpf.packed([bpf.load(bpf.NUMBER), *bpf.one_of((call,), bpf.refuse(refused), bpf.allow())]))
    try:
        kernel.unshare(0x200)
        raise SystemExit("it was not refused")
    except OSError as error:
        assert error.errno == refused
act(plan(Path(folder), level=level, alone=alone), "true")  # what is kept for later starts is kept now
before = os.getcwd(), os.listdir("/proc/self/fd"), Path("/proc/self/status").read_text().split("Cap")[1]
ended = act(plan(Path(folder), level=level, alone=alone), text)
after = os.getcwd(), os.listdir("/proc/self/fd"), Path("/proc/self/status").read_text().split("Cap")[1]
mask = os.umask(0)
print(json.dumps({"code": ended.code, "text": ended.text, "same": before == after, "mask": mask}))
"""


def agent(folder: Path, level: str, text: str, refused: int = 1, alone: bool = False) -> Any:
    words = [sys.executable, "-c", textwrap.dedent(AGENT), str(refused), level, str(folder), text]
    ran = subprocess.run(
        [*words, "alone" if alone else ""],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=120,
        umask=0o027,
    )
    assert ran.returncode == 0, ran
    return json.loads(ran.stdout)


@pytest.mark.parametrize("refused", [1, 38])
@pytest.mark.parametrize("level", LEVELS)
def test_the_child_has_its_own_of_all_that_is_shared(tmp_path: Path, level: str, refused: int) -> None:
    text = "ls /proc/self/fd | tr '\\n' ' '; pwd; umask; env | cut -d= -f1 | sort | tr '\\n' ' '; echo x > made; cat"
    found = agent(tmp_path, level, text, refused)
    assert found["code"] == 0 and found["same"] and found["mask"] == 0o027
    first, mask, names = found["text"].splitlines()[:3]
    # The fourth is the folder that ls itself opened.
    assert first.split() == ["0", "1", "2", "3", str(tmp_path)]
    assert mask == "0022" and names.split() == ["PATH", "PWD"]
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("level", LEVELS)
def test_it_is_held_as_others_are(tmp_path: Path, level: str) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "victim").write_text("as it was")
    text = (
        f"echo x 2>/dev/null > {outside}/victim && echo wrote; echo x > own && echo own; cat {outside}/victim; "
        "grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status; ulimit -n"
    )
    found = agent(inside, level, text, alone=True)
    said = found["text"].split()
    assert "own" in said and found["same"]
    assert ("wrote" in said) == (level != "landlock")
    assert ((outside / "victim").read_text() == "as it was") == (level == "landlock")
    status = dict(zip(said, said[1:]))
    assert status["NoNewPrivs:"] == "1" and said[-1] == "1024"
    if level != "off":
        assert status["Seccomp:"] == "2" and int(status["CapEff:"], 16) == 0


def test_words_reach_the_program_as_they_are(tmp_path: Path) -> None:
    odd = "printf '%s|' \"$0\" 'a  b' '$HOME' '-n' \"it's\"; exit 7"
    found, plain = (agent(tmp_path, "seccomp", odd, refused) for refused in (1, 0))
    assert found["text"] == plain["text"] and found["code"] == plain["code"] == 7


def test_a_folder_that_is_not_there_starts_nothing(tmp_path: Path) -> None:
    found = agent(tmp_path / "none", "seccomp", "echo ran")
    assert found["code"] == 126 and "ran" not in found["text"].split()
