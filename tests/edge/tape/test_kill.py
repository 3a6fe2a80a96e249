"""A process that writes a tape is killed at random moments: every tape opens, nothing it was promised is lost."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time

import pytest

from edge.tape.journal import Tape
from edge.tape.reader import Reader
from tests.support.tape_disks import QuickDisk

ROUNDS = 300 if os.environ.get("FIELDHAND_SOAK") == "1" else 30
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
WRITER = """
import os, sys
from edge.tape.journal import Tape
folder, name = sys.argv[1:]
there = os.path.exists(os.path.join(folder, name + ".jsonl"))
tape = Tape.open(folder, name) if there else Tape.create(folder, name)
for number in range(100000):
    text = f"record {tape.seq + 1} " + "." * (number % 7 * 400)
    seq = tape.append("note", {"text": text}, sync=number % 4 == 3)
    os.write(1, b"%d\\n" % seq)
"""


def acknowledged(folder: str, name: str, wait: float) -> list[int]:
    """Let a writer run for `wait` seconds after its first record, kill it; the numbers it was given."""
    child = subprocess.Popen([sys.executable, "-c", WRITER, folder, name], stdout=subprocess.PIPE, cwd=ROOT)
    assert child.stdout is not None
    try:
        said = os.read(child.stdout.fileno(), 65536)
        end = time.monotonic() + wait
        while (left := end - time.monotonic()) > 0:
            if select.select([child.stdout], [], [], left)[0]:
                said += os.read(child.stdout.fileno(), 65536)
    finally:
        child.send_signal(signal.SIGKILL)
        said += child.communicate()[0]
    assert child.returncode == -signal.SIGKILL
    return [int(number) for number in said.split(b"\n")[:-1]]


@pytest.mark.soak
def test_no_kill_loses_an_acknowledged_record(tmp_path) -> None:
    dice = random.Random(30)
    folder = str(tmp_path / "tapes")
    promised: dict[str, list[int]] = {}
    for number in range(ROUNDS):
        name = f"tape-{number // 3}"  # every tape is killed three times
        known = promised.setdefault(name, [])
        known += acknowledged(folder, name, dice.random() * 0.03)
        records = {record["seq"]: record for record in Reader(os.path.join(folder, name + ".jsonl"))}
        assert list(records) == list(range(1, len(records) + 1))
        for seq in known:
            assert records[seq]["text"].startswith(f"record {seq} ")
        tape = Tape.open(folder, name, QuickDisk())
        assert tape.seq >= len(records)
        tape.close()
    total = sum(map(len, promised.values()))
    print(f"kill: {ROUNDS} kills, {total} acknowledged records, 0 lost")
    assert total > ROUNDS
