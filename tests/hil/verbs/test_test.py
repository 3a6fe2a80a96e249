"""`hil test`: pytest on one board, started from anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hil.verbs.test import command
from tests.support.sources import ROOT


def test_the_words_behind_the_board_go_to_pytest() -> None:
    words = command("raspi0", ["-k", "temperature", "-x"])
    assert words[1:5] == ["-m", "pytest", "-m", "emulated"]
    assert words[5:] == ["tests/hil", "--board", "raspi0", "-rs", "-k", "temperature", "-x"]


def test_a_file_beside_one_is_found_and_its_tests_are_listed(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'title = "mine"\nproduct = "pi-arm64"\nhas = []\n[console]\ndevice = "/dev/ttyUSB0"\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "hil", "test", "mine.toml", "--collect-only", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_a_temperature_that_the_host_sets_is_read_over_the_bus[mine]" in done.stdout
    assert "[raspi0]" not in done.stdout and "test_power" not in done.stdout
