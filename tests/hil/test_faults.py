"""Faults of a board that lives: little memory, a full card, processes that are killed, a file system that gives up.

One board with 256 MB and an output on a real line, whose level is read from outside. Whatever happens: what was
acknowledged is there, nothing real is done that cannot be recorded, and that is said; the output is off when nobody
holds it.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.faults import (
    FILL,
    GAVE_UP,
    GUARD,
    HOLDER,
    MACHINE,
    SUPERVISOR,
    TURN,
    WAIT,
    WRITER,
    Guarded,
    guarded,
)

pytestmark = [pytest.mark.emulated, pytest.mark.long]
SEED = 8
SOAK = os.environ.get("FIELDHAND_SOAK") == "1"
KINDS = (WRITER, HOLDER, GUARD, SUPERVISOR)
EACH = 15 if SOAK else 3  # kills of each kind
MACHINES = (MACHINE, "raspi0", "raspi2b") if SOAK else (MACHINE,)
MEMORY = "mem=256M"
WRITES = (
    "(n=0; while [ ! -e /tmp/end ]; do n=$((n+1)); fieldhand --yes --state /data/state tool file_write "
    "path=note-$n content=text-$n >/dev/null 2>&1 && echo A''CK-$n; done; echo AL''L) &"
)
ANSWERED = 'grep -q \'"kind":"answer".*fan is on for 8 min\' /data/state/tapes/*'


@pytest.fixture(scope="module", params=MACHINES)
def started(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Guarded]:
    with guarded(tmp_path_factory.mktemp("faults"), (MEMORY,), name=request.param) as found:
        yield found


@pytest.fixture
def board(started: Guarded) -> Guarded:
    """The board; what a test that failed left switched on is off."""
    started.idle()
    return started


def test_a_board_with_256_mb_comes_up_and_acts(board: Guarded) -> None:
    found = re.search(r"Mem: +(\d+) +(\d+)", board.run("free")[1])
    assert found and int(found[1]) < 256 << 10
    print(f"\n{int(found[1]) >> 10} MiB of memory, {int(found[2]) >> 10} used")
    assert board.run("grep VOLATILE /run/fieldhand/boot.txt")[0] == 1
    board.hold()
    assert board.run("fieldhand safe-all $(options)")[0] == 0
    board.settles(0)
    assert board.run("fieldhand doctor $(options) | grep ^wrong")[0] == 1


def test_on_a_full_card_nothing_real_is_done_and_that_is_said(board: Guarded) -> None:
    board.run(FILL)
    assert board.run("df -k /data | awk 'END {exit $4 > 8}'")[0] == 0, "the card is not full"
    for command in (TURN, "fieldhand --yes --state /data/state tool file_write path=no content=no 2>&1"):
        code, text = board.run(command)
        print(f"\n{code}: {text}")
        assert code != 0 and "Traceback" not in text and re.search("room|full|space", text), text
        assert board.level() == 0
    assert board.run("test -s no")[0] != 0
    assert board.run("fieldhand doctor $(options) | grep '^wrong  card: data'")[0] == 0
    assert board.run("rm /data/fill /data/rest; sync")[0] == 0
    assert board.run("fieldhand --yes --state /data/state tool file_write path=y content=y")[0] == 0
    assert '"path": "y"' in board.audit()


def test_kills_at_any_moment_lose_nothing_and_leave_the_output_off(board: Guarded) -> None:
    drawn, hit = random.Random(SEED), Counter[str]()
    began = len(board.machine.transcript)
    board.machine.console.line(WRITES)
    for who in drawn.sample(KINDS * EACH, len(KINDS) * EACH):
        if who in (HOLDER, GUARD):
            board.guarded()
            board.hold()
        board.machine.console.pump(drawn.uniform(0, 3))
        hit[who] += board.kill(who)
        if who in (HOLDER, GUARD):
            board.settles(0)
    board.run("touch /tmp/end")
    board.machine.console.expect(r"ALL\n", 600)
    board.kill(HOLDER)
    board.settles(0)
    board.guarded()
    acknowledged = [int(found) for found in re.findall(r"ACK-(\d+)\r?\n", board.machine.transcript[began:])]
    print(f"\nkills (seed {SEED}): {dict(hit)}; {len(acknowledged)} notes acknowledged")
    assert all(hit[who] for who in KINDS) and hit[GUARD] == hit[HOLDER] == EACH
    assert len(acknowledged) > 2 and not board.missing(acknowledged)
    assert board.run("ls /run/fieldhand/guard.sock /run/fieldhand/notify")[0] == 0 and board.machine.resets == 0


def test_a_file_system_that_gives_up_stops_real_acts_and_a_start_brings_it_back(board: Guarded) -> None:
    console = board.machine.console
    before = board.kept()
    console.line(f"(until {ANSWERED}; do sleep 1; done; {GAVE_UP}; echo GI''VEN) & fieldhand $(options) --yes")
    console.expect("fieldhand> ", WAIT)
    console.line("turn the fan on for 500 seconds")
    console.expect("fan is on for", WAIT)
    console.expect("GIVEN", WAIT)
    board.settles(1)
    console.line("turn the fan on for 30 seconds")
    console.expect("nothing more is kept|cannot be", WAIT)
    console.line("turn the fan off")
    console.expect(r"is refused because nothing can be\s+recorded", WAIT)
    console.expect("fieldhand> ", WAIT)
    console.send("\x04")
    console.expect("# $", WAIT)
    board.settles(0)
    code, text = board.run(TURN)
    assert code == 3 and "the settings file /data/config/config.toml cannot be read" in text, text
    assert board.level() == 0
    found = board.run("fieldhand doctor $(options) 2>&1 | grep '^wrong'")[1]
    print(f"\n{found}")
    assert "settings" in found and "card: data" in found
    board.again()
    assert board.run("grep -q ' /data ext4 rw' /proc/mounts")[0] == 0 and not board.missing(before)
    assert '"for_seconds": 500' in board.audit()
    board.hold()
    board.kill(HOLDER)
    board.settles(0)
