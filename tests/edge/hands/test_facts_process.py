"""Processes, of recorded texts and of this machine."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from edge.faults import ToolFault
from edge.hands import facts_process
from edge.hands.facts_process import names_of, processes, stat
from edge.hands.facts_reader import Reader
from tests.support.fact_boards import laid, nobody_waits

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def line(pid: int, name: str = "worker", state: str = "S", user: int = 10, system: int = 5, start: int = 100) -> str:
    """/proc/PID/stat as proc(5) has it."""
    rest = f"1 {pid} {pid} 0 -1 4194560 100 0 0 0 {user} {system} 0 0 20 0 3 0 {start} 1000000 50 18446744073709551615"
    return f"{pid} ({name}) {state} {rest} 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0\n"


def test_a_line_of_stat() -> None:
    row = stat(line(7).encode())
    assert row is not None
    assert (row["pid"], row["parent"], row["threads"], row["ticks"], row["start"]) == (7, 1, 3, 15, 100)
    assert row["rss_bytes"] == 50 * PAGE


@pytest.mark.parametrize("name", ["a b", "a) R 1 (b", "((", "))", "", "x\ny", "é"])
def test_names_may_hold_what_they_like(name: str) -> None:
    row = stat(line(7, name).encode())
    assert row is not None and row["name"] == name and row["state"] == "S"


@pytest.mark.parametrize("raw", [b"", None, b"7", b"7 (x) S", b"x (y) S " + b"1 " * 40, b"7 (x) S " + b"a " * 40])
def test_what_is_no_line_is_no_process(raw: bytes | None) -> None:
    assert stat(raw) is None


def board(tmp_path: Path) -> Reader:
    texts = {
        "/proc/uptime": "100.00 50.00\n",
        "/etc/passwd": "root:x:0:0::/:/bin/sh\npi:x:1000:1000:,,,:/home/pi:/bin/bash\nbroken\n",
        "/proc/self/stat": line(99),
    }
    for pid, name, user in ((1, "init", 100), (20, "python3", 9000), (30, "kworker/0:1", 1)):
        texts[f"/proc/{pid}/stat"] = line(pid, name, user=user, start=0)
        texts[f"/proc/{pid}/status"] = f"Name:\t{name}\nUid:\t{1000 if pid == 20 else 0}\t0\t0\t0\nVmSwap:\t  12 kB\n"
        texts[f"/proc/{pid}/cmdline"] = ""
        texts[f"/proc/{pid}/environ"] = "SECRET=hidden\0"
    texts["/proc/20/cmdline"] = "python3\0pump.py\0--token=abc123\0"
    return laid(texts, tmp_path)


def test_the_busiest_first_with_user_command_and_share(tmp_path: Path) -> None:
    found = processes(board(tmp_path), 0, "cpu", "", 10, time.sleep, nobody_waits)
    first = found["processes"][0]
    assert (first["pid"], first["user"], first["state"]) == (20, "pi", "sleeping")
    assert first["command"] == "python3 pump.py --token=[redacted]" and first["swap_bytes"] == 12288
    assert first["cpu_percent"] == round(100 * 9005 / TICKS / 100, 1) and first["cpu_seconds"] == 9005 / TICKS
    assert first["age_seconds"] == 100 and found["matching"] == found["looked_at"] == 3
    assert "cpu_over_seconds" not in found
    assert "command" not in found["processes"][-1] and "hidden" not in repr(found)


def test_sorting_filtering_and_the_limit(tmp_path: Path) -> None:
    here = board(tmp_path)
    by_pid = processes(here, 0, "pid", "", 2, time.sleep, nobody_waits)
    assert [row["pid"] for row in by_pid["processes"]] == [1, 20] and by_pid["matching"] == 3
    by_text = processes(here, 0, "memory", "PUMP", 5, time.sleep, nobody_waits)
    assert [row["pid"] for row in by_text["processes"]] == [20]
    assert processes(here, 0, "cpu", "kworker", 5, time.sleep, nobody_waits)["matching"] == 1
    assert processes(here, 0, "cpu", "abc123", 5, time.sleep, nobody_waits)["matching"] == 0  # no oracle for secrets


def test_over_an_interval_only_what_was_used_in_it_counts(tmp_path: Path) -> None:
    here = board(tmp_path)

    def work(seconds: float) -> None:
        assert seconds == 0.25
        (tmp_path / "proc/30/stat").write_text(line(30, "kworker/0:1", user=5001, start=0))
        (tmp_path / "proc/1/stat").unlink()  # it ended meanwhile
        (tmp_path / "proc/20/stat").write_text(line(20, "other", user=1, start=9))  # another one has its number

    found = processes(here, 0.25, "cpu", "", 5, work, nobody_waits)
    assert found["processes"][0]["pid"] == 30 and found["processes"][0]["cpu_percent"] > 0
    assert all("cpu_percent" not in row for row in found["processes"][1:]) and "cpu_over_seconds" in found


def test_the_number_of_processes_is_bounded_and_the_bound_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert facts_process.MOST == 5000
    monkeypatch.setattr(facts_process, "MOST", 200)
    reader = laid({f"/proc/{pid}/stat": line(pid) for pid in range(1, 211)}, tmp_path)
    found = processes(reader, 0, "pid", "", 1, time.sleep, nobody_waits)
    assert found["looked_at"] == 200 and found["not_looked_at"] == 10


def test_a_call_that_is_late_stops_and_says_so(tmp_path: Path) -> None:
    texts = {f"/proc/{pid}/stat": line(pid) for pid in range(1, 600)}
    found = processes(laid(texts, tmp_path), 0, "pid", "", 5, time.sleep, lambda: "because it was late")
    assert found["cut"] == "because it was late" and found["matching"] < 599


def test_without_proc_nothing_is_claimed(tmp_path: Path) -> None:
    with pytest.raises(ToolFault, match="no processes"):
        processes(Reader(("/proc",), top=str(tmp_path)), 0, "pid", "", 5, time.sleep, nobody_waits)


def test_this_very_process_is_found() -> None:
    found = processes(Reader(("/proc", "/etc/passwd")), 0, "pid", "", 5000, time.sleep, nobody_waits)
    (own,) = [row for row in found["processes"] if row["pid"] == os.getpid()]
    assert own["rss_bytes"] > 1 << 20 and own["threads"] >= 1 and own["command"]


def test_names_of_users() -> None:
    assert names_of("a:x:1:1::/:\nb:x:1:1::/:\nc:x\n") == {1: "a"} and names_of(None) == {}
