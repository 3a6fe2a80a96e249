"""Every call of the tape to the system fails once, in every way it can, and for good: nothing acknowledged is lost."""

from __future__ import annotations

import os
import shutil

import pytest

from edge.faults import TapeFault
from edge.tape.disk import Disk
from edge.tape.journal import Tape
from edge.tape.reader import Reader
from tests.support.tape_disks import FaultyDisk, QuickDisk, torn_files

NAME = "faulty"
WAYS = ["ENOSPC", "EIO", "EINTR", "EROFS", "short", "after:ENOSPC", "after:EIO"]
TORN = b'{"seq":99,"boot":"torn'


def attempt(call, *args, **kwargs):
    """The result; None when the tape said why not. Nothing else may come out."""
    try:
        return call(*args, **kwargs)
    except TapeFault as fault:
        assert len(str(fault)) > 20
        return None


def write_some(tape: Tape, word: str, returned: dict[int, str]) -> None:
    for number in range(6):
        text = f"{word} {number}"
        seq = attempt(tape.append, "note", {"text": text}, sync=number % 3 == 1)
        if seq is not None:
            assert seq not in returned
            returned[seq] = text
    attempt(tape.sync)
    attempt(tape.search, "0", 3)
    attempt(tape.around, 1, 2)
    attempt(tape.close)


def session(disk: Disk, state: str) -> dict[int, str]:
    """Birth, records, a torn end, a second opening, records: what was returned as kept."""
    folder = os.path.join(state, "tapes")
    returned: dict[int, str] = {}
    tape = attempt(Tape.create, folder, NAME, disk)
    if tape is not None:
        write_some(tape, "first", returned)
    path = os.path.join(folder, NAME + ".jsonl")
    if not os.path.exists(path):
        assert not returned
        return returned
    with open(path, "ab") as file:
        file.write(TORN)
    tape = attempt(Tape.open, folder, NAME, disk)
    if tape is not None:
        write_some(tape, "second", returned)
    return returned


def look(state: str, returned: dict[int, str]) -> None:
    folder = os.path.join(state, "tapes")
    path = os.path.join(folder, NAME + ".jsonl")
    if not os.path.exists(path):
        assert not returned
        return
    tape = Tape.open(folder, NAME, QuickDisk())
    last = tape.append("note", {"text": "after"})
    tape.close()
    reader = Reader(path)
    kept = {record["seq"]: record["text"] for record in reader}
    assert reader.torn == 0 and reader.seq == last
    assert {seq: kept.get(seq) for seq in returned} == returned
    assert any(TORN in data for data in torn_files(folder))


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("how", WAYS)
def test_a_fault_at_any_call_loses_nothing_that_was_returned_as_kept(tmp_path, how: str, lasting: bool) -> None:
    state = str(tmp_path / "state")
    at = 0
    while True:
        at += 1
        disk = FaultyDisk(at, how, lasting)
        returned = session(disk, state)
        if not disk.hit:
            break
        look(state, returned)
        shutil.rmtree(state, ignore_errors=True)
    print(f"faults, {how}, {'for good' if lasting else 'once'}: {at - 1} calls")
    assert at > 40 and len(returned) == 12


def test_after_a_failed_sync_the_tape_takes_nothing_more(tmp_path) -> None:
    class NoSync(QuickDisk):
        def fdatasync(self, fd: int) -> None:
            raise OSError(5, "Input/output error")

    tape = Tape.create(str(tmp_path), disk=NoSync())
    assert tape.append("note", {"text": "waits"}) == 1
    with pytest.raises(TapeFault, match="may not be on the card"):
        tape.append("note", {"text": "must be there"}, sync=True)
    for _ in range(2):
        with pytest.raises(TapeFault, match="takes nothing more since it failed: Input/output error"):
            tape.append("note", {"text": "later"})
    with pytest.raises(TapeFault, match="takes nothing more"):
        tape.sync()
    tape.close()


def test_a_full_card_is_said_and_once_there_is_room_the_tape_goes_on(tmp_path) -> None:
    disk = FaultyDisk(0, "short")
    tape = Tape.create(str(tmp_path), disk=disk)
    tape.append("note", {"text": "one"})
    disk.at = disk.calls + 1
    with pytest.raises(TapeFault, match=r"only \d+ of \d+ bytes went in \(make room on the card"):
        tape.append("note", {"text": "two"})
    assert tape.append("note", {"text": "three"}, sync=True) == 2
    tape.close()
    assert [record["text"] for record in Reader(tape.path)] == ["one", "three"]


def test_a_record_that_was_refused_is_off_the_tape_at_once(tmp_path) -> None:
    disk = FaultyDisk(0, "after:EIO")
    tape = Tape.create(str(tmp_path), disk=disk)
    tape.append("note", {"text": "one"})
    size = os.path.getsize(tape.path)
    disk.at = disk.calls + 1
    with pytest.raises(TapeFault, match="cannot be written: Input/output error"):
        tape.append("note", {"text": "two"})
    assert os.path.getsize(tape.path) == size
    tape.close()


def test_ctrl_c_inside_a_write_leaves_no_half_record_and_no_number_twice(tmp_path) -> None:
    class Pressed(QuickDisk):
        armed = False

        def write(self, fd: int, data: bytes) -> int:
            written = os.write(fd, data)
            if self.armed:
                self.armed = False
                raise KeyboardInterrupt
            return written

    disk = Pressed()
    tape = Tape.create(str(tmp_path), disk=disk)
    tape.append("note", {"text": "one"})
    disk.armed = True
    with pytest.raises(KeyboardInterrupt):
        tape.append("note", {"text": "never returned"})
    assert tape.append("note", {"text": "two"}) == 2
    tape.close()
    assert [(record["seq"], record["text"]) for record in Reader(tape.path)] == [(1, "one"), (2, "two")]
