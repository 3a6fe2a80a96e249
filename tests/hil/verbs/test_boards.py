"""The table of boards: what each can do, why not, and what is missing on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hil.drivers import qemu
from hil.resources import named, names
from hil.verbs import boards


@pytest.fixture(autouse=True)
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FIELDHAND_IMAGES", str(tmp_path))
    return tmp_path


def emulator(folder: Path, says: str) -> None:
    program = folder / qemu.QEMU
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)


def test_every_board_is_there_with_all_that_its_file_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert boards.main([]) == 0
    told = " ".join(capsys.readouterr().out.split())
    for name in names():
        board = named(name)
        assert f"{name} {board.title} has {', '.join(board.has)}" in told
        for one, why in board.lacks.items():
            assert f"{one}: {why}" in told
        for part in board.parts:
            assert f"{part} (" in told


def test_an_image_that_is_missing_says_how_to_get_it_and_one_that_is_there_its_name(images: Path) -> None:
    assert boards.image(named("raspi0")) == f"none of pi-armv6 in {images}: `make images` builds it"
    image = images / "pi-armv6/0.2.0/pi-armv6-0.2.0.img.zst"
    image.parent.mkdir(parents=True)
    image.touch()
    assert boards.image(named("raspi0")).startswith("pi-armv6-0.2.0.img.zst, built 20")


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("QEMU emulator version 10.0.2 (Debian 1:10.0.2)", "QEMU emulator version 10.0.2 (Debian 1:10.0.2)"),
        ("QEMU emulator version 7.2.22", "QEMU emulator version 7.2.22 is too old: boards need version 10"),
        ("nonsense", "nonsense is too old"),
    ],
)
def test_the_emulator_is_told_with_its_version(
    says: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emulator(tmp_path, says)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert boards.emulator().startswith(told)


def test_no_emulator_is_told_with_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert boards.emulator().startswith(f"{qemu.QEMU} is not on this machine (as root .ci/qemu installs it")


def test_a_board_on_a_desk_has_no_image(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('title = "mine"\nproduct = "pi-arm64"\nhas = []\n[console]\ndevice = "/dev/ttyUSB0"\n')
    assert boards.main([str(file)]) == 0
    told = capsys.readouterr().out
    assert "its console is /dev/ttyUSB0" in told and "image " not in told
