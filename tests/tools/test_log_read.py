"""log_read as the model meets it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.faults import Fault, ToolFault, UsageFault
from edge.tools.log_read import shown
from tests.support.fact_calls import allowed_everywhere, only_own_faults, plain, small_on_the_wire
from tests.support.journals import journal, start
from tests.support.one_call import carry, judge, world


def test_it_is_small_low_and_robust(tmp_path: Path) -> None:
    assert small_on_the_wire("log_read")
    for source in ("system", "kernel", "/var/log/syslog", "app.log"):
        assert allowed_everywhere("log_read", {"source": source}, tmp_path)
    only_own_faults("log_read", tmp_path, 1000)
    for wrong in ({"priority": 8}, {"priority": "loud"}, {"limit": 0}, {"limit": 1001}, {"text": ""}):
        with pytest.raises(UsageFault):
            judge("log_read", wrong, world(tmp_path))


def test_a_file_of_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (tmp_path / "app.log").write_text("".join(f"2026-05-20T10:{n:02}:00Z pump n{n}\n" for n in range(60)))
    here = world(tmp_path)
    found = carry("log_read", {"source": "app.log", "limit": 2}, here, "readonly")
    assert found.text.splitlines()[1:] == ["2026-05-20T10:58:00Z pump n58", "2026-05-20T10:59:00Z pump n59"]
    assert found.untrusted and found.data is not None and len(found.data["lines"]) == 2
    window = {"since": "2026-05-20T10:10:00Z", "until": "2026-05-20T10:12:00Z", "source": "app.log"}
    assert [row["text"][-3:] for row in (carry("log_read", window, here).data or {})["lines"]] == ["n10", "n11", "n12"]
    assert "priority had no effect" in carry("log_read", {"source": "app.log", "priority": 3}, here).text
    assert carry("log_read", {"source": "app.log", "text": "nowhere"}, here).text == "no line fits"
    with pytest.raises(ToolFault, match="since is no time"):
        carry("log_read", {"source": "app.log", "since": "soon"}, here)


def test_a_journal_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "system.journal").write_bytes(journal(60).bytes())
    found = carry("log_read", {"source": "system.journal", "unit": "pump", "priority": 3}, world(tmp_path))
    assert found.data is not None
    assert [row["text"] for row in found.data["lines"]] == ["pump[100]: line 0 of pump", "pump[100]: line 30 of pump"]
    assert found.data["lines"][0]["priority"] == "err" and found.data["lines"][0]["unit"] == "pump.service"
    assert "err: pump[100]: line 30 of pump" in found.text and "2023-11-1" in found.text


def test_since_boot_in_a_journal_is_this_boot(tmp_path: Path) -> None:
    made = journal(5)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
    made.add(start(9), {"MESSAGE": "of this boot"}, boot)
    (tmp_path / "a.journal").write_bytes(made.bytes())
    found = carry("log_read", {"source": "a.journal", "since": "boot"}, world(tmp_path))
    assert found.data is not None and [row["text"] for row in found.data["lines"]] == ["of this boot"]


def test_a_damaged_journal_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.journal").write_bytes(b"LPKSHHRH" + bytes(100))
    found = carry("log_read", {"source": "a.journal"}, world(tmp_path))
    assert "1 journal files are damaged" in found.text and "no line fits" in found.text


def test_the_kernels_ring_or_why_it_is_not_shown(tmp_path: Path) -> None:
    try:
        found = carry("log_read", {"source": "kernel", "limit": 3}, world(tmp_path), "readonly")
    except ToolFault as fault:
        assert "CAP_SYSLOG" in str(fault)
    else:
        assert found.text.startswith("[kernel: ") and plain(found.data)


def test_long_logs_keep_the_newest_and_say_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text("".join(f"{n} {'x' * 300}\n" for n in range(2000)))
    found = carry("log_read", {"source": "app.log", "limit": 1000}, world(tmp_path))
    assert len(found.text.encode()) < 6400 and "of 1,000 lines shown; narrow by" in found.text
    assert found.text.splitlines()[-1].startswith("1999 ") and plain(found.data)
    assert found.data is not None and found.data["lines"][-1]["text"].startswith("1999 ")
    assert found.data["lines_left_out"] > 0


def test_secrets_folders_and_devices_are_no_logs(tmp_path: Path) -> None:
    here = world(tmp_path)
    assert judge("log_read", {"source": "/etc/shadow"}, here, "readonly")[1].verdict == "deny"
    with pytest.raises(ToolFault, match="regular"):
        carry("log_read", {"source": "."}, here)


def test_a_line_shows_nothing_that_a_terminal_acts_on() -> None:
    told = {"source": "journal", "notes": [], "lines": [{"text": "a\x1b[31mb\nc", "when": "2026-05-20 10:00:00"}]}
    assert shown(told).splitlines()[1] == "2026-05-20 10:00:00 ab c"


def test_a_file_without_an_end_is_told_and_no_descriptor_is_left(tmp_path: Path) -> None:
    here = world(tmp_path)
    before = sorted(os.listdir("/proc/self/fd"))
    for path in (f"/proc/{os.getpid()}/stat", f"/proc/{os.getpid()}/mounts", f"/proc/{os.getpid()}/mem"):
        with pytest.raises(Fault):
            carry("log_read", {"source": path}, here, "full")
    with pytest.raises(ToolFault, match=r"cannot be read as a log.*file_read"):
        carry("log_read", {"source": f"/proc/{os.getpid()}/stat"}, here, "full")
    assert sorted(os.listdir("/proc/self/fd")) == before
