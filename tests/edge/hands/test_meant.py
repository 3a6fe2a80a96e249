"""A name in a shell text that is a link: what it leads to is judged too. The text runs, and we look at the world."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from edge.call import Call, Grant, Permit, Root, Scene
from edge.faults import Refused
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands import Holder
from edge.hands.meant import look
from edge.hands.wall import level
from edge.hands.world import World
from edge.peripherals.guard.inprocess import InProcessBoard
from edge.tape.unkept import Unkept
from tests.support.turns import DONE, Bench

STRONG = level.find().name in ("landlock", "namespaces")


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    """A workspace with links of every kind; what they lead to lies in it, beside it and in the system."""
    work = tmp_path / "work"
    for name in ("work/sub", "work/.git/hooks", "beside"):
        (tmp_path / name).mkdir(parents=True)
    for name, text in (
        ("work/a", "plain"),
        ("work/.env", "KEY=1"),
        ("beside/b", "elsewhere"),
        ("beside/c.toml", "mode"),
    ):
        (tmp_path / name).write_text(text)
    to = {
        "a": "a",
        "env": ".env",
        "b": "../beside/b",
        "toml": "../beside/c.toml",
        "out": "../beside",
        "hooks": ".git/hooks",
    }
    for name, target in to.items():
        (work / "sub" / f"to-{name}").symlink_to(f"../{target}")
    return work


def bash(command: str) -> str:
    return json.dumps({"thought": "", "action": "bash", "action_input": {"command": command}})


def test_a_shell_in_the_background_cannot_turn_a_name_into_another_while_it_is_opened(yard: Path) -> None:
    if not STRONG:
        pytest.skip("no wall holds files here")
    flip = "while :; do ln -sfn ../../beside/b sub/x; ln -sfn ../a sub/x; done"
    steps = [json.dumps({"thought": "", "action": "bash", "action_input": {"command": flip, "background": True}})]
    rounds = 200 if os.environ.get("FIELDHAND_SOAK") == "1" else 20
    bench = Bench(yard, [*steps, *[bash(f"cat sub/x # {number}") for number in range(rounds)], DONE])
    bench.world.job_seconds = 120.0
    try:
        bench.loop.run("x")
        told = [record["text"] for record in bench.records() if record["kind"] == "outcome"][1:]
        assert bench.world.shells().running() == ["sh-1"] and len(told) == rounds
    finally:
        bench.world.close()
    assert not [text for text in told if "elsewhere" in text]
    print(rounds, "rounds", sum("plain" in text for text in told), "read the file of the workspace")


def run(yard: Path, command: str, preset: str) -> dict[str, object]:
    bench = Bench(yard, [bash(command), DONE], policy=Policy(preset))
    bench.loop.run("x")
    found: dict[str, object] = next(record for record in bench.records() if record["kind"] == "outcome")
    return found


@pytest.mark.parametrize(
    "command, rule",
    [
        ("cat sub/to-env", "read.secret"),
        ("tail -n 1 < sub/to-env", "read.secret"),
        ("cat sub/to-b", "read.outside"),
        ("cat sub/to-out/b", "read.outside"),
        ("cat sub/to-a sub/to-b", "read.outside"),
    ],
)
def test_what_is_read_over_a_link_is_judged_by_what_it_is(yard: Path, command: str, rule: str) -> None:
    found = run(yard, command, "guarded")
    assert found["status"] == "refused" and "leads to" in str(found["text"]), found
    assert {"read.secret": "may hold keys", "read.outside": "outside the workspace"}[rule] in str(found["text"])
    assert "KEY" not in str(found["text"]) and "elsewhere" not in str(found["text"])


def test_what_is_no_worse_than_its_name_is_read_and_written(yard: Path) -> None:
    assert "plain" in str(run(yard, "cat sub/to-a", "guarded")["text"])
    found = run(yard, "echo more >> sub/to-a", "guarded")
    assert found["ok"] and (yard / "a").read_text() == "plainmore\n", found


@pytest.mark.skipif(not STRONG, reason="no wall here that holds children to the permit")
@pytest.mark.parametrize(
    "command", ["echo x > sub/to-toml", "echo x >> sub/to-b", "echo x > sub/to-out/new", "touch sub/to-hooks/h"]
)
def test_nothing_is_written_over_a_link_that_would_not_be_written_by_name(yard: Path, command: str) -> None:
    assert not run(yard, command, "full")["ok"]
    assert (yard.parent / "beside/c.toml").read_text() == "mode"
    assert (yard.parent / "beside/b").read_text() == "elsewhere"
    assert sorted(os.listdir(yard.parent / "beside")) == ["b", "c.toml"] and not os.listdir(yard / ".git/hooks")


@pytest.mark.skipif(not STRONG, reason="no wall here that holds children to the permit")
def test_a_link_itself_can_be_listed_and_removed(yard: Path) -> None:
    assert "to-b ->" in str(run(yard, "ls -l sub/to-b", "guarded")["text"])
    (yard / ".env").unlink()
    assert run(yard, "rm sub/to-b", "guarded")["ok"] and not (yard / "sub/to-b").is_symlink()
    assert (yard.parent / "beside/b").exists()


@pytest.mark.parametrize("place", ["", "sub/"])
def test_what_is_named_can_be_renamed_changed_in_its_place_and_removed(yard: Path, place: str) -> None:
    (yard / ".env").unlink()
    for name in ("one", "two", "three"):
        (yard / place / name).write_text("old\n")
    (yard / place / "folder").mkdir()
    for command in ("mv one uno", "sed -i s/old/new/ two", "rm three", "mv folder f2", "mkdir n; mv uno n/"):
        found = run(yard, f"cd {place or '.'} && {command}", "full")
        assert found["ok"], (command, found["text"])
    here = set(os.listdir(yard / place))
    assert here >= {"two", "f2", "n"} and not here & {"one", "uno", "three", "folder"}
    assert (yard / place / "two").read_text() == "new\n" and (yard / place / "n" / "uno").read_text() == "old\n"


def test_where_the_wall_holds_nothing_such_a_name_is_refused_and_not_only_ungranted(yard: Path) -> None:
    scene = Scene(str(yard), "", (Root("work", str(yard)),))
    world = World(scene, Unkept(), InProcessBoard)  # type: ignore[arg-type]
    world.judge = lambda call, effect: decide(call, (effect,), Policy("full"), State(), scene)
    grants = (
        Grant("write", "work", "sub/to-toml"),
        Grant("write", "work", "sub/to-a"),
        Grant("write", "work", ".", True),
    )
    holder = Holder(Permit("1", grants, (), 1.0, 1, "prefer"), Call("bash", {}), world)
    with pytest.raises(Refused, match=r"leads to .*c\.toml.*outside every opened folder") as caught:
        look(holder, lambda: False)
    assert caught.value.rule == "write.outside"
    assert look(holder, lambda: True).grants == grants[2:], "the whole root is granted: a name in it needs nothing"
    world.close()
