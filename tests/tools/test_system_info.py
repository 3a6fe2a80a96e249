"""system_info as the model meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import UsageFault
from edge.hands.facts_system import system
from edge.tools.system_info import shown
from tests.support.fact_boards import ALPINE, FIRST, FIVE, ZERO, laid
from tests.support.fact_calls import allowed_everywhere, only_own_faults, plain, small_on_the_wire
from tests.support.one_call import carry, judge, world


def test_it_is_small_low_and_robust(tmp_path: Path) -> None:
    assert small_on_the_wire("system_info") and allowed_everywhere("system_info", {}, tmp_path)
    assert only_own_faults("system_info", tmp_path, 1000) > 0
    with pytest.raises(UsageFault, match="serial must be true or false"):
        judge("system_info", {"serial": 3}, world(tmp_path))


def test_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = carry("system_info", {}, world(tmp_path), "readonly")
    assert found.ok and found.data is not None and plain(found.data) and len(found.text) <= 4096
    assert found.data["memory"]["total_bytes"] > 1 << 24 and "uptime_seconds" in found.data["boot"]
    assert "serial" not in found.data.get("board", {})


def test_a_zero_in_trouble(tmp_path: Path) -> None:
    text = shown(system(laid(ZERO, tmp_path), {"synchronised": False}, 1_779_271_200.0))
    assert "Raspberry Pi Zero W Rev 1.1 (BCM2835, brcm,bcm2835)" in text
    assert "now: under-voltage, throttled; since boot: under-voltage, throttled" in text
    assert "UNDER-VOLTAGE NOW" in text and "41.218 °C" in text and "wear is not told by it" in text
    assert "not synchronised" in text and "no battery clock" in text
    assert "700 of 1000 MHz (ondemand)" in text


def test_a_five(tmp_path: Path) -> None:
    text = shown(system(laid(FIVE, tmp_path), {"synchronised": True}, 1_779_271_200.0))
    assert "last start by the watchdog" in text and "1 crash records" in text and "at most 20 % worn" in text
    assert "now: nothing; since boot: nothing" in text and "limit of the control group 256 MiB" in text
    assert "zram0 2.0 GiB" in text and "ups Battery Discharging 63 % 3.85 V" in text
    assert "2026-05-20 10:00:00 UTC, synchronised" in text


def test_what_is_not_told_is_not_said(tmp_path: Path) -> None:
    first = shown(system(laid(FIRST, tmp_path), {}, 0.0))
    assert "no temperature or supply is told by this kernel" in first and "ROOT IS MOUNTED READ-ONLY" in first
    assert "402 MiB free of 438 MiB" in first and "available" not in first  # an old kernel does not tell that
    other = shown(system(laid(ALPINE, tmp_path / "x"), {}, 0.0))
    assert "throttled" not in other and "supply" not in other.replace("temperature or supply", "")
