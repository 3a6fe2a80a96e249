"""The whole agent under a risk profile, with grants, with nobody there: what happens and what stands on its tape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import agent

WRITE = {"action": "file_write", "action_input": {"path": "notes/a.txt", "content": "wet"}}
SHELL = {"action": "bash", "action_input": {"command": "echo dry > notes/b.txt"}}
DONE = {"action": "final", "action_input": "done"}


def steps(home: Path, *wanted: dict[str, Any]) -> str:
    path = home / "script"
    path.write_text("".join(json.dumps(json.dumps({"thought": "t", **one})) + "\n" for one in (*wanted, DONE)))
    return f"scripted:{path}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a workspace that the settings name and a profile that governs it."""
    (tmp_path / "w" / "notes").mkdir(parents=True)
    return tmp_path


def run(home: Path, profile: str, *words: str) -> Any:
    """One goal under this profile; its workspace is `w`, and paths of the script count from the checkout."""
    (home / "c.toml").write_text(f"profile = 'p'\n[risk_profiles.p]\nroots = ['{home}/w']\n{profile}\n")
    return agent.run("-e", "go", "--config", str(home / "c.toml"), *words, home=home)


def at(home: Path, step: dict[str, Any]) -> dict[str, Any]:
    """The step with its path in the workspace of this home."""
    return json.loads(json.dumps(step).replace("notes/", f"{home}/w/notes/"))  # type: ignore[no-any-return]


def records(home: Path, kind: str) -> list[dict[str, Any]]:
    tapes = sorted((agent.state(home) / "tapes").glob("*.jsonl"))
    lines = [json.loads(line) for tape in tapes for line in tape.read_text().splitlines()]
    return [line for line in lines if line.get("kind") == kind]


def test_a_grant_lets_one_write_happen_and_its_text_stands_in_the_record(home: Path) -> None:
    model = steps(home, at(home, WRITE), at(home, WRITE))
    grant = f"file_write {home}/w/notes/* x1"
    ran = run(home, "level = 'supervised'", "--model", model, "--grant", grant, "--unattended")
    assert (home / "w/notes/a.txt").read_text() == "wet"
    intents = records(home, "intent")
    assert [intent["by"] for intent in intents] == [f"grant 1: {grant}"]
    assert "unattended.nobody" in ran.stderr  # the second write was not covered any more
    assert len(intents[0]["policy"]) == 64


def test_without_a_grant_and_with_nobody_there_nothing_is_written(home: Path) -> None:
    for level in ("supervised", "guarded"):
        ran = run(home, f"level = '{level}'", "--model", steps(home, at(home, WRITE), at(home, SHELL)), "--unattended")
        assert "nobody is there to be asked" in ran.stderr
    assert list((home / "w/notes").iterdir()) == []


def test_auto_approve_lets_its_tool_write_and_says_that_it_did(home: Path) -> None:
    ran = run(home, "auto_approve = ['fs.write']", "--model", steps(home, at(home, WRITE), at(home, SHELL)))
    assert [path.name for path in (home / "w/notes").iterdir()] == ["a.txt"]
    assert [intent["by"] for intent in records(home, "intent")] == ["auto_approve"]
    assert "nobody could be asked" in ran.stderr


def test_deny_all_tools_leaves_no_tool_even_in_full(home: Path) -> None:
    run(home, "level = 'full'\ndeny_all_tools = true", "--model", steps(home, at(home, WRITE)))
    assert list((home / "w/notes").iterdir()) == [] and records(home, "intent") == []


def test_forbidden_paths_are_closed_to_tools_and_to_commands_in_full(home: Path) -> None:
    (home / "w/private").mkdir()
    (home / "w/private/x").write_text("never seen")
    read = {"action": "file_read", "action_input": {"path": f"{home}/w/private/x"}}
    shell = {"action": "bash", "action_input": {"command": f"cat {home}/w/private/x"}}
    hidden = {"action": "bash", "action_input": {"command": f"d=private; cat {home}/w/$d/x; echo after"}}
    code = f"import sys; print(open('{home}/w/priv' + 'ate/x').read())"
    unread = {"action": "bash", "action_input": {"command": f'python3 -c "{code}"; echo after'}}
    ran = run(
        home,
        f"level = 'full'\nsandbox = 'require'\nforbidden_paths = ['{home}/w/private']",
        "--model",
        steps(home, read, shell, hidden, unread),
        "--trace",
        "json",
    )
    assert "never seen" not in ran.stdout + ran.stderr
    assert "never seen" not in json.dumps(records(home, "outcome"))
    assert "read.forbidden" in ran.stderr


def test_always_ask_asks_in_full_and_nobody_there_is_no(home: Path) -> None:
    ran = run(home, "level = 'full'\nalways_ask = ['file_write']", "--model", steps(home, at(home, WRITE)))
    assert list((home / "w/notes").iterdir()) == [] and "always_ask names file_write" in ran.stderr
