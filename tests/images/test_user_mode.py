"""Programs of the image run here with nothing of this machine's settings, and end when their time is over."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import arches, user_mode


def test_a_program_sees_nothing_of_this_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/of/this/machine")
    code, out, _ = user_mode.run([sys.executable, "-c", "import os; print(sorted(os.environ)); exit(3)"])
    seen = set(eval(out)) - {"LC_CTYPE"}  # our own child's list; Python itself sets LC_CTYPE
    assert code == 3 and seen == {"PYTHONHASHSEED", "TZ"}


def test_a_program_that_does_not_end_is_killed(tmp_path: Path) -> None:
    with pytest.raises(CardFault, match="did not end within 1 s"):
        user_mode.run(["/bin/sh", "-c", f"echo $$ >{tmp_path}/pid; exec sleep 600"], seconds=1)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_an_emulator_that_is_absent_is_told_with_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("images.host.PLACES", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CardFault, match="apt install qemu-user-static"):
        user_mode.emulator(arches.named("arm64"))


def test_a_stage_is_usr_of_the_board_with_a_python_that_starts_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entered = tmp_path / "qemu"
    entered.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    entered.chmod(0o755)
    monkeypatch.setattr(user_mode, "emulator", lambda _arch: str(entered))
    programs = user_mode.stage(tmp_path / "a tree", arches.named("armel"), "3.11", tmp_path / "stage")
    code, out, _ = user_mode.run([str(programs / "python3"), "-c", "two words"])
    assert code == 0 and out.decode().split("\n")[:-1] == [
        *("-cpu", "arm1176", "-L", f"{tmp_path}/a tree", "-0", str(programs / "python3")),
        *(f"{tmp_path}/a tree/usr/bin/python3.11", "-c", "two words"),
    ]
    assert os.readlink(tmp_path / "stage/usr/lib") == f"{tmp_path}/a tree/usr/lib"
