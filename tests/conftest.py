"""What the row ledger needs of a run: which tests there were, which passed; and a place to say things at the end."""

from __future__ import annotations

import ctypes
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

LAST = "tests/rules/test_ledger.py"


USUAL = "not real_model and not emulated"  # what pyproject.toml leaves out of every run


class Run:
    """What has happened so far in this run of the suite. Ids are pytest's, with their [parameters].

    files: what was collected. narrowed: somebody asked for less than usual (-k, -m, --deselect, --lf, --sw).
    notes: lines to print at the end.
    """

    def __init__(self, option: Any) -> None:
        asked = ("keyword", "deselect", "lf", "stepwise")
        self.narrowed = option.markexpr != USUAL or any(getattr(option, name, None) for name in asked)
        self.files: set[str] = set()
        self.outcomes: dict[str, str] = {}
        self.deselected: set[str] = set()
        self.notes: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """The ledger asks what the others did, so it comes last."""
        self.files |= {item.nodeid.partition("::")[0] for item in items}
        items.sort(key=lambda item: item.nodeid.startswith(LAST))

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.files |= {item.nodeid.partition("::")[0] for item in items}
        self.deselected |= {item.nodeid for item in items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """`passed` only when nothing of the test failed or was skipped, set-up and tear-down included."""
        before = self.outcomes.get(report.nodeid)
        if report.outcome != "passed" or (report.when == "call" and before is None):
            self.outcomes[report.nodeid] = report.outcome

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for note in dict.fromkeys(self.notes):
            terminalreporter.write_line(note)


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts what it runs in the background with Ctrl-C ignored, and children inherit that; tests send it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(Run(config.option), "fieldhand-run")


@pytest.fixture
def this_run(request: pytest.FixtureRequest) -> Run:
    """What this run has done so far."""
    found: Run | None = request.config.pluginmanager.get_plugin("fieldhand-run")
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def reaps_for_nobody() -> Iterator[None]:
    """An agent adopts the orphans of its shells; a test that was one must not adopt those of the next test."""
    yield
    tree = sys.modules.get("edge.hands.wall.tree")
    if tree is not None and tree._adopting:
        ctypes.CDLL(None).prctl(36, 0)  # PR_SET_CHILD_SUBREAPER
        tree._adopting = 0
