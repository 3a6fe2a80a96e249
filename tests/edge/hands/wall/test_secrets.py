"""Keys below a folder are found by name, in bounds, and what was not seen is closed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from edge.hands.wall import secrets


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("a/b/c", "a/.ssh", "d"):
        (tmp_path / folder).mkdir(parents=True)
    for name in (".env", "a/b/c/id_ed25519", "a/.ssh/known", "d/notes", "d/server.KEY"):
        (tmp_path / name).write_text("x")
    return tmp_path


def found(folder: Path, **other: int) -> tuple[set[str], set[str]]:
    """What is secret and what was not seen, relative to the folder."""
    said = secrets.find((str(folder),), **other)
    return tuple({os.path.relpath(path, folder) for path in paths} for paths in (said.secret, said.unseen))  # type: ignore[return-value]


def test_names_of_keys_are_found_at_every_depth_and_folders_of_keys_as_a_whole(tree: Path) -> None:
    assert found(tree) == ({".env", "a/b/c/id_ed25519", "a/.ssh", "d/server.KEY"}, set())


def test_a_link_is_not_followed(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp("out")
    (out / ".env").write_text("x")
    (tree / "d" / "way").symlink_to(out)
    (tree / "d" / "round").symlink_to(tree)
    assert found(tree)[0] == {".env", "a/b/c/id_ed25519", "a/.ssh", "d/server.KEY"}


def test_what_appears_later_is_found(tree: Path) -> None:
    old = time.time() - 100
    for folder in (tree, tree / "d", tree / "a", tree / "a/b", tree / "a/b/c"):
        os.utime(folder, (old, old))
    for _ in range(2):
        found(tree)
    (tree / "d" / ".env.local").write_text("x")
    (tree / "a" / "b" / "new").mkdir()
    (tree / "a" / "b" / "new" / "token").write_text("x")
    assert {"d/.env.local", "a/b/new/token"} <= found(tree)[0]
    (tree / "d" / ".env.local").unlink()
    assert "d/.env.local" not in found(tree)[0]


def test_what_a_bound_left_unseen_is_named(tree: Path) -> None:
    secret, unseen = found(tree, most=2)
    assert unseen and not any(one.startswith(tuple(unseen)) for one in secret)
    everything = {"a/b", "a/b/c", "d", "a"}
    assert unseen <= everything


def test_what_is_barred_is_not_looked_into(tree: Path) -> None:
    said = secrets.find((str(tree),), (str(tree / "a"),))
    assert not any(path.startswith(str(tree / "a")) for path in (*said.secret, *said.unseen))


def test_the_places_of_the_distribution_are_not_walked() -> None:
    for folder in ("/proc", "/sys", "/usr/lib", "/dev"):
        assert secrets.find((folder,)) == secrets.Found((), ())
    begin = time.monotonic()
    said = secrets.find(("/etc", "/usr"))
    assert time.monotonic() - begin < 60
    assert not any(path.startswith("/usr/share/") for path in said.secret)
    if os.path.exists("/etc/shadow"):
        assert "/etc/shadow" in said.secret


def test_a_look_that_takes_too_long_closes_the_rest_and_the_next_goes_on(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = time.time() - 100
    for folder in ("a/b/c", "a/b", "a", "d", "."):
        os.utime(tree / folder, (old, old))
    monkeypatch.setattr(secrets, "SECONDS", -1.0)
    assert found(tree) == (set(), {"."})
    monkeypatch.setattr(secrets, "SECONDS", 5.0)
    time.sleep(0.1)  # a folder that was made or changed in this moment is not kept
    found(tree)
    monkeypatch.setattr(secrets, "SECONDS", -1.0)
    assert found(tree) == ({".env", "a/b/c/id_ed25519", "a/.ssh", "d/server.KEY"}, set())


def test_a_folder_that_this_user_cannot_read_needs_no_word(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads every folder")
    (tmp_path / "shut").mkdir(mode=0)
    assert found(tmp_path) == (set(), set())
