"""The report of a build: a table for a person, one JSON object for a program, and the bound of an image."""

from __future__ import annotations

import json

import pytest

from edge.faults import CardFault
from images import report
from images.report import Built, Row

BUILT = Built(
    product="pi-x",
    version="1",
    folder="/out/pi-x",
    parts=(Row("python", 5_700_000), Row("kernel", 4_200_000)),
    times=(("unpack", 1.25), ("compile", 20.0)),
    results=(Row("pi-x-1.img.zst", 17_800_000, "ab" * 32),),
    said=("NOT SIGNED",),
)


def test_a_person_sees_parts_times_results_and_the_bound() -> None:
    lines = report.text(BUILT).splitlines()
    assert any(line.split() == ["python", "5.70"] for line in lines)
    assert any(line.split() == ["all", "21.2"] or line.split() == ["all", "21.3"] for line in lines)
    assert "pi-x-1.img.zst: 16.98 MiB of 32 MiB" in lines and lines[-1] == "NOT SIGNED"


def test_a_program_gets_the_same_as_json() -> None:
    told = json.loads(report.as_json(BUILT))
    assert told["results"] == [{"name": "pi-x-1.img.zst", "bytes": 17_800_000, "sha256": "ab" * 32}]
    assert told["seconds"] == {"unpack": 1.25, "compile": 20.0} and told["limit"] == 32 * 1024 * 1024


def test_an_image_beyond_the_bound_is_a_fault_that_says_both_sizes() -> None:
    report.small_enough("x", report.LIMIT)
    with pytest.raises(CardFault, match=r"x is 32\.00 MiB, at most 32 MiB"):
        report.small_enough("x", report.LIMIT + 1)
