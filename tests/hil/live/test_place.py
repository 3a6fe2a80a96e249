"""Where a board that runs is found: one holder at a time, a socket however long the folder's name is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from edge.faults import HardwareFault, UsageFault
from hil.live.place import ROOT, SOCKET, Place


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Longer than an address of a socket."""
    found = tmp_path / ("long" * 30)
    monkeypatch.setenv("FIELDHAND_HIL", str(found))
    return found


def test_it_is_in_the_checkout_unless_another_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Place("raspi0").card == root / "raspi0/card.img"
    monkeypatch.delenv("FIELDHAND_HIL")
    assert Place("raspi0").folder == ROOT / ".cache/hil/raspi0"


def test_a_second_holder_is_told_who_the_first_is_and_comes_after_it() -> None:
    with Place("raspi0").held() as place:
        assert place.folder.stat().st_mode & 0o777 == 0o700
        with pytest.raises(UsageFault, match=rf"raspi0 runs already \(process {os.getpid()}\)"), Place("raspi0").held():
            pass
        with Place("raspi2b").held():
            pass
    with Place("raspi0").held():
        pass


HOLDS = """
import sys, time
from hil.live.place import Place
with Place("raspi0").held() as place, place.listening():
    print("held", flush=True)
    time.sleep(300)
"""


def test_what_a_killed_holder_left_stands_in_nobodys_way() -> None:
    child = subprocess.Popen([sys.executable, "-c", HOLDS], cwd=ROOT, stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"held\n"
    Place("raspi0").connected().close()
    child.kill()
    child.communicate()
    with pytest.raises(HardwareFault, match="raspi0 does not run"):
        Place("raspi0").connected()
    with Place("raspi0").held() as place, place.listening():
        place.connected().close()


def test_who_listens_is_found_and_gone_afterwards() -> None:
    with pytest.raises(HardwareFault, match="raspi0 does not run") as told:
        Place("raspi0").connected()
    assert told.value.fix == "python3 -m hil run raspi0 starts it"
    with Place("raspi0").held() as place:
        with place.listening() as door, Place("raspi0").connected() as link:
            peer, _ = door.accept()
            peer.sendall(b"hello")
            assert link.recv(5) == b"hello"
            peer.close()
        assert not (place.folder / SOCKET).exists()
