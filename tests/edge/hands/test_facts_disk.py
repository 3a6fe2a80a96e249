"""Mounted file systems."""

from __future__ import annotations

import os
from pathlib import Path

from edge.hands.facts_disk import disks, mounts, share, space, unescaped, without_device
from edge.hands.facts_reader import Reader
from tests.support.fact_boards import nobody_waits

KINDS = "nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\tcgroup2\nnodev\toverlay\nnodev\tnfs4\n\text4\n\tvfat\n"
INFO = r"""22 28 0:21 / /proc rw,relatime shared:5 - proc proc rw
23 28 0:22 / /sys rw - sysfs sysfs rw
28 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw
29 28 179:1 / /boot/firmware rw - vfat /dev/mmcblk0p1 rw,fmask=0022
30 28 0:25 / /run rw - tmpfs tmpfs rw,size=90000k
31 28 0:25 /sub /mnt/again rw - tmpfs tmpfs rw
32 28 8:1 / /media/my\040stick ro,relatime - ext4 /dev/sda1 rw
33 28 0:30 / /net rw - nfs4 server:/x rw
34 28 0:31 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw
35 28 0:32 / /run/user/1000 rw - tmpfs tmpfs rw
36 28 8:2 / /boot/firmware rw - ext4 /dev/sdb2 rw
broken line
37 28 8:3
"""


def test_what_holds_files_is_told_once() -> None:
    nodev = without_device(KINDS)
    assert "ext4" not in nodev and "tmpfs" in nodev
    found = mounts(INFO, nodev)
    assert [row["mounted"] for row in found] == ["/", "/run", "/media/my stick", "/net", "/boot/firmware"]
    assert [row["readonly"] for row in found] == [False, False, True, False, False]
    assert found[-1]["device"] == "/dev/sdb2"  # what lies on top counts
    assert mounts("", frozenset()) == [] and mounts(None, frozenset()) == []


def test_paths_are_unescaped() -> None:
    assert unescaped(r"/a\040b\134c\011d") == "/a b\\c\td"
    assert unescaped(r"/a\9\04") == r"/a\9\04"


def test_sizes_are_those_of_the_kernel(tmp_path: Path) -> None:
    told = os.statvfs(tmp_path)
    found = space(str(tmp_path))
    assert found["bytes"] == told.f_blocks * told.f_frsize
    assert found["used_bytes"] <= found["bytes"]
    assert space(str(tmp_path / "nothing")) == {}
    assert (share(1, 3), share(0, 0), share(3, 3)) == (34, None, 100)


def test_this_machine_tells_its_root() -> None:
    found = disks(Reader(("/proc",)), nobody_waits)
    assert any(row["mounted"] == "/" and row["bytes"] > 0 for row in found["file_systems"])
    assert disks(Reader(("/sys",)), nobody_waits) == {}


def test_what_there_was_no_time_for_is_counted() -> None:
    found = disks(Reader(("/proc",)), lambda: "late")
    assert list(found) == ["not_asked"] and found["not_asked"] > 0
