"""State folder, scene and settings from options and environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.cli.args import Options
from edge.cli.settle import find, scene, settings, state_folder
from edge.faults import ConfigFault


def test_the_state_folder_is_told_then_systemd_then_xdg_then_home(tmp_path: Path) -> None:
    environ = {
        "STATE_DIRECTORY": str(tmp_path / "sd"),
        "XDG_STATE_HOME": str(tmp_path / "xdg"),
        "HOME": str(tmp_path / "home"),
    }
    assert state_folder(str(tmp_path / "told"), environ) == str(tmp_path / "told")
    assert state_folder("", environ) == str(tmp_path / "sd")
    del environ["STATE_DIRECTORY"]
    assert state_folder("", environ) == str(tmp_path / "xdg" / "fieldhand")
    del environ["XDG_STATE_HOME"]
    assert state_folder("", environ) == str(tmp_path / "home" / ".local" / "state" / "fieldhand")
    assert state_folder("", {}) == ""


@pytest.mark.parametrize("home", ["~", "relative", "/proc/nowhere", ""])
def test_a_home_that_is_none_gives_no_state_folder_and_makes_none(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert state_folder("", {"HOME": home}) == ""
    assert os.listdir(tmp_path) == []


def test_a_told_folder_that_cannot_be_written_is_a_fault() -> None:
    with pytest.raises(ConfigFault, match="/proc/nothing cannot be written"):
        state_folder("/proc/nothing", {})


def test_the_workspace_is_the_folder_it_was_started_in_but_never_a_system_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [root.path for root in scene("", {}).roots] == [str(tmp_path)]
    for folder in ("/", "/etc", "/usr/lib"):
        monkeypatch.chdir(folder)
        assert scene("", {}).roots == ()


def test_options_go_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('mode = "readonly"\n[model]\nname = "chat:a"\nbase_url = "http://127.0.0.1:1/v1"\n')
    found = settings(Options(config=str(file), model="offline", mode="FULL"), {})
    assert (found.preset, found.model.spec, found.model.base_url) == ("full", "offline", "http://127.0.0.1:1/v1")


def test_a_board_that_does_not_exist_yet_is_a_sentence() -> None:
    with pytest.raises(ConfigFault, match="use --board sim"):
        settings(Options(board="auto"), {})


def test_the_file_is_looked_for_in_four_places(tmp_path: Path) -> None:
    home = tmp_path / "home"
    xdg = tmp_path / "xdg"
    for folder in (home / ".config" / "fieldhand", xdg / "fieldhand"):
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text("")
    environ = {"HOME": str(home), "XDG_CONFIG_HOME": str(xdg)}
    assert find({**environ, "FIELDHAND_CONFIG": "told.toml"}) == "told.toml"
    assert find(environ) == str(xdg / "fieldhand" / "config.toml")
    assert find({"HOME": str(home), "XDG_CONFIG_HOME": "relative"}) == str(
        home / ".config" / "fieldhand" / "config.toml"
    )
    etc = "/etc/fieldhand/config.toml"
    assert find({}) == (etc if os.path.exists(etc) else "")
