"""The walk through a folder: all of it once, the deepest first, and nowhere else."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from edge.call import Call, Effect, Permit
from edge.faults import Refused, ToolFault
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands import Holder
from edge.hands import walk as walking
from edge.hands.guard import Guard
from edge.hands.walk import Count, Entry, Judge, remove, shown, walk
from tests.support.opening import world


def never() -> None:
    return


def walked(folder: Path, name: str) -> list[str]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        return [entry.path for entry in walk(descriptor, name, never)]
    finally:
        os.close(descriptor)


@pytest.fixture()
def tree(tmp_path: Path) -> Path:
    for number in range(3):
        (tmp_path / f"t/d{number}/e").mkdir(parents=True)
        (tmp_path / f"t/d{number}/e/f").write_text("abc")
    (tmp_path / "t/link").symlink_to("/etc")
    return tmp_path


def test_everything_comes_once_and_after_what_lies_below_it(tree: Path) -> None:
    found = walked(tree, "t")
    assert sorted(found) == sorted(["t", *[f"t/{path.relative_to(tree / 't')}" for path in (tree / "t").rglob("*")]])
    for place, path in enumerate(found):
        assert not [later for later in found[place:] if later.startswith(path + "/")], path
    assert walked(tree, "t/link") == ["t/link"]


def test_what_was_found_is_counted(tree: Path) -> None:
    count = Count()
    descriptor = os.open(tree, os.O_RDONLY)
    for entry in walk(descriptor, "t", never):
        count.add(entry)
    os.close(descriptor)
    assert (count.files, count.folders, count.bytes, count.entries) == (4, 7, 9 + len("/etc"), 11)


def test_a_folder_that_is_moved_away_meanwhile_ends_the_walk(tree: Path) -> None:
    descriptor = os.open(tree, os.O_RDONLY)
    (tree / "other").mkdir()
    with pytest.raises(ToolFault, match="moved meanwhile"):
        for entry in walk(descriptor, "t", never):
            if entry.name == "f":
                os.rename(tree / entry.path.rpartition("/")[0], tree / "other" / "away")
    os.close(descriptor)
    assert (tree / "other/away/f").exists()


def test_a_walk_that_is_late_or_too_large_ends(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(100):
        (tree / f"t/f{number}").touch()

    def late() -> None:
        raise ToolFault("stopped because the call was ended")

    descriptor = os.open(tree, os.O_RDONLY)
    with pytest.raises(ToolFault, match="was ended"):
        remove(descriptor, "t", late)
    monkeypatch.setattr(walking, "_MOST", 50)
    with pytest.raises(ToolFault, match="more than 50 entries"):
        list(walk(descriptor, "t", never))
    os.close(descriptor)


def test_names_that_are_no_text_are_written_out() -> None:
    assert shown("a/b") == "a/b" and shown("a\nb") == r"a\nb" and shown("\udcff") == r"\udcff"


def test_a_name_is_judged_as_the_gate_would_judge_the_whole_path(tmp_path: Path) -> None:
    """Names and folders of every kind that the gate knows, put together by chance."""
    here = world(tmp_path, "full", state=f"{tmp_path}/d/state")
    permit = Permit("c1", (), (f"{tmp_path}/d/state", f"{tmp_path}/d/No/t.toml"))
    holder = Holder(permit, Call("file_delete", {}, "c1"), here)
    judge = Judge(holder, Guard(frozenset(), "", "d", False, False, 0), f"{tmp_path}/d", "deleted")
    status = os.stat(tmp_path)
    parts = ["a", "B.txt", ".env", ".ENV.bak", "x.pem", ".git", "hooks", "repo.git", "config", ".config", "fish", "NO"]
    parts += [
        ".fieldhand",
        ".bashrc",
        "id_rsa",
        "id_rsa.pub",
        "state",
        "No",
        "t.toml",
        "secrets",
        "token.json",
        "gcloud",
    ]
    parts += ["mosquitto", "passwd", "k\u200bx", ".vscode", "tasks.json", "settings.json", "config.worktree", "ä"]
    chance = random.Random(2)
    refused = 0
    rounds = 10_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 1000
    for _ in range(rounds):
        rest = "/".join(chance.choice(parts) for _ in range(chance.randrange(1, 4)))
        full = f"{tmp_path}/d/{rest}".replace("\u200b", "?")
        policy = Policy("full", forbidden_paths=(f"{tmp_path}/d/No/t.toml",))
        decision = decide(holder.call, (Effect("write", f"file:{full}"),), policy, State(), here.scene)
        here.judge = lambda call, effect, said=decision: said  # type: ignore[misc]
        try:
            judge.look(Entry(0, "d", f"d/{rest}", status))
            assert decision.verdict != "deny", rest
        except Refused:
            refused += 1
            assert decision.verdict == "deny", rest
    print(f"{refused} of {rounds} refused")
    assert rounds // 8 < refused < rounds
