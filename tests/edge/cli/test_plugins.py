"""Tools of other packages: a real distribution on the path, found by its metadata as an installer leaves it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from edge.cli.listing import rows, text
from edge.cli.plugins import extended
from edge.cli.stock import catalogue
from edge.config import ToolSettings
from edge.gate.policy import Policy
from edge.registry import every, find
from tests.support import agent
from tests.support.distribution import ABOUT, installed, tool
from tests.support.one_call import world

BUT = "from edge.record import replace\nTOOL = replace(TOOL, {})\n"
BROKEN = "raise ValueError('no such board')\n"
POINTS = {
    **{"soil": "fh_soil:TOOL", "grep": "fh_grep:TOOL", "broken": "fh_broken:TOOL", "number": "fh_number:TOOL"},
    **{"gone": "fh_soil:NOTHING", "absent": "fh_nowhere:TOOL", "final": "fh_final:TOOL", "loud": "fh_loud:TOOL"},
    **{"blank": "fh_blank:TOOL", "shapeless": "fh_shapeless:TOOL", "idle": "fh_idle:TOOL", "needy": "fh_needy:TOOL"},
}
MODULES = {
    "fh_soil": tool("soil_map"),
    "fh_grep": tool("grep", "Search as another package has it."),
    "fh_broken": BROKEN,
    "fh_number": "TOOL = 7\n",
    "fh_final": tool("final"),
    "fh_loud": tool("Loud"),
    "fh_blank": tool("blank", " "),
    "fh_shapeless": tool("shapeless") + BUT.format("schema={'type': 'object'}"),
    "fh_idle": tool("idle") + BUT.format("run=None"),
    "fh_needy": tool("needy") + BUT.format("needs=('library:nowhere_x',)"),
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = installed(tmp_path / "site", POINTS, MODULES)
    monkeypatch.syspath_prepend(str(folder))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder


def test_what_is_installed_is_not_there_until_it_is_named(path: Path, tmp_path: Path) -> None:
    scene = world(tmp_path).scene
    found, told = catalogue(ToolSettings(), Policy(), scene, False)
    assert "soil_map" not in found.schemas and told == () and not set(MODULES) & set(sys.modules)
    found, told = catalogue(ToolSettings(plugins=("soil",)), Policy(), scene, False)
    assert "soil_map" in found.schemas and told == () and {"fh_soil"} == set(MODULES) & set(sys.modules)
    (row,) = [row for row in rows(found) if row["name"] == "soil_map"]
    assert (row["plugin"], row["overrides"], row["about"]) == ("fh_soil", False, ABOUT)
    assert "a plug-in, fh_soil" in text(found)


def test_one_with_the_name_of_a_built_in_takes_its_place_and_that_is_shown(path: Path) -> None:
    tools, told = extended(list(every(("bash", "grep"))), ("grep",))
    assert [one.name for one in tools] == ["bash", "grep"] and tools[1].run is not find("grep").run
    assert told == ("the plug-in grep takes the place of the built-in tool grep",)
    found, told = catalogue(ToolSettings(plugins=("grep",), locale="de"), Policy(), world(path).scene, False)
    (row,) = [row for row in rows(found) if row["name"] == "grep"]
    assert (row["plugin"], row["overrides"]) == ("fh_grep", True) and "takes the place" in told[0]
    assert "a plug-in, fh_grep, in the place of the built-in tool" in text(found)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("broken", "the plug-in broken is left out: ValueError: no such board"),
        ("number", "fh_number:TOOL is no edge.tool.Tool"),
        ("gone", "left out: AttributeError"),
        ("absent", "left out: ModuleNotFoundError"),
        ("final", "'final' cannot be the name of a tool"),
        ("loud", "'Loud' cannot be the name of a tool"),
        ("blank", "blank does not say in one line what it does"),
        ("shapeless", "the schema of shapeless is none of an object with properties"),
        ("idle", "effects, run or words of idle cannot be called"),
        ("soli", "names 'soli', and there is no such entry point in fieldhand.tools; installed: "),
    ],
)
def test_what_cannot_be_used_is_told_and_left_out_and_the_others_are_there(path: Path, name: str, said: str) -> None:
    tools, told = extended(list(every(("bash",))), (name, "soil"))
    assert [one.name for one in tools] == ["bash", "soil_map"]
    assert len(told) == 1 and said in told[0]


def test_one_whose_library_is_absent_is_shown_as_absent(path: Path) -> None:
    found, _ = catalogue(ToolSettings(plugins=("needy", "soil")), Policy(), world(path).scene, False)
    assert "needy" not in found.schemas and "nowhere_x is not installed" in found.absent["needy"]
    assert "needy is not here: " in text(found)
    (row,) = [row for row in rows(found) if row["name"] == "needy"]
    assert "nowhere_x" in row["absent"]


def test_a_policy_takes_a_plug_in_away_as_any_tool(path: Path) -> None:
    settings = ToolSettings(plugins=("soil", "grep"))
    scene = world(path).scene
    assert not {"soil_map", "grep"} & set(catalogue(settings, Policy(allowed_tools=("bash",)), scene, False)[0].schemas)
    assert catalogue(settings, Policy(deny_all_tools=True), scene, False)[0].tools == ()
    assert "soil_map" in catalogue(settings, Policy(allowed_tools=("soil_map",)), scene, False)[0].schemas


def test_without_any_installed_that_is_said() -> None:
    assert extended([], ("soil",))[1] == (
        "tools.plugins names 'soil', and there is no such entry point in fieldhand.tools; none is installed",
    )


def test_a_whole_run_lists_a_plug_in_by_its_name(tmp_path: Path) -> None:
    site = installed(tmp_path / "site", {"soil": "fh_soil:TOOL"}, {"fh_soil": tool("soil_map")})
    file = tmp_path / "c.toml"
    file.write_text('[tools]\nplugins = ["soil"]\n')
    env = agent.environment(tmp_path, PYTHONPATH=str(site))
    listed = agent.run("tools", "--json", "--config", str(file), env=env)
    assert "fh_soil" in [row["plugin"] for row in json.loads(listed.stdout)]
    done = agent.run("-e", "x", "--config", str(file), "--model", f"scripted:{_script(tmp_path)}", env=env)
    assert (done.returncode == 0 and "made elsewhere" in done.stdout + done.stderr) or "done" in done.stdout
    without = agent.run("tools", "--json", env=env)
    assert not any(row["plugin"] for row in json.loads(without.stdout))


def _script(folder: Path) -> Path:
    call = json.dumps({"thought": "", "action": "soil_map", "action_input": {"word": "x"}})
    final = json.dumps({"thought": "", "action": "final", "action_input": "done"})
    script = folder / "script"
    script.write_text(json.dumps(call) + "\n" + json.dumps(final) + "\n")
    return script
