"""The hand on files against real folders: links, FIFOs, devices, windows, atomic replacing."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit, Root, Scene
from edge.faults import Refused, ToolFault
from edge.gate import paths
from edge.gate.decide import decide
from edge.gate.paths import place
from edge.gate.policy import Policy, State
from edge.hands import Hands, guard
from edge.hands.files import Files
from edge.hands.world import World
from edge.tape.unkept import Unkept
from tests.support import descriptors


def files(folder: Path, verb: str, path: str, limit: int = 8192, **more: Any) -> Files:
    """The hand of a call whose permit holds exactly `verb` on `path`; `more` are further fields of the scene."""
    scene = Scene(str(folder), "", (Root("work", str(folder)),), **more)
    spot = place(path, scene)
    permit = Permit("c1", (Grant(verb, spot.root, spot.path),), bytes=limit)
    world = World(scene, Unkept(), lambda: pytest.fail("no board is needed"))
    world.judge = lambda call, effect: decide(call, (effect,), Policy("guarded"), State(), scene)
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
    with pytest.raises(ToolFault, match=r"a link to .*outside"):
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


def test_names_as_long_as_the_card_allows_are_written(tree: Path) -> None:
    for name in ("n" * 255, "ä" * 127, "日" * 85):
        assert write(tree, name, b"x") == 1 and (tree / name).read_bytes() == b"x"
        assert write(tree, name, b"yy") == 2


def test_set_id_and_sticky_bits_do_not_survive_a_write(tree: Path) -> None:
    os.chmod(tree / "ok", 0o7755)
    write(tree, "ok", b"#!/bin/sh")
    assert (tree / "ok").stat().st_mode & 0o7777 == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_the_owner_and_the_group_of_a_replaced_file_stay(tree: Path) -> None:
    os.chown(tree / "ok", 1234, 4321)
    write(tree, "ok", b"new")
    status = (tree / "ok").stat()
    assert (status.st_uid, status.st_gid) == (1234, 4321)


def refusing(real: Any, owner: bool) -> Any:
    """A system that refuses to change owners, or groups only."""

    def fchown(descriptor: int, uid: int, gid: int) -> None:
        if (uid != -1) is owner:
            raise PermissionError(1, "Operation not permitted")
        real(descriptor, uid, gid)

    return fchown


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_whose_owner_cannot_be_kept_is_not_replaced(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(tree / "ok", 1234, -1)
    monkeypatch.setattr(os, "fchown", refusing(os.fchown, owner=True))
    with pytest.raises(ToolFault, match="belongs to another user"):
        write(tree, "ok", b"new")
    assert (tree / "ok").read_text() == "fine\n" and (tree / "ok").stat().st_uid == 1234
    assert [name for name in os.listdir(tree) if name.endswith(".tmp")] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_group_that_cannot_be_kept_takes_its_permissions_with_it(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(tree / "ok", -1, 4321)
    os.chmod(tree / "ok", 0o660)
    monkeypatch.setattr(os, "fchown", refusing(os.fchown, owner=False))
    write(tree, "ok", b"new")
    assert (tree / "ok").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("path", ["a\nb", "a\x1b[2J", "a\u202eb", "a\u2028b", "\ud800", "a/" * 2100 + "x"], ids=ascii)
def test_paths_with_what_cannot_be_seen_are_refused_by_the_hand_too(tree: Path, path: str) -> None:
    for attempt in (lambda: read(tree, path), lambda: write(tree, path, b"x")):
        with pytest.raises(ToolFault, match="what is not seen"):
            attempt()


def test_a_listing_shows_odd_names_escaped_and_one_name_a_line(tree: Path) -> None:
    (tree / "d" / "a\nb").write_text("")
    (tree / "d" / "c\u202ed").write_text("")
    assert read(tree, "d")["entries"] == [r"a\nb", r"c\u202ed", "f"]


@pytest.mark.parametrize("instead", ["link", "folder"])
def test_what_is_put_in_the_place_of_the_workspace_has_no_effect(tree: Path, instead: str) -> None:
    reading, writing = files(tree, "read", "ok"), files(tree, "write", "new")
    moved = tree.rename(tree.parent / "moved")
    if instead == "link":
        tree.symlink_to(tree.parent / "outside")
    else:
        shutil.copytree(tree.parent / "outside", tree)
        (tree / "ok").write_text("another\n")
    assert reading.read("ok", 1, 9)["text"] == "fine"
    writing.write("new", b"x")
    assert (moved / "new").exists() and not (tree / "new").exists()


def test_a_workspace_that_cannot_be_opened_is_a_sentence(tree: Path) -> None:
    with pytest.raises(ToolFault, match="gone could not be opened at the start: no such file"):
        files(tree / "gone", "read", "ok").read("ok", 1, 9)


def test_closing_the_world_gives_the_descriptors_back(tree: Path) -> None:
    scene = Scene(str(tree), "", (Root("work", str(tree)),))
    before = descriptors.count()
    world = World(scene, Unkept(), lambda: pytest.fail("no board is needed"))
    assert descriptors.count() == before + 1
    world.close()
    world.close()
    assert descriptors.count() == before


@pytest.mark.parametrize("inner", ["", "/tapes"])
def test_the_state_folder_is_known_by_what_it_is_and_not_by_its_name(tree: Path, inner: str) -> None:
    """As a mount shows it at a second place: the scene knows another spelling of the same folder."""
    (tree / "d" / "tapes").mkdir()
    (tree / "d" / "tapes" / "t").write_text("said")
    (tree.parent / "state").mkdir()
    spelled = tree.parent / "state" / "x"
    if inner:
        spelled.mkdir()
        (spelled / "tapes").symlink_to(tree / "d" / "tapes")
    else:
        spelled.symlink_to(tree / "d")
    for path in ("d/tapes/t", "d/tapes"):
        with pytest.raises(Refused, match="own state") as caught:
            files(tree, "read", path, state=str(spelled)).read(path, 1, 9)
        assert caught.value.rule == "hands.own"
    with pytest.raises(Refused):
        files(tree, "write", "d/tapes/t", state=str(spelled)).write("d/tapes/t", b"x")
    assert (tree / "d" / "tapes" / "t").read_text() == "said"
    assert files(tree, "read", "ok", state=str(spelled)).read("ok", 1, 9)["text"] == "fine"


def test_keys_are_never_read_and_settings_never_written_under_any_name(tree: Path) -> None:
    spelled = tree.parent / "other"
    spelled.symlink_to(tree / "ok")
    with pytest.raises(Refused):
        files(tree, "read", "ok", own=(str(spelled),)).read("ok", 1, 9)
    with pytest.raises(Refused):
        files(tree, "write", "ok", settings=(str(spelled),)).write("ok", b"x")
    assert files(tree, "read", "ok", settings=(str(spelled),)).read("ok", 1, 9)["text"] == "fine"


@pytest.fixture()
def readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that counts as a readable place of the system, with one of logs."""
    os.chmod(tmp_path, 0o755)
    for parent in (tmp_path.parent, tmp_path.parent.parent):
        os.chmod(parent, parent.stat().st_mode | 0o055)
    place_ = tmp_path / "etc"
    (place_ / "log").mkdir(parents=True)
    monkeypatch.setattr(paths, "READABLE", (str(place_),))
    monkeypatch.setattr(guard, "LOGS", (str(place_ / "log"),))
    return place_


def put(path: Path, mode: int) -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text("content")
    os.chmod(path, mode)
    return str(path)


def test_what_others_may_not_read_in_a_readable_place_is_private(readable: Path) -> None:
    work = readable.parent / "work"
    work.mkdir()
    public = put(readable / "public", 0o644)
    assert files(work, "read", public).read(public, 1, 9)["text"] == "content"
    hidden = put(readable / "closed" / "public", 0o644)
    os.chmod(readable / "closed", 0o750)
    private = [put(readable / "a", 0o600), put(readable / "b", 0o640), hidden, str(readable / "closed")]
    for path in [*private, put(readable / "log" / "secure", 0o600)]:
        with pytest.raises(Refused, match="is private") as caught:
            files(work, "read", path).read(path, 1, 9)
        assert caught.value.rule == "read.secret" and "into the workspace" in str(caught.value)


def test_logs_that_their_group_reads_are_readable(readable: Path) -> None:
    log = put(readable / "log" / "syslog", 0o640)
    assert files(readable.parent, "read", log).read(log, 1, 9)["text"] == "content"


def test_a_private_file_that_was_judged_as_secret_and_granted_is_read(readable: Path) -> None:
    (readable.parent / "work").mkdir()
    key = put(readable / "server.key", 0o600)
    assert files(readable.parent / "work", "read", key).read(key, 1, 9)["text"] == "content"


def test_private_files_of_the_workspace_are_its_own_business(tree: Path) -> None:
    os.chmod(tree / "ok", 0o600)
    assert read(tree, "ok")["text"] == "fine"


def test_a_missing_folder_is_a_sentence(tree: Path) -> None:
    with pytest.raises(ToolFault, match="'nowhere': no such file"):
        write(tree, "nowhere/x", b"x")


def test_a_write_into_a_missing_folder_says_what_to_make_and_a_missing_file_is_named_once(tree: Path) -> None:
    with pytest.raises(ToolFault) as caught:
        write(tree, "a/b/c.md", b"x")
    assert str(caught.value) == (
        "a/b/c.md cannot be opened: 'a': no such file or directory "
        "(nothing was changed; make the folder first: mkdir -p)"
    )
    with pytest.raises(ToolFault) as caught:
        read(tree, "nope.md")
    assert str(caught.value) == "nope.md cannot be opened: no such file or directory"
    with pytest.raises(ToolFault) as caught:
        read(tree, "a/nope.md")
    assert str(caught.value) == "a/nope.md cannot be opened: 'a': no such file or directory"
