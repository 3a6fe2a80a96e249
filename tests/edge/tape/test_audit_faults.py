"""Every call of the audit log to the system fails once, in every way it can, and for good."""

from __future__ import annotations

import os
import shutil

import pytest

from edge.faults import TapeFault
from edge.tape.audit import Audit
from edge.tape.audit_key import NAME
from edge.tape.disk import Disk
from edge.tape.unaudited import Unaudited
from tests.support.audit_logs import SMALL, kept, verdict
from tests.support.tape_disks import FaultyDisk, QuickDisk

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
WAYS = ["ENOSPC", "EIO", "EINTR", "EROFS", "short", "after:ENOSPC", "after:EIO"]


def attempt(call, *args, **kwargs):
    """The result; None when the log said why not. Nothing else may come out."""
    try:
        return call(*args, **kwargs)
    except TapeFault as fault:
        assert len(str(fault)) > 20
        return None


def write_some(audit: Audit, word: str, returned: dict[int, str], receipts: list[str]) -> None:
    for number in range(5):
        call = f"{word} {number}"
        seq = attempt(audit.intent, {"call": call}, number % 2 == 1)
        if seq is not None:
            assert seq not in returned
            returned[seq] = call
        receipt = attempt(audit.outcome, {"call": call, "ok": True}, number % 3 == 0, True)
        if receipt:
            receipts.append(receipt)
    attempt(audit.known, "r-" + "a" * 20)
    attempt(audit.sync)
    attempt(audit.close)


def session(disk: Disk, state: str) -> tuple[dict[int, str], list[str]]:
    """Birth, records, a torn end, a second opening, records: what was returned as kept."""
    returned: dict[int, str] = {}
    receipts: list[str] = []
    for word in ("first", "second"):
        audit = attempt(Audit.open, state, disk=disk, limits=SMALL)
        if audit is not None:
            write_some(audit, word, returned, receipts)
        files = sorted(name for name in os.listdir(state + "/audit") if ".jsonl" in name) if audit else []
        if word == "first" and files:
            with open(f"{state}/audit/{files[-1]}", "ab") as file:
                file.write(b'{"seq":99,"boot":"torn')
    return returned, receipts


def look(state: str, returned: dict[int, str], receipts: list[str]) -> None:
    audit = Audit.open(state, disk=QuickDisk(), limits=SMALL)
    assert audit.notice == ""
    audit.intent({"call": "after"})
    assert all(audit.known(receipt) for receipt in receipts)
    audit.close()
    records = {record["seq"]: record for record in kept(state)}
    assert {seq: records[seq].get("call") for seq in returned} == returned
    report = verdict(state, True)
    assert (report.code, report.problems, report.keyed) == (0, (), len(records))


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("how", WAYS)
def test_a_fault_at_any_call_loses_nothing_that_was_returned_as_kept(tmp_path, how: str, lasting: bool) -> None:
    state = str(tmp_path / "state")
    tried = at = 0
    while True:
        # Each way begins somewhere else, so that together they come by every call.
        at += 1 if SOAK or not at else 1 + (WAYS.index(how) + at) % 13
        tried += 1
        os.mkdir(state, 0o700)
        disk = FaultyDisk(at, how, lasting)
        returned, receipts = session(disk, state)
        if not disk.hit:
            break
        look(state, returned, receipts)
        shutil.rmtree(state)
    print(f"faults, audit, {how}, {'for good' if lasting else 'once'}: {tried - 1} of {at - 1} calls")
    assert at > 100 and len(returned) == 10 and len(receipts) == 10


class NoRoom(QuickDisk):
    """A card with room for so many bytes of records and ballast."""

    room = 3000

    def write(self, fd: int, data: bytes) -> int:
        took = data[: max(0, self.room)]
        self.room -= len(took)
        if not took:
            raise OSError(28, "No space left on device")
        return os.write(fd, took)

    def ftruncate(self, fd: int, size: int) -> None:
        self.room += os.fstat(fd).st_size - size
        os.ftruncate(fd, size)

    def unlink(self, path: str) -> None:
        self.room += os.path.getsize(path)
        os.unlink(path)


def test_a_full_card_refuses_actions_still_takes_outcomes_and_goes_on_when_there_is_room(tmp_path) -> None:
    disk = NoRoom()
    audit = Audit.open(str(tmp_path), disk=disk, limits=(1 << 20, 3, 1500))
    calls = 0
    with pytest.raises(TapeFault, match=r"the card is full \(make room on the card"):
        while True:
            audit.intent({"call": f"c{calls}"})
            calls += 1
    assert audit.failed == "" and calls > 1
    with pytest.raises(TapeFault, match="the last room of the audit log is for outcomes"):
        audit.intent({"call": "another"})
    assert audit.outcome({"call": f"c{calls - 1}"}, True, True)
    assert kept(str(tmp_path))[-2]["kind"] == "alarm"
    disk.room += 100000
    audit.intent({"call": "again"})
    audit.close()
    assert verdict(str(tmp_path), True).code == 0
    assert [record["call"] for record in kept(str(tmp_path)) if record["kind"] == "intent"][-1] == "again"


def test_a_read_only_card_fails_it_for_good_and_says_so(tmp_path) -> None:
    class ReadOnly(QuickDisk):
        armed = False

        def write(self, fd: int, data: bytes) -> int:
            if self.armed:
                raise OSError(30, "Read-only file system")
            return os.write(fd, data)

    disk = ReadOnly()
    audit = Audit.open(str(tmp_path), disk=disk, limits=SMALL)
    disk.armed = True
    with pytest.raises(TapeFault, match="Read-only file system"):
        audit.intent({"call": "c1"})
    assert audit.failed == "Read-only file system"
    disk.armed = False
    with pytest.raises(TapeFault, match="takes nothing more since it failed: Read-only file system"):
        audit.outcome({"call": "c1"}, True, True)
    audit.close()
    instead = Unaudited(why=audit.failed)
    assert instead.notice == "nothing is audited: Read-only file system" and not instead.durable


@pytest.mark.parametrize("gone", [NAME, "audit/audit-000001.jsonl"])
def test_a_deleted_file_fails_it_and_the_next_start_tells(tmp_path, gone: str) -> None:
    state = str(tmp_path)
    audit = Audit.open(state, disk=QuickDisk())
    audit.intent({"call": "c1"})
    os.unlink(f"{state}/{gone}")
    with pytest.raises(TapeFault, match="deleted"):
        audit.intent({"call": "c2"})
    assert "deleted" in audit.failed
    audit.close()
    again = Audit.open(state, disk=QuickDisk())
    assert "the audit log does not fit its key" in again.notice
    again.close()


def test_ctrl_c_inside_a_write_leaves_the_chain_whole(tmp_path) -> None:
    class Pressed(QuickDisk):
        armed = ""

        def write(self, fd: int, data: bytes) -> int:
            armed, self.armed = self.armed, ""
            written = os.write(fd, data[: len(data) // 2] if armed == "half" else data)
            if armed:
                raise KeyboardInterrupt
            return written

    disk = Pressed()
    audit = Audit.open(str(tmp_path), disk=disk, limits=SMALL)
    for armed in ("half", "whole", "half"):
        disk.armed = armed
        with pytest.raises(KeyboardInterrupt):
            audit.intent({"call": f"never returned, {armed}"})
        audit.intent({"call": "next"})
    audit.close()
    calls = [record["call"] for record in kept(str(tmp_path)) if record["kind"] == "intent"]
    assert calls == ["next", "never returned, whole", "next", "next"]
    assert verdict(str(tmp_path), True).code == 0
