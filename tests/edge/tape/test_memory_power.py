"""Power may go at any instruction, a call of the system may fail, a process may be killed: what was told stands."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edge.faults import Fault
from edge.tape.disk import Disk
from edge.tape.memory import Memory
from edge.tape.memory_file import NAME
from tests.support.tape_disks import Card, FaultyDisk, Killed, PowerDisk, QuickDisk, lay_out

SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
STEP = 1 if SOAK else 5  # every so many calls of the system fail, or are the last
MOST = 200 if SOAK else 12  # states of the card looked at for each cut
FULL = 2200  # bytes: the session has to make room
SECRET = "zquxjkv"
State = dict[str, str]


class Still(PowerDisk):
    """Its clock stands: a time whose text is a digit shorter would leave room for one more text."""

    wall = staticmethod(lambda: 1_800_000_000.125)


WAYS = ["ENOSPC", "EIO", "EINTR", "EROFS", "short", "after:ENOSPC", "after:EIO"]


def opened(root: str, disk: Disk) -> Memory:
    return Memory(os.path.join(root, "state", "memory"), disk, most=FULL, indexed=False)


ACTS: tuple[tuple[str, ...], ...] = (
    *[(f"k{number}", f"text {number}", "core") for number in range(3)],
    ("k1", SECRET, "core"),
    ("k1", "another", "core"),
    ("k1",),
    ("k3", "after", "core"),
    *[(f"d{number}", "long text " * 20, "daily") for number in range(7)],
    ("k0", "again", "core"),
    ("k2",),
)
FORGOT = 6  # acts after which the secret is forgotten


def act(memory: Memory, what: tuple[str, ...]) -> None:
    """Store key, text and category, or forget a key."""
    if len(what) == 1:
        memory.forget(what[0])
    else:
        memory.store(*what)


def told(root: str, disk: Disk | None = None) -> State:
    found = opened(root, disk or QuickDisk()).recall("", 500)
    return {entry.key: entry.content for entry in reversed(found.entries)}


def session(root: str, disk: PowerDisk) -> list[State]:
    """All states that the session goes through, acknowledged by their number."""
    states: list[State] = [{}]
    memory = opened(root, disk)
    for what in ACTS:
        act(memory, what)
        states.append(told(root))
        disk.acknowledge(len(states) - 1, "")
    assert any(before.keys() - after.keys() for before, after in list(zip(states, states[1:]))[FORGOT:-1])  # for room
    return states


def possible(states: list[State], done: int) -> list[State]:
    """What may be there when `done` acts were told: all of them, one more, or only the room made for that one."""
    before, after = (states[done : done + 2] * 2)[:2]
    return [before, after, {key: text for key, text in before.items() if key in after}]


def files(root: str) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(Path(root).rglob("*")) if path.is_file())


def test_no_cut_loses_what_was_told_or_brings_back_what_was_forgotten(tmp_path: Path) -> None:
    root = str(tmp_path / "card")
    os.mkdir(root)
    disk = Still(root)
    states = session(root, disk)
    assert told(root) == states[-1]
    dice = random.Random(3)
    count = 0
    for cut in range(len(disk.log) + 1):
        card = Card({root: None}, disk.log[:cut])
        done = max(card.acknowledged, default=0)
        for tree in card.states(MOST, dice):
            target = str(tmp_path / "cut")
            lay_out(tree, root, target)
            now = told(target)
            assert now in possible(states, done), (cut, done, now)
            if done >= FORGOT:
                assert SECRET.encode() not in files(target)
            roomy = Memory(os.path.join(target, "state", "memory"), QuickDisk(), indexed=False)
            roomy.store("new", "one", "core")
            assert told(target) == {**now, "new": "one"}
            if "k1" in now:
                roomy.forget("k1")
                assert SECRET.encode() not in files(target)
            shutil.rmtree(target)
            count += 1
    print(f"power, memory: {count} states, 0 lost")
    assert count > 150


def test_a_kill_at_any_call_leaves_what_was_told(tmp_path: Path) -> None:
    root = str(tmp_path / "card")
    os.mkdir(root)
    states = session(root, Still(root))
    shutil.rmtree(root)
    kills = last = 0
    while True:
        os.mkdir(root)
        disk = Still(root, kill_at=last + 1)
        memory = opened(root, disk)
        done = 0
        try:
            for what in ACTS:
                act(memory, what)
                done += 1
        except Killed:
            kills, last = kills + 1, last + STEP
        else:
            break
        finally:
            disk.release()
        assert told(root) in possible(states, done), kills
        opened(root, QuickDisk()).store("new", "one", "core")
        assert told(root)["new"] == "one"
        shutil.rmtree(root)
    print(f"kills, memory: {kills} calls")
    assert kills > 150 // STEP


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("how", WAYS)
def test_a_fault_at_any_call_is_a_sentence_and_loses_nothing_that_was_told(
    tmp_path: Path, how: str, lasting: bool
) -> None:
    at = WAYS.index(how) % STEP - STEP + 1
    while True:
        at += STEP
        root = str(tmp_path / f"card{at}")
        os.mkdir(root)
        disk = FaultyDisk(at, how, lasting)
        may: dict[str, set[str | None]] = {}
        memory = opened(root, disk)
        for number in range(4):
            _tried(memory, f"k{number % 3}", f"text {number}", may)
        _forgotten(memory, "k1", may)
        _tried(memory, "k2", "last", may)
        now = told(root, QuickDisk())
        for key, values in may.items():
            assert now.get(key) in values, (at, key, now, may)
        if not disk.hit:
            break
        shutil.rmtree(root)
    print(f"faults, memory: {how}, {at} calls")
    assert at > 30


def _tried(memory: Memory, key: str, text: str, may: dict[str, set[str | None]]) -> None:
    """Store; `may` is what the key may hold afterwards: what was told, or, after a fault, either."""
    try:
        memory.store(key, text, "core")
    except Fault as fault:
        assert len(str(fault)) > 20
        may.setdefault(key, {None}).add(text)
    else:
        may[key] = {text}


def _forgotten(memory: Memory, key: str, may: dict[str, set[str | None]]) -> None:
    try:
        memory.forget(key)
    except Fault as fault:
        assert len(str(fault)) > 20
        may.setdefault(key, {None}).add(None)
    else:
        may[key] = {None}


WRITER = """
import sys
from edge.tape.memory import Memory
kept = Memory(sys.argv[1], least=0)
print("ready", flush=True)
number = int(sys.argv[2])
while True:
    number += 1
    kept.store(f"k{number % 40}", f"word{number}", "core")
    print(number, flush=True)
    if number % 3 == 0:
        kept.recall("word", 5)
    if number % 7 == 0:
        kept.forget(f"k{number % 40}")
"""


def test_a_killed_writer_leaves_an_index_that_misses_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path / "memory")
    dice = random.Random(2)
    last = 0
    for _ in range(40 if SOAK else 4):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, folder, str(last)],
            cwd=str(Path(__file__).parents[3]),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        for _ in range(dice.randrange(3, 15)):
            last = int(process.stdout.readline())
        time.sleep(dice.random() / 200)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
        process.wait(timeout=20)
        last = int(rest[-1]) if rest else last
        for query in ("word", f"word{last}", "word1 word2"):
            by_index = Memory(folder, least=0).recall(query, 100)
            assert by_index == Memory(folder, indexed=False).recall(query, 100)
    assert (tmp_path / "memory" / NAME).exists() and last > 12


class _Failing(QuickDisk):
    fails = False

    def fdatasync(self, fd: int) -> None:
        if self.fails:
            raise OSError(5, "input/output error")


def test_where_room_was_made_and_storing_fails_the_older_version_stands(tmp_path: Path) -> None:
    disk = _Failing()
    memory = opened(str(tmp_path), disk)
    memory.store("k", "old", "core")
    size = tmp_path / "state" / "memory" / NAME
    while size.stat().st_size < FULL - 200:
        memory.store("filling", "x" * 40, "core")
    before = size.stat().st_size
    disk.fails = True
    with pytest.raises(Fault, match="not stored"):
        memory.store("k", "new " * 60, "core")
    assert size.stat().st_size < before - 500  # room was made
    assert told(str(tmp_path))["k"] == "old"
