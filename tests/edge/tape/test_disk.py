"""The seam to the system: boot id, locks, folders."""

from __future__ import annotations

import os

import pytest

from edge.tape import disk as disks
from edge.tape.disk import Disk, boot_id, cannot, held, holder


def test_the_boot_id_is_eight_hex_digits_and_stays() -> None:
    assert len(boot_id()) == 8 and int(boot_id(), 16) >= 0
    assert boot_id() == boot_id()


def test_a_lock_is_seen_by_others_and_its_holder_known(tmp_path) -> None:
    path = str(tmp_path / "tape")
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    assert not held(path) and holder(fd) == 0
    assert Disk().lock(fd)
    assert held(path)
    assert holder(fd) in (os.getpid(), 0)
    other = os.open(path, os.O_RDWR)
    assert not Disk().lock(other)
    os.close(fd)
    assert not held(path)
    assert Disk().lock(other)
    os.close(other)


def test_folders_are_made_for_the_owner_and_again_is_nothing(tmp_path) -> None:
    path = str(tmp_path / "a" / "b" / "c")
    for _ in range(2):
        disks.folder(Disk(), path)
    assert os.path.isdir(path)


def test_a_folder_that_appears_in_this_instant_is_taken(tmp_path) -> None:
    class Raced(Disk):
        def mkdir(self, path: str, mode: int) -> None:
            os.mkdir(path, mode)
            raise FileExistsError(17, "File exists")

    disks.folder(Raced(), str(tmp_path / "a"))
    assert os.path.isdir(tmp_path / "a")


@pytest.mark.parametrize(
    ("number", "said"),
    [(28, "make room on the card"), (30, "read-only"), (13, "write permission"), (5, "card may be failing"), (40, "")],
)
def test_what_the_system_refused_is_said_with_what_to_do(number: int, said: str) -> None:
    fault = cannot("the tape x cannot be written", OSError(number, os.strerror(number)))
    assert str(fault).startswith(f"the tape x cannot be written: {os.strerror(number)}")
    assert said in fault.fix and bool(said) is bool(fault.fix)
