"""How the way of opening is chosen, and what the system calls behind it do."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from edge.faults import Refused
from edge.gate.paths import place
from edge.hands import guard
from edge.hands import open as opening
from tests.support.opening import HERE, hand, world

ROOT = Path(__file__).resolve().parents[3]

# A seccomp filter that refuses openat2 with the errno in argv[2]; linux/filter.h, linux/seccomp.h.
FILTERED = """
import ctypes, os, struct, sys
sys.path.insert(0, sys.argv[1])
rows = [(0x20, 0, 0, 0), (0x15, 0, 1, 437), (0x06, 0, 0, 0x00050000 | int(sys.argv[2])), (0x06, 0, 0, 0x7FFF0000)]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("rows", ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(Filter(4, ctypes.addressof(program))), 0, 0):
    print("no filters here"); sys.exit()
from pathlib import Path
from edge.faults import ToolFault
from edge.hands import open as opening
from tests.support.opening import hand, world
here = world(Path(sys.argv[3]))
print(opening.way(), hand(here, "read", "ok").read("ok", 1, 9)["text"], hand(here, "write", "new").write("new", b"x"))
try:
    hand(here, "read", "in").read("in", 1, 9)
except ToolFault as fault:
    print(fault)
"""


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EPERM, errno.EACCES])
def test_where_openat2_is_refused_the_walk_takes_its_place(tmp_path: Path, code: int) -> None:
    (tmp_path / "ok").write_text("fine")
    (tmp_path / "in").symlink_to("ok")
    done = subprocess.run(
        [sys.executable, "-c", FILTERED, str(ROOT), str(code), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "no filters here" in done.stdout:
        pytest.skip("no seccomp filter can be set here")
    assert done.stdout.startswith("walk fine 1\n"), done.stdout + done.stderr
    assert "'in' is a link to 'ok', and links are not followed; ask for what it points to" in done.stdout


def test_the_choice_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = opening.openat2
    monkeypatch.setattr(opening, "_way", "")
    monkeypatch.setattr(opening, "openat2", lambda *values: asked.append(values) or real(*values))
    assert opening.way() == opening.way() == HERE
    assert len(asked) == 1


def test_a_nul_is_refused_before_the_system_call(tmp_path: Path) -> None:
    (tmp_path / "ok").write_text("fine")
    folder = os.open(tmp_path, os.O_PATH)
    try:
        with pytest.raises(OSError) as caught:
            opening.openat2(folder, "ok\0.txt", os.O_PATH, 0)
        assert caught.value.errno == errno.EINVAL
    finally:
        os.close(folder)


def test_a_race_that_goes_on_is_given_up_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ok").write_text("fine")
    here = world(tmp_path)

    def again(*values: object) -> int:
        raise OSError(errno.EAGAIN, "again")

    monkeypatch.setattr(opening, "_way", "openat2")
    monkeypatch.setattr(opening, "openat2", again)
    with pytest.raises(opening.ToolFault, match="changes all the time"):
        hand(here, "read", "ok").read("ok", 1, 9)


def test_a_new_name_is_given_only_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(FileExistsError):
            opening.rename_new(folder, "a", "b")
        opening.rename_new(folder, "a", "c")
    finally:
        os.close(folder)
    assert sorted(os.listdir(tmp_path)) == ["b", "c"] and (tmp_path / "b").read_text() == "b"


def test_below_is_by_parts_and_says_when_something_left(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w2").mkdir()
    root, other = os.open(tmp_path / "w", os.O_PATH), os.open(tmp_path / "w2", os.O_PATH)
    try:
        assert opening.below(root, root) == "."
        with pytest.raises(opening.Moved):
            opening.below(root, other)
        os.rename(tmp_path / "w2", tmp_path / "w" / "in")
        assert opening.below(root, other) == "in"
    finally:
        os.close(root)
        os.close(other)


def test_the_mount_of_a_descriptor_is_told(tmp_path: Path) -> None:
    here, kernel = os.open(tmp_path, os.O_PATH), os.open("/proc", os.O_PATH)
    try:
        assert opening.mount(here) > 0 and opening.mount(kernel) > 0
        assert opening.mount(here) != opening.mount(kernel)
    finally:
        os.close(here)
        os.close(kernel)
    assert opening.mount(here) == -1


def test_a_short_name_that_only_fat_knows_is_refused(tmp_path: Path) -> None:
    """What a FAT driver opens by a name that its folder does not list; here the folder just does not have it."""
    (tmp_path / "a~1").write_text("listed")
    here = world(tmp_path)
    assert hand(here, "read", "a~1").read("a~1", 1, 9)["text"] == "listed"
    root = os.open(tmp_path, os.O_RDONLY)
    try:
        found = guard.of(here.scene, place("x", here.scene), "x", root)
        found.name(root, "A~1")
        found.name(root, "other")
        with pytest.raises(Refused, match="short name") as caught:
            found.name(root, "USERCO~1.TXT")
        assert caught.value.rule == "hands.short-name"
    finally:
        os.close(root)
