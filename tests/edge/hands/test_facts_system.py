"""What several boards tell of themselves."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from edge.hands.facts_reader import Reader
from edge.hands.facts_system import decoded_revision, group_limit, members, pressure, root_readonly, system
from tests.support.fact_boards import ALPINE, FIRST, FIVE, ZERO, laid

NOW = 1_800_000_000.0


def test_a_zero_tells_model_chip_memory_and_load(tmp_path: Path) -> None:
    found = system(laid(ZERO, tmp_path), {}, NOW)
    assert found["board"] == {
        "model": "Raspberry Pi Zero W Rev 1.1",
        "soc": "brcm,bcm2835",
        "chip": "BCM2835",
        "memory_fitted_mib": 512,
        "revision": "9000c1",
    }
    assert found["system"]["name"] == "Raspbian GNU/Linux 12 (bookworm)" and found["system"]["kernel"] == "6.1.21+"
    assert found["memory"]["available_bytes"] == 268464 * 1024 and found["memory"]["swap_used_bytes"] == 768 * 1024
    assert "group_limit_bytes" not in found["memory"]
    assert found["cpu"]["name"] == "ARM1176" and found["cpu"]["load_1_5_15_min"] == [0.08, 0.03, 0.01]
    assert found["cpu"]["frequencies"] == [{"group": "policy0", "mhz": 700, "most_mhz": 1000, "governor": "ondemand"}]
    assert found["boot"]["uptime_seconds"] == 350.05 and found["boot"]["root_readonly"] is False


def test_the_serial_number_is_told_only_when_asked_for(tmp_path: Path) -> None:
    reader = laid(ZERO, tmp_path)
    assert "deadbeef" not in json.dumps(system(reader, {}, NOW))
    assert system(reader, {}, NOW, serial=True)["board"]["serial"] == "00000000deadbeef"
    assert "12345678" not in json.dumps(system(reader, {}, NOW, serial=True))  # of the card: not the board's


def test_a_first_board_without_device_tree_tells_what_it_can_and_no_more(tmp_path: Path) -> None:
    found = system(laid(FIRST, tmp_path), {}, NOW)
    assert found["board"] == {"model": "BCM2708", "revision": "000e"}
    assert "available_bytes" not in found["memory"] and found["memory"]["free_bytes"] == 412000 * 1024
    assert found["boot"]["root_readonly"] is True
    for absent in ("sensors", "throttled", "undervoltage_now", "power", "storage"):
        assert absent not in found
    assert "swap_bytes" not in found["memory"] and "load_1_5_15_min" not in found["cpu"]


def test_a_five_tells_limits_watchdog_and_crashes(tmp_path: Path) -> None:
    found = system(laid(FIVE, tmp_path), {"synchronised": True}, NOW)
    assert found["board"]["chip"] == "BCM2712" and found["board"]["memory_fitted_mib"] == 4096
    assert found["memory"]["group_limit_bytes"] == 256 << 20 and found["memory"]["waiting_percent_10s"] == 1.25
    assert found["memory"]["killed_for_memory"] == 2
    assert found["memory"]["zram"] == [
        {"name": "zram0", "bytes": 2147450880, "data_bytes": 16384, "memory_bytes": 12288}
    ]
    assert found["boot"]["by_watchdog"] is True and found["boot"]["crash_records"] == 1
    assert found["cpu"]["online"] == 4 and found["cpu"]["name"] == "Cortex-A76"
    assert found["clock"] == {"unix_seconds": int(NOW), "synchronised": True, "battery_clock": True}


def test_broken_texts_are_not_told_at_all(tmp_path: Path) -> None:
    found = system(laid(ALPINE, tmp_path), {}, NOW, machine="x86_64")
    assert "total_bytes" not in found["memory"] and found["memory"]["group_limit_bytes"] == 64 << 20
    assert "load_1_5_15_min" not in found["cpu"]
    assert found["board"]["model"] == "PC Engines apu2"
    assert found["system"]["kernel"] == "5.10.0-alpine" and found["system"]["architecture"] == "x86_64"
    assert found["system"]["name"] == "Alpine Linux v3.19"


def test_a_date_before_the_system_was_made_is_not_plausible(tmp_path: Path) -> None:
    reader = laid(ZERO, tmp_path)
    os.utime(tmp_path / "usr/lib/os-release", (NOW, NOW))
    assert system(reader, {}, NOW + 1)["clock"]["plausible"] is True
    assert system(reader, {}, NOW - 86400)["clock"]["plausible"] is False
    assert system(reader, {}, NOW + 1, marks=(NOW + 200,))["clock"]["plausible"] is False  # before the last record
    assert "plausible" not in system(laid(FIRST, tmp_path / "other"), {}, 0.0)["clock"]


def test_a_folder_that_tells_nothing_gives_nothing(tmp_path: Path) -> None:
    found = system(Reader(("/proc", "/sys"), top=str(tmp_path)), {}, NOW)
    assert found == {"clock": {"unix_seconds": int(NOW)}}


@pytest.mark.parametrize(
    ("code", "chip", "mib"),
    [("a020d3", "BCM2837", 1024), ("d03114", "BCM2711", 8192), ("902120", "BCM2837", 512), ("a01041", "BCM2836", 1024)],
)
def test_revision_codes_are_decoded(code: str, chip: str, mib: int) -> None:
    assert decoded_revision(code) == {"chip": chip, "memory_fitted_mib": mib}


@pytest.mark.parametrize("code", ["", None, "000e", "zz", "ffffff"])
def test_codes_that_say_nothing_are_left_alone(code: str) -> None:
    assert decoded_revision(code) == {}


def test_small_readers() -> None:
    assert (members("0-3,5"), members("0"), members(""), members("3-1"), members("0-99999999")) == (
        5,
        1,
        None,
        None,
        None,
    )
    assert pressure("some avg10=12.50 avg60=0.00") == 12.5 and pressure("") is None and pressure("some avg10=x") is None
    assert root_readonly("") is None and root_readonly("/dev/a / ext4 rw 0 0\n") is False


def test_the_smallest_limit_above_counts(tmp_path: Path) -> None:
    texts = {
        "/proc/self/cgroup": "0::/a/b\n",
        "/sys/fs/cgroup/a/b/memory.max": "max\n",
        "/sys/fs/cgroup/a/memory.max": "1000\n",
        "/sys/fs/cgroup/memory.max": "2000\n",
    }
    assert group_limit(laid(texts, tmp_path)) == 1000
