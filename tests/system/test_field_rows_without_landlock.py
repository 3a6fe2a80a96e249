"""Every everyday command that runs without asking also runs where the kernel has no Landlock, and ends as outside.

The kernels of Raspberry Pi OS are such. Here the agent is told to do without it, and uses name spaces.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.hands import Hands
from edge.hands.wall import level, namespaces
from tests.support.one_call import judge, world
from tests.system.test_field_rows import ALLOWED, PASSING, PATH, absent, lay_out

REACHED = level.find(at_most="namespaces")
pytestmark = pytest.mark.skipif(REACHED.name != "namespaces", reason="; ".join(REACHED.reasons))


@pytest.fixture(scope="module", autouse=True)
def _no_keeper_stays() -> Iterator[None]:
    yield
    namespaces.end()


@pytest.fixture(autouse=True)
def _without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    find = level.find

    def at_most(told: str = "prefer", **where: Any) -> level.Level:
        return find(told, at_most="namespaces", **where)

    monkeypatch.setattr(level, "find", at_most)


@pytest.mark.parametrize("command", [row[1] for row in ALLOWED], ids=[row[0] for row in ALLOWED])
def test_it_ends_behind_name_spaces_as_outside(tmp_path: Path, command: str) -> None:
    missing = absent(command)
    if missing:
        pytest.skip(f"not on this machine: {', '.join(missing)}")
    work = lay_out(tmp_path)
    here = world(work)
    clean = {"PATH": PATH, "HOME": str(work), "LANG": "C.UTF-8"}
    outside = subprocess.run(
        ["/bin/sh", "-c", command], cwd=work, env=clean, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    call, decision = judge("bash", {"command": command}, here)
    assert decision.permit is not None
    found = Hands(decision.permit, call, here).run.shell(command, 30.0)
    here.close()
    assert found["wall"] == "namespaces"
    assert found["ended"] == "exit" and found["code"] == outside.returncode, (found, outside)
    if not any(word in command for word in PASSING):
        assert found["stdout"] == outside.stdout.decode("utf-8", "replace"), found
