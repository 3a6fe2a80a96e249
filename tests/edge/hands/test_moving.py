"""Moving: one rename where it can be, a synced copy to another card, and nothing lost either way."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.call import Root, Scene
from edge.faults import Fault, Refused, ToolFault
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.hands import moving, trash
from edge.hands.world import World
from edge.tape.unkept import Unkept
from tests.support.file_calls import Desk, small_disk
from tests.support.opening import WAYS, hold, swapping


@pytest.fixture()
def desk(tmp_path: Path) -> Desk:
    work = tmp_path / "work"
    (work / "d/e").mkdir(parents=True)
    (work / "d/f").write_text("12345")
    os.chmod(work / "d/f", 0o640)
    (work / "d/link").symlink_to("f")
    (work / "one").write_text("1")
    return Desk(work)


@pytest.fixture()
def other(desk: Desk, tmp_path: Path) -> Iterator[Path]:
    """A second root, on another file system."""
    with small_disk(tmp_path / "other") as disk:
        scene = Scene(str(desk.folder), "", (Root("work", str(desk.folder)), Root("other", str(disk))))
        desk.world = World(scene, Unkept(), lambda: pytest.fail("no board is needed"))
        desk.world.judge = lambda call, effect: decide(call, (effect,), Policy("full"), State(), scene)
        yield disk


def test_a_file_a_link_and_a_folder_get_another_name(desk: Desk) -> None:
    desk.call("file_move", source="one", target="new/place/two")
    desk.call("file_move", source="d/link", target="kept")
    desk.call("file_move", source="d", target="x")
    assert desk.names() == ["kept", "new", "new/place", "new/place/two", "x", "x/e", "x/f"]
    assert os.readlink(desk.folder / "kept") == "f"


def test_nothing_is_replaced_unless_it_was_asked_for(desk: Desk) -> None:
    (desk.folder / "two").write_text("2")
    assert "overwrite=true" in desk.fault("file_move", source="one", target="two")
    assert (desk.folder / "two").read_text() == "2"
    desk.call("file_move", source="one", target="two", overwrite=True)
    assert (desk.folder / "two").read_text() == "1" and not (desk.folder / "one").exists()
    for source, target in (("two", "d"), ("two", "d/e"), ("d", "two")):
        said = desk.fault("file_move", source=source, target=target, overwrite=True)
        assert "nothing was moved" in said and desk.names().count("two") == 1


def test_what_appears_meanwhile_is_not_replaced(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = moving._rename

    def late(*values: object) -> None:
        (desk.folder / "two").write_text("2")
        real(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(moving, "_rename", late)
    assert "appeared meanwhile" in desk.fault("file_move", source="one", target="two")
    assert (desk.folder / "two").read_text() == "2" and (desk.folder / "one").read_text() == "1"


@pytest.mark.parametrize("target", ["d/x", "d/e/x", "d", "d/../d/./y"])
def test_no_folder_goes_into_itself(desk: Desk, target: str) -> None:
    before = desk.names()
    assert "nothing was moved" in desk.fault("file_move", source="d", target=target)
    assert desk.names() == before


@pytest.mark.parametrize("name", [".env", "e/id_ed25519"])
def test_no_secret_is_moved_with_its_folder(desk: Desk, name: str) -> None:
    (desk.folder / "d" / name).write_text("K")
    assert "nothing was moved" in desk.fault("file_move", source="d", target="x")
    assert (desk.folder / "d" / name).exists()


def test_what_would_be_run_by_itself_under_its_new_name_is_not_moved_there(desk: Desk) -> None:
    (desk.folder / "d/hooks").mkdir()
    (desk.folder / "d/hooks/pre-commit").write_text("#!/bin/sh\n")
    for target in ("x.git", ".fieldhand"):
        with pytest.raises((AssertionError, PermissionError), match="run by itself"):
            desk.call("file_move", source="d", target=target)
    assert (desk.folder / "d/hooks/pre-commit").exists() and not (desk.folder / "x.git").exists()


def test_the_words_of_a_file_go_with_it(desk: Desk) -> None:
    from edge.gate import taint
    from edge.registry import find

    effects = find("file_move").effects({"source": "one", "target": "two"}, desk.world.scene)
    top = str(desk.folder)
    assert taint.touched(effects, desk.world.scene, "read") == ((f"{top}/one", True),)
    assert taint.touched(effects, desk.world.scene, "write") == ((f"{top}/one", True), (f"{top}/two", True))


def test_a_root_stays_where_it_is(desk: Desk) -> None:
    assert "the folder that is worked in" in desk.fault("file_move", source=".", target="x")


def test_to_another_card_everything_is_copied_and_then_removed(desk: Desk, other: Path) -> None:
    os.utime(desk.folder / "d/f", (1_000_000_000, 1_000_000_000))
    found = desk.call("file_move", source="d", target=f"{other}/sub/d")
    assert found.data is not None and found.data["copied"]
    assert sorted(path.relative_to(other).as_posix() for path in other.rglob("*")) == [
        *("sub", "sub/d", "sub/d/e", "sub/d/f", "sub/d/link")
    ]
    status = (other / "sub/d/f").stat()
    assert (status.st_mode & 0o7777, status.st_mtime) == (0o640, 1_000_000_000)
    assert os.readlink(other / "sub/d/link") == "f" and desk.names() == ["one"]


def test_a_card_that_is_full_keeps_the_old_and_nothing_of_the_new(desk: Desk, other: Path) -> None:
    (desk.folder / "d/big").write_bytes(b"x" * (400 << 10))
    said = desk.fault("file_move", source="d", target=f"{other}/d")
    assert "no space left" in said and "nothing was changed" in said
    assert os.listdir(other) == [] and (desk.folder / "d/big").exists() and (desk.folder / "d/f").exists()


def test_a_file_of_another_card_is_replaced_whole(desk: Desk, other: Path) -> None:
    (other / "two").write_text("2")
    assert "is there" in desk.fault("file_move", source="one", target=f"{other}/two")
    desk.call("file_move", source="one", target=f"{other}/two", overwrite=True)
    assert (other / "two").read_text() == "1" and os.listdir(other) == ["two"]


def test_what_is_no_file_goes_to_no_other_card(desk: Desk, other: Path) -> None:
    os.mkfifo(desk.folder / "d/fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(desk.folder / "s"))
        for name in ("d", "s"):
            assert "is no file, folder or link" in desk.fault("file_move", source=name, target=f"{other}/x")
    assert os.listdir(other) == [] and (desk.folder / "d/f").exists()


def test_a_tree_too_deep_to_be_copied_is_a_sentence(desk: Desk, other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "_DEEPEST", 3)
    (desk.folder / "d/e/1/2/3").mkdir(parents=True)
    assert "more than 3 folders in each other" in desk.fault("file_move", source="d", target=f"{other}/x")
    assert os.listdir(other) == [] and (desk.folder / "d/e/1/2/3").exists()


def test_what_is_not_there_is_a_sentence(desk: Desk) -> None:
    assert "is not there" in desk.fault("file_move", source="nope", target="x")
    assert desk.names() == ["d", "d/e", "d/f", "d/link", "one"]


CALLS = ("open", "mkdir", "rename", "fsync", "stat", "unlink", "rmdir", "scandir", "listdir", "symlink", "write")


class Failing:
    """Fails one call to the system, the one numbered `at`."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls, self.at = 0, 0
        for name in CALLS:
            patch.setattr(os, name, self._one(getattr(os, name)))
        patch.setattr(moving, "rename_new", self._one(moving.rename_new))
        patch.setattr(trash, "rename_new", self._one(trash.rename_new))

    def _one(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*values: Any, **more: Any) -> Any:
            self.calls += 1
            if self.at and self.calls == self.at:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(*values, **more)

        return call


def everything(folder: Path) -> dict[str, str]:
    """What files hold, by their paths without the places of the trash that are empty."""
    found = {}
    for above, _, names in os.walk(folder):
        for name in names:
            path = Path(above) / name
            found[path.relative_to(folder).as_posix()] = path.read_text() if path.exists() else ""  # a link to nothing
    return found


@pytest.mark.parametrize("act", ["move", "trash", "other"])
def test_a_fault_at_any_call_loses_nothing_and_the_sentence_is_true(
    desk: Desk, act: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    target = f"{request.getfixturevalue('other')}/x" if act == "other" else "n/x"
    failing = Failing(monkeypatch)
    old = everything(desk.folder)
    for at in range(1, 400):
        failing.calls, failing.at, said = 0, at, ""
        try:
            if act == "trash":
                desk.call("file_delete", path="d", recursive=True)
            else:
                desk.call("file_move", source="d", target=target)
        except Fault as fault:
            said = str(fault)
        reached, failing.at = failing.calls >= at, 0
        now = everything(desk.folder)
        if act == "other":
            now.update({f"x/{name}": text for name, text in everything(Path(target)).items()})
        for name, text in old.items():
            assert text in [there for path, there in now.items() if Path(path).name == Path(name).name], (at, said)
        if "nothing was" in said:
            assert now == old, (at, said)
        if not said:
            assert now != old
        if not reached:
            break
        _restore(desk.folder)
    print(f"{act}: {at - 1} calls")
    assert at > 10


def _restore(folder: Path) -> None:
    for path in (folder, folder.parent / "other"):
        for name in os.listdir(path) if path.exists() else ():
            shutil.rmtree(path / name) if (path / name).is_dir() else (path / name).unlink()
    (folder / "d/e").mkdir(parents=True)
    (folder / "d/f").write_text("12345")
    (folder / "d/link").symlink_to("f")
    (folder / "one").write_text("1")


@pytest.mark.parametrize("way", WAYS)
def test_nothing_leaves_the_root_while_folders_are_swapped_for_links(
    desk: Desk, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(way, monkeypatch)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    out = desk.folder.parent / "out"
    out.mkdir()
    (out / "f").write_text("K")
    (desk.folder / "swap").symlink_to("../out")
    rounds = 2000 if os.environ.get("FIELDHAND_SOAK") == "1" else 100
    with swapping(desk.folder / "d", desk.folder / "swap"):
        for number in range(rounds):
            source, target = (("one", "d/new"), ("d/new", "one"), ("d/f", "got"), ("got", "d/f"))[number % 4]
            try:
                desk.call("file_move", source=source, target=target)
            except (ToolFault, Refused):
                continue
    assert os.listdir(out) == ["f"] and (out / "f").read_text() == "K"
    assert "K" not in [text for name, text in everything(desk.folder).items() if not name.startswith("swap")]


@pytest.mark.parametrize("below", [True, False])
def test_a_second_name_of_what_the_agent_keeps_is_neither_moved_nor_deleted(tmp_path: Path, below: bool) -> None:
    state, work = tmp_path / "state", tmp_path / "w"
    (state / "tapes" / "old").mkdir(parents=True)
    (work / "d").mkdir(parents=True)
    (state / "tapes" / "old" / "t").write_text("what was said")
    os.link(state / "tapes" / "old" / "t", work / "d" / "name")
    (work / "d" / "one").write_text("1")
    os.link(work / "d" / "one", work / "d" / "two")
    desk, path = Desk(work, state=str(state)), "d" if below else "d/name"
    with small_disk(work / "m"):
        for target in ("other", "m/other"):
            assert "agent's own" in desk.fault("file_move", source=path, target=target)
        for forever in (False, True):
            assert "agent's own" in desk.fault("file_delete", path=path, recursive=True, forever=forever)
        assert desk.names() == ["d", "d/name", "d/one", "d/two", "m"]
        desk.call("file_move", source="d/one", target="m/one")
        assert desk.names() == ["d", "d/name", "d/two", "m", "m/one"]


def test_a_process_that_is_killed_while_it_copies_a_file_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    work = tmp_path / "w"
    work.mkdir()
    (work / "f").write_bytes(b"x" * 100_000)
    with small_disk(work / "m") as disk:
        desk = Desk(work)
        child = os.fork()
        if not child:
            os.fsync = lambda descriptor: os.kill(os.getpid(), 9)  # type: ignore[assignment]
            try:
                desk.call("file_move", source="f", target="m/f")
            finally:
                os._exit(0)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == 9
        assert os.listdir(disk) == [] and (work / "f").read_bytes() == b"x" * 100_000
