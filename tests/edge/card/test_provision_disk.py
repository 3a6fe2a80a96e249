from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from edge.card.provision_disk import DONE, Disk, cleaned, commit, consume, consumed, finish, scrub
from edge.card.provision_plan import File, Plan
from edge.faults import CardFault
from tests.support.power import Cut, Cutting, tree

PLAN = Plan(
    (
        File("config/config.toml", "mode = 'full'\n"),
        File("config/model.key", "new-key\n"),
        File("etc/hostname", "new\n"),
        File("etc/keys/provisioned.pub", "ab\n"),
    ),
    ("etc/id", "etc/TZ"),
)
BEFORE = {
    "config/config.toml": "mode = 'guarded'\n",
    "etc/hostname": "old\n",
    "etc/id": "old\n",
    "work/mine": "stays\n",
}
AFTER = {
    "config/config.toml": "mode = 'full'\n",
    "config/model.key": "new-key\n",
    "etc/hostname": "new\n",
    "etc/keys/provisioned.pub": "ab\n",
    "work/mine": "stays\n",
}
SECRET = '[login]\npassword = "correct horse"\n'


def board(folder: Path) -> str:
    for path, text in BEFORE.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return str(folder)


def test_a_plan_holds_afterwards_and_nothing_of_it_is_left_over(tmp_path: Path) -> None:
    data = board(tmp_path)
    commit(Disk(), data, PLAN)
    assert tree(tmp_path) == AFTER and sorted(os.listdir(data)) == ["config", "etc", "work"]
    assert (tmp_path / "config/model.key").stat().st_mode & 0o777 == 0o600
    assert not finish(Disk(), data)


def test_a_cut_at_any_step_leaves_the_old_configuration_or_the_new_one(tmp_path: Path) -> None:
    seen = {"old": 0, "new": 0}
    steps = 0
    while True:
        folder = tmp_path / str(steps)
        data = board(folder)
        disk = Cutting(steps)
        try:
            commit(disk, data, PLAN)
        except Cut:
            finish(Cutting(), data)  # what the next start does before anything reads a setting
            now = {path: text for path, text in tree(folder).items() if not path.startswith("provision.new")}
            assert now in (BEFORE, AFTER), f"half at step {steps}"
            seen["new" if now == AFTER else "old"] += 1
            commit(Cutting(), data, PLAN)
            assert tree(folder) == AFTER
            steps += 1
            continue
        break
    print(f"{steps} cuts: {seen}")
    assert min(seen.values()) > 5


def test_a_cut_while_it_goes_on_after_a_cut_is_gone_on_with_too(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    number = 0
    board(ready)
    while not (ready / "provision.ready").is_dir():  # cut just behind the rename: every file is still to be moved
        with pytest.raises(Cut):
            commit(Cutting(number), str(ready), PLAN)
        number += 1
    for steps in range(25):
        folder = tmp_path / str(steps)
        shutil.copytree(ready, folder)
        try:
            finish(Cutting(steps), str(folder))
        except Cut:
            finish(Cutting(), str(folder))
        assert tree(folder) == AFTER and not (folder / "provision.ready").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into every folder")
def test_a_folder_that_takes_nothing_is_told_as_a_normal_user(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CardFault, match="cannot be written"):
        commit(Disk(), str(tmp_path), PLAN)


def test_a_data_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CardFault, match="cannot be written"):
        commit(Disk(), f"{tmp_path}/none", PLAN)


def places(folder: Path) -> tuple[str, str]:
    """A first partition and a data partition."""
    for name in ("first", "data"):
        (folder / name).mkdir(parents=True)
    return str(folder / "first"), str(folder / "data")


def test_what_was_taken_has_no_secret_and_another_name(tmp_path: Path) -> None:
    first, data = places(tmp_path)
    one = Path(first)
    (one / "provision.toml").write_text(SECRET)
    (one / "user-data").write_text("#cloud-config\npassword: correct horse\n")
    node = (one / "provision.toml").stat().st_ino
    consume(Disk(), first, data, ("provision.toml", "user-data"))
    assert sorted(os.listdir(one)) == ["provision.done.toml", "user-data.done"]
    for name in os.listdir(one):
        assert b"horse" not in (one / name).read_bytes()
    done = one / "provision.done.toml"
    assert done.stat().st_ino == node and done.stat().st_size == len(SECRET) and '"(taken)"' in done.read_text()


def test_a_cut_at_any_step_of_that_leaves_a_file_to_take_again_or_secrets_that_the_next_start_erases(
    tmp_path: Path,
) -> None:
    for steps in range(20):
        first, data = places(tmp_path / str(steps))
        folder = Path(first)
        (folder / "provision.toml").write_text(SECRET)
        try:
            consume(Cutting(steps), first, data, ("provision.toml",))
        except Cut:
            consumed(Cutting(), first, data)
            scrub(Cutting(), first)
            if (folder / "provision.toml").exists():
                assert (folder / "provision.toml").read_text() == SECRET
                continue
        assert b"horse" not in (folder / "provision.done.toml").read_bytes()
    assert not scrub(Disk(), first)


def test_what_was_taken_and_cannot_be_looked_at_is_told(tmp_path: Path) -> None:
    (tmp_path / "provision.done.toml").mkdir()
    with pytest.raises(CardFault, match=r"whether secrets are in .* cannot be seen"):
        scrub(Disk(), str(tmp_path))


@pytest.mark.parametrize("name", DONE)
def test_what_is_cleaned_keeps_its_size_and_is_clean(name: str) -> None:
    for raw in (b"", b"x", SECRET.encode(), b"\xff\xfe\0\xd8password = 'horse'", b"horse" * 99):
        clean = cleaned(name, raw)
        assert len(clean) == len(raw) and cleaned(name, clean) == clean
        assert name == "provision.toml" or b"horse" not in clean
