"""`config init` writes what holds anyway; `config show` tells what is in force and who said it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from edge.call import Output
from edge.cli.config import SAYS, template
from edge.config import Settings, load
from edge.config_keys import KEYS
from edge.faults import ConfigFault
from edge.record import replace
from tests.support import agent

OTHER_NAMES = {"tools.timeout_ms": "budgets.tool_seconds", "backend.ca_file": "model.ca_file"}


# What the sample shows beside the defaults of an output.
WITHOUT: dict[str, Any] = {"interlock": (), "feedback": "", "override": ""}


def test_a_first_file_has_every_key_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(template(Settings()))
    assert load(str(file)) == Settings()
    assert {OTHER_NAMES.get(key, key) for key in KEYS} == set(SAYS)
    assert 'optional = ["*"]' in file.read_text()
    assert all("# " in line and len(line) <= 120 for line in file.read_text().splitlines() if " = " in line)


def test_what_stands_in_a_comment_could_stand_there(tmp_path: Path) -> None:
    file, key = tmp_path / "c.toml", tmp_path / "key"
    key.touch(0o600)
    text = template(Settings()).replace("/srv/garden", str(tmp_path)).replace('# profile = "field"', "#")
    told = [line.startswith("# ") and (" = " in line or line[2] == "[") for line in text.splitlines()]
    shown = [line[2:] if could else line for line, could in zip(text.splitlines(), told)]
    file.write_text("\n".join(shown))
    found = load(str(file))
    assert found.roots == (str(tmp_path),) and found.state == "/var/lib/fieldhand" and found.proxy
    assert found.model.temperature == 0.2 and found.model.key_file and found.model.ca_file
    assert found.declared is not None
    assert replace(found.declared.owned.outputs[0], **WITHOUT) == Output("pump", "irrigation pump, relay 2", "GPIO17")


def test_init_makes_the_folder_and_a_file_of_the_owner_alone_and_never_writes_over(tmp_path: Path) -> None:
    done = agent.run("config", "init", home=tmp_path)
    file = tmp_path / ".config" / "fieldhand" / "config.toml"
    assert done.returncode == 0 and str(file) in done.stdout
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700
    file.write_text('mode = "full"\n')
    again = agent.run("config", "init", home=tmp_path)
    assert again.returncode == 3 and "is there already" in again.stderr and file.read_text() == 'mode = "full"\n'
    link = tmp_path / "link.toml"
    link.symlink_to(tmp_path / "elsewhere")
    assert agent.run("config", "init", str(link), home=tmp_path).returncode == 3
    assert not (tmp_path / "elsewhere").exists()


def test_init_where_nothing_can_be_written_is_a_sentence(tmp_path: Path) -> None:
    for words in (("/proc/nothing/c.toml",), (str(tmp_path),), ("a\0b",)):
        if "\0" not in words[0]:
            done = agent.run("config", "init", *words, home=tmp_path)
            assert done.returncode == 3 and "fieldhand: " in done.stderr and "Traceback" not in done.stderr
    done = agent.run("config", "init", env={"PATH": ""})
    assert done.returncode == 2 and "HOME" in done.stderr


def test_a_file_that_cannot_be_written_whole_goes_again(tmp_path: Path) -> None:
    from edge.cli.config import _fill

    file = tmp_path / "c.toml"
    file.touch()
    closed = os.open(file, os.O_RDONLY)  # writing to it fails as on a full card
    with pytest.raises(ConfigFault, match="cannot be written"):
        _fill(closed, str(file), b"x")
    assert not file.exists()


def test_show_tells_each_value_and_where_it_comes_from(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(
        'mode = "guarded"\nprofile = "field"\n[tools]\noptional = []\ntimeout_ms = 1500\n[budgets]\nsteps = 7\n'
        '[risk_profiles.field]\nlevel = "supervised"\n[risk_profiles.field.budgets]\nturn_seconds = 60\n'
    )
    env = agent.environment(tmp_path, FIELDHAND_API_KEY="sk-very-secret", BUB_SPILL_THRESHOLD="99")
    done = agent.run("config", "show", str(file), "--model", "chat:x", "--json", env=env)
    found = json.loads(done.stdout)
    told = {key: (row["value"], row["from"]) for key, row in found["settings"].items()}
    assert done.returncode == 0 and found["file"] == str(file) and found["risk_profiles"] == ["field"]
    assert told["mode"] == ("supervised", "[risk_profiles.field]")
    assert told["budgets.turn_seconds"] == (60, "[risk_profiles.field]")
    assert told["budgets.steps"] == (7, f"{file}:7")
    assert told["budgets.tool_seconds"] == (1.5, f"{file}:5") and told["tools.optional"] == ([], f"{file}:4")
    assert told["model.name"] == ("chat:x", "--model") and told["tools.spill_threshold"] == (99, "BUB_SPILL_THRESHOLD")
    assert told["model.seconds"] == (120, "default")
    assert told["model.key_env"] == ("FIELDHAND_API_KEY", "default; the variable is set")
    assert set(told) == set(SAYS)
    text = agent.run("config", "show", str(file), env=env)
    assert "very-secret" not in done.stdout + done.stderr + text.stdout + text.stderr
    assert "optional = []" in text.stdout and "steps = 7" in text.stdout and "in force" in text.stdout


def test_what_show_prints_is_a_settings_file_again(tmp_path: Path) -> None:
    file = tmp_path / "shown.toml"
    file.write_text(agent.run("config", home=tmp_path).stdout)
    assert load(str(file)) == Settings()


def test_other_words_are_usage(tmp_path: Path) -> None:
    for words in (("edit",), ("show", "a", "b")):
        done = agent.run("config", *words, home=tmp_path)
        assert done.returncode == 2 and "config show" in done.stderr
