"""The power goes while a board writes: what it said was done is there when it comes up again.

A cut is the end of QEMU (SIGKILL). In turns the board is in a conversation, where an answer on the console is the sign
that goal, act and answer are on the card, or starts the agent for one write after the other. CUTS with
FIELDHAND_SOAK=1, else a few.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.card import layout
from hil import card
from hil.drivers.qemu import Machine
from tests.support.emulated import inserted, shell

pytestmark = pytest.mark.emulated
MACHINE = "raspi0"
SEED = 6
CUTS = 20 if os.environ.get("FIELDHAND_SOAK") == "1" else 2
MOST = 6  # acknowledged turns or writes before a cut
TORN = 8  # exit code of `audit verify`: the last record is torn, all before it is sound
WISHES = """[board]
hostname = "cut-1"
[model]
name = "chat:x"
base_url = "http://192.168.7.1/v1"
key = "sk-0123456789abcdef"
"""
AGENT = "fieldhand --board sim --model offline --yes --config /data/config/config.toml --state /data/state"
# Each write is a start of the agent of its own: permit, write, tape and audit; ACK stands on the console behind it.
WRITES = (
    "i=0; while true; do i=$((i+1)); fieldhand --yes --state /data/state "
    "tool file_write path=note-$i content=text-$i >/dev/null && echo A''CK-$i; done"
)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Machine]:
    with inserted(MACHINE, tmp_path) as found:
        card.put(found.card, layout.CONFIG, "provision.toml", WISHES.encode())
        yield found


def test_a_cut_loses_nothing_that_was_acknowledged(board: Machine) -> None:
    drawn = random.Random(SEED)
    done: dict[int, int] = {}
    settings = ""
    for number in range(CUTS + 1):
        began = time.monotonic()
        board.boot()
        shell(board)
        board.console.run("dmesg -n 1")
        told = checked(board, done)
        settings = settings or told
        assert told == settings
        print(f"\nstart {number}: up and looked through after {time.monotonic() - began:.0f} s")
        if number < CUTS:
            done[number] = drawn.randint(1, MOST)
            act = talk if number % 2 else write
            act(board, number, done[number])
            board.console.pump(drawn.uniform(0, 3))
            board.cut()
            assert card.to_recover(board.card)
    print(f"{CUTS} cuts (seed {SEED}), acknowledged before each: {list(done.values())}; {board.notes}")


def talk(board: Machine, number: int, count: int) -> None:
    """A conversation: so many turns that were answered, and one more that was only typed."""
    board.console.line(AGENT)
    board.console.expect("fieldhand> ", 300)
    for turn in range(1, count + 2):
        if turn % 2:
            board.console.line(f"mark-{number}-{turn}")
            wanted = f'I did not understand "mark-{number}-{turn}'
        else:
            board.console.line(f"turn the fan on for {seconds(number, turn)} seconds")
            wanted = r"The fan is on for [0-9 mins]+, confirmed"
        if turn <= count:
            board.console.expect(wanted, 300)
            board.console.expect("fieldhand> ", 300)


def seconds(number: int, turn: int) -> int:
    """A time that no other turn has."""
    return 30 + number * (MOST + 1) + turn


def write(board: Machine, number: int, count: int) -> None:
    """One write after the other, until so many are acknowledged; more are under way then."""
    folder = f"/data/work/round-{number}"
    assert board.console.run(f"mkdir {folder} && cd {folder} && sync")[0] == 0
    board.console.line(WRITES)
    board.console.expect(f"ACK-{count}\\b", 900)


def checked(board: Machine, done: dict[int, int]) -> str:
    """All that was acknowledged is there, the record of acts is sound; the hash of the settings, which are read.

    Services may say something on the console at any moment: what is looked for is found by its form.
    """
    run = board.console.run
    assert run("grep -q ' /data ext4 rw' /proc/mounts")[0] == 0
    acts = run("fieldhand audit show all --state /data/state 2>/dev/null | cat", 600)[1] if done else ""
    for number, count in done.items():
        if number % 2:
            found = run(f'cat /data/state/tapes/* | grep -o \'"kind":"[a-z]*".*mark-{number}-.\' | cut -c1-200')[1]
            for turn in range(1, count + 1, 2):
                kinds = {line.split('"')[3] for line in found.splitlines() if line.endswith(f"mark-{number}-{turn}")}
                assert kinds >= {"line", "answer"}, f"turn {turn} of start {number}: {kinds}"
            for turn in range(2, count + 1, 2):
                act = f'"for_seconds": {seconds(number, turn)}}}'
                assert sum(act in line and " -> done " in line for line in acts.splitlines()) == 1, act
        else:
            text = run(f"for i in $(seq {count}); do cat /data/work/round-{number}/note-$i; echo; done")[1]
            assert re.findall(r"text-\d+", text) == [f"text-{turn}" for turn in range(1, count + 1)]
    if done:
        code, text = run("fieldhand audit verify --state /data/state", 600)
        print(f"audit verify: {code}")
        assert code in (0, TORN), text
    assert run("fieldhand config show --config /data/config/config.toml >/dev/null")[0] == 0
    assert run('test "$(hostname) $(cat /data/config/model.key)" = "cut-1 sk-0123456789abcdef"')[0] == 0
    hashes = re.findall(r"(?m)^[0-9a-f]{64}  ", run("sha256sum /data/config/* /data/etc/hostname")[1])
    assert len(hashes) >= 3
    return "".join(hashes)
