"""Processes that write one audit log together are killed at random moments: nothing they were promised is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from tests.support.audit_logs import kept, verdict

ROUNDS = 100 if os.environ.get("FIELDHAND_SOAK") == "1" else 10
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
WRITER = """
import os, sys
from edge.tape.audit import Audit
audit = Audit.open(sys.argv[1], limits=(1 << 18, 1000, 1024))
for number in range(100000):
    call = f"{sys.argv[2]}-{number} " + "." * (number % 5 * 300)
    seq = audit.intent({"call": call}, sync=number % 4 == 3)
    os.write(1, b"%d %s\\n" % (seq, call.split()[0].encode()))
    audit.outcome({"call": call}, False, True)
"""


def storm(state: str, word: str, dice: random.Random) -> dict[int, str]:
    """Two writers, killed one after the other; what both were told is kept."""
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, state, f"{word}{one}"], stdout=subprocess.PIPE, cwd=ROOT)
        for one in "ab"
    ]
    said: list[bytes] = []
    try:
        for child in children:
            assert child.stdout is not None
            said.append(os.read(child.stdout.fileno(), 65536))  # it has begun
        for child in children:
            time.sleep(dice.random() * 0.05)
            child.send_signal(signal.SIGKILL)
    finally:
        for child in children:
            child.kill()
            said.append(child.communicate(timeout=60)[0])
    rows = [row.split() for part in (said[0] + said[2], said[1] + said[3]) for row in part.split(b"\n")[:-1]]
    return {int(seq): call.decode() for seq, call in rows}


@pytest.mark.soak
def test_no_kill_loses_an_acknowledged_record_or_looks_like_a_forgery(tmp_path) -> None:
    dice = random.Random(31)
    state = str(tmp_path)
    promised: dict[int, str] = {}
    torn = 0
    for number in range(ROUNDS):
        promised.update(storm(state, f"w{number}", dice))
        report = verdict(state, True)
        assert report.code in (0, 8), report
        torn += report.code == 8
    records = {record["seq"]: record for record in kept(state)}
    assert list(records) == list(range(1, len(records) + 1))
    lost = [seq for seq, call in promised.items() if records[seq]["call"].split()[0] != call]
    alarms = [record for record in records.values() if record["kind"] == "alarm"]
    print(f"kill, audit: {2 * ROUNDS} kills, {len(promised)} acknowledged, {len(records)} records, {torn} torn, 0 lost")
    assert (lost, alarms) == ([], []) and len(promised) > ROUNDS
    assert verdict(state, True).keyed == len(records)
