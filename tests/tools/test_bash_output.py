"""bash_output as the model meets it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.faults import ToolFault, UsageFault
from edge.hands.world import World
from edge.registry import find
from edge.tools.bash_output import MOST, PAGE
from tests.edge.hands.test_jobs import wait
from tests.support.one_call import carry, judge, world


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    made = world(tmp_path)
    made.job_seconds = 60.0
    yield made
    made.close()


def start(here: World, command: str) -> str:
    name: str = carry("bash", {"command": command, "background": True}, here).data["shell_id"]
    return name


def output(here: World, name: str, **page: Any) -> Any:
    return carry("bash_output", {"shell_id": name, **page}, here)


def ended(here: World, command: str) -> str:
    """The name of a shell that has ended."""
    name = start(here, command)
    wait(lambda: output(here, name).data["status"] != "running")
    return name


def test_status_exit_code_output_and_where_to_go_on(here: World) -> None:
    name = start(here, "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two >&2; exit 3")
    wait(lambda: output(here, name).data["output"] != "")
    found = output(here, name)
    assert (found.ok, found.untrusted, found.text) == (True, True, f"one\n[{name} is running; next_offset=4]")
    assert {key: found.data[key] for key in ("status", "exit_code", "output", "next_offset")} == {
        "status": "running",
        "exit_code": None,
        "output": "one\n",
        "next_offset": 4,
    }
    Path(here.scene.cwd, "go").touch()
    wait(lambda: output(here, name).data["status"] == "exited")
    found = output(here, name, offset=4)
    assert found.text == f"two\n[{name} has ended with exit code 3; next_offset=8]" and found.data["exit_code"] == 3
    assert output(here, name, offset=4) == found.__class__(True, found.text, output(here, name, offset=4).data, True)
    assert output(here, name, offset=8).text == f"[{name} has ended with exit code 3; next_offset=8]"
    assert (output(here, name, offset=-9).data["output"], output(here, name, offset=99).data["next_offset"]) == (
        "one\ntwo\n",
        8,
    )


def test_pages_join_to_the_whole(here: World) -> None:
    name = ended(here, 'i=0; while [ $i -lt 900 ]; do echo "$i\u6c34 line"; i=$((i+1)); done')
    wanted = "".join(f"{number}\u6c34 line\n" for number in range(900))
    for page in ({}, {"limit": 700}, {"limit": 1_000_000}):
        text, at = "", 0
        while at < len(wanted):
            found = output(here, name, offset=at, **page)
            assert len(found.data["output"].encode()) <= (MOST if page else PAGE)
            assert ("more: go on with offset=" in found.text) == (found.data["next_offset"] < len(wanted))
            text, at = text + found.data["output"], found.data["next_offset"]
        assert text == wanted
    assert output(here, name, limit=0).data["next_offset"] == 0
    assert output(here, name, offset=3, limit=2).data["output"] == wanted[3:5]


def test_what_is_shown_is_clean_and_offsets_count_what_was_written(here: World) -> None:
    name = ended(here, "printf '\\033[31mred\\033[0m\\n'")
    found = output(here, name)
    assert found.data["output"] == "red\n" and found.data["next_offset"] == 13


def test_one_that_is_not_known_names_those_that_are(here: World) -> None:
    with pytest.raises(ToolFault, match=r"no background shell is called 'sh-9' \(there are none"):
        output(here, "sh-9")
    name = ended(here, "exit 1")
    with pytest.raises(ToolFault, match=f"there are {name} .exited."):
        output(here, "sh-9")
    assert output(here, f" {name.upper()} ").data["exit_code"] == 1


def test_it_is_low_in_every_preset(here: World) -> None:
    for preset in ("readonly", "supervised", "guarded", "full"):
        decision = judge("bash_output", {"shell_id": "sh-1"}, here, preset)[1]
        assert (decision.verdict, decision.risk, decision.rule) == ("allow", "low", "read.jobs")


@pytest.mark.parametrize(
    "args", [{}, {"shell_id": ""}, {"shell_id": "sh-1", "limit": -1}, {"shell_id": "x", "offset": "a"}]
)
def test_arguments_that_do_not_fit_are_refused(args: dict[str, Any], here: World) -> None:
    with pytest.raises(UsageFault, match="usage"):
        judge("bash_output", args, here)
    assert find("bash.output").name == "bash_output"
