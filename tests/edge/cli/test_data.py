"""`fieldhand data`: out, in, away, as a person calls it on any board; and on a card, as its start takes it."""

from __future__ import annotations

import gzip
import os
import tarfile
from pathlib import Path

import pytest

from edge.cli import data as module
from edge.cli.args import parse
from edge.faults import UsageFault
from tests.support.agent import run


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder that an agent used."""
    home = tmp_path_factory.mktemp("home")
    (home / "c.toml").write_text('mode = "supervised"\n')
    done = run("--board", "sim", "--model", "offline", "--state", str(home / "s"), "-e", "How warm is it?", home=home)
    assert done.returncode == 0, done.stderr
    return home


@pytest.mark.parametrize("end", ["tar.gz", "tar.xz"])
def test_out_and_back_the_audit_log_holds(worked: Path, tmp_path: Path, end: str) -> None:
    backup = tmp_path / f"b.{end}"
    told = ("--state", str(worked / "s"), "--config", str(worked / "c.toml"))
    out = run("data", "backup", str(backup), *told, home=worked)
    assert out.returncode == 0, out.stderr
    assert "the board's secrets" in out.stderr
    assert os.stat(backup).st_mode & 0o777 == 0o600
    with tarfile.open(backup) as file:
        assert {name.split("/")[0] for name in file.getnames()} == {"fieldhand-data.json", "config", "state"}
    state, config = tmp_path / "new/s2", tmp_path / "c2.toml"
    state.mkdir(parents=True)
    config.write_text("")
    back = run("data", "restore", str(backup), "--state", str(state), "--config", str(config), home=tmp_path)
    assert back.returncode == 0, back.stderr
    assert config.read_text() == 'mode = "supervised"\n'
    assert sorted(os.listdir(state / "tapes")) == sorted(os.listdir(worked / "s/tapes"))
    assert os.listdir(tmp_path / "new") == ["s2"]
    check = run("audit", "verify", "--state", str(state), home=tmp_path)
    assert check.returncode == 0, check.stdout + check.stderr


def test_a_damaged_backup_changes_nothing(worked: Path, tmp_path: Path) -> None:
    backup = tmp_path / "b.tgz"
    assert run("data", "backup", str(backup), "--state", str(worked / "s"), home=worked).returncode == 0
    hurt = bytearray(backup.read_bytes())
    hurt[len(hurt) // 2] ^= 4
    backup.write_bytes(hurt)
    state = tmp_path / "s"
    state.mkdir()
    (state / "mine").write_text("mine")
    for name in (str(backup), str(tmp_path / "absent.tar.gz"), os.devnull):
        back = run("data", "restore", name, "--state", str(state), home=tmp_path)
        assert back.returncode in (1, 2) and back.stderr.count("\n") == 1, back.stderr
    assert os.listdir(state) == ["mine"]


def test_by_a_pipe(worked: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    with open(packed, "wb") as file:
        done = run("data", "backup", "-", "--state", str(worked / "s"), home=worked, stdout=file)
    assert done.returncode == 0, done.stderr
    assert gzip.decompress(packed.read_bytes()).startswith(b"fieldhand-data.json")
    (tmp_path / "s").mkdir()
    with open(packed, "rb") as file:
        back = run("data", "restore", "-", "--state", str(tmp_path / "s"), home=tmp_path, stdin=file)
    assert back.returncode == 0, back.stderr
    assert (tmp_path / "s/audit.key").exists()


def test_an_agent_that_runs_is_not_pulled_out_from_under(worked: Path, tmp_path: Path) -> None:
    import fcntl

    state = tmp_path / "s"
    (state / "tapes").mkdir(parents=True)
    with open(state / "tapes/t.jsonl", "wb") as tape:
        fcntl.flock(tape, fcntl.LOCK_EX)
        for words in (("restore", os.devnull), ("reset", "--yes")):
            done = run("data", *words, "--state", str(state), home=tmp_path)
            assert done.returncode == 1 and "an agent writes t.jsonl" in done.stderr
    done = run("data", "reset", "--state", str(state), home=tmp_path)
    assert done.returncode == 2 and "nobody can be asked" in done.stderr
    done = run("data", "reset", "--yes", "--state", str(state), home=tmp_path)
    assert done.returncode == 0 and (tmp_path / "s.before-reset/tapes/t.jsonl").exists() and not state.exists()


def test_words_that_mean_nothing_are_told() -> None:
    for words in (["data"], ["data", "backup"], ["data", "restore", "a", "b"], ["data", "drop"]):
        with pytest.raises(UsageFault):
            module.data(parse(words))


def test_a_name_says_how_it_is_packed(worked: Path, tmp_path: Path) -> None:
    done = run("data", "backup", str(tmp_path / "b.zip"), "--state", str(worked / "s"), home=worked)
    assert done.returncode == 2 and ".xz" in done.stderr
    nowhere = run("data", "backup", str(tmp_path / "none/b.tar"), "--state", str(worked / "s"), home=worked)
    assert nowhere.returncode == 9 and "cannot be written" in nowhere.stderr
