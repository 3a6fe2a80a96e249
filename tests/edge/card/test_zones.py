from __future__ import annotations

import os

import pytest

from edge.card.zones import ZONES

FOLDER = "/usr/share/zoneinfo"


def test_each_rule_is_the_one_of_the_zones_own_file() -> None:
    if not os.path.isdir(FOLDER):
        pytest.skip("no zone files are installed")
    wrong = []
    for name, rule in ZONES.items():
        try:
            with open(f"{FOLDER}/{name}", "rb") as file:
                there = file.read().rstrip(b"\n").rpartition(b"\n")[2].decode("ascii")
        except FileNotFoundError:
            continue  # a name that this release of the files does not have
        if there != rule:
            wrong.append(f"{name}: {rule} here, {there} there")
    # A country may change its rule after this release; a whole table that is wrong is no change of a country's.
    assert len(wrong) <= 2, wrong


def test_there_is_one_rule_for_each_name() -> None:
    assert ZONES["Europe/Berlin"] == "CET-1CEST,M3.5.0,M10.5.0/3" and ZONES["UTC"] == "UTC0" and len(ZONES) > 60
