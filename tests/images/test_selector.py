"""The first partition: firmware and U-Boot of the product's models, and texts that a laptop reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import CardFault
from images import host, product, selector
from tests.support.packages import deb

BOARD = product.HERE / "board"


def firmware(folder: Path) -> Path:
    """A package with every firmware there is."""
    names = ["bootcode.bin", *(f"{name}.elf" for name in ("start", "start_cd", "start4", "start4cd", "start_x"))]
    names += [f"{name}.dat" for name in ("fixup", "fixup_cd", "fixup4", "fixup4cd", "fixup_x")]
    return deb(folder / "f.deb", "", {f"usr/lib/raspi-firmware/{name}": name.encode() for name in names})


def made(name: str, folder: Path) -> set[str]:
    for below in ("stage", "work"):
        (folder / below).mkdir()
    selector.firmware(firmware(folder), product.load(name), folder / "stage", folder / "work")
    return {path.name for path in (folder / "stage").iterdir()}


def test_a_board_gets_the_firmware_of_its_chip_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    assert made("pi-armv6", tmp_path / "one") == {"bootcode.bin", "start_cd.elf", "fixup_cd.dat"}
    (tmp_path / "two").mkdir()
    both = {"bootcode.bin", "start_cd.elf", "fixup_cd.dat", "start4cd.elf", "fixup4cd.dat"}
    assert made("pi-arm64", tmp_path / "two") == both


def test_the_small_firmware_is_what_config_txt_asks_for() -> None:
    assert "gpu_mem=16" in (BOARD / "config.txt").read_text("utf-8").splitlines()
    assert all("cd" in name for names in selector.FILES.values() for name in names if name != "bootcode.bin")


@pytest.mark.parametrize("name", product.names())
def test_every_model_starts_a_uboot_that_is_on_the_card(name: str, tmp_path: Path) -> None:
    one = product.load(name)
    targets = sorted(set(one.uboot.values()))
    package = deb(tmp_path / "u.deb", "", {f"usr/lib/u-boot/{target}/u-boot.bin": b"u" for target in targets})
    selector.uboot(package, targets, tmp_path, tmp_path)
    selector.texts(BOARD, one, "1.2", tmp_path)
    lines = (tmp_path / "config.txt").read_bytes().decode().split("\r\n")
    for model, target in one.uboot.items():
        assert lines[lines.index(f"[{model}]") + 1] == f"kernel=u-boot-{target}.bin"
        assert (tmp_path / f"u-boot-{target}.bin").is_file()
    assert f"arm_64bit={int(one.arch == 'arm64')}" in lines and lines[-2] == "[all]"


def test_texts_have_the_line_ends_of_windows_and_the_status_has_room(tmp_path: Path) -> None:
    selector.texts(BOARD, product.load("pi-armv6"), "1.2", tmp_path)
    for name in ("config.txt", "provision.toml", "README.txt", "status.txt"):
        data = (tmp_path / name).read_bytes()
        assert data.count(b"\n") == data.count(b"\r\n") > 0
    assert "pi-armv6 1.2" in (tmp_path / "README.txt").read_text("utf-8")
    assert (tmp_path / "status.txt").stat().st_size == 8192


def test_what_a_package_lacks_is_named(tmp_path: Path) -> None:
    empty = deb(tmp_path / "e.deb", "", {"usr/share/x": b""})
    with pytest.raises(CardFault, match=r"correct \[uboot\] of the product"):
        selector.uboot(empty, ["rpi_9"], tmp_path, tmp_path)
    with pytest.raises(CardFault, match=r"has no .*bootcode\.bin"):
        selector.firmware(empty, product.load("pi-armv6"), tmp_path, tmp_path)
    odd = product.read(
        (product.PRODUCTS / "pi-armv6.toml").read_text("utf-8").replace("bcm2835-rpi-b-rev2", "odd"), Path("x")
    )
    with pytest.raises(CardFault, match="no firmware is known for odd"):
        selector.firmware(empty, odd, tmp_path, tmp_path)


@pytest.mark.skipif(bool(host.missing(["mkimage"])), reason="u-boot-tools are not here")
def test_the_script_is_one_that_uboot_runs(tmp_path: Path) -> None:
    selector.script(BOARD / "boot.cmd", product.load("pi-armv6"), tmp_path, tmp_path, 5)
    made = (tmp_path / "boot.scr").read_bytes()
    text = (BOARD / "boot.cmd").read_bytes()
    assert made[:4] == b"\x27\x05\x19\x56" and made[64:68] == len(text).to_bytes(4, "big") and text in made
