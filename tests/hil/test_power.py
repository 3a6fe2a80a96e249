"""The power goes while a board writes: what it said was done is there when it comes up again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hil.qemu import Machine
from tests.support.emulated import inserted, shell

pytestmark = pytest.mark.emulated
CUTS = 2
# Each write is a start of the agent of its own: permit, write, tape and audit; ACK stands on the console behind it.
WRITES = (
    "i=0; while true; do i=$((i+1)); fieldhand --yes --state /data/state "
    "tool file_write path=note-$i content=text-$i >/dev/null && echo A''CK-$i; done"
)


def test_a_cut_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    drawn = random.Random(6)
    done: dict[str, int] = {}
    with inserted("raspi0", tmp_path) as board:
        for cut in range(CUTS + 1):
            board.boot()
            shell(board)
            checked(board, done)
            if cut < CUTS:
                folder = f"/data/work/round-{cut}"
                assert board.console.run(f"mkdir {folder} && cd {folder} && sync")[0] == 0
                board.console.line(WRITES)
                done[folder] = drawn.randint(2, 5)
                board.console.expect(f"ACK-{done[folder]}\\b", 900)
                board.console.pump(drawn.uniform(0, 3))
                board.cut()
    print(f"\n{CUTS} cuts, acknowledged writes in each: {list(done.values())}")


def checked(board: Machine, done: dict[str, int]) -> None:
    """All that was acknowledged is there, the record of acts is sound but for a torn tail, the settings are read."""
    run = board.console.run
    assert run("grep -q ' /data ext4 ' /proc/mounts")[0] == 0
    for folder, count in done.items():
        text = run(f"for i in $(seq {count}); do cat {folder}/note-$i; echo; done")[1]
        assert text.split() == [f"text-{number}" for number in range(1, count + 1)]
    if done:
        assert run("fieldhand audit verify --state /data/state", 600)[0] in (0, 8)
    assert run("fieldhand config show --config /data/config/config.toml >/dev/null")[0] == 0
