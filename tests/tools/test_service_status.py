"""service_status as the model meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import UsageFault
from edge.tools.service_status import shown
from tests.support.fact_calls import allowed_everywhere, only_own_faults, plain, small_on_the_wire
from tests.support.one_call import carry, judge, world


def test_it_is_small_low_and_robust(tmp_path: Path) -> None:
    assert small_on_the_wire("service_status") and allowed_everywhere("service_status", {}, tmp_path)
    assert only_own_faults("service_status", tmp_path, 1000) > 0
    with pytest.raises(UsageFault, match="limit"):
        judge("service_status", {"limit": 0}, world(tmp_path))


def test_this_machine_says_who_starts_services_and_what_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    found = carry("service_status", {}, world(tmp_path), "readonly")
    assert found.text.startswith("services are started by ") and "[not told here: " in found.text
    assert plain(found.data) and len(found.text) <= 4096 and found.untrusted
    none = carry("service_status", {"name": "no-such-service"}, world(tmp_path))
    assert "no service called like 'no-such-service' is known here" in none.text


def test_processes_memory_and_file_stand_in_the_text() -> None:
    one = {
        **{
            "name": "ssh.service",
            "state": "active: running",
            "memory_bytes": 5 << 20,
            "starts_with": "multi-user.target",
        },
        **{
            "processes": [{"pid": n, "name": "sshd"} for n in range(6)],
            "processes_in_all": 9,
            "file": "/x/ssh.service",
        },
    }
    text = shown({"manager": "systemd", "services": [one], "matching": 3, "not_told": "failures"}, "ssh")
    assert "ssh.service  active: running  sshd (0)  sshd (1)  sshd (2)  sshd (3)  and 5 more  memory 5.0 MiB" in text
    assert "starts with multi-user.target" in text and "    file: /x/ssh.service" in text and "[1 of 3 shown" in text
