"""`fieldhand doctor` says what the wall holds here, each line from an act that was just tried."""

from __future__ import annotations

import json
from pathlib import Path

from edge.hands.wall import claims, level
from tests.support import agent


def test_every_claim_of_the_wall_has_a_line_that_says_what_was_found(tmp_path: Path) -> None:
    done = agent.run("doctor", "--json", home=tmp_path)
    assert done.returncode == 0, (done.stdout, done.stderr)
    found = json.loads(done.stdout)
    walls = [one for one in found if one["what"].startswith("wall")]
    here = level.find()
    assert f"level {here.name}, " in walls[0]["sentence"] and "sandbox = prefer" in walls[0]["sentence"]
    lines = {one["what"]: one for one in walls}
    for act, (what, holds, _) in claims.WORDS.items():
        line = lines[f"wall: {what}"]
        assert line["state"] in ("ok", "absent"), line
        assert line["state"] != "ok" or line["sentence"] == holds, line
        assert line["state"] == "ok" or line["fix"] or "nothing of the kind" in line["sentence"], line
        if act in level.MUST.get(here.name, ()):
            assert line["state"] == "ok", line
    assert lines["wall: ends"]["state"] == "ok"


def test_the_wall_is_said_in_plain_lines_too(tmp_path: Path) -> None:
    done = agent.run("doctor", home=tmp_path)
    assert done.returncode == 0
    lines = [line for line in done.stdout.splitlines() if line[7:].startswith("wall")]
    assert len(lines) >= len(claims.WORDS) + 2
    assert all(line.split()[0] in ("ok", "absent") for line in lines)


def test_a_wall_that_the_policy_switches_off_is_said_and_is_no_fault(tmp_path: Path) -> None:
    settings = tmp_path / "fieldhand.toml"
    settings.write_text('profile = "p"\n[risk_profiles.p]\nlevel = "supervised"\nsandbox = "off"\n')
    done = agent.run("--config", str(settings), "doctor", home=tmp_path)
    assert "level off" in done.stdout, (done.stdout, done.stderr)
    assert f"settings: mode supervised, risk profile p, from {settings}\n" in done.stdout
    assert "absent wall" in done.stdout and "the policy says sandbox = off" in done.stdout
    assert "wrong" not in done.stdout and done.returncode == 0


def test_a_stop_is_the_first_thing_to_know_of_a_board_that_refuses(tmp_path: Path) -> None:
    assert agent.run("tool", "sensor_list", home=tmp_path).returncode == 0
    assert "stop:" not in agent.run("doctor", home=tmp_path).stdout
    assert agent.run("stop", "--network", "--why", "storm", home=tmp_path).returncode == 0
    done = agent.run("doctor", home=tmp_path)
    assert "absent stop: stopped: network (storm) (fieldhand resume lifts it)" in done.stdout and done.returncode == 0
    assert agent.run("stop", home=tmp_path).returncode == 0
    done = agent.run("doctor", home=tmp_path)
    assert "wrong  stop: everything is stopped (fieldhand resume lifts it)" in done.stdout and done.returncode == 1
