"""Every tool in a root without a single program, with an empty PATH: what needs a shell says that there is none."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from edge.registry import TOOLS
from tests.support import bare_root
from tests.support.every_tool import CALLS

SHELLS = ("bash", "bash_output", "bash_kill")
# What is done in the root: a call of each tool, made without a turn, and what came of it as one line of JSON each.
SCRIPT = """
import json, os, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.support.bare_calls import outcomes
for line in outcomes(Path(os.environ["HOME"])):
    print(json.dumps(line))
"""


@pytest.fixture(scope="module")
def came(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Tool -> what came of its call in the bare root."""
    why = bare_root.why_not()
    if why:
        pytest.skip(why)
    done = bare_root.run(tmp_path_factory.mktemp("bare"), "-B", "-c", SCRIPT.format(root=str(bare_root.ROOT)))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["tool"]: row for row in rows}


def test_there_is_no_program_but_python(came: dict[str, Any]) -> None:
    row = came["the root"]
    assert row["shells"] == [] and row["path"] == ""
    assert not row["programs"] or all("python" in name for name in row["programs"])
    assert row["python"] == list(sys.version_info[:2])


def test_every_tool_is_called(came: dict[str, Any]) -> None:
    assert set(came) - {"the root"} == set(TOOLS) <= set(CALLS)


@pytest.mark.parametrize("name", [name for name in TOOLS if name not in SHELLS])
def test_a_tool_works_without_any_program(name: str, came: dict[str, Any]) -> None:
    row = came[name]
    assert (row["ok"], row["fault"]) == (True, "") or row["absent"], row
    assert row["text"].strip() or row["absent"]


@pytest.mark.parametrize("name", SHELLS)
def test_a_tool_of_the_shell_says_that_there_is_none(name: str, came: dict[str, Any]) -> None:
    assert came[name]["fault"] and "no /bin/sh" in came[name]["fault"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tool", "file_write", "path={desk}/made", "content=hello"), "made"),
        (("tool", "grep", "pattern=^class", "path={root}/edge/faults.py"), "class Fault"),
        (("tool", "calculator", "expression=6 * 7"), "42"),
        (("tool", "system_info"), ""),
        (("tool", "sensor_read", "name=temperature"), "temperature"),
        (("-e", "How warm is it?"), "C"),
        (("tools",), "file_read path="),
    ],
)
def test_the_command_line_works_there_too(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    why = bare_root.why_not()
    if why:
        pytest.skip(why)
    places = {"desk": str(tmp_path / "desk"), "root": str(bare_root.ROOT)}
    (tmp_path / "desk").mkdir()
    (tmp_path / "c.toml").touch()
    config = tmp_path / "desk" / "c.toml"
    config.write_text(f'roots = ["{places["desk"]}"]\n')
    line = [word.format(**places) for word in words]
    done = bare_root.run(tmp_path, "-B", "-m", "edge", *line, "--yes", "--config", str(config))
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
