"""The order of `make hil` and its lanes: what needs no board first, then what a start up to the boot loader shows, then
whole boots; what takes longest comes last. At the end one line for each board that was started.

Rules:
1. Tests that share a board are one group: `pytest -n 2 --dist loadgroup` gives a group to one process.
2. What a board told is a line of the summary, whichever process it was told to.
"""

from __future__ import annotations

from typing import Any

import pytest

ORDER = ("test_card", "test_console", "test_qmp", "test_slots", "test_boot", "test_provision", "test_power")
SUMMARY = pytest.StashKey["list[str]"]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SUMMARY] = []
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Lanes(config))


class Lanes:
    """What is heard of the processes that tests are given to."""

    def __init__(self, config: pytest.Config) -> None:
        self._lines = config.stash[SUMMARY]

    def pytest_testnodedown(self, node: Any) -> None:
        self._lines += getattr(node, "workeroutput", {}).get("boards", [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["boards"] = session.config.stash[SUMMARY]


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of this folder in ORDER, all others where they are."""
    here = [item for item in items if item.path.parent.name == "hil"]
    for item in here * config.pluginmanager.hasplugin("xdist"):
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    ordered = iter(sorted(here, key=_rank))
    items[:] = [next(ordered) if item.path.parent.name == "hil" else item for item in items]


def _group(item: pytest.Item) -> str:
    """Tests with a `board` share it: one for each parameter, else one for the file. All others stand alone."""
    if "board" not in getattr(item, "fixturenames", ()):
        return item.nodeid
    parameters = getattr(item, "callspec", None)
    return f"{item.path.stem}-{parameters.params.get('board', '') if parameters else ''}"


def _rank(item: pytest.Item) -> int:
    return ORDER.index(item.path.stem) if item.path.stem in ORDER else len(ORDER)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for line in config.stash[SUMMARY]:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def summary(pytestconfig: pytest.Config) -> list[str]:
    """Lines that are printed at the end of the run."""
    return pytestconfig.stash[SUMMARY]
