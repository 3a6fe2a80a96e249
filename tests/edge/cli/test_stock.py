"""Which tools a run has: by the settings, the policy, the board, and what is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from edge.call import Scene
from edge.catalogue import BOARD, FINDERS, MINIMAL, lacking
from edge.cli import stock
from edge.cli.listing import rows, text
from edge.config import ToolSettings
from edge.gate.policy import Policy
from edge.locales.de import TOOLS as GERMAN
from edge.peripherals.sim.declare import OUTPUTS, SENSORS
from edge.registry import TOOLS
from tests.support import agent

SCENE = Scene("/srv", "", (), SENSORS, OUTPUTS)


OPEN = Policy()


def names(settings: ToolSettings, policy: Policy = OPEN, scene: Scene = SCENE, named: bool = False) -> set[str]:
    found, _ = stock.catalogue(settings, policy, scene, named)
    return set(found.schemas) | set(found.absent)


def test_all_or_the_minimal_ones_or_those_and_some_more() -> None:
    assert names(ToolSettings()) == set(TOOLS)
    minimal = (set(MINIMAL) & set(TOOLS)) | set(BOARD) | set(FINDERS)
    assert names(ToolSettings(optional=())) == minimal
    assert names(ToolSettings(optional=("Calculator", "glob_search"))) == {*minimal, "calculator"}
    assert names(ToolSettings(optional=()), scene=Scene("/srv", "")) == minimal - set(BOARD)


def test_a_call_of_a_person_finds_every_tool_whatever_was_selected_or_is_allowed() -> None:
    assert names(ToolSettings(optional=()), Policy(allowed_tools=("bash",)), Scene("/srv", ""), True) == set(TOOLS)


def test_the_lists_of_a_policy_narrow_what_was_selected() -> None:
    assert names(ToolSettings(), Policy(allowed_tools=("grep", "bash"))) == {"grep", "bash"}
    assert names(ToolSettings(), Policy(deny_all_tools=True)) == set()


def test_one_whose_library_is_absent_is_not_offered_and_told_only_when_it_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if not folder.endswith("-packages")])
    found, told = stock.catalogue(ToolSettings(), Policy(), SCENE, False)
    why = "the Python package dulwich is not installed: pip install 'dulwich>=0.24,<2'"
    assert found.absent == {"git_operations": why, **lacking(SCENE)} and told == ()
    assert "git_operations" not in found.schemas
    for spelled in ("git_operations", "Git_Operations"):
        _, told = stock.catalogue(ToolSettings(optional=("*", spelled)), Policy(), SCENE, False)
        assert told == (f"tools.optional names git_operations, and it is not offered: {why}",)
    assert f"git_operations is not here: {why}" in text(found)
    assert [row["absent"] for row in rows(found) if row["name"] == "git_operations"] == [why]


def test_an_entry_that_names_nothing_is_told_in_a_whole_run(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('[tools]\noptional = ["calculater", "nonsense", "calculator"]\n')
    done = agent.run("tools", "--config", str(file), home=tmp_path)
    assert done.returncode == 0 and "did you mean calculator?" in done.stderr and "'nonsense'" in done.stderr
    assert "calculator expression=" in done.stdout and "outline path=" not in done.stdout


def test_tools_speak_the_language_of_the_settings() -> None:
    found, _ = stock.catalogue(ToolSettings(locale="de"), Policy(), SCENE, False)
    assert {tool.name: tool.about for tool in found.tools} == {tool.name: GERMAN[tool.name] for tool in found.tools}
