"""From a permit to the plan of a wall."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.call import Grant, Permit, Root, Scene
from edge.faults import Refused
from edge.hands.wall import mask
from edge.hands.wall.plan import changes, plan, wants_temporary
from edge.hands.world import World
from edge.record import replace
from edge.tape.unkept import Unkept
from tests.support.one_call import world

READ = (Grant("run", "shell", "sh"), Grant("read", "work", ".", True))
WRITE = (*READ, Grant("write", "work", ".", True))


def permit(*grants: Grant, barred: tuple[str, ...] = ()) -> Permit:
    return Permit("c1", grants, barred, 20.0, 8192)


def test_a_call_that_only_reads_has_no_writes_and_keeps_the_user(tmp_path: Path) -> None:
    made, said = plan(permit(*READ), world(tmp_path), "seccomp")
    assert made.writes == () and not made.alone and said == ()
    assert str(tmp_path) in made.reads and {"/usr", "/etc", "/proc", "/bin", "/lib"} <= set(made.reads)
    assert made.lists == ("/dev",)
    assert made.cwd == str(tmp_path) and made.sockets == () and made.capabilities == ()
    assert not changes(permit(*READ))
    assert "/home" not in made.reads and "/tmp" not in made.reads and "/" not in made.reads


def test_a_call_that_writes_may_have_a_user_of_its_own_and_a_temporary_folder(tmp_path: Path) -> None:
    made, _ = plan(permit(*WRITE), world(tmp_path), "landlock", "/tmp/mine")
    assert made.writes == (str(tmp_path), "/tmp/mine") and made.alone
    assert dict(made.environment)["TMPDIR"] == "/tmp/mine"
    assert changes(permit(*WRITE))


def test_needs_become_paths_devices_sockets_and_capabilities(tmp_path: Path) -> None:
    needs = (
        Grant("read", "system", "run/udev", True),
        Grant("write", "system", "dev/vcio"),
        Grant("call", "socket", "netlink"),
        Grant("call", "socket", "unix"),
        Grant("call", "capability", "syslog"),
    )
    made, _ = plan(permit(*READ, *needs), world(tmp_path), "seccomp")
    assert "/run/udev" in made.reads and made.writes == ("/dev/vcio",) and not made.alone
    assert made.sockets == ("netlink", "unix") and made.capabilities == ("syslog",)
    assert not changes(permit(*READ, *needs)) and wants_temporary(permit(*READ, *needs))
    assert not wants_temporary(permit(*READ, Grant("read", "system", "var/log", True))) and wants_temporary(
        permit(*WRITE)
    )


def test_a_folder_that_is_not_deep_is_listed_only(tmp_path: Path) -> None:
    made, _ = plan(
        permit(*READ, Grant("read", "system", "var"), Grant("list", "system", "opt", True)), world(tmp_path), "off"
    )
    assert {"/var", "/opt"} <= set(made.lists) and "/var" not in made.reads


def test_what_is_barred_and_what_names_a_key_is_hidden(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/.env").write_text("x")
    (tmp_path / "state").mkdir()
    barred = (str(tmp_path / "state"),)
    made, said = plan(permit(*WRITE, barred=barred), world(tmp_path), "landlock")
    assert {str(tmp_path / "a/.env"), str(tmp_path / "state")} <= set(made.hidden) and made.masked == ()
    assert len(said) == 2 and said[0] == f"kept closed: {tmp_path}/state, {tmp_path}/a/.env"
    assert f"nothing right in {tmp_path}, {tmp_path}/a," in said[1] and f"out of {tmp_path} " in said[1]
    assert plan(permit(*READ, barred=barred), world(tmp_path), "landlock")[1] == ()
    assert not os.path.exists("/etc/shadow") or "/etc/shadow" in made.hidden


def test_what_a_mount_can_cover_leaves_its_folder_open(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/.env").write_text("x")
    (tmp_path / "token").symlink_to("a/.env")
    absent = str(tmp_path / "later/settings")
    made, said = plan(permit(*WRITE), world(tmp_path), "namespaces")
    assert len(said) == 1 and said[0].startswith("kept closed: ")
    (tmp_path / "token").unlink()
    made, said = plan(permit(*WRITE), world(tmp_path), "landlock", own=True)
    assert made.masked == (str(tmp_path / "a/.env"),) and said == (f"kept closed: {tmp_path}/a/.env",)
    made, said = plan(permit(*WRITE, barred=(absent,)), world(tmp_path), "landlock", own=True)
    assert set(made.masked) == {str(tmp_path / "a/.env"), str(tmp_path / "later")} and len(said) == 1
    assert made.standing == (str(tmp_path / "later"),) and (tmp_path / "later").is_dir()
    again, _ = plan(permit(*WRITE, barred=(absent,)), world(tmp_path), "namespaces")
    assert again.standing == made.standing and set(made.standing) <= set(again.hidden)
    mask.let_go(made.standing)
    assert (tmp_path / "later").is_dir(), "another call needs it"
    mask.let_go(again.standing)
    assert not (tmp_path / "later").exists()
    made, said = plan(permit(*WRITE, barred=(absent,)), world(tmp_path), "landlock")
    assert made.standing == () and f"because of {absent}" in said[1] and not (tmp_path / "later").exists()
    assert plan(permit(*READ), world(tmp_path), "landlock", own=True)[0].masked == ()
    for level in ("seccomp", "off"):
        assert plan(permit(*WRITE, barred=(absent,)), world(tmp_path), level)[1] == (), "there it is not closed"


def test_a_key_that_was_granted_by_name_is_open_and_a_barred_thing_never(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("x")
    (tmp_path / "state").mkdir()
    (tmp_path / "state/audit").write_text("x")
    barred = (str(tmp_path / "state"),)
    asked = (Grant("read", "work", ".env"), Grant("read", "work", "state/audit"))
    made, _ = plan(permit(*READ, *asked, barred=barred), world(tmp_path), "seccomp")
    assert str(tmp_path / ".env") in made.reads and str(tmp_path / ".env") not in made.hidden
    assert str(tmp_path / "state/audit") not in made.reads and str(tmp_path / "state") in made.hidden


def test_a_root_that_is_another_folder_now_is_refused(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    here = world(work)
    plan(permit(*READ), here, "seccomp")
    work.rename(tmp_path / "old")
    with pytest.raises(Refused, match="no longer") as caught:
        plan(permit(*READ), here, "seccomp")
    assert caught.value.rule == "wall.moved"
    work.mkdir()
    with pytest.raises(Refused, match="no longer the folder"):
        plan(permit(*READ), here, "seccomp")
    work.rmdir()
    work.symlink_to(tmp_path / "old")
    with pytest.raises(Refused, match="no longer the folder"):
        plan(permit(*READ), here, "seccomp")


def test_several_roots_and_a_cwd_outside_of_them(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()

    def no_board() -> object:
        raise AssertionError("no board is needed")

    scene = Scene(str(tmp_path), "", (Root("one", str(one)), Root("two", str(two))))
    here = World(scene, Unkept(), no_board)  # type: ignore[arg-type]
    grants = (Grant("run", "shell", "sh"), Grant("read", "one", ".", True), Grant("write", "two", ".", True))
    made, _ = plan(permit(*grants), here, "off")
    assert str(one) in made.reads and made.writes == (str(two),) and made.cwd == "/"
    here.scene = replace(scene, cwd=str(two))
    assert plan(permit(*grants), here, "off")[0].cwd == str(two)


def test_processor_time_is_that_of_all_processors(tmp_path: Path) -> None:
    made, _ = plan(permit(*READ), world(tmp_path), "off")
    assert made.limits.cpu >= 20 * (os.cpu_count() or 1)
    assert made.limits.memory == made.limits.file_size == 4 << 30
