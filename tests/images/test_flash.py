from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from edge.card.layout import CONFIG
from edge.faults import CardFault, ConfigFault, UsageFault
from images import bmap, flash, provisioned
from images.fatread import Volume
from images.source import Image
from tests.support import drawn_machines as drawn
from tests.support import small_cards
from tests.support.sources import ROOT

NEED = 1 << 20


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "x.img"
    path.write_bytes(random.Random(2).randbytes(1_500_000))
    (tmp_path / "x.img.bmap").write_text(bmap.make(path))
    return path


@pytest.fixture
def desk(tmp_path: Path) -> drawn.Drawn:
    machine = drawn.Drawn(tmp_path / "desk")
    drawn.nvme(machine)
    drawn.usb(machine)
    machine.mount("259:3", "/", "ext4", "/dev/nvme0n1p3")
    return machine


# --- the command ---


def test_a_card_as_a_file_is_written_and_the_end_is_told(
    image: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert flash.main([str(image), str(tmp_path / "card"), "--unsigned"]) == 0
    assert (tmp_path / "card").read_bytes() == image.read_bytes()
    out, errors = capsys.readouterr()
    assert out == f"{tmp_path / 'card'}: 1.5 MB written and read back; it can be taken out\n"
    for step in ("checking the image", "writing", "reading back"):
        assert step in errors


def test_an_image_that_nobody_signed_is_not_written(image: Path, tmp_path: Path) -> None:
    with pytest.raises(CardFault, match="--unsigned"):
        flash.main([str(image), str(tmp_path / "card")])
    assert not (tmp_path / "card").exists()


def test_a_damaged_image_touches_nothing(image: Path, tmp_path: Path) -> None:
    small_cards.flip(image, 777_777)
    old = tmp_path / "card"
    old.write_bytes(b"old" * 1_000_000)
    with pytest.raises(CardFault, match="bytes 524288 to 786431"):
        flash.main([str(image), str(old), "--unsigned", "--yes"])
    assert old.read_bytes() == b"old" * 1_000_000
    with pytest.raises(CardFault):
        flash.main([str(image), str(tmp_path / "new"), "--unsigned"])
    assert not (tmp_path / "new").exists()


def test_what_is_there_is_lost_only_after_a_yes(
    image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "card"
    words = [str(image), str(old), "--unsigned"]
    for answer, written in (("no\n", False), ("\n", False), ("", False), ("y\n", False), ("yes\n", True)):
        old.write_bytes(bytes(2_000_000))
        console = io.StringIO(answer)
        console.isatty = lambda: True  # type: ignore[method-assign]
        monkeypatch.setattr(sys, "stdin", console)
        if written:
            assert flash.main(words) == 0
        else:
            with pytest.raises(UsageFault, match="nothing was written"):
                flash.main(words)
        assert (old.read_bytes()[:100] == image.read_bytes()[:100]) is written
        assert "All on " in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    with pytest.raises(UsageFault, match=r"nobody can be asked.*--yes"):
        flash.main(words)


def test_without_a_map_all_is_written(image: Path, tmp_path: Path) -> None:
    (image.parent / "x.img.bmap").unlink()
    assert flash.main([str(image), str(tmp_path / "card"), "--unsigned"]) == 0
    assert (tmp_path / "card").read_bytes() == image.read_bytes()


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("/dev/null", "/dev/null is no disk but a character device"),
        ("/dev/sdzz", "/dev/sdzz is not there"),
        ("/dev/fd", "among devices|is a folder"),
        ("/", "is a folder, neither a disk nor a plain file"),
    ],
)
def test_what_is_neither_disk_nor_file_is_refused(image: Path, target: str, told: str) -> None:
    with pytest.raises(UsageFault, match=told):
        flash.main([str(image), target, "--unsigned", "--yes"])


def test_a_pipe_is_refused(image: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageFault, match="is a pipe, neither"):
        flash.main([str(image), str(tmp_path / "pipe"), "--unsigned", "--yes"])


def test_a_refusal_is_one_sentence_and_a_code(image: Path) -> None:
    """The whole way, by a child."""
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "images",
            "flash",
            str(image),
            "/dev/zero",
            "--unsigned",
            "--yes",
            "--again",
            "/dev/zero",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr.splitlines()[-1].startswith("fieldhand image: /dev/zero is no disk but a character device")


# --- the target ---


def test_a_stick_by_any_of_its_names_is_the_same_stick(desk: drawn.Drawn) -> None:
    desk.link("dev/disk/by-id/usb-SanDisk_Ultra", "dev/sdb")
    for path in ("/dev/sdb", "/dev/disk/by-id/usb-SanDisk_Ultra"):
        disk = flash.judge(desk, path, NEED, None)
        assert disk is not None and disk.node == "/dev/sdb"


def test_named_twice_must_be_the_same_device(desk: drawn.Drawn) -> None:
    drawn.usb(desk, "sdc", 32, 500 * drawn.GB)
    desk.link("dev/disk/by-id/usb-large", "dev/sdc")
    with pytest.raises(UsageFault, match="--again /dev/sdc"):
        flash.judge(desk, "/dev/sdc", NEED, None)
    with pytest.raises(UsageFault, match="--again names /dev/sdb, which is not /dev/sdc"):
        flash.judge(desk, "/dev/sdc", NEED, "/dev/sdb")
    assert flash.judge(desk, "/dev/sdc", NEED, "/dev/disk/by-id/usb-large") is not None
    with pytest.raises(UsageFault, match="never written over"):
        flash.judge(desk, "/dev/nvme0n1", NEED, "/dev/nvme0n1")


def test_a_stick_that_is_mounted_between_two_looks_is_refused(desk: drawn.Drawn) -> None:
    assert flash.judge(desk, "/dev/sdb", NEED, None) is not None
    desk.mount("8:17", "/media/stick", "vfat", "/dev/sdb1")
    with pytest.raises(UsageFault, match="mounted at /media/stick"):
        flash.judge(desk, "/dev/sdb", NEED, None)


def test_a_file_that_a_loop_device_or_swap_stands_on_is_refused(desk: drawn.Drawn) -> None:
    desk.write("images/disk", "text")
    assert flash.judge(desk, "/images/disk", NEED, None) is None
    desk.block("loop0", "7:0", "virtual", NEED, loop__backing_file="/images/disk")
    with pytest.raises(UsageFault, match="in use: loop0 stands on it"):
        flash.judge(desk, "/images/disk", NEED, None)
    for name, written in (("swap", "swap"), ("my swap", "my\\040swap")):
        desk.write(f"images/{name}", "text")
        desk.swap(f"/images/{written}")
        with pytest.raises(UsageFault, match="in use: it is swap"):
            flash.judge(desk, f"/images/{name}", NEED, None)


def test_without_a_target_the_disks_are_listed_and_nothing_is_written(desk: drawn.Drawn, image: Path) -> None:
    told = flash.listed(desk, Image(image))
    good, bad = told.split("would be refused:")
    assert "/dev/sdb (SanDisk Ultra, 16.0 GB, serial 4C530001, USB, removable)" in good
    assert "nvme0n1" not in good and "the disk that this system runs from" in bad
    assert "nothing was written" in told
    assert flash.main([str(image)]) == 0


# --- with settings of its own ---


@small_cards.needs_fat
def test_a_provision_file_is_put_onto_the_first_partition(small_card: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[board]\nhostname = "pump-7"\n')
    card, told = tmp_path / "card", tmp_path / "card.bmap"
    told.write_text(bmap.make(small_card))
    assert flash.main([str(small_card), str(card), "--unsigned", "--bmap", str(told), "--provision", str(file)]) == 0
    assert not card.stat().st_mode & 0o077, "others read a password there"
    with card.open("rb") as opened:

        def read(offset: int, length: int) -> bytes:
            opened.seek(offset)
            return opened.read(length)

        found = small_cards.volume(read, CONFIG)
        assert isinstance(found, Volume)
        assert found.content("provision.toml") == file.read_bytes()
        assert found.content("status.txt").startswith(b"not started yet")


def test_a_wrong_provision_file_is_told_with_its_lines_and_nothing_is_written(image: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[board]\nhostnam = "pump-7"\nid = [\n')
    with pytest.raises(ConfigFault, match=r"mine\.toml:2: "):
        flash.main([str(image), str(tmp_path / "card"), "--unsigned", "--provision", str(file)])
    assert not (tmp_path / "card").exists()


def test_a_provision_file_that_is_too_large_is_refused_and_not_cut(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[board]\nhostname = "pump-7"\n' + "#" * (1 << 20) + "\n")
    with pytest.raises(ConfigFault, match=r"mine\.toml is larger than such a file can be"):
        provisioned.taken(file)


def test_an_image_of_another_kind_takes_no_provision_file(image: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[board]\nhostname = "pump-7"\n')
    with pytest.raises(CardFault, match=r"x\.img has no first partition for provision\.toml"):
        flash.main([str(image), str(tmp_path / "card"), "--unsigned", "--provision", str(file)])
    assert not (tmp_path / "card").exists()


def test_no_folder_for_temporary_files_is_needed_without_a_provision_file(
    image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "no usable temporary directory")

    monkeypatch.setattr(flash.tempfile, "TemporaryDirectory", none)
    assert flash.main([str(image), str(tmp_path / "card"), "--unsigned"]) == 0
