from __future__ import annotations

import os
import stat

import pytest

from edge.faults import HardwareFault
from edge.peripherals.guard.folder import make
from edge.peripherals.sim import checks, describe, worlds
from edge.peripherals.sim.board import SimBoard
from edge.peripherals.sim.greenhouse import BIRTH
from edge.peripherals.sim.keep import Keep, last_world


@pytest.fixture
def folder(tmp_path):
    return make(str(tmp_path / "state"))


def test_the_folder_is_made_for_its_owner_alone(folder):
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


def test_what_is_saved_is_loaded(folder):
    board = SimBoard()
    board.adjust("temperature", "40", BIRTH)
    Keep(folder).save(board.kept())
    again, notes = Keep(folder).board()
    assert (again.circuit.climate, notes) == (board.circuit.climate, [])
    assert os.listdir(folder) == ["state.json"]
    assert stat.S_IMODE(os.stat(folder + "/state.json").st_mode) == 0o600


def test_nothing_kept_is_a_new_board(folder):
    board, notes = Keep(folder).board()
    assert (board.now, notes) == (BIRTH, [])


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xff", b"[]", b'{"version":1}', b" " * 20_000])
def test_a_damaged_state_is_kept_aside_and_said(folder, text):
    with open(folder + "/state.json", "wb") as file:
        file.write(text)
    board, notes = Keep(folder).board()
    assert board.now == BIRTH
    assert "is damaged" in notes[0]
    assert "state.json.damaged" in notes[0]
    with open(folder + "/state.json.damaged", "rb") as file:
        assert file.read() == text


def test_one_holder_at_a_time_and_the_other_is_told_who(folder):
    first, second = Keep(folder), Keep(folder)
    assert first.lock()
    assert not second.lock()
    assert second.holder() == f"process {os.getpid()}"
    first.close()
    assert second.lock()
    second.close()


def test_a_save_that_fails_leaves_the_old_state(folder):
    kept = Keep(folder)
    kept.save(SimBoard().kept())
    with pytest.raises(ValueError, match="not finite"):
        kept.save({"version": float("nan")})
    assert not os.path.exists(folder + "/state.json.new")
    os.symlink("/dev/full", folder + "/state.json.new")
    with pytest.raises(OSError):
        kept.save({"version": 1})
    assert Keep(folder).board()[1] == []


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HardwareFault, match=r"cannot use its folder .*Not a directory.*--state DIR"):
        make(str(tmp_path / "file"))


def test_every_world_has_a_state_of_its_own_and_the_last_one_is_known(folder):
    text = worlds.text("yard")
    yard, greenhouse = Keep(folder, text), Keep(folder)
    board, notes = yard.board()
    assert (notes, last_world(folder)) == ([], text)
    board.adjust("tank_level", "7", board.now)
    yard.save(board.kept())
    other, notes = greenhouse.board()
    assert (other.now, notes, last_world(folder)) == (BIRTH, [], "")
    greenhouse.save(other.kept())
    again, notes = Keep(folder, text).board()
    assert (again.truth("tank_level"), notes) == (7.0, [])
    assert sorted(os.listdir(folder)) == ["state-yard.json", "state.json", "world.json"]


def test_a_state_of_another_description_begins_anew_and_stays_aside(folder):
    first, second = (describe.from_tables({"sim": {"name": "w"}, "tanks": {name: {}}}) for name in ("cistern", "well"))
    kept = Keep(folder, first)
    kept.save(kept.board()[0].kept())
    board, notes = Keep(folder, second).board()
    assert [tank["name"] for tank in board.circuit.tanks()] == ["well"]
    assert "another description" in notes[0] and "state-w.json.damaged" in notes[0]


def test_the_world_is_noted_also_where_its_state_was_damaged(folder):
    text = worlds.text("yard")
    kept = Keep(folder, text)
    kept.save(SimBoard().kept())
    assert last_world(folder) == ""
    assert "damaged" in kept.board()[1][0]
    assert last_world(folder) == text


def test_the_largest_world_with_all_of_it_in_some_mode_is_kept_and_found(folder):
    def named(start):
        return [f"{start}{number:02d}".ljust(32, "x") for number in range(checks.MOST)]

    outputs = named("o")
    tables = {
        "sim": {},
        "tanks": {name: {"volume": 77.123} for name in named("t")},
        "outputs": {name: {} for name in outputs},
        "contacts": {name: {} for name in named("c")},
        "inputs": {name: {} for name in named("i")},
        "sensors": {name: {"model": "light"} for name in named("s")},
        "relays": {name: {"feedback": shows} for name, shows in zip(outputs, named("f"))},
    }
    kept = Keep(folder, describe.from_tables(tables))
    board = kept.board()[0]
    now = board.now + 1234567.123
    for name in board.parts:
        board.adjust(name, "drift=-0.123456789", now)
    for name in outputs:
        board.drive(name, 1.0, now)
        board.adjust(name, "stuck", now)
    kept.save(board.kept())
    again, notes = kept.board()
    assert (notes, again.left_on) == ([], tuple(outputs))


def test_a_card_that_takes_no_world_hinders_no_board(folder):
    os.symlink("/dev/full", folder + "/world.json.new")
    board, notes = Keep(folder, worlds.text("yard")).board()
    assert board.circuit.name == "yard"
    assert "cannot be kept" in notes[0]


@pytest.mark.parametrize("text", ["", "x", "{}}", '{"sim":3}', "\xff", "x" * 200_000])
def test_a_last_world_that_cannot_be_read_is_the_greenhouse(folder, text):
    with open(folder + "/world.json", "w", encoding="latin-1") as file:
        file.write(text)
    assert last_world(folder) == ""


def test_what_is_no_description_is_refused(folder):
    with pytest.raises(ValueError):
        Keep(folder, '{"sim":3}')
