"""The audit log on the card: files, rights, turning, receipts over restarts, two agents at once."""

from __future__ import annotations

import os

import pytest

from edge.faults import TapeFault
from edge.tape import audit_key
from edge.tape.audit import Audit
from edge.tape.audit_check import check
from edge.tape.audit_form import ratchet
from edge.tape.audit_key import FIRST_KEY, NAME, parse, peek
from tests.support.audit_logs import kept, keys, verdict
from tests.support.tape_disks import QuickDisk

TURNS = (3000, 3, 64)


def opened(state: str, limits: tuple[int, int, int] = TURNS, receipts: bool = True) -> Audit:
    return Audit.open(state, disk=QuickDisk(), limits=limits, receipts=receipts)


def test_files_are_for_their_owner_alone(tmp_path) -> None:
    old = os.umask(0)
    try:
        opened(str(tmp_path)).close()
    finally:
        os.umask(old)
    for path in (NAME, FIRST_KEY, "audit/audit-000001.jsonl", "audit/ballast"):
        assert os.stat(tmp_path / path).st_mode & 0o777 == 0o600
    assert os.stat(tmp_path / "audit").st_mode & 0o777 == 0o700


def test_a_key_that_others_can_read_is_told(tmp_path) -> None:
    opened(str(tmp_path)).close()
    os.chmod(tmp_path / NAME, 0o640)
    audit = opened(str(tmp_path))
    assert "can be read by others: chmod 600 it" in audit.notice
    audit.close()


def test_a_link_for_a_key_or_a_log_is_refused(tmp_path) -> None:
    os.symlink("/dev/null", tmp_path / NAME)
    with pytest.raises(TapeFault, match="cannot be opened"):
        opened(str(tmp_path))
    os.unlink(tmp_path / NAME)
    os.symlink("/dev/null", tmp_path / "audit" / "audit-000001.jsonl")
    with pytest.raises(TapeFault, match="cannot be opened"):
        opened(str(tmp_path))


def test_files_turn_old_ones_go_and_the_log_says_so(tmp_path) -> None:
    state = str(tmp_path)
    audit = opened(state)
    receipts = [audit.outcome({"call": f"c{n}", "text": "x" * 100}, n % 5 == 0, True) for n in range(100)]
    audit.close()
    files = sorted(name for name in os.listdir(tmp_path / "audit") if name.endswith(".jsonl"))
    assert len(files) == 3 and files[0] > "audit-000003.jsonl"
    records = kept(state)
    assert [record["seq"] for record in records] == list(range(records[0]["seq"], records[-1]["seq"] + 1))
    ends = [record for record in records if record["kind"] == "rotate"]
    begins = [record for record in records if record["kind"] == "begin"]
    assert [record["next"] for record in ends] == files[1:]
    assert [record["before"] for record in begins][1:] == files[:-1] and "dropped" in begins[-1]
    for report in (verdict(state), verdict(state, True)):
        assert report.code == 0 and any("older ones were dropped" in remark for remark in report.remarks)
    audit = opened(state)
    assert [audit.known(receipt) for receipt in receipts[-3:]] == [True] * 3
    assert not audit.known(receipts[0])  # its file is gone
    audit.close()


def test_receipts_are_known_after_a_restart_and_only_those(tmp_path) -> None:
    audit = opened(str(tmp_path), (1 << 20, 3, 64))
    given = [audit.outcome({"call": f"c{n}"}, False, True) for n in range(700)]
    failed = audit.head
    audit.outcome({"call": "bad", "status": "failed"}, True, False)
    assert all(audit.known(receipt) for receipt in given)
    audit.close()
    audit = opened(str(tmp_path), (1 << 20, 3, 64))
    assert all(audit.known(receipt) for receipt in given[::50])
    from edge.tape.audit_form import receipt_of

    others = [receipt_of(record["mac"]) for record in kept(str(tmp_path)) if not record.get("receipt")]
    assert len(others) >= 2 and not any(audit.known(receipt) for receipt in others)
    assert failed.startswith("701:")
    audit.close()


def test_keys_of_the_past_are_nowhere(tmp_path) -> None:
    state = str(tmp_path)
    audit = opened(state)
    for number in range(100):
        audit.intent({"call": f"c{number}"}, number % 7 == 0)
    audit.sync()
    with open(tmp_path / NAME, "rb") as file:
        raw = file.read()
    slots = [parse(raw[at : at + audit_key.TEXT]) for at in (0, audit_key.SLOT)]
    first = keys(state)[0][1]
    last = kept(state)[-1]["seq"]
    now = ratchet(first, last)
    assert [slot.key for slot in slots if slot] == [now, now] and [slot.seq for slot in slots if slot] == [last, last]
    key = first
    for _ in range(last):
        assert key.hex().encode() not in raw
        key = ratchet(key)
    audit.close()


def test_a_kill_between_the_log_and_the_key_file_goes_on_with_the_right_key(tmp_path) -> None:
    state = str(tmp_path)
    audit = opened(state)
    audit.intent({"call": "c1"})
    with open(tmp_path / NAME, "rb") as file:
        before = file.read()
    audit.intent({"call": "c2"})
    audit.outcome({"call": "c2"}, False, True)
    audit._store.close()  # killed: nothing is synced, nothing is written
    with open(tmp_path / NAME, "r+b") as file:
        file.write(before)
    again = opened(state)
    assert again.notice == "" and again.intent({"call": "c3"}) == 5
    again.close()
    assert (verdict(state, True).code, verdict(state, True).keyed) == (0, 5)


def test_one_torn_slot_costs_nothing(tmp_path) -> None:
    state = str(tmp_path)
    for torn in (0, 1):
        audit = opened(state)
        audit.intent({"call": f"c{torn}"})
        audit.close()
        with open(tmp_path / NAME, "r+b") as file:
            file.seek(torn * audit_key.SLOT + 50)
            file.write(bytes(100))
        assert peek(state) is not None
        again = opened(state)
        assert again.notice == ""
        again.close()
    assert verdict(state, True).code == 0


def test_two_agents_take_turns_over_files_and_restarts(tmp_path) -> None:
    state = str(tmp_path)
    limits = (3000, 100, 64)
    first, second = opened(state, limits), opened(state, limits)
    receipts = []
    for number in range(60):
        receipts.append(first.outcome({"call": f"a{number}"}, number % 9 == 0, True))
        if number % 3 == 0:
            second.intent({"call": f"b{number}"}, number % 4 == 0)
        if number == 30:
            second.close()
            second = opened(state, limits)
    assert all(second.known(receipt) for receipt in receipts)
    first.close()
    second.close()
    report = verdict(state, True)
    assert (report.code, report.keyed, first.notice, second.notice) == (0, len(kept(state)), "", "")


def test_a_log_that_somebody_holds_is_a_sentence_and_no_hang(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(audit_key, "PATIENCE", 0.05)
    audit = opened(str(tmp_path))
    other = audit_key.KeyFile.open(QuickDisk(), str(tmp_path))
    other.hold()
    with pytest.raises(TapeFault, match=r"held by process \d+ and does not come free"):
        audit.intent({"call": "c1"})
    other.free()
    assert audit.intent({"call": "c1"}) == 2
    other.close()
    audit.close()


def test_a_log_without_its_key_file_is_checked_by_its_chain(tmp_path) -> None:
    audit = opened(str(tmp_path))
    audit.intent({"call": "c1"})
    audit.close()
    os.unlink(tmp_path / NAME)
    report = check(str(tmp_path / "audit"))
    assert (report.code, report.keyed, report.last) == (0, 0, 2)
