"""A health check is made by one at a time; who waited for another one's takes what it came to."""

from __future__ import annotations

import fcntl
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from edge.card import health as checking
from edge.card import locks, slots
from edge.card.health import Check
from edge.card.prepare import Place
from edge.cli import card, card_health
from edge.faults import CardFault, HardwareFault
from tests.support import cards


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A board whose slot a was updated and is not confirmed yet."""
    for name in ("data", "run"):
        (tmp_path / name).mkdir()
    (tmp_path / "data/schema").write_text("1\n")
    file = cards.small_card(tmp_path / "card")
    with cards.opened(file) as opened:
        opened.keep(slots.states.State(slot="a", prev="b", good=False, tries=2, why="update"))
    monkeypatch.setattr(slots, "here", lambda root="", write=False: (cards.opened(file, write=write), "a"))
    monkeypatch.setattr(card, "place", lambda: Place(1, str(tmp_path / "data"), str(tmp_path / "run")))
    return tmp_path


def test_a_second_check_waits_for_the_first_and_has_nothing_to_do_when_that_passed(
    board: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go, made = threading.Event(), threading.Event(), list[int]()

    def slow(*_: Any) -> tuple[Check, ...]:
        made.append(1)
        began.set()
        assert go.wait(60)
        return (Check("data", True, "well"),)

    waits = threading.Event()
    took = locks.lock

    def lock(fd: int, seconds: float, shared: bool = False) -> bool:
        if began.is_set():
            waits.set()
        return took(fd, seconds, shared)

    monkeypatch.setattr(checking, "checks", slow)
    monkeypatch.setattr(locks, "lock", lock)
    codes: list[int] = []
    both = [threading.Thread(target=lambda: codes.append(card_health.health())) for _ in range(2)]
    both[0].start()
    assert began.wait(60)
    both[1].start()
    assert waits.wait(60) and not codes
    go.set()
    for one in both:
        one.join(60)
    assert codes == [0, 0] and made == [1]


def test_a_check_that_hangs_holds_up_the_next_one_only_so_long(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_health, "PATIENCE", 0.0)
    fd = os.open(board / "run" / card_health.LOCK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    with pytest.raises(CardFault, match="another health check"):
        card_health.health()
    os.close(fd)
    (board / "run" / card_health.LOCK).unlink()
    (board / "run").rmdir()
    with pytest.raises(HardwareFault, match="cannot be opened"):
        card_health.health()


@pytest.mark.parametrize("well", [True, False])
def test_the_console_is_told_only_why_the_board_starts_again(
    board: Path, well: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checking, "checks", lambda *_: (Check("data", True, "fine"), Check("guard", well, "so it is")))
    assert card_health.health() == (0 if well else 1)
    log, console = capfd.readouterr()
    assert "health: ok   data: fine\n" in log and f"health: {'ok  ' if well else 'NOT '} guard: so it is\n" in log
    assert console == ("" if well else "Fieldhand: this start is not well: guard: so it is\n")


def test_a_log_that_takes_nothing_is_no_reason_to_start_again(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "checks", lambda *_: (Check("data", True, "fine"),))
    monkeypatch.setattr(sys, "stdout", None)
    assert card_health.health() == 0 and "CONFIRMED=1" in (board / "run/boot.txt").read_text()


@pytest.mark.parametrize("well", [True, False])
def test_an_operator_who_confirmed_and_began_an_update_meanwhile_is_not_interrupted(
    board: Path, well: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cards.opened(board / "card", write=True) as held:

        def found(*_: Any) -> tuple[Check, ...]:
            held.alone()
            held.keep(slots.states.writing(slots.states.confirmed(held.state())))
            return (Check("data", well, "so it is"),)

        monkeypatch.setattr(checking, "checks", found)
        assert card_health.health() == 0
        assert held.state() == slots.states.State(slot="a", prev="a", good=True, why="confirmed")


def test_who_holds_the_card_for_a_moment_is_waited_for(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "checks", lambda *_: (Check("data", True, "well"),))
    with cards.opened(board / "card", write=True) as held:
        held.alone()
        monkeypatch.setattr("time.sleep", lambda _: held.device.close())
        assert card_health.health() == 0
    with cards.opened(board / "card") as card_:
        assert card_.state().good
