from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from edge.faults import CardFault, UsageFault
from images import disks, target
from images.target import open_disk, open_file
from tests.support import drawn_machines as drawn


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.img"
    path.write_bytes(b"x")
    return path


def test_a_new_file_is_sparse_and_goes_when_it_is_not_finished(tmp_path: Path, source: Path) -> None:
    path = tmp_path / "card"
    target = open_file(str(path), 1 << 30, source)
    assert target.size == path.stat().st_size == 1 << 30
    assert path.stat().st_blocks * 512 < 1 << 20
    target.close(failed=True)
    assert not path.exists()


def test_a_file_that_was_there_stays_when_it_is_not_finished(tmp_path: Path, source: Path) -> None:
    path = tmp_path / "card"
    path.write_bytes(bytes(8192))
    open_file(str(path), 8192, source).close(failed=True)
    assert path.stat().st_size == 8192


def test_what_was_written_is_read_back_around_the_cache_and_with_odd_lengths(tmp_path: Path, source: Path) -> None:
    target = open_file(str(tmp_path / "card"), 100_000, source)
    data = os.urandom(100_000)
    target.write(0, data)
    target.fresh()
    for offset, count in ((0, 4096), (4096, 65536), (1, 10), (98_304, 4096), (99_990, 10), (0, 100_000)):
        assert target.read(offset, count) == data[offset : offset + count]
    target.write(4096, b"again" * 1000)
    target.fresh()
    assert target.read(4096, 4096) == (b"again" * 1000)[:4096]
    target.close()


def test_a_file_without_room_and_the_image_itself_are_refused(tmp_path: Path, source: Path) -> None:
    small = tmp_path / "small"
    small.write_bytes(b"1234")
    with pytest.raises(UsageFault, match=r"has 4 B, the image has 8\.2 kB"):
        open_file(str(small), 8192, source)
    with pytest.raises(UsageFault, match="is the image itself"):
        open_file(str(source), 1, source)
    with pytest.raises(UsageFault, match="there is no folder"):
        open_file(str(tmp_path / "no/card"), 1, source)


def test_a_file_that_may_not_be_written_is_told(tmp_path: Path, source: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    path = tmp_path / "card"
    path.write_bytes(bytes(4096))
    path.chmod(0o400)
    with pytest.raises(UsageFault, match=r"may not be written by this user.*sudo"):
        open_file(str(path), 4096, source)


def test_a_target_that_is_closed_meanwhile_is_a_sentence(tmp_path: Path, source: Path) -> None:
    target = open_file(str(tmp_path / "card"), 8192, source)
    handle = target.handle
    read_only = os.open(tmp_path / "card", os.O_RDONLY)
    os.dup2(read_only, handle)
    with pytest.raises(CardFault, match=r"failed while writing at byte 4096 \(4\.1 kB\): bad file descriptor"):
        target.write(4096, b"x")
    os.close(read_only)
    target.close()


def test_a_device_that_became_another_is_not_written(tmp_path: Path) -> None:
    """What was judged is a stick; what is opened by its name is something else."""
    machine = drawn.Drawn(tmp_path / "desk")
    drawn.usb(machine)
    disk = disks.check(machine, "sdb", 1, again=False)
    other = tmp_path / "other"
    other.write_bytes(bytes(4096))
    assert not stat.S_ISBLK(other.stat().st_mode)
    with pytest.raises(UsageFault, match="became another device meanwhile"):
        open_disk(machine, disk, str(other))


def test_a_file_that_became_another_meanwhile_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at a name and its opening somebody puts a link, a pipe or another file there."""
    victim, path, source = tmp_path / "victim", tmp_path / "card", tmp_path / "image"
    for file in (victim, source):
        file.write_bytes(b"v" * 8192)
    real = target._same

    def link() -> None:
        path.symlink_to(victim)

    for change in (link, lambda: os.mkfifo(path), lambda: path.write_bytes(b"o" * 8192)):

        def swapped(name: str, judged: os.stat_result, change: Callable[[], object] = change) -> int:
            path.rename(tmp_path / "old")
            change()
            return real(name, judged)

        path.write_bytes(b"c" * 8192)
        monkeypatch.setattr(target, "_same", swapped)
        with pytest.raises(UsageFault, match=r"became another file|could not be opened|too many|loop"):
            target.open_file(str(path), 4096, source)
        path.unlink()
    assert victim.read_bytes() == b"v" * 8192
