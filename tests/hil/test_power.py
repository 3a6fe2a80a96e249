"""The power goes while a board writes: what it said was done is there when it comes up again."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.support.emulated import inserted, shell

pytestmark = pytest.mark.emulated
CUTS = 3
WRITES = (
    "cd /data/work; i=0; while true; do i=$((i+1)); "
    "fieldhand --yes --state /data/state tool file_write path=note-$i content=text-$i >/dev/null && echo A''CK-$i; done"
)


def test_a_cut_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    drawn = random.Random(6)
    done: dict[str, int] = {}
    with inserted("raspi0", tmp_path) as board:
        for cut in range(CUTS):
            board.boot()
            shell(board)
            found = board.console.run("cat /data/work/round-*/note-* 2>/dev/null | wc -l")
            for name, count in done.items():
                wanted = "".join(f"text-{number}" for number in range(1, count + 1))
                text = board.console.run(f"for i in $(seq {count}); do cat /data/work/{name}/note-$i; done")[1]
                assert re.sub(r"\s", "", text) == wanted, found
            assert board.console.run("fieldhand audit verify --state /data/state")[0] in (0, 8)
            assert board.console.run("test -s /data/config/config.toml")[0] == 0
            name = f"round-{cut}"
            board.console.run(f"mkdir -p /data/work/{name}; sync")
            board.console.line(WRITES.replace("/data/work", f"/data/work/{name}"))
            count = drawn.randint(2, 5)
            board.console.expect(f"ACK-{count}\\b", 900)
            board.console.pump(drawn.uniform(0, 3))
            board.cut()
            done[name] = count
    print(f"\n{CUTS} cuts, acknowledged writes in each: {list(done.values())}")
