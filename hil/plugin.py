"""The pytest plug-in: a test asks for `bench` or `agent`, and runs on each board that can do what it needs.

Rules:
1. `--board NAME|FILE.toml` (it may stand several times) chooses the boards, and tests with a board of their own
   are left out then; else it is every board described here.
2. `@pytest.mark.needs("lines", "port")` names capabilities. A board that misses one is a skip, and the skip says why.
3. A board is started once for all tests of a session; `agent` finds it in a shell, `talk` at the agent's prompt. A test
   that fails leaves it in no known state, and the next one gets it freshly started. Its console is shown with the
   failure.
4. What a test needs and the machine lacks (QEMU, an image) is a failure, not a skip: these tests are asked for.
5. An emulated board is switched off where the next test asks for none: it would compute beside that one.
6. A folder of tests whose boards shall have something wired to them or plugged in says so in fixtures `provision` and
   `plugged` of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hil import resources
from hil.agent import Agent, Conversation
from hil.opening import opened
from hil.protocols import Bench
from hil.strategy import Strategy

_SHOWN = 6000


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--board", action="append", default=[], metavar="NAME|FILE.toml", help="boards that tests of hil run on"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*capabilities): what a board must be able to do for this test")


def chosen(config: pytest.Config) -> list[resources.Board]:
    """Rule 1."""
    named: list[str] = config.getoption("--board", [])
    return [resources.named(name) for name in named or resources.names()]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "bench" in metafunc.fixturenames:
        boards = chosen(metafunc.config)
        metafunc.parametrize("board", boards, indirect=True, scope="session", ids=[board.name for board in boards])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Rule 1: with chosen boards, emulated tests that do not ask for one are not run."""
    if not config.getoption("--board", []):
        return
    left = [one for one in items if one.get_closest_marker("emulated") and "bench" not in _asked(one)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [one for one in items if one not in left]


def _asked(item: pytest.Item) -> tuple[str, ...]:
    return tuple(getattr(item, "fixturenames", ()))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Rule 2, before a board is started for it."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    for mark in item.iter_markers("needs"):
        missing = params["board"].misses(*mark.args)
        if missing:
            pytest.skip(missing)


@pytest.fixture(scope="session")
def board(request: pytest.FixtureRequest) -> resources.Board:
    """What is described of the board on the bench."""
    found: resources.Board = request.param
    return found


@pytest.fixture(scope="session")
def provision(board: resources.Board) -> str:
    """What the card of an emulated board is told before its first start, as provision.toml; "" is nothing."""
    return ""


@pytest.fixture(scope="session")
def plugged(board: resources.Board) -> tuple[str, ...]:
    """What an emulated board has plugged in at each start, as QEMU's arguments (hil/cable.py)."""
    return ()


@pytest.fixture(scope="session")
def bench(
    board: resources.Board, provision: str, plugged: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    """The board with all that is wired to it, off at first."""
    with opened(board, tmp_path_factory.mktemp(board.name), provision, plugged) as found:
        yield found
        for note in found.notes:
            print(f"\n{note}")


@pytest.fixture(scope="session")
def strategy(bench: Bench) -> Strategy:
    """The board's way from off to the agent's prompt."""
    return Strategy(bench)


@pytest.fixture
def agent(strategy: Strategy, bench: Bench, request: pytest.FixtureRequest) -> Iterator[Agent]:
    """The board in a shell."""
    strategy.to("shell")
    with _kept(strategy, request.session):
        yield Agent(bench)


@pytest.fixture
def talk(strategy: Strategy, bench: Bench, request: pytest.FixtureRequest) -> Iterator[Conversation]:
    """The board at its agent's prompt, where its operator's login lands."""
    strategy.to("agent")
    with _kept(strategy, request.session):
        yield Conversation(bench.console)


@contextmanager
def _kept(strategy: Strategy, session: pytest.Session) -> Iterator[None]:
    """Rule 3."""
    failed = session.testsfailed
    yield
    if session.testsfailed != failed:
        strategy.lost()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Any:
    """Rule 5, when all that the test asked for was put away."""
    found: dict[str, Any] = dict(getattr(item, "funcargs", {}))
    left = yield
    emulated = "strategy" in found and found["board"].emulator is not None
    if emulated and nextitem is not None and "bench" not in _asked(nextitem):
        found["strategy"].to("off")
    return left


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Rule 3: the end of the console with a failure."""
    report = yield
    found = getattr(item, "funcargs", {}).get("bench")
    if report.failed and found is not None:
        report.sections.append((f"console of {found.board.name}", found.transcript[-_SHOWN:]))
    return report
