"""Power may go at any instruction: every cut, with what was not yet on the card kept, dropped, halved or zeroed.

Runs over the real code of the tape through tests/support/tape_disks.py.
"""

from __future__ import annotations

import os
import random
import shutil

import pytest

from edge.tape.journal import Tape
from edge.tape.reader import Reader
from tests.support.tape_disks import Card, Killed, PowerDisk, QuickDisk, lay_out, torn_files

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
MOST = 200 if SOAK else 20
NAME = "power"


class Loss(AssertionError):
    """An acknowledged record is gone."""


def note(tape: Tape, disk: PowerDisk, text: str, sync: bool, waiting: list[tuple[int, str]]) -> None:
    """Append, and acknowledge what is promised: a synced record, and with it all before it."""
    waiting.append((tape.append("note", {"text": text}, sync=sync), text))
    if sync:
        for seq, said in waiting:
            disk.acknowledge(seq, said)
        waiting.clear()


LONG = (False, True, False, False, False, False, True, True, False, False)


def talk(tape: Tape, disk: PowerDisk, word: str, syncs: tuple[bool, ...] = LONG) -> None:
    waiting: list[tuple[int, str]] = []
    for number, sync in enumerate(syncs):
        note(tape, disk, f"{word} {number}", sync, waiting)
    tape.close()
    for seq, said in waiting:
        disk.acknowledge(seq, said)


def check(tree: dict[str, bytes | None], card: Card, root: str, target: str) -> None:
    """The state opens, holds what was acknowledged, takes one more record, and reads back whole."""
    lay_out(tree, root, target)
    folder = os.path.join(target, "state", "tapes")
    path = os.path.join(folder, NAME + ".jsonl")
    if not os.path.exists(path):
        if card.acknowledged:
            raise Loss(f"the whole tape is gone with {len(card.acknowledged)} acknowledged records")
        return
    tape = Tape.open(folder, NAME, QuickDisk())
    tape.append("note", {"text": "after"})
    tape.close()
    reader = Reader(path)
    kept = {record["seq"]: record["text"] for record in reader}
    assert reader.torn == 0
    assert list(kept) == sorted(kept)
    for seq, text in card.acknowledged.items():
        if kept.get(seq) != text:
            raise Loss(f"record {seq} ({text}) is {kept.get(seq)!r}")


def every_cut(log: list[tuple], before: dict, root: str, scratch: str, most: int, look=check, since: int = 0) -> int:
    """Look at the states of every cut from `since` on; their number."""
    dice = random.Random(11)
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
    return str(made)


def born(root: str, disk: PowerDisk) -> None:
    talk(Tape.create(os.path.join(root, "state", "tapes"), NAME, disk), disk, "first")


def test_no_cut_loses_an_acknowledged_record_of_a_new_tape(root: str, tmp_path) -> None:
    disk = PowerDisk(root)
    born(root, disk)
    states = every_cut(disk.log, {root: None}, root, str(tmp_path), MOST)
    print(f"power, new tape: {states} states, 0 lost")
    assert states > 100


def test_no_cut_during_repair_loses_a_record_or_the_torn_bytes(root: str, tmp_path) -> None:
    folder = os.path.join(root, "state", "tapes")
    with_tape = Tape.create(folder, NAME, QuickDisk())
    for number in range(3):
        with_tape.append("note", {"text": f"old {number}"})
    with_tape.close()
    path = os.path.join(folder, NAME + ".jsonl")
    torn = b'{"seq":4,"boot":"torn' + bytes(50) + b"\ngarbage\n"
    with open(path, "ab") as file:
        file.write(torn)
    with open(path, "rb") as file:
        before = {root: None, os.path.join(root, "state"): None, folder: None, path: file.read()}

    def look(tree, card, root_, target) -> None:
        card.acknowledged.update({number + 1: f"old {number}" for number in range(3)})
        check(tree, card, root_, target)
        assert any(torn in data for data in torn_files(os.path.join(target, "state", "tapes")))

    disk = PowerDisk(root)
    talk(Tape.open(folder, NAME, disk), disk, "again")
    states = every_cut(disk.log, before, root, str(tmp_path), MOST, look)
    print(f"power, repair: {states} states, 0 lost")
    assert states > 100


@pytest.mark.soak
def test_a_predecessor_killed_at_any_call_cannot_take_the_next_tape_with_it(root: str, tmp_path) -> None:
    states = rounds = kills = 0
    while True:
        shutil.rmtree(os.path.join(root, "state"), ignore_errors=True)
        killed = PowerDisk(root, kill_at=kills)
        try:
            born(root, killed)
        except Killed:
            killed.release()
        else:
            break
        folder = os.path.join(root, "state", "tapes")
        there = os.path.exists(os.path.join(folder, NAME + ".jsonl"))
        since = len(killed.log)
        disk = PowerDisk(root, killed.log)
        tape = Tape.open(folder, NAME, disk) if there else Tape.create(folder, NAME, disk)
        talk(tape, disk, "second", (False, True, False))
        states += every_cut(disk.log, {root: None}, root, str(tmp_path), 24 if SOAK else 3, since=since)
        rounds += 1
        # Every call up to the birth of the file; after it come records that are like each other.
        kills += 1 if SOAK or not there else 9
    print(f"power, after a kill: {rounds} kills, {states} states, 0 lost")
    assert rounds > 16


@pytest.mark.parametrize("careless", ["fdatasync", "fsync", "sync_folder"])
def test_the_simulator_sees_the_loss_when_a_sync_is_left_out(root: str, tmp_path, careless: str) -> None:
    disk = PowerDisk(root)
    quick = QuickDisk()
    setattr(disk, careless, lambda *args: getattr(quick, careless)(*args))
    born(root, disk)
    with pytest.raises(Loss):
        every_cut(disk.log, {root: None}, root, str(tmp_path), MOST)
