"""net_info as the model meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.tools.net_info import shown
from tests.support.fact_calls import allowed_everywhere, only_own_faults, plain, small_on_the_wire
from tests.support.one_call import carry, world


def test_it_is_small_low_and_robust(tmp_path: Path) -> None:
    assert small_on_the_wire("net_info") and allowed_everywhere("net_info", {}, tmp_path)
    assert only_own_faults("net_info", tmp_path, 1000) > 0


def test_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = carry("net_info", {}, world(tmp_path), "readonly")
    assert found.data is not None and plain(found.data) and len(found.text) <= 6144
    assert any(row["name"] == "lo" for row in found.data["interfaces"])
    assert found.text.endswith("[whether anything can be reached was not tested]")


def test_signal_trouble_and_sockets_stand_in_the_text() -> None:
    text = shown(
        {
            "interfaces": [
                {
                    **{"name": "wlan0", "state": "up", "addresses": ["192.168.2.9/24"], "mac": "b8:27:eb:00:00:01"},
                    **{"wireless": {"quality": 58, "signal_dbm": -52}, "rx_packets": 9, "rx_bytes": 2048},
                    **{"rx_errors": 7, "tx_dropped": 1, "mtu_bytes": 1500},
                },
                {"name": "eth0", "state": "down", "link": False},
                {"name": "usb0", "link": False},
            ],
            "default_routes": [{"by": "wlan0", "gateway": "192.168.2.1", "metric": 303}],
            "listening": [{"protocol": "tcp6", "address": "::", "port": 22, "user": "root", "process": "sshd (9)"}],
            "listening_in_all": 120,
        }
    )
    assert "wlan0: up  192.168.2.9/24  mac b8:27:eb:00:00:01  mtu 1500  signal -52 dBm  quality 58" in text
    assert "7 rx errors, 1 tx dropped" in text and "eth0: down\n" in text and "usb0: state not told, no link" in text
    assert "192.168.2.1 by wlan0 metric 303" in text and "[::]:22  sshd (9)  root" in text
    assert "name servers   not told" in text and "[1 of 120 listening sockets shown]" in text
