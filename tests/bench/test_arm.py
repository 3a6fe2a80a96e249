"""A start on emulated processors: what is missing is said, and what was counted is of one program."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bench import arm, counter, harness, start
from bench.harness import Absent, Broken
from edge.faults import CardFault


def test_a_count_is_of_one_program_and_read_once(tmp_path: Path) -> None:
    counts = tmp_path / "counts"
    counts.write_text("23500000\n")
    assert counter.told(counts) == 23.5
    with pytest.raises(Broken, match="told of 0 programs, not of one"):
        counter.told(counts)
    counts.write_text("1\n2\n")
    with pytest.raises(Broken, match="told of 2 programs"):
        counter.told(counts)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not on this machine")
def test_the_plug_in_is_compiled_again_when_its_source_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "count.c"
    source.write_bytes(counter.SOURCE.read_bytes())
    monkeypatch.setattr(counter, "SOURCE", source)
    monkeypatch.setattr(counter, "CACHE", tmp_path / "cache")
    made = counter.compiled()
    assert made.read_bytes()[:4] == b"\x7fELF" and b"qemu_plugin_install" in made.read_bytes()
    before = made.stat()
    assert counter.compiled().stat().st_ino == before.st_ino
    os.utime(source, ns=(before.st_mtime_ns + 10**9,) * 2)
    assert counter.compiled().stat().st_ino != before.st_ino
    source.write_text("no C\n")
    os.utime(source, ns=(before.st_mtime_ns + 10**12,) * 2)
    with pytest.raises(Broken, match=r"gcc ended with 1: .*error"):
        counter.compiled()


def test_without_a_compiler_or_an_archive_the_rows_are_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(apt: Path, tree: Path) -> None:
        raise CardFault("apt knows no Debian mirror on this machine")

    monkeypatch.setattr(counter, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(counter, "_unpack", silent)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(Absent, match="gcc is not on this machine"):
        counter.compiled()
    with pytest.raises(Absent, match="cannot be had: apt knows no Debian mirror"):
        counter.emulator()


def test_without_images_every_row_is_absent_and_no_target_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIELDHAND_IMAGES", str(tmp_path))
    results = harness.run_rows(arm.rows(), arm.ROUNDS, arm.WARM)
    assert {result.absent for result in results} == {
        f"there is no image of {name} in {tmp_path}: `make images` builds it" for name in arm.PRODUCTS
    }
    assert len(results) == 6 and harness.judge(results, arm.TARGETS) == {}


def test_the_end_of_a_launcher_is_left_out_of_its_copy(tmp_path: Path) -> None:
    script = tmp_path / "launcher"
    script.write_text('#!/bin/sh\ntrue\nexec "$python" -I\n')
    copy = Path(start.without_exec(str(script), b'exec "$python"'))
    assert copy.read_text() == '#!/bin/sh\ntrue\n: "$python" -I\n' and os.access(copy, os.X_OK)
    script.write_text("#!/bin/sh\ntrue\n")
    with pytest.raises(Broken, match="has not one"):
        start.without_exec(str(script), b'exec "$python"')
