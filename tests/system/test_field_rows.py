"""Every everyday command that runs without asking also runs behind the wall, and ends there as it ends outside.

A row whose program is not on this machine is counted and named; at least half of the rows have to run. Rows that wait
for seconds are judged as they stand and run with shorter times, unless FIELDHAND_SOAK=1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from edge.hands import Hands
from tests.support.one_call import judge, world
from tests.support.rows import rows

# Programs of a row beyond the shell's own words; a row runs where all of them are.
PROGRAMS = frozenset(
    (
        *("du", "sort", "tail", "lsblk", "mount", "grep", "df", "journalctl", "timeout", "dmesg", "tar", "head", "ps"),
        *("pgrep", "vmstat", "systemctl", "crontab", "iw", "timedatectl", "cat", "vcgencmd", "sleep", "ls"),
        *("udevadm", "i2cdetect", "gpioinfo", "apt-cache", "stat", "id", "groups", "tr", "diff", "hexdump", "uname"),
        *("cut", "date", "uptime", "free", "sed", "awk"),
    )
)
ALLOWED = [row for row in rows("field.tsv") if row[2] == "allow"]
# These tell of the moment or of the process itself: only how they end is compared.
PASSING = (
    *("ps ", "vmstat", "uptime", "date", "pgrep", "free", "dmesg", "id;", "/proc/", "df ", "du ", "timedatectl"),
    "mount",
)
SOONER = (("timeout 8 ", "timeout 1 "), ("vmstat 1 5", "vmstat 1 2"), ("sleep 3;", "sleep 0.3;"))
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def lay_out(folder: Path) -> Path:
    """A project as the rows speak of it."""
    work = folder / "project"
    for name, content in {
        "logs/app.log": "INFO ok\nERROR can't open\n", "logs/2026-11.log": "ERROR a\nb\nc\n", "logs/b.log": "x\n",
        "data/levels.csv": "1,2\n3,4\n", "data/flow.csv": "t,n,v\na,b,3\na,b,5\n", "config/pump.toml": "a = 1\n",
        "config/pump.toml.orig": "a = 2\n", "captures/modbus.bin": "\x01\x03" * 64, "notes/a.txt": "水泵 1\n",
        "Messwerte März/b.txt": "水泵 2\n",
    }.items():  # fmt: skip
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(content, encoding="utf-8")
    (work / "backup").mkdir()
    subprocess.run(["tar", "-czf", "backup/site-logs.tar.gz", "logs"], cwd=work, check=True)
    return work


def sooner(command: str) -> str:
    """The same command with shorter times."""
    for long, short in () if os.environ.get("FIELDHAND_SOAK") == "1" else SOONER:
        command = command.replace(long, short)
    return command


def outside(command: str, work: Path) -> subprocess.Popen[bytes]:
    """The command without a wall, started."""
    clean = {"PATH": PATH, "HOME": str(work), "LANG": "C.UTF-8"}
    pipe = subprocess.PIPE
    argv = ["/bin/sh", "-c", command]
    return subprocess.Popen(argv, cwd=work, env=clean, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)


def compared(command: str, found: dict[str, Any], free: subprocess.Popen[bytes]) -> None:
    """What ran behind the wall ended as what ran outside."""
    output, complaint = free.communicate(timeout=60)
    assert found["ended"] == "exit" and found["code"] == free.returncode, (found, complaint)
    if not any(word in command for word in PASSING):
        assert found["stdout"] == output.decode("utf-8", "replace"), found


def absent(command: str) -> list[str]:
    """The programs of a row that are not here."""
    words = command.replace("(", " ").replace(")", " ").replace("{", " ").replace(";", " ").split()
    return sorted({word for word in words if word in PROGRAMS and shutil.which(word) is None})


def tried(folder: Path, command: str) -> dict[str, Any]:
    """What a row brings behind the wall, after it was compared with what it brings outside."""
    missing = absent(command)
    if missing:
        pytest.skip(f"not on this machine: {', '.join(missing)}")
    work = lay_out(folder)
    here = world(work)
    call, decision = judge("bash", {"command": command}, here)
    assert (decision.verdict, decision.risk) == ("allow", "low")
    assert decision.permit is not None
    free = outside(sooner(command), work)
    found = Hands(decision.permit, call, here).run.shell(sooner(command), 30.0)
    here.close()
    compared(command, found, free)
    return dict(found)


@pytest.mark.parametrize("command", [row[1] for row in ALLOWED], ids=[row[0] for row in ALLOWED])
def test_it_ends_behind_the_wall_as_outside(tmp_path: Path, command: str) -> None:
    tried(tmp_path, command)


def test_most_rows_can_be_tried_here() -> None:
    tried = [row for row in ALLOWED if not absent(row[1])]
    left = {row[0]: absent(row[1]) for row in ALLOWED if absent(row[1])}
    print(f"{len(tried)} of {len(ALLOWED)} rows run here as uid {os.geteuid()}; absent: {left}")
    assert len(tried) >= len(ALLOWED) // 2
