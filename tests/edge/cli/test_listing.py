"""What people see of the catalogue: calls, other names, what is loaded first, what is not here and why."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from edge.catalogue import ALWAYS, BOARD, FINDERS
from edge.cli.listing import DOTTED, WIDTH, aliases, wrapped
from edge.gate.names import ALIASES, canonical
from edge.registry import TOOLS, find
from tests.support import agent


def settings(folder: Path, text: str) -> str:
    file = folder / "c.toml"
    file.write_text(text)
    return str(file)


def test_each_tool_is_listed_with_its_call_and_its_other_names_on_one_line(tmp_path: Path) -> None:
    done = agent.run("tools", home=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    for name in TOOLS:
        assert sum(line.split(" ")[0] == name for line in lines) == 1
    assert lines[lines.index(f"    {find('bash').about}") + 1] == "    also shell, sh"
    assert "    also fs.read" in lines and "    also content_search" in lines and "    also tape.search" in lines


def test_an_alias_is_listed_as_its_page_has_it_and_means_its_tool() -> None:
    for name in TOOLS:
        assert all(canonical(other) == name != other for other in aliases(name))
    listed = [other for name in TOOLS for other in aliases(name)]
    assert set(DOTTED) <= set(listed) and len(set(listed)) == len(listed)
    folded = {other.replace(".", "_") for other in listed}
    assert {other for other, meant in ALIASES.items() if meant in TOOLS} <= folded


def test_json_has_all_of_it(tmp_path: Path) -> None:
    rows = json.loads(agent.run("tools", "--json", home=tmp_path).stdout)
    assert {row["name"] for row in rows} == set(TOOLS)
    for row in rows:
        tool = find(row["name"])
        assert (row["about"], row["schema"], row["examples"]) == (tool.about, tool.schema, list(tool.examples))
        assert row["aliases"] == aliases(tool.name) and row["plugin"] == "" and row["overrides"] is False
        assert row["deferred"] is False and isinstance(row["absent"], str)


def test_what_a_model_loads_first_is_marked_and_all_is_listed(tmp_path: Path) -> None:
    config = settings(tmp_path, "[tools]\ndeferred_builtin_tools = true\n")
    rows = json.loads(agent.run("tools", "--json", "--config", config, home=tmp_path).stdout)
    assert {row["name"] for row in rows} == set(TOOLS)
    first = {row["name"] for row in rows if not row["deferred"] and not row["absent"]}
    assert first == (set(ALWAYS) | set(BOARD) | set(FINDERS)) & set(TOOLS)
    assert "a model loads it first" in agent.run("tools", "--config", config, home=tmp_path).stdout


def test_what_the_settings_leave_out_is_named_and_the_language_is_theirs(tmp_path: Path) -> None:
    config = settings(tmp_path, '[tools]\noptional = []\nlocale = "de"\n')
    listed = agent.run("tools", "--config", config, home=tmp_path).stdout
    assert "outline path=" not in listed and "Einen Messf\u00fchler jetzt lesen" in listed
    left = listed.partition("left out by the settings: ")[2]
    assert "outline" in left and "calculator" in left and "bash," not in left


def test_a_word_too_many_is_usage(tmp_path: Path) -> None:
    done = agent.run("tools", "grep", home=tmp_path)
    assert done.returncode == 2 and "tools takes no 'grep'" in done.stderr


@pytest.mark.parametrize("count", [0, 1, 5, 60])
def test_names_stand_in_lines_of_a_console(count: int) -> None:
    words = [f"tool_{number}" for number in range(count)]
    lines = wrapped("tools: ", words)
    assert all(len(line) <= WIDTH for line in lines)
    assert "".join(lines).replace("tools:", "").replace(" ", "").split(",") == (words or [""])


def test_the_prompt_lists_the_tools_that_this_run_has(tmp_path: Path) -> None:
    config = settings(tmp_path, "[tools]\noptional = []\n")
    done = subprocess.run(
        agent.command("--config", config),
        cwd=agent.ROOT,
        env=agent.environment(tmp_path),
        input=",help\n,tools\n",
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    page, _, listed = done.stdout.partition("\nsensor_list\n")
    assert ",quit" in page and "tools: sensor_list" in page and "bash" in page and "outline" not in page
    assert "file_read path=<string>" in listed and "    also fs.read" in listed
