"""bash as the model meets it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from edge.brief import brief
from edge.call import Call, Grant, Permit
from edge.catalogue import Catalogue
from edge.faults import UsageFault
from edge.hands import Hands
from edge.registry import every, find
from edge.schema import fit
from edge.tools.bash import CLIP, TOOL, tidy
from tests.support.one_call import carry as one_call
from tests.support.one_call import judge, world
from tests.support.shell_verdict import SCENE

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
        {"command": "ls", "timeout_seconds": -1},
        {"command": "ls", "timeout_seconds": "soon"},
        {"command": "ls", "cwd": ["sub"]},
        {"command": "ls", "background": "maybe"},
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


def test_the_model_is_told_what_the_shell_is_for_and_which_shell_it_is() -> None:
    assert "/bin/sh (POSIX syntax only)" in TOOL.about and "wait for its end" in TOOL.about
    assert "For files, search and HTTP there are tools of their own" in TOOL.about
    for mode in ("native", "json"):  # in native mode the descriptions go with the schemas
        told = brief(SCENE, Catalogue(every()), mode) + "".join(tool.about for tool in every() if mode == "native")
        assert TOOL.about in told
        assert all(tool.about in told for tool in (find("file_read"), find("file_write"), find("http_request")))


def test_what_structured_tools_do_needs_no_shell(tmp_path: Path) -> None:
    """Where there is no shell at all they still work, without any program."""
    (tmp_path / "a").write_text("x")
    here = world(tmp_path)
    assert judge("bash", {"command": "cat a"}, here, "readonly")[1].verdict == "deny"
    assert one_call("file_read", {"path": "a"}, here, "readonly").text.endswith("x")
    assert one_call("file_read", {"path": "."}, here, "readonly").ok
    assert judge("http_request", {"url": "https://x.de/"}, here)[1].permit is not None


@pytest.mark.parametrize("text", ["a=(1 2); echo ${a[1]}", "echo {1..10}", "cat <(echo x)", "x=1; echo ${x:0:1}"])
def test_text_for_bash_alone_is_never_taken_for_text_that_only_reads(text: str, tmp_path: Path) -> None:
    assert judge("bash", {"command": text}, world(tmp_path))[1].verdict == "ask"


def test_a_command_that_waits_for_somebody_gets_an_empty_input_and_ends(tmp_path: Path) -> None:
    assert carry(tmp_path, 'read -r answer || echo "nobody: $answer"').text == "nobody:"
    assert carry(tmp_path, "cat").text == "(no output)"
    assert "not a tty" in carry(tmp_path, "tty").text


def test_a_mebibyte_of_each_stream_is_kept(tmp_path: Path) -> None:
    text = "head -c 1048576 /dev/zero | tr '\\0' a; head -c 1048577 /dev/zero | tr '\\0' b >&2"
    found = Hands(Permit("c1", GRANTS), Call("bash", {}, "c1"), world(tmp_path)).run.shell(text, 30.0)
    assert found["stdout"] == "a" * 1048576 and found["cut"] == 1
    assert len(found["stderr"]) > 1048576 and found["stderr"].count("b") >= 1048576
