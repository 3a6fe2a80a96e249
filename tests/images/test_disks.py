from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import UsageFault
from images import disks
from images.machine import Machine
from tests.support import drawn_machines as drawn
from tests.support.drawn_machines import GB, Drawn

NEED = 188 << 20


@pytest.fixture
def laptop(tmp_path: Path) -> Drawn:
    """A laptop that runs from an NVMe disk, with a USB stick, and a card in a reader of its own."""
    machine = Drawn(tmp_path / "laptop")
    drawn.nvme(machine)
    drawn.usb(machine)
    drawn.card(machine)
    machine.mount("259:3", "/", "ext4", "/dev/nvme0n1p3")
    machine.mount("259:1", "/boot/efi", "vfat", "/dev/nvme0n1p1")
    return machine


def told(machine: Machine, name: str, again: bool = False, need: int = NEED) -> str:
    return disks.refusal(machine, name, need, again)


def test_a_stick_and_a_card_are_taken_with_their_names(laptop: Drawn) -> None:
    assert told(laptop, "sdb") == told(laptop, "mmcblk0") == ""
    stick = disks.check(laptop, "sdb", NEED, again=False)
    assert disks.described(stick) == "/dev/sdb (SanDisk Ultra, 16.0 GB, serial 4C530001, USB, removable)"
    assert disks.described(disks.read(laptop, "mmcblk0")).startswith(
        "/dev/mmcblk0 (SC32G, 32.0 GB, serial 0x1234, SD card"
    )
    assert [disk.name for disk in disks.every(laptop)] == ["mmcblk0", "nvme0n1", "sdb"]


def test_what_a_disk_calls_itself_is_no_command_to_a_terminal(tmp_path: Path) -> None:
    laptop = Drawn(tmp_path / "other")
    drawn.usb(laptop, model="Ultra\x1b]0;x\x07\n/dev/sdb is fine", serial="1\r\u202e\x9b2J" + "9" * 200)
    laptop.mount("8:17", "/media/me/A\x1b[2J\nB", "vfat", "/dev/sdb1")
    for sentence in (told(laptop, "sdb"), disks.described(disks.read(laptop, "sdb"))):
        assert sentence.isprintable() and len(sentence) < 500
    assert "A\\x1b[2J\\nB" in told(laptop, "sdb")


@pytest.mark.parametrize("letter", "\v\f\r\x1c\x1d\x1e\x85\u00a0\u2028\u3000\n")
def test_no_letter_in_the_name_of_a_mount_hides_it(laptop: Drawn, letter: str) -> None:
    laptop.mount("8:17", f"/media/me/A{letter}B", "vfat", "/dev/sdb1")
    assert "is in use: mounted at /media/me/A" in told(laptop, "sdb", again=True)


@pytest.mark.parametrize("letter", "\v\f\r\x1c\x85\u2028")
def test_no_letter_in_the_name_of_a_swap_file_hides_it(laptop: Drawn, letter: str) -> None:
    laptop.mount("8:17", "/mnt", "ext4", "/dev/sdb1")
    laptop.swap(f"/mnt/a{letter}b")
    assert f"swap on /mnt/a{letter.encode('unicode_escape').decode()}b" in told(laptop, "sdb", again=True)


def test_a_disk_that_is_short_by_a_sector_is_told_by_how_much(laptop: Drawn) -> None:
    size = disks.read(laptop, "sdb").size
    assert told(laptop, "sdb", need=size) == ""
    assert "is too small: the image has 16.0 GB, 512 B more" in told(laptop, "sdb", need=size + 512)


def test_the_disk_of_the_system_is_never_taken(laptop: Drawn) -> None:
    for again in (False, True):
        sentence = told(laptop, "nvme0n1", again)
        assert "is the disk that this system runs from (mounted at /, /boot/efi)" in sentence
        for fact in ("Samsung SSD 970", "512.0 GB", "S4EVNX0"):
            assert fact in sentence
    with pytest.raises(UsageFault, match="never written over"):
        disks.check(laptop, "nvme0n1", NEED, again=True)


def test_a_partition_is_answered_with_its_disk(laptop: Drawn) -> None:
    assert "is a partition of /dev/sdb" in told(laptop, "sdb1") and "name /dev/sdb" in told(laptop, "sdb1")
    assert "name /dev/nvme0n1" in told(laptop, "nvme0n1p2", again=True)


def test_a_mounted_card_is_never_taken_and_says_where_it_is_mounted(laptop: Drawn) -> None:
    laptop.mount("8:17", "/media/me/MY DISK", "vfat", "/dev/sdb1")
    for again in (False, True):
        assert "is in use: mounted at /media/me/MY DISK; unmount it" in told(laptop, "sdb", again)
    assert "SanDisk Ultra" in told(laptop, "sdb")


def test_swap_on_a_card_is_seen(laptop: Drawn) -> None:
    laptop.swap("/dev/mmcblk0p2")
    assert "is in use: swap on /dev/mmcblk0p2" in told(laptop, "mmcblk0", again=True)


def test_a_swap_file_on_a_mounted_disk_is_seen(laptop: Drawn) -> None:
    laptop.mount("8:17", "/extra", "ext4", "/dev/sdb1")
    laptop.swap("/extra/swap\\040file")
    assert "mounted at /extra; swap on /extra/swap file" in told(laptop, "sdb")


def test_what_is_not_removable_or_large_must_be_named_twice(tmp_path: Path) -> None:
    machine = Drawn(tmp_path / "desk")
    drawn.usb(machine, "sda", 0, 100 * GB, removable="0")
    drawn.usb(machine, "sdb", 16, 512 * GB)
    drawn.usb(machine, "sdc", 32, 1000 * GB, removable="0")
    drawn.card(machine, "mmcblk1", "MMC")
    drawn.usb(machine, "sdd", 48, 256 * GB)
    assert "is not removable; if it is the card all the same, name it twice: --again /dev/sda" in told(machine, "sda")
    assert "has more than 256.0 GB" in told(machine, "sdb") and "not removable" not in told(machine, "sdb")
    assert "is not removable and has more than 256.0 GB" in told(machine, "sdc")
    assert "eMMC, not removable) is not removable" in told(machine, "mmcblk1")
    assert told(machine, "sdd") == ""
    assert not any(told(machine, name, again=True) for name in ("sda", "sdb", "sdc", "mmcblk1"))


def test_the_card_that_a_board_itself_runs_from_is_its_system_disk(tmp_path: Path) -> None:
    machine = Drawn(tmp_path / "board")
    drawn.card(machine)
    machine.mount("179:2", "/", "ext4", "/dev/root")
    machine.mount("179:1", "/boot/firmware", "vfat", "/dev/mmcblk0p1")
    assert "this system runs from (mounted at /, /boot/firmware)" in told(machine, "mmcblk0", again=True)


def test_a_root_that_is_a_file_on_a_slot_is_followed_to_its_card(tmp_path: Path) -> None:
    """The images of this project: a squashfs on a loop device, its file in a slot, /etc an overlay."""
    machine = Drawn(tmp_path / "ours")
    drawn.card(machine)
    machine.block("loop0", "7:0", "virtual", 10**7, loop__backing_file="/boot/root.sqfs")
    machine.mount("7:0", "/", "squashfs", "/dev/loop0")
    machine.mount("179:2", "/boot", "vfat", "/dev/mmcblk0p2")
    assert "this system runs from (mounted at /, /boot)" in told(machine, "mmcblk0")
    assert "a loop device stands on a file" in told(machine, "loop0", again=True)


def test_a_root_as_an_overlay_is_followed_to_the_disks_of_its_folders(tmp_path: Path) -> None:
    machine = Drawn(tmp_path / "live")
    drawn.usb(machine)
    drawn.usb(machine, "sdc", 32)
    machine.mount("8:17", "/run/live/medium", "iso9660", "/dev/sdb1")
    machine.mount("8:33", "/run/keep", "ext4", "/dev/sdc1")
    options = r"rw,lowerdir=/run/live/medium/a:/run/live/medium/b\:c,upperdir=/run/keep/up,workdir=/run/keep/work"
    machine.mount("0:40", "/", "overlay", "overlay", options)
    assert "runs from (mounted at /run/live/medium, /)" in told(machine, "sdb", again=True)
    assert "runs from (mounted at /run/keep, /)" in told(machine, "sdc", again=True)


def test_an_overlay_that_names_itself_ends(tmp_path: Path) -> None:
    machine = Drawn(tmp_path / "loop")
    drawn.usb(machine)
    machine.mount("0:40", "/", "overlay", "overlay", "rw,lowerdir=/,upperdir=/up,workdir=/w")
    assert told(machine, "sdb") == ""


def test_lvm_on_encryption_is_followed_down(tmp_path: Path) -> None:
    machine = Drawn(tmp_path / "office")
    drawn.nvme(machine)
    drawn.usb(machine)
    drawn.made(machine, "dm-0", "253:0", "nvme0n1p3", dm__name="crypt", dm__uuid="CRYPT-LUKS2-1")
    drawn.made(machine, "dm-1", "253:1", "dm-0", dm__name="vg-root", dm__uuid="LVM-abc")
    drawn.made(machine, "dm-2", "253:2", "dm-0", dm__name="vg-swap", dm__uuid="LVM-def")
    machine.link("dev/mapper/vg-root", "dev/dm-1")
    machine.mount("253:1", "/", "ext4", "/dev/mapper/vg-root")
    machine.swap("/dev/dm-2")
    sentence = told(machine, "nvme0n1", again=True)
    assert (
        "runs from (mounted at /; swap on /dev/dm-2; held by dm-0 (CRYPT crypt), dm-1 (LVM vg-root), dm-2" in sentence
    )
    assert "it is made of other disks (dm-0, nvme0n1)" in told(machine, "dm-1", again=True)


def test_an_opened_but_unmounted_encrypted_stick_is_in_use(laptop: Drawn) -> None:
    drawn.made(laptop, "dm-0", "253:0", "sdb1", dm__name="backup", dm__uuid="CRYPT-LUKS1-2")
    assert "is in use: held by dm-0 (CRYPT backup)" in told(laptop, "sdb", again=True)


def test_raid_members_are_in_use(tmp_path: Path) -> None:
    machine = Drawn(tmp_path / "server")
    drawn.usb(machine, "sda", 0)
    drawn.usb(machine, "sdb", 16)
    drawn.made(machine, "md0", "9:0", "sda", "sdb1", md__level="raid1")
    machine.mount("9:0", "/home", "ext4", "/dev/md0")
    for name in ("sda", "sdb"):
        assert "runs from (mounted at /home; held by md0 (raid1))" in told(machine, name, again=True)


def test_every_member_of_a_btrfs_is_in_use(tmp_path: Path) -> None:
    """Its device number belongs to no disk, and its source names one member of several."""
    machine = Drawn(tmp_path / "nas")
    drawn.usb(machine, "sda", 0)
    drawn.usb(machine, "sdb", 16)
    drawn.usb(machine, "sdc", 32)
    for name in ("sda1", "sdb1"):
        machine.write(f"sys/fs/btrfs/1234/devices/{name}", "")
    machine.mount("0:31", "/srv/data", "btrfs", "/dev/sda1", "rw,subvol=/data")
    assert "in use: mounted at /srv/data" in told(machine, "sda")
    assert "in use: mounted at /srv/data" in told(machine, "sdb", again=True)
    assert told(machine, "sdc") == ""


@pytest.mark.parametrize("root", ["/dev/sdb1", "PARTUUID=ab-01", "UUID=1-2"])
def test_the_disk_that_the_kernel_was_told_is_the_system_even_when_nothing_shows_it_mounted(
    laptop: Drawn, root: str
) -> None:
    laptop.write("proc/cmdline", f"console=tty1 root={root} rootwait\n")
    laptop.link("dev/disk/by-partuuid/ab-01", "dev/sdb1")
    laptop.link("dev/disk/by-uuid/1-2", "dev/sdb1")
    assert "runs from (named by root= of the kernel's command line)" in told(laptop, "sdb", again=True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("loop3", "a loop device"),
        ("zram0", "memory of this computer"),
        ("ram1", "memory of this computer"),
        ("sr0", "an optical drive"),
        ("mmcblk0boot0", "a boot or hidden area of an eMMC"),
        ("mtdblock0", "flash memory of this computer"),
        ("nbd0", "of a kind that no card shows up as"),
    ],
)
def test_what_is_no_card_is_never_taken(laptop: Drawn, name: str, words: str) -> None:
    laptop.block(name, "99:0", "virtual", 16 * GB, removable="1")
    assert words in told(laptop, name) and words in told(laptop, name, again=True)
    assert name not in [disk.name for disk in disks.every(laptop)]


def test_an_empty_reader_a_locked_card_and_a_small_card_are_told(tmp_path: Path) -> None:
    machine = Drawn(tmp_path / "desk")
    drawn.usb(machine, "sda", 0)
    drawn.usb(machine, "sdb", 16)
    machine.write(f"{machine.real('sda').relative_to(machine.root.resolve())}/size", "0\n")
    machine.write(f"{machine.real('sdb').relative_to(machine.root.resolve())}/ro", "1\n")
    assert told(machine, "sda", again=True) == "/dev/sda has no card in it"
    assert "is read-only: look at the lock switch" in told(machine, "sdb", again=True)
    machine.write(f"{machine.real('sdb').relative_to(machine.root.resolve())}/ro", "0\n")
    assert "is too small: the image has 17.0 GB" in told(machine, "sdb", again=True, need=17 * GB)


def test_serial_numbers_come_from_the_disk_before_the_plug(laptop: Drawn) -> None:
    where = laptop.real("sdb").relative_to(laptop.root.resolve())
    laptop.write(f"{where}/device/vpd_pg80", b"\x00\x80\x00\x30" + b"  WD-WX11".ljust(48, b"\0"))
    assert disks.read(laptop, "sdb").serial == "WD-WX11"


def test_many_mounts_are_counted(laptop: Drawn) -> None:
    for number in range(9):
        laptop.mount("8:17", f"/media/{number}", "vfat", "/dev/sdb1")
    assert "mounted at /media/0, /media/1, /media/2, /media/3 and 5 more;" in told(laptop, "sdb")


def test_this_machine_itself_is_read() -> None:
    machine = Machine()
    names = {disk.name for disk in disks.every(machine)}
    for disk in machine.under("/"):
        if disk in names:
            assert told(machine, disk, again=True)
    assert all(machine.whole(name) == name for name in names)
