"""bash as the model meets it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit
from edge.faults import UsageFault
from edge.hands import Hands
from edge.schema import fit
from edge.tools.bash import CLIP, TOOL, tidy
from tests.support.one_call import world

GRANTS = (Grant("run", "shell", "sh"), Grant("read", "work", ".", True), Grant("write", "work", ".", True))


def carry(folder: Path, command: str, **other: Any) -> Any:
    args = fit({"command": command, **other}, TOOL.schema)[0]
    permit = Permit("c1", GRANTS, (), 30.0, 8192)
    return TOOL.run(args, Hands(permit, Call("bash", args, "c1"), world(folder)))


def test_the_whole_text_is_the_effect_and_stands_before_the_person(tmp_path: Path) -> None:
    args = {"command": "rm -rf build\n# and more"}
    (effect,) = TOOL.effects(args, world(tmp_path).scene)
    assert (effect.verb, effect.on, effect.detail) == ("run", "shell:sh", args["command"]) and not effect.observes
    assert args["command"] in TOOL.words(args, world(tmp_path).scene)


def test_output_and_code(tmp_path: Path) -> None:
    found = carry(tmp_path, "echo one; echo two >&2")
    assert (found.ok, found.text, found.untrusted) == (True, "one\n[stderr]\ntwo", True)
    assert found.data["code"] == 0 and found.data["ended"] == "exit"
    found = carry(tmp_path, "echo one; exit 3")
    assert (found.ok, found.text, found.data["code"]) == (False, "one\n[exit code 3]", 3)
    assert carry(tmp_path, "true").text == "(no output)"
    assert carry(tmp_path, "kill -TERM $$").text == "[ended by SIGTERM]"


def test_it_works_in_the_workspace_by_posix_sh(tmp_path: Path) -> None:
    assert carry(tmp_path, "pwd; echo x > made").text == str(tmp_path)
    assert os.listdir(tmp_path) == ["made"]
    assert carry(tmp_path, "echo $0").text.endswith("sh")


def test_a_deadline_keeps_what_was_said_and_says_so(tmp_path: Path) -> None:
    found = carry(tmp_path, "echo begun; sleep 60", timeout_seconds=1)
    assert not found.ok and found.text.startswith("begun\n[its time of ") and "were ended" in found.text
    found = carry(tmp_path, "sleep 60 & sleep 0.2; echo done")
    assert found.ok and found.text == "done\n[what it left running was ended (1)]"


def test_a_failure_is_told_what_the_wall_keeps_closed(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=hush")
    assert carry(tmp_path, "ls -a").text.split() == [".", "..", ".env"]
    found = carry(tmp_path, "cat .env")
    assert not found.ok and "hush" not in found.text and f"kept closed: {tmp_path}/.env" in found.text


def test_that_no_wall_held_the_files_is_said_with_every_result(tmp_path: Path) -> None:
    here = world(tmp_path)
    here.sandbox = "off"
    args = {"command": "echo x"}
    found = TOOL.run(args, Hands(Permit("c1", GRANTS, (), 30.0, 8192), Call("bash", args, "c1"), here))
    assert found.ok and found.text.startswith("x\n[no wall held the files (level off)")
    assert found.data["wall"] == "off"


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"command": ""},
        {"command": 7, "x": 1},
        {"command": "ls", "timeout_seconds": 0},
        {"command": "ls", "timeout_seconds": 3601},
        {"command": "ls", "cwd": "/"},
    ],
)
def test_arguments_that_do_not_fit_are_refused(args: dict[str, Any]) -> None:
    with pytest.raises(UsageFault):
        fit(args, TOOL.schema)


def test_each_stream_is_clipped(tmp_path: Path) -> None:
    found = carry(tmp_path, "seq 1 9999; seq 1 9999 >&2")
    assert found.text.startswith("1\n2\n") and found.text.count("bytes cut") == 2
    assert len(found.text) <= 2 * CLIP + 100


TIDIED = [
    ("plain", "plain"),
    ("a\r\nb\r\n", "a\nb"),
    ("10%\r50%\r100%\ndone\n", "100%\ndone"),
    ("a\n\n\n\nb\n\n", "a\n\nb"),
    ("\n\n a \n", " a"),
    ("\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x"),
    ("", ""),
]


@pytest.mark.parametrize(("given", "wanted"), TIDIED)
def test_terminal_signs_progress_and_blank_lines_are_taken_out(given: str, wanted: str) -> None:
    assert tidy(given) == wanted
    assert tidy(tidy(given)) == tidy(given)
