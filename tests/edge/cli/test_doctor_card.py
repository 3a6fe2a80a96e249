"""Doctor's rows of a card: none elsewhere, and each thing that is wrong has a line with its fix."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.card import boot, layout, mbr
from edge.card import state as states
from edge.card.slots import Card, Device
from edge.cli.doctor_card import findings
from edge.cli.doctor_nodes import Place
from edge.cli.finding import Finding


class Board:
    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("proc", "etc/fieldhand", "run/fieldhand", "dev", "data"):
            (root / name).mkdir(parents=True)
        (root / "etc/fieldhand/release").write_text("PRODUCT=pi-armv6\nVERSION=1.2\nDATA_SCHEMA=1\n")
        (root / "proc/cmdline").write_text("console=tty1 fieldhand.slot=a panic=10\n")
        first, second, third, fourth = (mbr.Entry(*layout.PARTS[number]) for number in (1, 2, 3, 4))
        card = root / "dev/card"
        card.write_bytes(mbr.pack(mbr.Table(layout.DISK_ID, (first, second, third, fourth))))
        os.truncate(card, layout.IMAGE_SECTORS * layout.SECTOR)
        (root / "data/schema").write_text("1\n")
        self.tell(DISK="/dev/card", DATA="mounted")
        self.supervisor(PID=str(os.getpid()), WATCHDOG="armed 15 s", FED="1", AGENTS="7 8")
        (root / f"proc/{os.getpid()}").mkdir()
        self.state(states.State("a", "b", True, 0, states.MADE, "confirmed"))

    def tell(self, **facts: str) -> None:
        boot.tell(facts, str(self.root / "run/fieldhand"))

    def supervisor(self, **facts: str) -> None:
        text = "".join(f"{name}={value}\n" for name, value in facts.items())
        (self.root / "run/fieldhand/supervisor.txt").write_text(text)

    def state(self, state: states.State) -> None:
        with Card(Device(str(self.root / "dev/card"), True)) as card:
            card.keep(state)

    def rows(self) -> dict[str, Finding]:
        return {one.what: one for one in findings(Place(str(self.root)))}


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


def test_elsewhere_there_is_no_row(tmp_path: Path) -> None:
    assert list(findings(Place(str(tmp_path)))) == []


def test_a_card_that_is_well_has_only_good_rows(board: Board) -> None:
    rows = board.rows()
    assert {name: one.state for name, one in rows.items()} == {
        "card": "ok",
        "card: slots": "ok",
        "card: data": "ok",
        "card: watchdog": "ok",
    }
    assert "pi-armv6 1.2 in slot a" in rows["card"].sentence
    assert "slot a runs and is confirmed" in rows["card: slots"].sentence
    assert "armed 15 s" in rows["card: watchdog"].sentence and "2 agents" in rows["card: watchdog"].sentence


def test_a_start_that_is_not_confirmed_yet_and_one_that_fell_back(board: Board) -> None:
    board.state(states.flashed())
    assert board.rows()["card: slots"].state == "absent"
    assert "not confirmed yet (3 more tries, then slot b)" in board.rows()["card: slots"].sentence
    for why in ("fellback", "rotten"):
        board.state(states.State("a", "a", True, 0, states.MADE, why))
        found = board.rows()["card: slots"]
        assert found.state == "wrong" and "slot before was taken" in found.sentence and "update" in found.fix
    board.state(states.State("b", "a", False, 3, states.MADE, "update"))
    assert "slot a runs, slot b is started next" in board.rows()["card: slots"].sentence


def test_data_in_memory_and_a_failed_check_are_wrong(board: Board) -> None:
    board.tell(VOLATILE="1", DATA="volatile", DATA_WHY="it is damaged", HEALTH="failed", HEALTH_WHY="data: memory")
    rows = board.rows()
    assert rows["card: data"].state == "wrong" and "it is damaged" in rows["card: data"].sentence
    assert rows["card: health"].state == "wrong" and "data: memory" in rows["card: health"].sentence


def test_data_that_were_damaged_and_mended_are_wrong_until_the_next_start(board: Board) -> None:
    board.tell(DATA_MENDED="the data partition was damaged and was mended")
    found = board.rows()["card: data"]
    assert found.state == "wrong" and "at this start the data partition was damaged" in found.sentence
    assert "audit verify" in found.fix


def test_data_that_are_mounted_and_cannot_be_read_are_wrong(board: Board) -> None:
    (board.root / "data/schema").unlink()
    (board.root / "data/schema").mkdir()  # opened and not read, as all is where the kernel gave a file system up
    found = board.rows()["card: data"]
    assert found.state == "wrong" and "/data cannot be read: is a directory" in found.sentence
    assert "reboot" in found.fix


def test_who_feeds_the_watchdog_or_that_nobody_does(board: Board) -> None:
    board.supervisor(PID=str(os.getpid()), WATCHDOG="there is no /dev/watchdog", FED="1")
    assert board.rows()["card: watchdog"].state == "absent"
    board.supervisor(PID=str(os.getpid()), WATCHDOG="armed", FED="0", WHY="the agent of process 7 hangs")
    assert "process 7 hangs" in board.rows()["card: watchdog"].sentence
    os.rmdir(board.root / f"proc/{os.getpid()}")
    assert "does not run" in board.rows()["card: watchdog"].sentence


def test_a_card_that_is_not_there_is_wrong(board: Board) -> None:
    (board.root / "proc/cmdline").write_text("quiet\n")
    assert board.rows()["card"].state == "wrong"
