"""Long results of a whole run: a preview and a handle in the conversation, the rest beside it, where it can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import agent

WHOLE = "\n".join(map(str, range(1, 10_000)))  # 48,887 characters


def ran(home: Path, tools: str = "", top: str = "", **env: str) -> list[dict[str, Any]]:
    """The outcomes of a run that prints WHOLE by the shell, and then reads its last block where it was told how."""
    (home / "w").mkdir(exist_ok=True)
    text = f"roots = ['{home}/w']\nmode = 'full'\n{top}\n[tools]\n{tools}\n"
    (home / "c.toml").write_text(text)
    steps = [{"action": "bash", "action_input": "seq 1 9999"}, {"action": "final", "action_input": "done"}]
    (home / "script").write_text("".join(json.dumps(json.dumps({"thought": "t", **one})) + "\n" for one in steps))
    words = ("--config", str(home / "c.toml"), "--model", f"scripted:{home}/script", "-e", "go")
    done = agent.run(*words, home=home, env=agent.environment(home, **env))
    assert done.returncode == 0, done.stderr
    return [row for row in agent.records(agent.tapes(home)[-1]) if row["kind"] == "outcome"]


def kept(home: Path) -> list[Path]:
    folder = agent.state(home) / "spill"
    return sorted(folder.iterdir()) if folder.exists() else []


def test_the_conversation_has_a_preview_and_the_handle_and_the_rest_lies_beside_it(tmp_path: Path) -> None:
    (row,) = ran(tmp_path, "optional = ['*']")
    (file,) = kept(tmp_path)
    assert row["text"].startswith("1\n2\n3\n") and "9998\n9999" in row["text"]
    assert len(row["text"]) < 4096 and "bytes cut" in row["text"]
    assert f"spill_read handle={file.name.rpartition('.')[2]}," in row["text"]
    assert file.read_text().partition("\n")[2] == WHOLE and file.stat().st_mode & 0o777 == 0o600
    assert "5000\n5001\n" not in agent.tapes(tmp_path)[0].read_text().replace("\\n", "\n")


@pytest.mark.parametrize(
    ("tools", "top"),
    [
        ("optional = []", ""),
        ("", "profile = 'p'\n[risk_profiles.p]\nlevel = 'full'\nallowed_tools = ['bash', 'file_read']"),
    ],
    ids=["minimal", "not allowed"],
)
def test_where_spill_read_is_not_among_the_tools_nothing_is_kept(tools: str, top: str, tmp_path: Path) -> None:
    (row,) = ran(tmp_path, tools, top)
    assert "bytes cut" in row["text"] and "spill_read" not in row["text"] and kept(tmp_path) == []


@pytest.mark.parametrize(
    ("threshold", "spilled"), [("0", False), ("1", True), ("48887", True), ("48888", False), ("", True)]
)
def test_the_threshold_comes_from_the_environment_and_nought_keeps_nothing(
    threshold: str, spilled: bool, tmp_path: Path
) -> None:
    (row,) = ran(tmp_path, BUB_SPILL_THRESHOLD=threshold)
    assert bool(kept(tmp_path)) is spilled and ("spill_read handle=" in row["text"]) is spilled
    assert "bytes cut" in row["text"]


def test_a_threshold_that_is_no_number_is_told(tmp_path: Path) -> None:
    done = agent.run("-e", "go", env=agent.environment(tmp_path, BUB_SPILL_THRESHOLD="much"))
    assert done.returncode == 3 and "BUB_SPILL_THRESHOLD is a number of characters, not 'much'" in done.stderr
