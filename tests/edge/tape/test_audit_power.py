"""Power may go at any instruction of the audit log: nothing acknowledged is lost, nothing is taken for a forgery.

Every cut, with what was not yet on the card kept, dropped, halved or zeroed (tests/support/tape_disks.py).
"""

from __future__ import annotations

import os
import random
import shutil

import pytest

from edge.tape import audit_store
from edge.tape.audit import Audit
from tests.support.audit_logs import SMALL, kept, verdict
from tests.support.tape_disks import Card, Killed, PowerDisk, QuickDisk, lay_out

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
MOST = 60 if SOAK else 6
SYNCED = (False, True, False, False, False, True, True, False)


class Loss(AssertionError):
    """An acknowledged record is gone, or the log takes a power cut for a forgery."""


def talk(audit: Audit, disk: PowerDisk, word: str, rounds: int = 1) -> None:
    """Append, and acknowledge what is promised: a synced record, and with it all before it."""
    waiting: list[tuple[int, str]] = []
    for number, sync in enumerate(SYNCED * rounds):
        waiting.append((audit.intent({"call": f"{word} {number}"}, sync), f"{word} {number}"))
        if sync:
            while waiting:
                disk.acknowledge(*waiting.pop())
    audit.close()
    while waiting:
        disk.acknowledge(*waiting.pop())


def look(tree: dict, card: Card, root: str, target: str) -> None:
    """The state is no forgery, opens, holds what was acknowledged and still exists, and goes on."""
    lay_out(tree, root, target)
    for path, data in tree.items():
        if data is not None:
            os.chmod(target + path[len(root) :], 0o600)
    state = os.path.join(target, "state")
    if not os.path.isdir(os.path.join(state, "audit")):
        if card.acknowledged:
            raise Loss("the whole log is gone")
        return
    before = verdict(state)
    if before.code not in (0, 8):
        raise Loss(f"taken for a forgery: {before.problems}")
    audit = Audit.open(state, disk=QuickDisk(), limits=SMALL)
    notice = audit.notice
    audit.intent({"call": "after"})
    audit.close()
    records = {record["seq"]: record for record in kept(state)}
    after = verdict(state, True)
    first = min(records)
    lost = [seq for seq, call in card.acknowledged.items() if seq >= first and records.get(seq, {}).get("call") != call]
    alarms = [record for record in records.values() if record["kind"] == "alarm"]
    if lost or alarms or notice or after.code or after.keyed != len(records):
        raise Loss(f"lost {lost}, {alarms}, {notice}, {after}")


def every_cut(log: list[tuple], before: dict, root: str, scratch: str, most: int, since: int = 0) -> int:
    dice = random.Random(12)
    count = 0
    for cut in range(since, len(log) + 1):
        card = Card(before, log[:cut])
        for tree in card.states(most, dice):
            target = os.path.join(scratch, "cut")
            look(tree, card, root, target)
            shutil.rmtree(target, ignore_errors=True)
            count += 1
    return count


@pytest.fixture
def root(tmp_path) -> str:
    made = tmp_path / "card"
    made.mkdir()
    (made / "state").mkdir(mode=0o700)
    return str(made)


def started(root: str) -> dict:
    return {root: None, os.path.join(root, "state"): None}


def test_no_cut_loses_an_acknowledged_record_or_the_key(root: str, tmp_path) -> None:
    disk = PowerDisk(root)
    state = os.path.join(root, "state")
    talk(Audit.open(state, disk=disk, limits=SMALL), disk, "first")
    talk(Audit.open(state, disk=disk, limits=SMALL), disk, "second")
    states = every_cut(disk.log, started(root), root, str(tmp_path), MOST)
    print(f"power, audit: {len(disk.log)} cuts, {states} states, 0 bad")
    assert states > 100


def test_no_cut_while_files_turn_and_old_ones_go_breaks_the_chain(root: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(audit_store, "SECONDS", 1000.0)
    disk = PowerDisk(root)
    audit = Audit.open(os.path.join(root, "state"), disk=disk, limits=(1500, 2, 64))
    talk(audit, disk, "turning", 2)
    assert len(os.listdir(os.path.join(root, "state", "audit"))) == 3  # two files and the ballast: two were dropped
    states = every_cut(disk.log, started(root), root, str(tmp_path), max(2, MOST // 3))
    print(f"power, turning: {len(disk.log)} cuts, {states} states, 0 bad")
    assert states > 100


@pytest.mark.soak
def test_a_kill_at_any_call_and_a_power_cut_after_it_lose_nothing(root: str, tmp_path) -> None:
    states = kills = rounds = 0
    state = os.path.join(root, "state")
    while True:
        shutil.rmtree(state, ignore_errors=True)
        os.mkdir(state, 0o700)
        killed = PowerDisk(root, kill_at=kills)
        try:
            talk(Audit.open(state, disk=killed, limits=SMALL), killed, "first")
        except Killed:
            killed.release()
        else:
            break
        disk = PowerDisk(root, killed.log)
        since = len(killed.log)
        audit = Audit.open(state, disk=disk, limits=SMALL)
        assert audit.notice == ""
        talk(audit, disk, "second")
        states += every_cut(disk.log, started(root), root, str(tmp_path), 6 if SOAK else 2, since)
        rounds += 1
        kills += 1 if SOAK else 7
    print(f"power, audit after a kill: {rounds} kills, {states} states, 0 bad")
    assert rounds > 10


@pytest.mark.parametrize("careless", ["fdatasync", "fsync", "sync_folder"])
def test_the_simulator_sees_the_loss_when_a_sync_is_left_out(root: str, tmp_path, careless: str) -> None:
    disk = PowerDisk(root)
    quick = QuickDisk()
    setattr(disk, careless, lambda *args: getattr(quick, careless)(*args))
    talk(Audit.open(os.path.join(root, "state"), disk=disk, limits=SMALL), disk, "first")
    with pytest.raises(Loss):
        every_cut(disk.log, started(root), root, str(tmp_path), 20)
