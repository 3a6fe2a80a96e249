"""A board's data go out while an agent writes them and come back whole or not at all."""

from __future__ import annotations

import fcntl
import io
import json
import os
import random
import tarfile
from pathlib import Path
from typing import Any

import pytest

from edge.card import archive, provision_plan, restore
from edge.card.archive import backup
from edge.card.restore import Home, unpack
from edge.faults import CardFault

ABOUT: dict[str, object] = {"schema": 1, "version": "1.0"}
ROUNDS = 600 if os.environ.get("FIELDHAND_SOAK") == "1" else 60


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """/data of a board that worked a while."""
    data = tmp_path / "data"
    for name in ("config", "etc", "state/tapes", "state/audit", "work/sub"):
        (data / name).mkdir(parents=True)
    (data / "config/config.toml").write_text('model = "offline"\n')
    (data / "config/api.key").write_text("secret\n")
    os.chmod(data / "config/api.key", 0o600)
    (data / "etc/hostname").write_text("north\n")
    (data / "state/audit.key").write_bytes(b"k" * 4416)
    (data / "state/tapes/t.jsonl").write_text('{"seq":1}\n{"seq":2}\n{"se')
    (data / "state/audit/ballast").write_bytes(bytes(1000))
    (data / ("work/sub/" + "long" * 60)).write_text("x")
    (data / "work/\udcff\u00e9.txt").write_bytes(b"odd")
    (data / "work/link").symlink_to("/etc/passwd")
    os.mkfifo(data / "work/pipe")
    return data


def parts(data: Path) -> dict[str, str]:
    return {name: str(data / name) for name in archive.PARTS}


def packed(data: Path) -> tuple[bytes, archive.Kept]:
    out = io.BytesIO()
    kept = backup(out, parts(data), ABOUT)
    return out.getvalue(), kept


def tree(data: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for folder, _, names in os.walk(data):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, data)] = (os.stat(path).st_mode & 0o777, file.read())
    return found


def back(tar: bytes, data: Path, schema: int = 1) -> archive.Kept:
    return unpack(io.BytesIO(tar).read, Home(str(data)), schema)


def finish(data: str) -> bool:
    return restore.finish(Home(data))


def test_all_is_on_the_card_before_the_mark_says_that_it_is_ready(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").mkdir()
    aside, synced, real = tmp_path / "new/restore.new", set[str](), os.fsync

    def fsync(fd: int) -> None:
        if not (aside / restore.MARK).exists():
            synced.add(os.readlink(f"/proc/self/fd/{fd}"))
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    tar, _ = packed(home)
    back(tar, tmp_path / "new")
    found = {os.path.join(folder, name) for folder, inner, names in os.walk(aside) for name in (*inner, *names)}
    assert len(found) > 8 and found - {str(aside / restore.MARK)} <= synced


def test_a_secret_is_closed_to_others_while_it_is_written(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").mkdir()
    seen, real = [], os.write

    def write(fd: int, data: bytes) -> int:
        if bytes(data) == b"secret\n":
            seen.append(os.fstat(fd).st_mode & 0o077)
        return real(fd, data)

    tar, _ = packed(home)
    monkeypatch.setattr(os, "write", write)
    before = os.umask(0)
    try:
        back(tar, tmp_path / "new")
    finally:
        os.umask(before)
    assert seen == [0]


def test_what_went_out_comes_back_with_its_modes(home: Path, tmp_path: Path) -> None:
    tar, kept = packed(home)
    assert set(kept.left_out) == {"work/link: no file and no folder", "work/pipe: no file and no folder"}
    other = tmp_path / "other"
    (other / "work").mkdir(parents=True)
    (other / "work/was").write_text("here before")
    (other / "schema").write_text("1\n")
    assert back(tar, other).files == kept.files
    assert (other / "work/was").exists()  # only ready, not in its place
    assert finish(str(other))
    expected = tree(home)
    del expected["state/audit/ballast"]
    expected["state/tapes/t.jsonl"] = (expected["state/tapes/t.jsonl"][0], b'{"seq":1}\n{"seq":2}\n')
    found = tree(other)
    assert found.pop("schema")[1] == b"1\n"
    assert found == expected
    assert sorted(os.listdir(other)) == ["config", "etc", "schema", "state", "work"]
    assert not finish(str(other))


def test_other_programs_read_it_as_a_tar(home: Path) -> None:
    tar, _ = packed(home)
    with tarfile.open(fileobj=io.BytesIO(tar)) as file:
        names = file.getnames()
    assert names[0] == archive.HEAD and "work/sub/" + "long" * 60 in names


def test_a_file_that_grows_while_it_is_read_ends_with_a_record(home: Path, monkeypatch: Any) -> None:
    tape = home / "state/tapes/t.jsonl"
    ordinary = archive._copied

    def growing(*args: Any) -> int:
        with open(tape, "a") as file:
            file.write('q":3}\n')
        return ordinary(*args)

    monkeypatch.setattr(archive, "_copied", growing)
    tar, _ = packed(home)
    with tarfile.open(fileobj=io.BytesIO(tar)) as file:
        member = file.extractfile("state/tapes/t.jsonl")
        assert member is not None and member.read() == b'{"seq":1}\n{"seq":2}\n'


def test_a_log_that_its_writer_keeps_is_waited_for_only_so_long(home: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(archive, "PATIENCE", 0.0)
    fd = os.open(home / "state/audit.key", os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    with pytest.raises(CardFault, match="was not let go within"):
        packed(home)
    os.close(fd)
    assert packed(home)[1].left_out


def test_a_log_that_cannot_be_held_is_told_and_no_log_is_none(home: Path, tmp_path: Path) -> None:
    key = home / "state/audit.key"
    assert not any("audit.key" in one for one in packed(home)[1].left_out)
    key.rename(tmp_path / "elsewhere")
    assert not any("audit.key" in one for one in packed(home)[1].left_out)
    key.symlink_to(tmp_path / "elsewhere")
    assert any("state/audit.key: it cannot be held" in one for one in packed(home)[1].left_out)


def test_a_file_that_goes_meanwhile_is_told(home: Path, monkeypatch: Any) -> None:
    ordinary = archive._listed

    def listed(told: Any) -> Any:
        found = ordinary(told)
        os.unlink(home / "etc/hostname")
        return found

    monkeypatch.setattr(archive, "_listed", listed)
    tar, kept = packed(home)
    assert "etc/hostname: it went while the rest was read" in kept.left_out
    assert b"etc/hostname" not in tar


def test_cut_at_every_rename_it_goes_on_to_the_same_end(home: Path, tmp_path: Path, monkeypatch: Any) -> None:
    tar, _ = packed(home)
    cuts = 0
    for stop in range(60):
        other = tmp_path / f"other{stop}"
        (other / "work").mkdir(parents=True)
        (other / "work/was").write_text("before")
        (other / "state").mkdir()
        back(tar, other)
        with monkeypatch.context() as patch:
            left = [stop]

            def cut(name: str, left: list[int] = left) -> Any:
                ordinary = getattr(os, name)

                def act(*args: Any, **more: Any) -> Any:
                    if not left[0]:
                        raise OSError(5, "the power went")
                    left[0] -= 1
                    return ordinary(*args, **more)

                return act

            for name in ("rename", "unlink", "rmdir", "mkdir"):
                patch.setattr(os, name, cut(name))
            try:
                finish(str(other))
                done = True
            except OSError:
                done, cuts = False, cuts + 1
        finish(str(other))
        assert set(tree(other)) == set(tree(home)) - {"state/audit/ballast"}
        assert sorted(os.listdir(other)) == ["config", "etc", "state", "work"]
        if done:
            break
    print(f"cut {cuts} times")
    assert cuts > 8


def test_in_the_workspace_everything_is_somebodys(tmp_path: Path) -> None:
    for name in ("work/plan.new", "work/ballast", "work/b.tar.new", "config/config.toml.new", "state/audit/ballast"):
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    out = io.BytesIO()
    backup(out, {name: str(tmp_path / "data" / name) for name in ("work", "config", "state")}, ABOUT)
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as file:
        files = {one.name for one in file if one.isfile()}
    assert files == {archive.HEAD, "work/plan.new", "work/ballast", "work/b.tar.new"}
    out = io.BytesIO()
    backup(out, {"work": str(tmp_path / "data/work")}, ABOUT, str(tmp_path / "data/work/b.tar.new"))
    assert b"work/plan.new" in out.getvalue() and b"b.tar" not in out.getvalue()


def test_what_lies_too_deep_to_come_back_is_told_and_all_else_comes_back(tmp_path: Path) -> None:
    deep = tmp_path / "data/work"
    for _ in range(100):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (tmp_path / "data/work/mine").write_text("mine")
    out = io.BytesIO()
    kept = backup(out, {"work": str(tmp_path / "data/work")}, ABOUT)
    assert len(kept.left_out) == 1 and "lies deeper than" in kept.left_out[0]
    other = tmp_path / "other"
    other.mkdir()
    assert back(out.getvalue(), other).files == kept.files == 1
    assert finish(str(other)) and (other / "work/mine").read_text() == "mine"


def test_a_second_restore_before_the_next_start_takes_the_place_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/mine").write_text("in use")
    back(tarred(("work/x", b"first", {}), ("etc/y", b"first", {})), tmp_path)
    back(tarred(("work/x", b"second", {})), tmp_path)
    assert (tmp_path / "work/mine").read_text() == "in use"  # nothing moved under whoever uses it
    assert finish(str(tmp_path))
    assert (tmp_path / "work/x").read_text() == "second" and not (tmp_path / "etc").exists()


def test_a_restore_that_is_half_in_its_place_is_kept_when_it_cannot_be_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config", "work"):
        (tmp_path / name).mkdir()
    back(tarred(("config/c", b"new", {}), ("work/w", b"new", {})), tmp_path)
    ordinary, left = os.rename, [3]

    def cut(old: str, new: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(5, "the card went")
        ordinary(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", cut)
        with pytest.raises(OSError, match="the card went"):
            finish(str(tmp_path))
        with pytest.raises(CardFault, match="the restore before this one cannot be ended"):
            back(tarred(("work/w", b"newest", {})), tmp_path)
    assert finish(str(tmp_path))
    assert (tmp_path / "config/c").read_text() == "new" and (tmp_path / "work/w").read_text() == "new"


# --- hostile ---


def tarred(*members: tuple[str, bytes, dict[str, Any]], head: Any = None) -> bytes:
    out = io.BytesIO()
    told = json.dumps({"format": 1, "schema": 1} if head is None else head).encode()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as file:
        for name, data, more in ((archive.HEAD, told, {}), *members):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for key, value in more.items():
                setattr(info, key, value)
            file.addfile(info, io.BytesIO(data))
    return out.getvalue()


FOLDER = {"type": tarfile.DIRTYPE}
HOSTILE = {
    "leaves its part": (tarred(("work/../../x", b"", {})), "no place here"),
    "absolute": (tarred(("/etc/x", b"", {})), "no place here"),
    "another part": (tarred(("schema", b"9", {})), "no place here"),
    "a dot": (tarred(("work/./x", b"", {})), "no place here"),
    "nothing": (tarred(("work//x", b"", {})), "no place here"),
    "a long part": (tarred(("work/" + "x" * 256, b"", {})), "no place here"),
    "a link": (tarred(("work/x", b"", {"type": tarfile.SYMTYPE, "linkname": "/etc"})), "no plain file"),
    "a hard link": (tarred(("work/x", b"", {"type": tarfile.LNKTYPE, "linkname": "work/y"})), "no plain file"),
    "a device": (tarred(("work/x", b"", {"type": tarfile.CHRTYPE})), "no plain file"),
    "a pipe": (tarred(("work/x", b"", {"type": tarfile.FIFOTYPE})), "no plain file"),
    "a pax header": (tarred(("work/x", b"9 path=x\n", {"type": tarfile.XHDTYPE})), "no plain file"),
    "twice": (tarred(("work/x", b"1", {}), ("work/x", b"2", {})), "twice"),
    "under a file": (tarred(("work/x", b"1", {}), ("work/x/y", b"2", {})), "cannot take it"),
    "a part that is a file": (tarred(("work", b"1", {})), "work is a folder here"),
    "the settings in one file": (tarred(("config", b"1", {})), "config is a folder here"),
    "settings that are a folder": (tarred(("config/config.toml", b"", FOLDER)), "config.toml', which is a file"),
    "below the settings": (tarred(("config/config.toml/x", b"1", {})), "'config/config.toml', which is a file"),
    "a password that is a folder": (tarred(("etc/shadow", b"", FOLDER)), "'etc/shadow', which is a file"),
    "a key that is a folder": (tarred(("state/audit.key", b"", FOLDER)), "'state/audit.key', which is a file"),
    "tapes that are a file": (tarred(("state/tapes", b"1", {})), "'state/tapes', which is a folder"),
    "newer": (tarred(head={"format": 1, "schema": 2}), "schema 2"),
    "another form": (tarred(head={"format": 2, "schema": 1}), "format 2"),
    "no numbers": (tarred(head={"format": [], "schema": 1}), "cannot be read"),
    "no head": (tarred(("work/x", b"", {}))[1024:], "no backup"),
    "goes on": (tarred(("work/x", b"", {})) + b"more", "goes on behind"),
    "empty": (b"", "ends too early"),
    "text": (b"hello" * 1000, "damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_backup_of_ours_changes_nothing(name: str, tmp_path: Path) -> None:
    tar, sentence = HOSTILE[name]
    (tmp_path / "work").mkdir()
    (tmp_path / "work/mine").write_text("mine")
    with pytest.raises(CardFault, match=sentence):
        back(tar, tmp_path)
    assert tree(tmp_path) == {"work/mine": (os.stat(tmp_path / "work/mine").st_mode & 0o777, b"mine")}
    assert os.listdir(tmp_path) == ["work"]


def test_every_file_that_provisioning_writes_must_be_one() -> None:
    written = {provision_plan.CONFIG, *[path for paths in provision_plan.FILES.values() for path in paths]}
    assert written <= restore.PLAIN


def test_more_than_there_is_room_for_is_refused_before_it_is_written(tmp_path: Path) -> None:
    room = os.statvfs(tmp_path)
    info = tarfile.TarInfo("work/big")
    info.size = room.f_bavail * room.f_frsize + 1
    tar = tarred()[:1024] + info.tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(CardFault, match="no room"):
        back(tar, tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_part_may_have_another_name_where_it_belongs_and_neighbours_stay(home: Path, tmp_path: Path) -> None:
    tar = tarred(("state/x", b"new", {}))
    for name in ("fieldhand", "restore.new", "other"):
        (tmp_path / "at" / name).mkdir(parents=True)
    (tmp_path / "at/fieldhand/x").write_text("old")
    place = Home(str(tmp_path / "at"), (("state", "fieldhand"),), "fieldhand.", ("state",))
    unpack(io.BytesIO(tar).read, place, 1)
    assert (tmp_path / "at/fieldhand/x").read_text() == "old"
    assert restore.finish(place)
    assert (tmp_path / "at/fieldhand/x").read_text() == "new"
    assert sorted(os.listdir(tmp_path / "at")) == ["fieldhand", "other", "restore.new"]
    with pytest.raises(CardFault, match="no place here"):
        unpack(io.BytesIO(tarred(("work/x", b"", {}))).read, place, 1)


def test_a_part_that_is_one_file_comes_back_as_one(tmp_path: Path) -> None:
    place = Home(str(tmp_path), (("state", "state"),), "state.", ("state", "config"), ("config",))
    for wrong in (("config/c", b"1", {}), ("config", b"", {"type": tarfile.DIRTYPE}), ("state", b"1", {})):
        with pytest.raises(CardFault, match=r"one file here|a folder here"):
            unpack(io.BytesIO(tarred(wrong)).read, place, 1)
    unpack(io.BytesIO(tarred(("config", b"1", {}), ("state/x", b"2", {}))).read, place, 1)
    assert (tmp_path / "state.restore.new/config").read_bytes() == b"1"


def test_set_user_bits_are_not_taken(tmp_path: Path) -> None:
    back(tarred(("work/x", b"1", {"mode": 0o6755})), tmp_path)
    finish(str(tmp_path))
    assert os.stat(tmp_path / "work/x").st_mode & 0o7777 == 0o755


def test_no_damage_to_a_backup_is_a_traceback_or_half_a_restore(home: Path, tmp_path: Path) -> None:
    tar, _ = packed(home)
    dice, refused = random.Random(11), 0
    target = tmp_path / "target"
    for _ in range(ROUNDS):
        target.mkdir(exist_ok=True)
        hurt = bytearray(tar)
        for _ in range(dice.randrange(1, 4)):
            hurt[dice.randrange(len(hurt))] ^= 1 << dice.randrange(8)
        cut = bytes(hurt[: dice.randrange(len(hurt))]) if dice.random() < 0.3 else bytes(hurt)
        try:
            back(cut, target)
            finish(str(target))
            restore._clear(str(target))
        except CardFault:
            refused += 1
            assert os.listdir(target) == []
    print(f"{refused} of {ROUNDS} refused")
    assert refused > ROUNDS // 4
