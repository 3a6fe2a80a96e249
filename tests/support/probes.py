"""What the rows of probes.tsv are held against: what a level of the wall must stop, and what the product claims."""

from __future__ import annotations

from typing import Any

from tests.support.probing import rows
from tests.support.sources import ROOT

CASES = ROOT / "tests/cases/probes.tsv"
COLUMN = {"landlock": "landlock_level", "namespaces": "namespace_level", "seccomp": "seccomp_only_level"}
# Which act of the product's own stands for which rows.
ACTS = {
    "write": ("P01", "P02", "P03"),
    "mode": ("P04",),
    "devices": ("P05",),
    "ports": ("P06",),
    "mount": ("P07",),
    "reboot": ("P08",),
    "clock": ("P09",),
    "memory_of_agent": ("P10",),
    "signal": ("P11",),
    "environment": ("P12",),
    "key": ("P13",),
    "unix": ("P14",),
    "network": ("P15",),
    "raw": ("P16",),
    "users": ("P17",),
    "ends": ("P18",),
    "processes": ("P19",),
    "memory": ("P20",),
    "size": ("P21",),
    "rings": ("P22",),
    "keys": ("P23",),
    "module": ("P24",),
}


def judged(level: str, told: dict[str, Any]) -> None:
    must = {row["id"] for row in rows(str(CASES)) if row[COLUMN[level]] == "must"}
    succeeded = {name for name, code in told["rows"].items() if code == 0}
    assert not succeeded & must
    assert None not in told["rows"].values(), "a row that neither failed nor succeeded in time"
    if level != "seccomp" or told["alone"]:
        assert told["out"] == ["victim"] and told["victim"] == "kept\n"
    if told["alone"]:
        # A user of its own stops what no other part of a level has to.
        assert not succeeded


def claimed(told: dict[str, Any]) -> None:
    assert set(told["claims"]) == set(ACTS)
    for act, names in ACTS.items():
        codes = [told["rows"][name] for name in names]
        if told["claims"][act] is None:
            # No process of 32 bits has the room that P20 asks for: its failure shows nothing, and nothing is claimed.
            narrow = act == "memory" and not told["wide"]
            assert codes == [77] or (narrow and 0 not in codes), act
        elif codes != [77]:
            assert told["claims"][act] == (0 not in codes), (act, codes)
