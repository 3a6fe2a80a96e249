"""bash as the model meets it."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest

from edge.brief import brief
from edge.call import Call, Grant, Permit
from edge.catalogue import Catalogue
from edge.faults import Fault, Refused, ToolFault, UsageFault
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands import Hands
from edge.registry import every, find
from edge.schema import fit
from edge.text import clip
from edge.tools import bash
from edge.tools.bash import CLIP, TOOL, tidied
from tests.support.one_call import carry as one_call
from tests.support.one_call import judge, world
from tests.support.shell_verdict import SCENE

JOBS = (Grant("read", "memory", "jobs"), Grant("write", "memory", "jobs"))
GRANTS = (Grant("run", "shell", "sh"), Grant("read", "work", ".", True), Grant("write", "work", ".", True))


def carry(folder: Path, command: str, **other: Any) -> Any:
    args = fit({"command": command, **other}, TOOL.schema)[0]
    permit = Permit("c1", GRANTS, (), 30.0, 8192)
    return TOOL.run(args, Hands(permit, Call("bash", args, "c1"), world(folder)))


def tidy(text: str) -> str:
    return "".join(tidied(text))


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
    assert "POSIX sh" in TOOL.about and "ends by itself" in TOOL.about
    assert "Files, search, HTTP: use the tools" in TOOL.about
    for mode in ("native", "json"):  # in native mode the descriptions go with the schemas
        told = brief(SCENE, Catalogue(every()), mode) + "".join(tool.about for tool in every() if mode == "native")
        assert TOOL.about in told
        structured = ("file_read", "file_write", "file_edit", "grep", "glob", "outline", "http_request", "web_fetch")
        assert all(find(name).about in told for name in structured)


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


def test_the_effects_name_the_folder_and_the_text_stays_what_runs(tmp_path: Path) -> None:
    scene = world(tmp_path).scene
    args = {"command": "cat x", "cwd": "sub/deeper", "background": True}
    listed, ran = TOOL.effects(args, scene)
    assert (listed.verb, listed.on, listed.deep) == ("list", "file:sub/deeper", False)
    assert (ran.verb, ran.on, ran.detail) == ("run", "shell:sh:sub/deeper", "cat x")
    assert TOOL.words(args, scene) == "run in a shell in sub/deeper in the background: cat x"
    assert TOOL.effects({"command": "cat x", "cwd": ""}, scene) == TOOL.effects({"command": "cat x"}, scene)


def test_a_folder_is_worked_in(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x").write_text("here")
    for cwd in ("sub", f"{tmp_path}/sub", "./sub/../sub/"):
        found = one_call("bash", {"command": "pwd; cat x", "cwd": cwd}, world(tmp_path))
        assert found.text == f"{tmp_path}/sub\nhere"


def test_relative_names_are_judged_from_the_folder(tmp_path: Path) -> None:
    """The same words are the workspace's from one folder and somebody else's from another."""
    here = world(tmp_path)
    for text, cwd, verdict in [
        ("cat x", "sub", "allow"),
        ("cat ../x", "sub", "allow"),
        ("cat ../../x", "sub", "ask"),
        ("cat shadow", "/etc", "ask"),
        ("cat hostname", "/etc", "allow"),
        ("cat id_rsa", "~/.ssh", "ask"),
        ("ls", "/root", "ask"),
        ("rm -rf *", "/usr", "deny"),
        ("echo x > passwd", "/etc", "deny"),
        ("echo x > y", "..", "deny"),
        ("rm -rf .", "/", "deny"),
    ]:
        decision = judge("bash", {"command": text, "cwd": cwd}, here)[1]
        assert decision.verdict == verdict, (text, cwd, decision)
    assert judge("bash", {"command": "cat x", "cwd": "a\u202eb"}, here)[1].rule == "path.odd"


def test_a_folder_that_is_none_or_another_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("sub")
    for cwd, why in [
        ("none", "there is no folder"),
        ("file", "is no folder"),
        ("link", r"leads over a link to .*/sub \(name the folder itself"),
    ]:
        here = world(tmp_path)
        judged = judge("bash", {"command": "true", "cwd": "sub"}, here)[1]
        here.judge = lambda call, effect, judged=judged: judged
        with pytest.raises(ToolFault, match=why):
            one_call("bash", {"command": "echo x > made", "cwd": cwd}, here)
    assert sorted(os.listdir(tmp_path)) == ["file", "link", "sub"]


def test_a_link_out_of_the_workspace_is_no_folder_to_work_in(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "work" / "out").symlink_to(tmp_path / "other")
    with pytest.raises((ToolFault, Refused)):
        one_call("bash", {"command": "ls", "cwd": "out"}, world(tmp_path / "work"))


def test_all_of_a_clipped_result_can_be_kept_aside(tmp_path: Path) -> None:
    found = carry(tmp_path, "seq 1 2000; seq 1 3000 >&2; exit 3")
    out, err = "\n".join(map(str, range(1, 2001))), "\n".join(map(str, range(1, 3001)))
    assert found.whole == f"{out}\n[stderr]\n{err}\n[exit code 3]"
    assert found.text == f"{clip(out, CLIP)}\n[stderr]\n{clip(err, CLIP)}\n[exit code 3]"
    assert carry(tmp_path, "seq 1 200").whole == ""
    for more in (0, 1):  # at the bound, and over it
        found = carry(tmp_path, f"head -c {CLIP + more} /dev/zero | tr '\\0' x")
        assert (found.whole == "", "bytes cut" in found.text) == (not more, bool(more))


def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the size of the pieces: the same text, clipped and whole."""
    chance = random.Random(7)
    rounds = 20_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 2_000
    for _ in range(rounds):
        text = "".join(chance.choice("ab \n\n\r\t\x1bé水🜚") for _ in range(chance.randint(0, 60)))
        monkeypatch.setattr(bash, "_PIECE", 1 << 20)
        wanted = tidy(text)
        monkeypatch.setattr(bash, "_PIECE", chance.randint(1, 30))
        assert tidy(text) == wanted
    print(rounds, "rounds")


@pytest.mark.parametrize("letters", ["x", "line\n", "水", "\u2713 done\n", "\U0001f71a"])
def test_what_is_shown_of_much_is_what_clip_shows(letters: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(letters * (70_000 // len(letters.encode())))
    found = carry(tmp_path, "cat f")
    assert found.text == clip(tidy((tmp_path / "f").read_text()), CLIP)
    assert found.whole == tidy((tmp_path / "f").read_text())


def test_in_a_conversation_it_goes_on_and_elsewhere_it_is_ended(tmp_path: Path) -> None:
    here = world(tmp_path)
    with pytest.raises(ToolFault, match="nothing goes on in the background here"):
        one_call("bash", {"command": "true", "background": True}, here)
    here.job_seconds = 60.0
    found = one_call("bash", {"command": "echo x; sleep 60", "timeout_seconds": 0.3}, here)
    after = found.data["next_offset"]  # 2 where the shell had started by then
    assert found.ok and found.text.removeprefix("x\n") == (
        f"[it goes on in the background as sh-1; bash_output shell_id=sh-1 offset={after} reads what comes, "
        "bash_kill ends it]"
    )
    assert (found.data["shell_id"], found.data["status"]) == ("sh-1", "running") and after in (0, 2)
    here.close()


def test_each_tool_fits_on_the_wire() -> None:
    def sent(rule: Any) -> Any:
        left_out = ("minimum", "maximum", "minLength", "maxLength", "additionalProperties")
        return {key: sent(one) if isinstance(one, dict) else one for key, one in rule.items() if key not in left_out}

    for name in ("bash", "bash_output", "bash_kill"):
        tool = find(name)
        told = {"name": name, "description": tool.about, "parameters": sent(tool.schema)}
        assert len(json.dumps({"type": "function", "function": told}, separators=(",", ":"))) <= 450
        assert len(tool.about.split()) >= 6


def test_no_arguments_raise_anything_but_a_fault_of_ours(tmp_path: Path) -> None:
    chance = random.Random(11)
    here = world(tmp_path)
    rounds = 10_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 1_000
    values = [
        None,
        True,
        0,
        -1,
        3.5,
        1e308,
        "",
        "x",
        "sub",
        "/",
        "..",
        "~",
        "\0",
        "\ud800",
        "sh-1",
        [],
        ["a"],
        {},
        "9" * 5000,
    ]
    for name in ("bash", "bash_output", "bash_kill"):
        tool = find(name)
        names = [*tool.schema["properties"], "more"]
        for _ in range(rounds):
            args = {chance.choice(names): chance.choice(values) for _ in range(chance.randint(0, 5))}
            try:
                given = fit(args, tool.schema)[0]
                tool.words(given, here.scene)
                effects = tool.effects(given, here.scene)
                decide(Call(name, given, "c1"), effects, Policy("guarded"), State(), here.scene)
                if name != "bash":
                    tool.run(given, Hands(Permit("c1", JOBS), Call(name, given, "c1"), here))
            except Fault:
                continue
    print(3 * rounds, "rounds")


def test_it_is_waited_for_thirty_seconds_unless_told_and_not_at_all_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edge.hands.run import Run

    real, asked = Run.shell, []

    def listening(self: Run, text: str, seconds: float, *how: Any, **more: Any) -> Any:
        asked.append(seconds)
        return real(self, text, seconds, *how, **more)

    monkeypatch.setattr(Run, "shell", listening)
    here = world(tmp_path)
    here.job_seconds = 60.0
    one_call("bash", {"command": "true"}, here)
    one_call("bash", {"command": "true", "timeout_seconds": 2.5}, here)
    assert asked == [30.0, 2.5]
    begun = time.monotonic()
    for seconds in (0.01, 50):  # is of no meaning in the background
        found = one_call("bash", {"command": "sleep 55", "background": True, "timeout_seconds": seconds}, here)
        assert found.ok and found.data is not None and found.data["status"] == "running"
    assert time.monotonic() - begun < 40
    assert len(here.shells().running()) == 2
    here.close()
