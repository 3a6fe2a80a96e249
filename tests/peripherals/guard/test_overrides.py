"""Files by which people hold outputs: what counts, what is told, and that nothing there is a hindrance."""

from __future__ import annotations

import os
import stat

import pytest

from edge.peripherals.guard.overrides import MOST, Overrides


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "override").mkdir()
    return tmp_path


def say(folder, name, word):
    (folder / "override" / name).write_text(word)


def test_a_word_is_told_once_and_its_end_too(folder):
    overrides = Overrides(str(folder), ["pump", "fan"])
    assert overrides.look() == []
    say(folder, "pump", "on\n")
    assert overrides.look() == [("pump", "on")]
    assert overrides.look() == []
    say(folder, "pump", " OFF ")
    say(folder, "fan", "safe")
    assert sorted(overrides.look()) == [("fan", "safe"), ("pump", "off")]
    os.unlink(folder / "override" / "pump")
    assert overrides.look() == [("pump", "")]


@pytest.mark.parametrize("word", ["", "onn", "yes", "on off", "\0", "on" * 100])
def test_what_is_no_word_holds_the_output_safe(folder, word):
    say(folder, "pump", word)
    assert Overrides(str(folder), ["pump"]).look() == [("pump", "safe")]


def test_what_cannot_be_read_holds_the_output_safe(folder):
    os.symlink("/etc/hostname", folder / "override" / "link")
    os.mkdir(folder / "override" / "folder")
    os.mkfifo(folder / "override" / "pipe")
    found = Overrides(str(folder), ["link", "folder", "pipe"]).look()
    assert sorted(found) == [("folder", "safe"), ("link", "safe"), ("pipe", "safe")]


def test_a_file_of_no_output_means_nothing_and_is_said(folder):
    overrides = Overrides(str(folder), ["pump"])
    say(folder, "pmup", "on")
    assert overrides.look() == []
    assert "pmup overrides nothing" in overrides.notes[0]


def test_files_that_mean_nothing_hide_none_that_does_and_few_are_told(folder):
    overrides = Overrides(str(folder), ["pump"])
    say(folder, "pump", "safe")
    for number in range(300):
        say(folder, f"a{number}", "on")
    assert overrides.look() == [("pump", "safe")]
    assert len(overrides.notes) == MOST


def test_without_the_folder_nobody_wants_anything(tmp_path):
    overrides = Overrides(str(tmp_path), ["pump"])
    assert (overrides.look(), overrides.notes) == ([], ())


def test_the_folder_is_made_for_its_user_alone_and_what_is_there_stays(tmp_path):
    overrides = Overrides(str(tmp_path), ["pump"])
    overrides.lay()
    assert stat.S_IMODE((tmp_path / "override").stat().st_mode) == 0o700
    say(tmp_path, "pump", "safe")
    overrides.lay()
    assert overrides.look() == [("pump", "safe")]


def test_where_no_folder_can_be_made_nobody_wants_anything(tmp_path):
    overrides = Overrides(str(tmp_path / "not there"), ["pump"])
    overrides.lay()
    assert (overrides.look(), overrides.notes) == ([], ())


@pytest.mark.parametrize("lock", [False, True])
def test_a_folder_that_is_gone_lifts_nothing(folder, lock):
    if lock:  # its card was unmounted: what lay below it has another folder of that name, without the lock
        (folder / "lock").write_text("")
    overrides = Overrides(str(folder), ["pump"])
    say(folder, "pump", "safe")
    overrides.look()
    os.rename(folder, f"{folder}-away")
    if lock:
        os.mkdir(folder)
    assert overrides.look() == []
    assert "gone with its folder" in overrides.notes[0]
    if lock:
        os.rmdir(folder)
    os.rename(f"{folder}-away", folder)
    os.unlink(folder / "override" / "pump")
    assert overrides.look() == [("pump", "")]


def test_a_folder_that_cannot_be_read_lifts_nothing(folder):
    overrides = Overrides(str(folder), ["pump"])
    say(folder, "pump", "safe")
    overrides.look()
    os.rename(folder / "override", folder / "away")
    (folder / "override").write_text("a file")
    assert overrides.look() == []
    assert "cannot be read" in overrides.notes[0]
