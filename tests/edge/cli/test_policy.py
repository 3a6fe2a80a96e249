"""`fieldhand policy check` and `policy explain`: what the gate says of a call, its exit code, and why."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from edge.cli import main
from edge.gate.explain import rows
from edge.gate.rules import RULES

SETTINGS = """\
profile = "yard"
[risk_profiles.yard]
level = "supervised"
allowed_tools = []
always_ask = ["sensor_read"]
auto_approve = ["file_write"]
ask_for = ["high"]
forbidden_paths = ["/etc/pump"]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a settings file that a profile governs, and a state folder beside it."""
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "c.toml").write_text(textwrap.dedent(SETTINGS))
    monkeypatch.chdir(work)
    for name in ("FIELDHAND_CONFIG", "XDG_CONFIG_HOME", "STATE_DIRECTORY", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["policy", *words])
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("words", "code", "rule"),
    [
        (("sensor_read", '{"name": "temperature"}'), 0, "sense.declared"),
        (("sensor_list",), 0, "list.sensors"),
        (("output_set", '{"name": "fan", "state": true}'), 10, "output.medium"),
        (("output_set", '{"name": "fan", "state": true}', "--mode", "readonly"), 11, "output.medium"),
        (("output_set", '{"name": "fan", "state": true}', "--unattended"), 11, "unattended.nobody"),
        (("output_set", '{"name": "fan", "state": false}', "--unattended", "--grant", "output_set fan"), 10, "output."),
        (("file_write", '{"path": "/etc/x", "content": ""}', "--mode", "full"), 11, "write.system"),
    ],
)
def test_check_says_the_verdict_by_its_exit_code(
    words: tuple[str, ...], code: int, rule: str, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    found, out, _ = run(capfd, "check", *words)
    assert found == code and f"[{rule}" in out and out.count("\n") == 1


def test_a_stop_that_is_in_force_is_part_of_what_the_gate_says(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["tool", "sensor_list"]) == 0 and main(["stop", "--network"]) == 0
    capfd.readouterr()
    code, out, err = run(capfd, "check", "http_request", '{"url": "https://example.org/"}')
    assert code == 11 and "[stop.network]" in out and " https://example.org/ waits for `fieldhand resume`" in out
    assert "stopped here: network" in err
    assert run(capfd, "check", "sensor_list")[0] == 0
    assert main(["stop"]) == 0
    capfd.readouterr()
    assert "[stop.all]" in run(capfd, "check", "sensor_list")[1]
    assert "stopped here: all" in run(capfd, "explain")[2]


def test_check_as_json_is_the_decision(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "check", "file_write", '{"path": "a", "content": ""}', "--json")
    said = json.loads(out)
    assert code == 10 and (said["verdict"], said["rule"], said["by"]) == ("ask", "write.workspace", "")
    assert said["permit"]["grants"] == [{"verb": "write", "root": "work", "path": "a", "deep": False}]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("chekc", "sensor_list"),
        ("check",),
        ("check", "no_such_tool", "{}"),
        ("check", "sensor_list", "{"),
        ("check", "sensor_read", "[]"),
        ("check", "sensor_read", "{}"),
        ("explain", "no_such_tool"),
        ("explain", "a", "b", "c"),
        ("check", "sensor_list", "{}", "--grant", "nonsense"),
    ],
)
def test_what_cannot_be_meant_is_usage(words: tuple[str, ...], here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, *words)
    assert (code, out) == (2, "") and err.startswith("fieldhand: ") and "Traceback" not in err


def test_a_profile_governs_the_check_and_its_warnings_are_said(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config = ("--config", str(here / "c.toml"))
    code, out, err = run(capfd, "check", "file_write", '{"path": "a", "content": ""}', *config)
    assert code == 0 and "auto_approve names file_write" in out
    assert "allowed_tools = [] is no constraint" in err
    assert run(capfd, "check", "sensor_read", '{"name": "temperature"}', *config)[0] == 10
    code, _, err = run(capfd, "check", "sensor_list", "--profile", "yrd", *config)
    assert code == 3 and "did you mean yard" in err


def test_explain_tells_every_rule_and_what_the_profile_makes_of_it_within_eighty_columns(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = here / "c.toml"
    code, out, _ = run(capfd, "explain", "--config", str(config))
    assert code == 0 and "{" not in out
    lines = out.splitlines()
    known = {row.id for row in rows()}
    assert {row.id for row in RULES.values()} <= known
    assert known <= {line.split(" ")[0] for line in lines}
    for name in ("taint.send", "taint.output", "taint.shell", "profile.always-ask", "unattended.nobody"):
        assert name in lines
    assert "risk profile yard, level supervised" in lines
    assert f"always_ask: sensor_read ({config}:5)" in " ".join(out.split())
    assert f"here: ask, by ask_for ({config}:7)" in " ".join(out.split())
    assert [line for line in lines if len(line) > 80 and " " in line.strip()] == []


def test_explain_tells_why_this_call(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config = ("--config", str(here / "c.toml"))
    code, out, _ = run(capfd, "explain", "sensor_read", '{"name": "temperature"}', *config)
    flat = " ".join(out.split())
    assert code == 10 and "ask (low risk) [profile.always-ask]" in flat
    assert "sense sensor:temperature allow (low risk) [sense.declared]" in flat
    assert "then: reads the declared sensor temperature; always_ask names sensor_read" in flat
    assert "permit: 30 s, 8192 bytes, wall hands sense sensor:temperature" in flat
    code, out, _ = run(capfd, "explain", "file_read", '{"path": "/etc/pump/x"}', *config)
    assert code == 11 and "[read.forbidden]" in out and "no permit" in out
    code, out, _ = run(capfd, "explain", "file_read", '{"path": ".env"}', *config, "--mode", "guarded")
    assert code == 10 and "level supervised, which --mode guarded beats" in out


def test_explain_takes_a_command_apart(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = json.dumps({"command": "cat .env | grep key > out.txt; python3 x.py"})
    code, out, _ = run(capfd, "explain", "bash", text)
    flat = " ".join(out.split())
    assert code == 10
    for said in (
        "run program:grep allow",
        "work/.env ask (high risk) [read.secret]",
        "[write.workspace]",
        "[shell.unknown]",
    ):
        assert said in flat
    assert "run shell:sh" in flat and "write work:. and all below" in flat and "closed: " in flat
    code, out, _ = run(capfd, "explain", "bash", text, "--mode", "readonly")
    assert code == 11 and "[shell.readonly-mode]" in out


def test_explain_shows_what_a_grant_would_answer(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    call = ("explain", "output_set", '{"name": "fan", "state": false}')
    code, out, _ = run(capfd, *call, "--grant", "output_set fan x1")
    assert code == 10 and "grant 1: output_set fan x1 would answer it" in out
    assert "would answer" not in run(capfd, *call, "--grant", "output_set pump")[1]


def test_explain_as_json_is_whole(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = json.loads(run(capfd, "explain", "--json")[1])
    assert len(whole["digest"]) == 64 and whole["policy"]["preset"] == "guarded"
    assert {row["id"] for row in whole["rules"]} == {row.id for row in rows()}
    call = json.loads(run(capfd, "explain", "sensor_list", "--json")[1])
    assert call["digest"] == whole["digest"] and call["judged"][0]["verdict"] == "allow"


def test_nothing_that_is_asked_about_is_hidden_from_the_person(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = json.dumps({"path": "a\x1b[2J\u202eb"})
    code, out, _ = run(capfd, "explain", "file_read", path)
    assert code == 11 and "\x1b" not in out and "\u202e" not in out and r"\x1b[2J\u202eb" in out
