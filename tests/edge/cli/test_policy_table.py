"""The authority table, line by line, as `fieldhand policy check` answers it: 0 allow, 10 ask, 11 deny."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge.cli import main
from edge.gate.policy import PRESETS
from tests.support import agent

SETTINGS = """\
[risk_profiles.bare]
[risk_profiles.only]
level = "full"
allowed_tools = ["file_read"]
[risk_profiles.none]
level = "full"
deny_all_tools = true
[risk_profiles.every]
level = "full"
always_ask = ["sensor_read", "shell"]
[risk_profiles.listed]
hosts = ["example.org"]
programs = ["pumpctl"]
[risk_profiles.named]
ask_for = ["high", "ruin"]
[risk_profiles.disk]
level = "full"
ask_for = ["disk"]
[risk_profiles.off]
level = "full"
excluded_tools = ["bash"]
"""
URL = "http://example.com/"
# The call, and its exit codes in readonly, supervised, guarded, full.
TABLE = (
    ("sensor_read", {"name": "temperature"}, (0, 0, 0, 0)),
    ("recall", {"query": "pump"}, (0, 0, 0, 0)),
    ("file_read", {"path": "a"}, (0, 0, 0, 0)),
    ("file_read", {"path": "/etc/hosts"}, (0, 0, 0, 0)),
    ("file_read", {"path": "/proc/cpuinfo"}, (0, 0, 0, 0)),
    ("bash", {"command": "ls"}, (11, 0, 0, 0)),
    ("file_write", {"path": "a", "content": ""}, (11, 10, 10, 0)),
    ("output_set", {"name": "fan", "state": True}, (11, 10, 10, 0)),
    ("output_set", {"name": "fan", "state": False}, (11, 10, 10, 0)),
    ("http_request", {"url": URL}, (11, 10, 10, 0)),
    ("http_request", {"url": URL, "method": "POST"}, (11, 11, 10, 0)),
    ("bash", {"command": "pumpctl status"}, (11, 11, 10, 0)),
    ("file_read", {"path": ".env"}, (11, 11, 10, 0)),
    ("file_read", {"path": "/etc/shadow"}, (11, 11, 10, 0)),
    ("file_read", {"path": "/srv/elsewhere"}, (11, 11, 10, 0)),
    ("bash", {"command": "curl http://127.0.0.1/"}, (11, 11, 10, 10)),
    ("bash", {"command": "reboot"}, (11, 11, 11, 10)),
    ("bash", {"command": "flashcp /a /dev/mtd0"}, (11, 11, 11, 11)),
    ("bash", {"command": "; ".join(["true"] * 51)}, (11, 10, 10, 10)),
    ("bash", {"command": "; ".join(["true"] * 50)}, (11, 0, 0, 0)),
    ("http_request", {"url": "http://127.0.0.1/"}, (11, 11, 11, 11)),
    ("file_write", {"path": "/etc/x", "content": ""}, (11, 11, 11, 11)),
    ("file_write", {"path": "/dev/gpiomem", "content": ""}, (11, 11, 11, 11)),
)
PROFILES = (
    ("bare", "bash", {"command": "pumpctl x"}, 11),
    ("bare", "file_write", {"path": "a", "content": ""}, 10),
    ("only", "file_read", {"path": "a"}, 0),
    ("only", "bash", {"command": "ls"}, 11),
    ("none", "file_read", {"path": "a"}, 11),
    ("every", "sensor_read", {"name": "temperature"}, 10),
    ("every", "bash", {"command": "ls"}, 10),
    ("listed", "bash", {"command": "pumpctl x"}, 10),
    ("listed", "http_request", {"url": "http://example.org/"}, 0),
    ("listed", "http_request", {"url": "http://example.org/", "method": "POST"}, 11),
    ("listed", "http_request", {"url": URL}, 10),
    ("named", "bash", {"command": "pumpctl x"}, 10),
    ("named", "bash", {"command": "reboot"}, 10),
    ("named", "bash", {"command": "flashcp /a /dev/mtd0"}, 11),
    ("disk", "bash", {"command": "flashcp /a /dev/mtd0"}, 10),
    ("off", "bash", {"command": "ls"}, 0),
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workspace, a home and settings of its own."""
    (tmp_path / "work").mkdir()
    (tmp_path / "c.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path / "work")
    for name in ("XDG_CONFIG_HOME", "STATE_DIRECTORY", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("FIELDHAND_CONFIG", str(tmp_path / "c.toml"))


@pytest.mark.parametrize("tool, args, codes", TABLE, ids=[f"{row[0]}-{str(row[1])[:40]}" for row in TABLE])
def test_each_line_of_the_table_in_each_preset(tool: str, args: dict[str, object], codes: tuple[int, ...]) -> None:
    found = tuple([main(["--mode", mode, "policy", "check", tool, json.dumps(args)]) for mode in PRESETS])
    assert found == codes


@pytest.mark.parametrize("profile, tool, args, code", PROFILES)
def test_each_key_of_a_profile_moves_what_it_says(profile: str, tool: str, args: dict[str, object], code: int) -> None:
    assert main(["--profile", profile, "policy", "check", tool, json.dumps(args)]) == code
    # What somebody would be asked is denied when nobody is there; nothing is given by that.
    alone = main(["--profile", profile, "--unattended", "policy", "check", tool, json.dumps(args)])
    assert alone == (11 if code == 10 else code)


def test_what_named_means_is_said_above_the_columns(tmp_path: Path) -> None:
    done = agent.run("policy", "explain", home=tmp_path)
    assert done.returncode == 0, done.stderr
    head, _, _ = done.stdout.partition("\nrule ")
    assert "named: denied, or asked about where ask_for of the risk profile names the rule" in head
