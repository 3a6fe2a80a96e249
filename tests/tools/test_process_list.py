"""process_list as the model meets it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from edge.faults import UsageFault
from tests.support.fact_calls import allowed_everywhere, only_own_faults, plain, small_on_the_wire
from tests.support.one_call import carry, judge, world


def test_it_is_small_low_and_robust(tmp_path: Path) -> None:
    assert small_on_the_wire("process_list") and allowed_everywhere("process_list", {}, tmp_path)
    assert only_own_faults("process_list", tmp_path, 1000) > 0
    for wrong in ({"sort": "size"}, {"limit": 0}, {"limit": 501}, {"seconds": 11}, {"text": ""}):
        with pytest.raises(UsageFault):
            judge("process_list", wrong, world(tmp_path))


def test_this_process_with_the_measured_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = carry("process_list", {"seconds": 0.05, "limit": 500}, world(tmp_path), "readonly")
    assert found.untrusted and found.text.startswith("[CPU over 0.") and plain(found.data)
    assert len(found.text) <= 4096 and "COMMAND" in found.text
    since = carry("process_list", {"seconds": 0, "limit": 1}, world(tmp_path)).text
    assert since.startswith("[CPU since the start of each process") and "[1 of " in since


def test_a_password_of_another_process_is_not_shown(tmp_path: Path) -> None:
    mark = f"fact{os.getpid()}mark"
    command = [sys.executable, "-c", "print(flush=True); input()", mark, "--password", "hunter2secret"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline()  # its command line stands
        found = carry("process_list", {"text": mark, "seconds": 0}, world(tmp_path))
        child.communicate(b"\n", timeout=30)
    assert found.data is not None and found.data["processes"][0]["pid"] == child.pid
    assert "hunter2secret" not in repr(found) and "--password [redacted]" in found.data["processes"][0]["command"]


def test_nothing_fits(tmp_path: Path) -> None:
    assert carry("process_list", {"text": "no such \x01 name", "seconds": 0}, world(tmp_path)).text == "no process fits"
