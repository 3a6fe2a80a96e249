"""What doctor says of the audit log: sound, torn, changed, cut off, not gone through, not to be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.cli import doctor_audit
from edge.cli.finding import Finding
from edge.tape.audit import Audit
from tests.support.tape_disks import QuickDisk


@pytest.fixture
def state(tmp_path: Path) -> str:
    audit = Audit.open(str(tmp_path), disk=QuickDisk())
    for number in range(5):
        audit.note("stop", {"why": f"the operator, {number}"}, True)
    audit.close()
    return str(tmp_path)


def found(state: str) -> Finding:
    (one,) = doctor_audit.findings(state)
    assert one.what == "audit log"
    return one


def log(state: str) -> Path:
    return Path(state, "audit", "audit-000001.jsonl")


def test_nothing_is_said_where_nothing_was_begun(tmp_path: Path) -> None:
    assert not list(doctor_audit.findings("")) and not list(doctor_audit.findings(str(tmp_path)))


def test_a_sound_log_is_ok_and_one_that_a_power_cut_tore_too(state: str) -> None:
    assert (found(state).state, found(state).sentence) == ("ok", "sound, records 1 to 6")
    with log(state).open("ab") as file:
        file.write(b'{"seq": 7')
    torn = "sound, records 1 to 6, and 9 bytes at the end as a power cut leaves them"
    assert (found(state).state, found(state).sentence) == ("ok", torn)


def test_a_record_that_was_changed_is_wrong_with_its_place(state: str) -> None:
    log(state).write_bytes(log(state).read_bytes().replace(b"operator, 2", b"operator, 7"))
    one = found(state)
    assert one.state == "wrong" and one.fix.startswith("fieldhand audit verify")
    assert one.sentence.startswith("audit-000001.jsonl:5: record 5 does not follow the record 4")


def test_a_log_that_was_cut_off_or_lost_its_head_is_wrong(state: str) -> None:
    kept = log(state).read_bytes()
    log(state).write_bytes(b"".join(kept.splitlines(True)[:3]))
    assert "its end was cut off" in found(state).sentence and found(state).state == "wrong"
    log(state).unlink()
    assert "its end was cut off" in found(state).sentence and found(state).state == "wrong"
    log(state).write_bytes(kept)
    os.unlink(f"{state}/audit.key")
    assert "the key file is missing" in found(state).sentence and found(state).state == "wrong"


def test_a_long_log_is_left_to_verify_and_that_is_told(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_audit, "LONGEST", 10)
    one = found(state)
    assert one.state == "absent" and "were not gone through here" in one.sentence and "audit verify" in one.fix


def test_a_log_that_cannot_be_read_is_wrong(state: str) -> None:
    log(state).unlink()
    log(state).mkdir()
    one = found(state)
    assert one.state == "wrong" and "the audit log in" in one.sentence
