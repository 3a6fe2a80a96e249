"""A file that the board's processor could not run fails the build, whatever it is wrong in."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from images import arches
from images.gates import architecture
from tests.support import elves

SOFT, HARD = 0x5000200, 0x5000400


def said(arch: str, attributes: dict[int, int] | None = None, **fields: Any) -> str:
    sections = {".ARM.attributes": elves.attributes(attributes)} if attributes is not None else {}
    return architecture.judge(elves.make(sections=sections, **fields), arches.named(arch))


@pytest.mark.parametrize("cpu", [1, 4, 5, 6, 7, 9])
def test_armel_takes_what_an_arm1176_runs(cpu: int) -> None:
    assert said("armel", {6: cpu, 9: 1}, flags=SOFT) == ""


@pytest.mark.parametrize(("cpu", "word"), [(8, "v6T2"), (10, "v7"), (11, "v6-M"), (14, "v8"), (99, "99")])
def test_armel_refuses_what_is_above_it(cpu: int, word: str) -> None:
    assert f"made for ARM {word}," in said("armel", {6: cpu}, flags=SOFT)
    assert f"made for ARM {word}," in said("armel", {6: cpu}, flags=SOFT, kind=1)


def test_armel_refuses_thumb_2_and_floating_point_registers() -> None:
    assert "Thumb-2" in said("armel", {6: 6, 9: 2}, flags=SOFT)
    assert "hard" in said("armel", {6: 6}, flags=HARD)
    assert "hard" in said("armel", {6: 6, 28: 1}, flags=0x5000000)
    assert "hard" not in said("armel", {6: 6, 28: 1}, flags=0x5000000, kind=1)


def test_armhf_takes_v7_and_refuses_v8_and_soft() -> None:
    assert said("armhf", {6: 10, 9: 2, 28: 1}, flags=HARD) == ""
    assert "made for ARM v8," in said("armhf", {6: 14, 28: 1}, flags=HARD)
    assert "soft" in said("armhf", {6: 10}, flags=SOFT)


def test_other_machines_sizes_and_orders_are_refused() -> None:
    assert said("arm64", bits=64, machine=183) == ""
    assert "x86-64 with 64 bit, not armel" in said("armel", bits=64, machine=62)
    assert "ARM with 32 bit, not arm64" in said("arm64", flags=HARD)
    assert "AArch64 with 64 bit, not armhf" in said("armhf", bits=64, machine=183)
    assert "not armel" in said("armel", order=">")
    assert "cannot be read" in architecture.judge(b"\x7fELF cut", arches.named("armel"))


def test_a_library_that_chooses_its_code_may_hold_better_code_than_the_board_runs() -> None:
    chooses = b"\0" * 28 + b"\x1a\0\0\0"
    v7 = {".ARM.attributes": elves.attributes({6: 10, 9: 2})}
    armel = arches.named("armel")
    made = elves.make(flags=SOFT, soname="libatomic.so.1", sections={**v7, ".dynsym": chooses})
    assert architecture.judge(made, armel) == ""
    assert architecture.judge(elves.make(flags=SOFT, soname="libatomic.so.1", sections=v7), armel) != ""
    assert (
        architecture.judge(elves.make(flags=SOFT, soname="libother.so", sections={**v7, ".dynsym": chooses}), armel)
        != ""
    )


def test_a_program_of_this_machine_in_a_tree_is_named(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/good").write_bytes(elves.make(flags=SOFT))
    (tmp_path / "usr/bin/script").write_text("#!/bin/sh\n")
    product = SimpleNamespace(arch="armel", python="3.11")
    assert architecture.check(tmp_path, product) == []
    (tmp_path / "usr/bin/wrong").write_bytes(Path(sys.executable).resolve().read_bytes())
    (sentence,) = architecture.check(tmp_path, product)
    assert sentence.startswith("usr/bin/wrong is for ") and sentence.endswith("not armel")
