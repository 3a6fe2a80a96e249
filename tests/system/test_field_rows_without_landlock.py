"""Every everyday command that runs without asking also runs where the kernel has no Landlock, and ends as outside.

The kernels of Raspberry Pi OS are such. Here the agent is told to do without it, and uses name spaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.hands.wall import level, namespaces
from tests.system.test_field_rows import ALLOWED, tried

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
    assert tried(tmp_path, command)["wall"] == "namespaces"
