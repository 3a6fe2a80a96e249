"""The hand on facts: nothing without a grant, an end in time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from edge.call import Call, Grant, Permit
from edge.faults import Refused, ToolFault
from edge.hands import Hands
from tests.support.one_call import world


def hands(folder: Path, *grants: Grant, barred: tuple[str, ...] = (), seconds: float = 30.0) -> Hands:
    return Hands(Permit("c1", grants, barred, seconds), Call("system_info", {}, "c1"), world(folder))


def test_without_a_grant_nothing_is_told(tmp_path: Path) -> None:
    bare = hands(tmp_path).facts
    for asked in (
        lambda: bare.system(False),
        lambda: bare.processes(0, "cpu", "", 1),
        bare.disks,
        bare.network,
        lambda: bare.services("", 1),
        lambda: bare.log("kernel", 1, {}),
        lambda: bare.log("system", 1, {}),
        lambda: bare.log("a.log", 1, {}),
        lambda: bare.usage(".", 1, False),
    ):
        with pytest.raises(Refused):
            asked()


def test_a_grant_of_one_place_opens_no_other(tmp_path: Path) -> None:
    found = hands(tmp_path, Grant("read", "system", "proc", True)).facts.system(False)
    assert "memory" in found and "sensors" not in found and "storage" not in found
    assert "name" not in found.get("system", {})  # that stands in /etc


def test_what_the_operator_closed_is_not_read(tmp_path: Path) -> None:
    grants = (Grant("read", "system", "proc", True), Grant("read", "system", "sys", True))
    found = hands(tmp_path, *grants, barred=("/proc/meminfo",)).facts.system(False)
    assert "total_bytes" not in found.get("memory", {}) and "boot" in found


def test_a_wait_ends_with_the_call(tmp_path: Path) -> None:
    facts = hands(tmp_path, Grant("read", "system", "proc", True), seconds=0.5).facts
    begun = time.monotonic()
    facts.wait(3600.0)
    assert time.monotonic() - begun < 60 and facts.late()


def test_a_stopped_call_waits_no_more(tmp_path: Path) -> None:
    here = world(tmp_path)
    call = Call("process_list", {}, "c1")
    facts = Hands(Permit("c1", (Grant("read", "system", "proc", True),), (), 3600.0), call, here).facts
    here.cut()
    begun = time.monotonic()
    facts.wait(3000.0)
    assert time.monotonic() - begun < 60 and facts.late() == "because the call was ended"


def test_a_log_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    facts = hands(tmp_path, Grant("read", "work", "a.log"), Grant("read", "system", "proc", True)).facts
    with pytest.raises(ToolFault, match=r"a\.log"):
        facts.log("a.log", 5, {})
