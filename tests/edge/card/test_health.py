"""What has to be well before a slot is confirmed; a real agent, real settings."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from edge.card import boot, health
from edge.card.prepare import Place
from tests.support.agent import ROOT


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for name in ("data/state", "run"):
        (tmp_path / name).mkdir(parents=True)
    made = Place(1, str(tmp_path / "data"), str(tmp_path / "run"))
    boot.tell({"DATA": "mounted"}, made.run)
    return made


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "fieldhand"
    path.write_text(f'#!/bin/sh\ncd {ROOT} && exec "{sys.executable}" -m edge "$@"\n')
    path.chmod(0o755)
    return str(path)


def test_a_board_that_is_well_is_found_well(place: Place, program: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('mode = "supervised"\n')
    found = health.checks(place, program, int(time.time()) - 60, str(config), lambda: True)
    assert [one.what for one in found] == ["guard", "data", "clock", "certificates", "settings", "agent"]
    assert [one for one in found if not one.well and one.what != "certificates"] == []
    assert os.listdir(place.run) == ["boot.txt"] and os.listdir(f"{place.data}/state") == []


def test_an_agent_that_fails_and_settings_that_are_wrong_are_told(place: Place, program: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("mode = 7\n")
    wrong = health._settings(program, str(config))
    assert not wrong.well and "cannot be used" in wrong.sentence
    config.write_text('[model]\nkey_file = "hunter2hunter2"\n')
    wrong = health._settings(program, str(config))
    assert "key_file" in wrong.sentence and "hunter2" not in wrong.sentence
    assert health._settings(program, "/nowhere/config.toml").well
    bad = tmp_path / "bad"
    bad.write_text("#!/bin/sh\necho no libc >&2\nexit 127\n")
    bad.chmod(0o755)
    assert health._agent(str(bad), place.run) == health.Check("agent", False, "it did not answer: no libc")
    assert not health._agent("/nowhere/fieldhand", place.run).well


def test_a_check_beside_another_has_a_folder_of_its_own_and_takes_away_what_dead_ones_left(place: Place) -> None:
    alive, dead = Path(place.run, f"health-{os.getppid()}"), Path(place.run, "health-4194305")  # more than pid_max
    for folder in (alive, dead):
        folder.mkdir()
    assert not health._agent("/nowhere/fieldhand", place.run).well
    assert sorted(os.listdir(place.run)) == ["boot.txt", alive.name]


def test_an_agent_has_only_so_much_memory(place: Place, tmp_path: Path) -> None:
    greedy = tmp_path / "greedy"
    greedy.write_text(f"#!{sys.executable} -I\nbytearray(1 << 30)\n")
    greedy.chmod(0o755)
    found = health._agent(str(greedy), place.run)
    assert not found.well and "MemoryError" in found.sentence


def test_data_in_memory_are_not_as_good_as_before(place: Place) -> None:
    assert health._data(place).well
    boot.tell({"VOLATILE": "1", "DATA": "volatile", "DATA_WHY": "it is damaged"}, place.run)
    found = health._data(place)
    assert not found.well and "it is damaged" in found.sentence


def test_data_that_cannot_be_written_are_not_well(place: Place) -> None:
    os.rmdir(f"{place.data}/state")
    assert not health._data(place).well


def test_a_clock_before_the_image_was_made_is_told() -> None:
    assert not health._clock(int(time.time()) + 1000).well
    assert health._clock(0).well


def test_a_guard_that_does_not_answer_is_waited_for_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "GUARD_SECONDS", 0.0)
    assert not health._guard(lambda: False).well
    answers = [True, False]
    monkeypatch.setattr(health, "GUARD_SECONDS", 60.0)
    assert health._guard(answers.pop).well and answers == []
