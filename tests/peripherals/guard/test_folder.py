"""The folder of a guard: its lock, what it says of the holder, and the description that is kept."""

from __future__ import annotations

import os

import pytest

from edge.faults import HardwareFault
from edge.peripherals.guard import differ, folder, owned
from edge.peripherals.guard.folder import Folder, Kept


@pytest.fixture
def where(tmp_path):
    return folder.make(str(tmp_path), "lines")


def test_a_lock_says_who_holds_it_and_where_to_ask_only_while_it_is_held(where):
    first, second = Folder(where), Folder(where)
    assert (folder.asked_at(where), folder.locked(where)) == ("", False)
    assert first.lock("/some/where\udcff.sock")
    assert not second.lock("/else")
    assert second.holder() == f"process {os.getpid()}"
    assert (folder.asked_at(where), folder.locked(where)) == ("/some/where\udcff.sock", True)
    first.close()
    assert (folder.asked_at(where), folder.locked(where)) == ("", False)
    assert second.lock()
    assert (folder.asked_at(where), folder.locked(where)) == ("", True)
    second.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "guard").write_text("")
    with pytest.raises(HardwareFault, match="the guard cannot use its folder"):
        folder.make(str(tmp_path), "lines")


def test_what_was_kept_is_read_back(where):
    said = owned.text(owned.Owned("lines"))
    assert folder.kept(where) is None
    folder.keep(where, said, "/run/x.sock", (7, 8))
    assert folder.kept(where) == Kept(said, "/run/x.sock", (7, 8))
    assert os.listdir(where) == [folder.LAST]
    assert os.stat(f"{where}/{folder.LAST}").st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff", b"[]", b'{"version":2}', b'{"version":1,"owned":1,"socket":"","users":[]}', b"x" * 600_000],
)
def test_what_cannot_be_understood_is_nothing_kept(where, data):
    with open(f"{where}/{folder.LAST}", "wb") as file:
        file.write(data)
    assert folder.kept(where) is None


def test_differences_are_named_with_both_values():
    from edge.call import Output
    from edge.peripherals.guard.owned import Owned
    from edge.record import replace

    pump, fan = Output("pump", "a pump", "x"), Output("fan", "a fan", "y")
    here = owned.text(Owned("lines", (pump, fan)))
    there = owned.text(Owned("lines", (replace(pump, max_on=60.0),), heartbeat=5.0))
    assert differ.difference(there, here) == (
        "pump.max_on is 60.0 there and 600.0 here; outputs has fan only here; heartbeat is 5.0 there and 3.0 here"
    )
    assert "cannot be read" in differ.difference("{", here)
