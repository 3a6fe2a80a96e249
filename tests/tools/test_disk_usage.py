"""disk_usage as the model meets it; what it adds up is tested beside edge/hands/facts_usage.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import UsageFault
from edge.tools.disk_usage import mounted
from tests.support.fact_calls import allowed_everywhere, only_own_faults, plain, small_on_the_wire
from tests.support.one_call import carry, judge, world


def test_it_is_small_low_and_robust(tmp_path: Path) -> None:
    assert small_on_the_wire("disk_usage") and allowed_everywhere("disk_usage", {}, tmp_path)
    assert allowed_everywhere("disk_usage", {"path": "."}, tmp_path)
    assert only_own_faults("disk_usage", tmp_path, 1000) > 0
    with pytest.raises(UsageFault, match="give path too"):
        judge("disk_usage", {"limit": 3}, world(tmp_path))
    for limit in (0, 101):
        with pytest.raises(UsageFault, match="limit"):
            judge("disk_usage", {"path": ".", "limit": limit}, world(tmp_path))


def test_a_folder_outside_is_asked_about(tmp_path: Path) -> None:
    assert judge("disk_usage", {"path": "/var/lib"}, world(tmp_path))[1].verdict == "ask"
    assert judge("disk_usage", {"path": "/var/log"}, world(tmp_path))[1].verdict == "allow"


def test_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = carry("disk_usage", {}, world(tmp_path), "readonly")
    assert found.text.startswith("MOUNTED") and plain(found.data) and len(found.text) <= 4096
    empty = carry("disk_usage", {"path": "."}, world(tmp_path))
    assert empty.text.startswith("0 B in 0 names below ")


def test_read_only_and_servers_that_are_away_are_told() -> None:
    row = {
        "mounted": "/",
        "kind": "ext4",
        "device": "/dev/mmcblk0p2",
        "readonly": True,
        "bytes": 100,
        "used_percent": 99,
    }
    text = mounted({"file_systems": [row], "unanswered": ["/net"]})
    assert "ext4 read-only" in text and "/net did not answer" in text and "  -  " in text
    assert mounted({}) == "no file system is told here"
