"""Every forbidden act of probes.tsv, tried behind each level of the wall that can be had here, by root and by a user.

Rules:
1. The agent is a process of its own, of root and of uid 65534; its children are started as a shell that may write is.
2. What a level must stop fails in fact: the exit code says so, and what lies outside is looked at afterwards.
3. What the product claims (claims.py) is what the rows found.
4. A level that cannot be had is said with the reason. Nothing of the kind on this board (77) is counted and said.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.probes import ACTS, CASES, COLUMN, claimed, judged
from tests.support.probing import CONTROL, OPEN, rows

ROOT = Path(__file__).parents[4]
NOBODY = 65534


@cache
def interpreter(user: int) -> str:
    """A Python that this user can run with the project; a skip with the reason when there is none."""
    for python in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        try:
            done = subprocess.run(
                [python, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); import tests.support.probing"],
                cwd="/",
                capture_output=True,
                timeout=60,
                check=False,
                **as_user(user),
            )
        except OSError:
            continue
        if done.returncode == 0:
            return python
    pytest.skip(f"no Python here that uid {user} can run with this checkout")


def as_user(user: int) -> dict[str, Any]:
    return {} if user == os.geteuid() else {"user": user, "group": user, "extra_groups": []}


@pytest.fixture(params=[0, NOBODY], ids=["root", "user"])
def user(request: pytest.FixtureRequest) -> int:
    """Root and somebody else; only oneself where the tests are not root's."""
    if os.geteuid() == 0:
        return int(request.param)
    if request.param == 0:
        pytest.skip("the agent of root needs tests that run as root")
    return os.geteuid()


@pytest.fixture
def folder(user: int) -> Iterator[str]:
    made = os.path.realpath(tempfile.mkdtemp(prefix="probes-"))
    os.chmod(made, 0o755)
    if user != os.geteuid():
        os.chown(made, user, user)
    yield made
    shutil.rmtree(made)


def reached(level: str, user: int) -> str:
    """Why a level cannot be had by a user, "" when it can."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from edge.hands.wall import level, namespaces; "
        f"found = level.find(at_most={level!r}); namespaces.end(); "
        f"print('' if found.name == {level!r} else '; '.join(found.reasons))"
    )
    command = [interpreter(user), "-I", "-c", code]
    done = subprocess.run(command, cwd="/", capture_output=True, timeout=120, check=True, text=True, **as_user(user))
    return done.stdout.strip()


@pytest.mark.parametrize("level", COLUMN)
def test_what_a_level_must_stop_fails_in_fact_and_is_what_is_claimed(
    level: str, user: int, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    why = reached(level, user)
    if why:
        pytest.skip(why)
    command = [interpreter(user), "-I", str(ROOT / "tests/support/probing.py"), level, folder, str(CASES)]
    environment = {"PATH": os.environ["PATH"], "SECRET": "of the agent"}
    done = subprocess.run(
        command, cwd="/", env=environment, capture_output=True, timeout=600, check=False, text=True, **as_user(user)
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["level"] == level and told["user"] == user
    assert set(told["rows"]) == {row["id"] for row in rows(str(CASES))} and len(told["rows"]) >= 24
    assert told["control"] == dict.fromkeys(CONTROL, 0), "a child cannot do what it may: the rows would show nothing"
    assert told["open"] == dict.fromkeys(OPEN, 0), "without a wall these rows succeed"
    judged(level, told)
    claimed(told)
    with capsys.disabled():
        nothing = [name for name, code in told["rows"].items() if code == 77]
        may = [name for name, code in told["rows"].items() if code == 0]
        whose = "own user" if told["alone"] else "same user"
        print(
            f"\nprobes at level {level}, agent of uid {user}, children of the {whose}: {len(told['rows'])} tried,"
            f" {len(nothing)} with nothing of the kind here {nothing}, {len(may)} that it may not stop {may}"
        )


def test_the_file_of_cases_is_read_as_its_head_says() -> None:
    found = {row["id"]: row for row in rows(str(CASES))}
    assert list(found) == [f"P{number:02}" for number in range(1, len(found) + 1)]
    assert "\ntry: os.mknod" in found["P05"]["how"] and "tr '\\0' '\\n'" in found["P12"]["how"]
    assert {row[column] for row in found.values() for column in COLUMN.values()} == {"must", "may"}
    assert sorted(name for names in ACTS.values() for name in names) == sorted(found)
