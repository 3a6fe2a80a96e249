"""`fieldhand data`: out, in, away, as a person calls it on any board; and on a card, as its start takes it."""

from __future__ import annotations

import gzip
import json
import os
import re
import tarfile
from pathlib import Path

import pytest

from edge.card import layout, slots
from edge.card.state import MADE, NEW
from edge.cli import data as module
from edge.cli.args import parse
from edge.cli.noted import note
from edge.faults import CardFault, UsageFault
from tests.support import cards
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
    with pytest.raises(UsageFault, match="data backup needs a file"):
        module.data(parse(["data", "backup"]))


def test_a_name_says_how_it_is_packed(worked: Path, tmp_path: Path) -> None:
    done = run("data", "backup", str(tmp_path / "b.zip"), "--state", str(worked / "s"), home=worked)
    assert done.returncode == 2 and ".xz" in done.stderr
    nowhere = run("data", "backup", str(tmp_path / "none/b.tar"), "--state", str(worked / "s"), home=worked)
    assert nowhere.returncode == 9 and "cannot be written" in nowhere.stderr


def logged(state: Path) -> None:
    """Begin an audit log."""
    note(str(state), "note", {"act": "began"})


def acts(state: Path) -> list[str]:
    """What was noted since."""
    text = "".join(file.read_text() for file in sorted(state.rglob("*.jsonl")))
    return [act for act in re.findall(r'"act":\s*"([^"]*)"', text) if act != "began"]


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A board of a card: its /data, and the card it runs from."""
    for name in ("config", "etc", "state", "work"):
        (tmp_path / "data" / name).mkdir(parents=True)
    (tmp_path / "data/work/mine").write_text("mine")
    (tmp_path / "data/state").chmod(0o700)
    logged(tmp_path / "data/state")
    card = cards.small_card(tmp_path / "card")
    monkeypatch.setattr(module, "DATA", str(tmp_path / "data"))
    monkeypatch.setattr(module, "on_card", lambda: True)
    monkeypatch.setattr(module, "_schema", lambda: 1)
    monkeypatch.setattr(slots, "here", lambda root="", write=False: (cards.opened(card, write=write), "a"))
    return tmp_path


def test_on_a_card_a_restore_waits_for_the_next_start(board: Path) -> None:
    backup, data = str(board / "b.tar.gz"), board / "data"
    assert module.data(parse(["data", "backup", backup])) == 0
    (data / "work/mine").write_text("changed")
    for _ in range(2):
        assert module.data(parse(["data", "restore", backup])) == 0
        assert (data / "work/mine").read_text() == "changed" and (data / "restore.new/work/mine").read_text() == "mine"


def test_on_a_card_a_reset_is_for_the_next_start_and_not_beside_an_update(board: Path) -> None:
    with cards.opened(board / "card") as card:
        assert card.state().data == MADE
        card.alone()
        with pytest.raises(CardFault, match="another update"):
            module.data(parse(["data", "reset", "--yes"]))
        assert card.state().data == MADE and acts(board / "data/state") == []
    assert module.data(parse(["data", "reset", "--yes"])) == 0
    with cards.opened(board / "card") as card:
        assert card.state().data == NEW
    assert (board / "data/work/mine").read_text() == "mine" and acts(board / "data/state") == ["data reset"]


def test_a_reset_of_a_card_without_a_boot_state_is_refused_and_writes_none(board: Path) -> None:
    with (board / "card").open("r+b") as file:
        for place in layout.STATE_PLACES:
            file.seek(place * layout.SECTOR)
            file.write(bytes(layout.STATE_BYTES))
    with pytest.raises(CardFault, match="neither copy of the boot state"):
        module.data(parse(["data", "reset", "--yes"]))
    with cards.opened(board / "card") as card:
        assert card.state().why == "lost"
    assert acts(board / "data/state") == []


def test_a_reset_elsewhere_is_in_the_log_that_was_moved_aside_and_nowhere_if_nothing_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "s"
    state.mkdir(mode=0o700)
    logged(state)
    words = parse(["data", "reset", "--yes", "--state", str(state)])

    def refused(*_: str) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "rename", refused)
        with pytest.raises(CardFault, match="cannot be moved aside"):
            module.data(words)
    assert acts(state) == []
    assert module.data(words) == 0
    assert not state.exists() and acts(tmp_path / "s.before-reset") == ["data reset"]


def test_a_backup_says_the_schema_of_its_data_not_that_of_the_program(
    board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_schema", lambda: 3)
    told = []
    for text in ("2\n", ""):
        (board / "data/schema").write_text(text)
        assert module.data(parse(["data", "backup", str(board / "b.tar")])) == 0
        with tarfile.open(board / "b.tar") as file:
            head = file.extractfile("fieldhand-data.json")
            assert head is not None
            told.append(json.load(head)["schema"])
    assert told == [2, 3]
