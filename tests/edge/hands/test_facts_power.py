"""Temperatures, supply, throttling and cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.hands.facts_power import card, life, power, sensors, throttle_bits, throttled, volts_low
from tests.support.fact_boards import FIRST, FIVE, ZERO, laid


def test_a_zone_and_its_chip_are_one_sensor(tmp_path: Path) -> None:
    assert sensors(laid(ZERO, tmp_path)) == [{"name": "cpu-thermal", "celsius": 41.218}]


def test_units_of_chips(tmp_path: Path) -> None:
    assert sensors(laid(FIVE, tmp_path)) == [
        {"name": "rp1_adc in1", "volts": 1.475},
        {"name": "rp1_adc temp1", "celsius": 52.1},
        {"name": "pwmfan fan1", "rpm": 2850},
        {"name": "ina219 curr1", "amperes": 0.74},
        {"name": "ina219 power1", "watts": 3.7},
    ]


def test_a_sensor_that_cannot_be_read_is_no_zero(tmp_path: Path) -> None:
    texts = {"/sys/class/thermal/thermal_zone0/type": "gpu\n", "/sys/class/thermal/thermal_zone0/temp": "\n"}
    assert sensors(laid(texts, tmp_path)) == []


def test_throttle_bits_now_and_since_boot(tmp_path: Path) -> None:
    assert throttled(laid(ZERO, tmp_path)) == {
        "now": ["under-voltage", "throttled"],
        "since_boot": ["under-voltage", "throttled"],
        "bits": "0x50005",
    }
    assert throttled(laid(FIVE, tmp_path / "five")) == {"now": [], "since_boot": [], "bits": "0x0"}
    assert throttled(laid(FIRST, tmp_path / "first")) is None


@pytest.mark.parametrize(
    ("text", "now", "since"),
    [
        ("1", ["under-voltage"], []),
        ("0x2", ["frequency capped"], []),
        ("80008", ["soft temperature limit"], ["soft temperature limit"]),
        ("f0000", [], ["under-voltage", "frequency capped", "throttled", "soft temperature limit"]),
    ],
)
def test_each_bit(text: str, now: list[str], since: list[str]) -> None:
    found = throttle_bits(text)
    assert found is not None and (found["now"], found["since_boot"]) == (now, since)
    assert throttle_bits("nothing") is None


def test_the_alarm_of_the_supply(tmp_path: Path) -> None:
    assert volts_low(laid(ZERO, tmp_path)) is True
    fine = {**ZERO, "/sys/class/hwmon/hwmon1/in0_lcrit_alarm": "0\n"}
    assert volts_low(laid(fine, tmp_path / "fine")) is False
    assert volts_low(laid(FIVE, tmp_path / "five")) is None


def test_supplies(tmp_path: Path) -> None:
    assert power(laid(FIVE, tmp_path)) == [
        {"name": "ups", "kind": "Battery", "status": "Discharging", "percent": 63, "volts": 3.85}
    ]


def test_an_emmc_tells_its_wear_and_an_sd_card_does_not(tmp_path: Path) -> None:
    (worn,) = card(laid(FIVE, tmp_path))
    assert worn["worn_percent_at_most"] == 20 and worn["spare_blocks"].startswith("80 %")
    assert worn["bytes"] == 61079552 * 512
    (plain,) = card(laid(ZERO, tmp_path / "zero"))
    assert plain["kind"] == "SD" and "worn_percent_at_most" not in plain and "serial" not in plain


def test_wear() -> None:
    assert [life(text) for text in ("0x0b 0x01", "0x00 0x00", "", None, "0x01 0x03")] == [110, None, None, None, 30]
