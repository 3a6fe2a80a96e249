"""A workspace that holds keys and stays a workspace: what a writing shell can do with the keys, and beside them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit
from edge.hands import Hands
from edge.hands.wall import identity, level, mask, namespaces
from tests.support.one_call import world

GRANTS = (Grant("run", "shell", "sh"), Grant("read", "work", ".", True), Grant("write", "work", ".", True))
SECRET = "hush-4711"
OWN = os.geteuid() == 0 and not identity.possible(tempfile.gettempdir())
ACTS = (
    "cat {} ; head -c 99 {}",
    "mv {} moved; cat moved",
    "rm -rf {}",
    "echo x > new; mv -f new {}; cp new {}",
    "ln {} linked; cat linked; ln -s {} soft; cat soft",
    "echo x > {}; echo x >> {}; : > {}; truncate -s 0 {}",
    "chmod 777 {}; touch -d 2001-01-01 {}; cat {}",
    "cp -r {} copy; tar cf all.tar {}; cat copy all.tar",
    "mv sub elsewhere; mv sub/deep deeper; mv keys folder; rm -rf sub keys; cat elsewhere/deep/.env folder/id_ed25519",
    "cat /proc/self/root/$PWD/{} /proc/self/cwd/{} ./sub/../{}",
    "(umount {}; mount --bind . sub) 2> /dev/null; cat {}",
)


@pytest.fixture
def work() -> Iterator[Path]:
    """A workspace whose way is open to all, with keys at the top, deeper, and in a folder of keys."""
    made = Path(tempfile.mkdtemp(prefix="masked-")).resolve()
    made.chmod(0o755)
    for name in (".env", "sub/deep/.env", "keys/id_ed25519", ".ssh/id_ed25519"):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(SECRET)
    (made / "plain").write_text("plain\n")
    yield made
    shutil.rmtree(made)


@pytest.fixture(params=["landlock", "namespaces"])
def reached(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[level.Level]:
    """A wall that can cover: Landlock with a user of its own, or name spaces."""
    found = level.find(at_most=request.param)
    if found.name != request.param or (request.param == "landlock" and not (OWN and found.alone)):
        pytest.skip(f"not here: {'; '.join(found.reasons)}")
    monkeypatch.setattr(level, "find", lambda *_, **__: found)
    yield found
    namespaces.end()


def shell(folder: Path, text: str, barred: tuple[str, ...] = ()) -> Any:
    permit = Permit("c1", GRANTS, barred, 30.0, 8192)
    return Hands(permit, Call("bash", {}, "c1"), world(folder)).run.shell(text, 20.0)


def keys(folder: Path) -> dict[str, tuple[str, int, int, float]]:
    found = {}
    for name in (".env", "sub/deep/.env", "keys/id_ed25519", ".ssh/id_ed25519"):
        status = (folder / name).stat()
        found[name] = ((folder / name).read_text(), status.st_mode, status.st_nlink, status.st_mtime)
    return found


@pytest.mark.parametrize("act", ACTS)
def test_nothing_can_be_done_with_a_key(work: Path, reached: level.Level, act: str) -> None:
    before = keys(work)
    for name in (*before, ".ssh"):
        found = shell(work, act.replace("{}", name))
        assert SECRET not in found["stdout"] + found["stderr"], found
        assert keys(work) == before, (name, found)
    for top, folders, _ in os.walk(work):  # the copy of a cover is as closed as it was
        for folder in folders:
            os.chmod(f"{top}/{folder}", 0o755)
    files = [path for path in work.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(SECRET in path.read_text(errors="replace") for path in files) == 4


def test_beside_the_keys_the_folders_are_as_they_were(work: Path, reached: level.Level) -> None:
    text = (
        "set -e; echo a > new; mv new newer; mkdir d; echo b > d/b; mv d e; rm plain; echo c > sub/c; "
        "echo d > sub/deep/d; mv sub/deep/d sub/deep/f; rm sub/c; cat newer e/b sub/deep/f; ls -a sub/deep"
    )
    found = shell(work, text)
    assert found["code"] == 0 and found["stdout"].split() == ["a", "b", "d", ".", "..", ".env", "f"], found
    assert sorted(os.listdir(work)) == [".env", ".ssh", "e", "keys", "newer", "sub"]
    assert all(path.stat().st_uid == os.geteuid() for path in work.rglob("*"))
    assert found["said"] and "kept closed" in found["said"][0] and len(found["said"]) == 1


def test_what_is_barred_stays_at_its_name_there_or_not(work: Path, reached: level.Level) -> None:
    (work / "conf/fieldhand").mkdir(parents=True)
    (work / "conf/fieldhand/settings").write_text("kept")
    barred = (str(work / "conf/fieldhand"), str(work / "later/fieldhand"))
    text = (
        "mv conf conf2; mkdir -p conf/fieldhand later/fieldhand; echo x > conf/fieldhand/settings; "
        "echo x > later/fieldhand/settings; mv later other; rm -rf later; mkdir -p later/fieldhand/more"
    )
    found = shell(work, text, barred)
    assert len(found["said"]) == 1 and not (work / "later").exists(), found
    assert (work / "conf/fieldhand/settings").read_text() == "kept"
    assert not (work / "later/fieldhand").exists()


def test_a_key_that_was_granted_by_name_can_be_read_and_no_other(work: Path, reached: level.Level) -> None:
    (work / ".ssh/config").write_text("granted\n")
    asked = (*GRANTS, Grant("read", "work", ".ssh/config"))
    permit = Permit("c1", asked, (), 30.0, 8192)
    text = "cat .ssh/config; cat .ssh/id_ed25519 .env sub/deep/.env keys/id_ed25519; echo x > .ssh/new"
    found = Hands(permit, Call("bash", {}, "c1"), world(work)).run.shell(text, 20.0)
    assert found["stdout"] == "granted\n" and not (work / ".ssh/new").exists(), found


def test_a_start_that_gets_no_covers_closes_the_folder(
    work: Path, reached: level.Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reached.name != "landlock":
        pytest.skip("name spaces that cannot be made start nothing at all")

    def refused(path: str) -> None:
        raise OSError(1, "refused", path)

    monkeypatch.setattr(mask, "cover", refused)
    found = shell(work, "cat .env sub/deep/.env; echo x > new; mv .env other; echo x >> plain")
    assert SECRET not in found["stdout"] + found["stderr"] and not (work / "new").exists()
    assert (work / "plain").read_text() == "plain\nx\n" and keys(work)[".env"][0] == SECRET


def test_what_can_be_covered() -> None:
    with tempfile.TemporaryDirectory() as name:
        top = os.path.realpath(name)
        for one in ("a", "b"):
            Path(top, one).mkdir()
            Path(top, one, ".env").write_text("x")
        os.symlink("a", f"{top}/link")
        asked = [f"{top}/a/.env", f"{top}/link/.env", f"{top}/link", f"{top}/none", f"{top}/b", f"{top}/b/.env", top]
        assert mask.possible(asked, (top,)) == (f"{top}/a/.env", f"{top}/b")
        assert mask.possible(asked, ("/somewhere/else",)) == ()
        assert mask.ways([f"{top}/a/b/c", f"{top}/d"], (top, f"{top}/a")) == [f"{top}/a", f"{top}/a/b"]
        many = []
        for number in range(mask.MOST + 1):
            many.append(f"{top}/b/{number}.key")
            Path(many[-1]).write_text("x")
        assert mask.possible(many, (top,)) == () and len(mask.possible(many[1:], (top,))) == mask.MOST
