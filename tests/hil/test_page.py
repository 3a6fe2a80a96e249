"""What docs/hil.md lets people paste is true: its board is read, its test is run, its names are those of the bench."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from hil.__main__ import VERBS
from hil.agent import Agent
from hil.protocols import Bench
from hil.resources import CAPABILITIES, Board, names, read
from tests.support.sources import ROOT

TEXT = (ROOT / "docs/hil.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")


def block(begin: str, end: str) -> str:
    """The indented lines from one that begins so to the last before `end`."""
    found = re.search(rf"(?ms)^    {re.escape(begin)}.*?(?=^{re.escape(end)})", TEXT)
    assert found, begin
    return textwrap.dedent(found[0])


def test_the_board_on_a_desk_is_one() -> None:
    board = read(block('title = "Raspberry', "Flash"), Path("mine.toml"))
    assert board.has == ("power", "port") and board.switch is not None and board.port is not None
    assert board.switch.on[-1] == "on" and board.console is not None


def pasted() -> dict[str, Any]:
    """What the page's file of a test defines."""
    found: dict[str, Any] = {}
    exec(compile(block("import pytest", "It is run"), "docs/hil.md", "exec"), found)
    return found


def test_the_test_is_one() -> None:
    assert [name for name in pasted() if name.startswith("test_")] == ["test_a_warm_room_is_read_over_the_bus"]


@pytest.mark.emulated
@pytest.mark.needs("parts")
def test_the_test_passes(board: Board, bench: Bench, agent: Agent) -> None:
    pasted()["test_a_warm_room_is_read_over_the_bus"](board, bench, agent)


def test_capabilities_are_those_of_boards() -> None:
    row = next(line for line in TEXT.splitlines() if line.startswith("| **capability**"))
    assert re.findall("`([a-z]+)`", row.partition("where")[0].partition(" | ")[2].rpartition(" | ")[0]) == list(
        CAPABILITIES
    )


@pytest.mark.parametrize("text", [TEXT, README], ids=["page", "readme"])
def test_its_commands_are_verbs_and_boards(text: str) -> None:
    found = re.findall(r"python3? -m hil (\w+)(?: +(\w+))?(?= |$)", text, re.MULTILINE)
    assert {verb for verb, _ in found} <= set(VERBS) and found
    assert {board for verb, board in found if verb != "boards" and board} <= {*names(), "VERB", "NAME"}
