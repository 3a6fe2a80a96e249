"""The order of `make hil`: what needs no board first, then what a start up to the boot loader shows, then whole boots;
what takes longest comes last. Tests of the plug-in's boards stand together, board by board: one start serves them all.
At the end one line for each board that was started.
"""

from __future__ import annotations

from typing import Any

import pytest

from hil import plugin
from hil.plugin import (  # noqa: F401  # the plug-in, for the tests of this folder alone
    agent,
    bench,
    board,
    pytest_addoption,
    pytest_generate_tests,
    pytest_runtest_makereport,
    pytest_runtest_setup,
    pytest_runtest_teardown,
    strategy,
    talk,
)
from hil.resources import Board
from tests.support.cabled import authority, cabled, plugged  # noqa: F401  # what is plugged into them
from tests.support.onboard import figures, provision  # noqa: F401  # what is wired to the boards of this folder

ORDER = (
    *("test_card", "test_console", "test_relay", "test_writes", "test_slots", "test_peripherals"),
    *("test_boot", "test_provision", "test_guard", "test_faults", "test_damage"),
    *("test_first_start", "test_lost_writes", "test_power", "test_update"),
)
# Those that work in a shell first, then those at the prompt: a login takes long.
SHARED = (
    *("test_peripherals", "test_sensors", "test_lab", "test_doctor", "test_walls"),
    *("test_goal", "test_serial", "test_death", "test_pulled", "test_chat"),
)
# A board with the processor of raspi2b and the bus and lines of virt: what its drivers do is fast, the rest is long.
REPEATS, OWN = "virt32", ("test_peripherals", "test_lab")
SUMMARY = pytest.StashKey["list[str]"]()


def pytest_configure(config: pytest.Config) -> None:
    plugin.pytest_configure(config)
    config.addinivalue_line("markers", "fast_on(*boards): what is of the long set on all other boards")
    config.stash[SUMMARY] = []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of this folder in ORDER, all others where they are; which of them are long."""
    plugin.pytest_collection_modifyitems(config, items)
    here = [item for item in items if item.path.parent.name == "hil"]
    for item in here:
        found = _board(item)
        if found and _is_long(item, found.name):
            item.add_marker("long")
    ordered = iter(sorted(here, key=_rank))
    items[:] = [next(ordered) if item.path.parent.name == "hil" else item for item in items]


def _is_long(item: pytest.Item, name: str) -> bool:
    elsewhere = any(name not in mark.args for mark in item.iter_markers("fast_on"))
    return elsewhere or (name == REPEATS and item.path.stem not in OWN)


def _board(item: pytest.Item) -> Board | None:
    """The board of the plug-in that a test runs on."""
    found = getattr(getattr(item, "callspec", None), "params", {}).get("board")
    return found if isinstance(found, Board) else None


def _rank(item: pytest.Item) -> tuple[int, str, int]:
    found = _board(item)
    if found:
        return ORDER.index(SHARED[0]), found.name, _place(item, SHARED)
    return _place(item, ORDER), "", 0


def _place(item: pytest.Item, files: tuple[str, ...]) -> int:
    return files.index(item.path.stem) if item.path.stem in files else len(files)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for line in config.stash[SUMMARY]:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def summary(pytestconfig: pytest.Config) -> list[str]:
    """Lines that are printed at the end of the run."""
    return pytestconfig.stash[SUMMARY]
