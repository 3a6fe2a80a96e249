"""The hand on files against real folders: links, FIFOs, devices, windows, atomic replacing."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from edge.call import Call, Grant, Permit, Root, Scene
from edge.faults import Refused, ToolFault
from edge.gate.paths import place
from edge.hands import Hands
from edge.hands.files import Files
from edge.hands.world import World
from edge.tape.unkept import Unkept


def files(folder: Path, verb: str, path: str, limit: int = 8192) -> Files:
    """The hand of a call whose permit holds exactly `verb` on `path`."""
    scene = Scene(str(folder), "", (Root("work", str(folder)),))
    spot = place(path.replace("\0", ""), scene)
    permit = Permit("c1", (Grant(verb, spot.root, spot.path),), bytes=limit)
    world = World(scene, Unkept(), lambda: pytest.fail("no board is needed"))
    return Hands(permit, Call("file_read", {}, "c1"), world).files


def read(folder: Path, path: str, first: int = 1, lines: int = 200, limit: int = 8192) -> dict[str, object]:
    return dict(files(folder, "read", path, limit).read(path, first, lines))


def write(folder: Path, path: str, content: bytes) -> int:
    return files(folder, "write", path).write(path, content)


@pytest.fixture()
def tree(tmp_path: Path) -> Path:
    """A workspace with every kind of thing in it, and a secret outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("SECRET")
    work = tmp_path / "work"
    (work / "d").mkdir(parents=True)
    (work / "ok").write_text("fine\n")
    (work / "d" / "f").write_text("deep\n")
    (work / "in").symlink_to("ok")
    (work / "out").symlink_to(outside / "secret")
    (work / "outrel").symlink_to("../outside/secret")
    (work / "outdir").symlink_to(outside)
    (work / "root").symlink_to("/proc/self/root")
    (work / "loop").symlink_to("loop")
    (work / "stdin").symlink_to("/dev/stdin")
    os.link(outside / "secret", work / "hard")
    os.mkfifo(work / "fifo")
    return work


@pytest.mark.parametrize("path", ["ok", "./ok", "d/../ok"])
def test_plain_paths_are_read(tree: Path, path: str) -> None:
    assert read(tree, path)["text"] == "fine"


@pytest.mark.parametrize("path", ["d/f", "d//f", "./d/./f"])
def test_deeper_paths_are_read(tree: Path, path: str) -> None:
    assert read(tree, path)["text"] == "deep"


@pytest.mark.parametrize("path", ["in", "out", "outrel", "outdir/secret", "root/etc/hostname", "loop", "stdin"])
def test_links_are_refused_and_the_sentence_says_where_they_point(tree: Path, path: str) -> None:
    with pytest.raises(ToolFault, match=r"is a link to .* links are not followed"):
        read(tree, path)


@pytest.mark.parametrize("path", ["fifo", "ok/"])
def test_what_is_no_regular_file_gives_a_sentence_at_once(tree: Path, path: str) -> None:
    with pytest.raises(ToolFault, match="no regular file"):
        read(tree, path)


def test_a_socket_gives_a_sentence(tree: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tree / "sock"))
    with pytest.raises(ToolFault, match="sock"):
        read(tree, "sock")
    listener.close()


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/tty"])
def test_devices_are_not_read(tree: Path, path: str) -> None:
    with pytest.raises(ToolFault):
        read(tree, path)


def test_a_name_with_percent_signs_is_literal_and_a_nul_is_refused(tree: Path) -> None:
    with pytest.raises(ToolFault, match="no such file"):
        read(tree, "%2e%2e/secret")
    with pytest.raises(ToolFault, match="NUL"):
        read(tree, "ok\0.txt")


def test_nothing_outside_the_grant_is_touched(tree: Path) -> None:
    with pytest.raises(Refused, match="holds no read") as caught:
        files(tree, "read", "ok").read("d/f", 1, 10)
    assert caught.value.rule == "hands.no-grant"
    with pytest.raises(Refused):
        files(tree, "read", "ok").write("ok", b"x")
    with pytest.raises(Refused):
        files(tree, "read", "ok").read("../outside/secret", 1, 10)


def test_windows_count_from_one_and_say_that_there_is_more(tree: Path) -> None:
    (tree / "log").write_text("".join(f"line {n}\n" for n in range(1, 101)))
    found = read(tree, "log", 10, 3)
    assert (found["text"], found["first"], found["lines"], found["more"]) == ("line 10\nline 11\nline 12", 10, 3, True)
    assert read(tree, "log", 99, 10)["more"] is False
    assert read(tree, "log", 500, 10)["text"] == ""


def test_the_permit_bounds_what_comes_back(tree: Path) -> None:
    (tree / "big").write_text("x" * 99 + "\n" * 1 + ("y" * 99 + "\n") * 1000)
    found = read(tree, "big", 1, 2000, limit=1000)
    assert len(str(found["text"])) <= 1100 and found["more"] is True


def test_one_endless_line_is_cut_and_said(tree: Path) -> None:
    (tree / "line").write_bytes(b"a" * 1_000_000 + b"\nnext\n")
    found = read(tree, "line", 1, 5)
    assert str(found["text"]).split("\n")[0].endswith("[line cut]") and len(str(found["text"])) < 6000
    assert str(found["text"]).split("\n")[1] == "next"


def test_a_huge_sparse_file_does_not_hang(tree: Path) -> None:
    with open(tree / "sparse", "wb") as file:
        file.truncate(1 << 40)
    assert "reading stopped" in str(read(tree, "sparse", 1, 5)["text"])


def test_bytes_that_are_no_text_come_back_replaced(tree: Path) -> None:
    (tree / "raw").write_bytes(b"a\xff\xfeb\r\nc")
    assert read(tree, "raw")["text"] == "a\ufffd\ufffdb\nc"


def test_a_folder_gives_sorted_entries_with_slashes(tree: Path) -> None:
    entries = read(tree, ".")["entries"]
    assert isinstance(entries, list) and "d/" in entries and "ok" in entries and entries == sorted(entries)


def test_a_write_creates_and_replaces_and_keeps_the_mode(tree: Path) -> None:
    assert write(tree, "new", b"one") == 3 and (tree / "new").read_bytes() == b"one"
    os.chmod(tree / "new", 0o640)
    write(tree, "new", b"two")
    assert (tree / "new").read_bytes() == b"two" and (tree / "new").stat().st_mode & 0o777 == 0o640
    assert sorted(name for name in os.listdir(tree) if name.endswith(".tmp")) == []


@pytest.mark.parametrize(
    ("path", "why"),
    [("out", "no regular file"), ("fifo", "no regular file"), ("d", "no regular file"), ("hard", "hard link")],
)
def test_writes_through_links_and_onto_other_things_are_refused(tree: Path, path: str, why: str) -> None:
    with pytest.raises(ToolFault, match=why):
        write(tree, path, b"x")
    assert (tree.parent / "outside" / "secret").read_text() == "SECRET"


def test_a_folder_that_is_a_link_is_not_written_into(tree: Path) -> None:
    with pytest.raises(ToolFault, match="links are not followed"):
        write(tree, "outdir/new", b"x")
    assert not (tree.parent / "outside" / "new").exists()


def test_a_failed_write_leaves_the_old_content_and_no_temp_file(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ToolFault, match="no space left"):
        write(tree, "ok", b"new")
    monkeypatch.undo()
    assert (tree / "ok").read_text() == "fine\n"
    assert [name for name in os.listdir(tree) if name.endswith(".tmp")] == []


def test_a_missing_folder_is_a_sentence(tree: Path) -> None:
    with pytest.raises(ToolFault, match="'nowhere': no such file"):
        write(tree, "nowhere/x", b"x")
