"""Second terminals at the socket: answered one after the other, shown out when they are too much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.faults import HardwareFault, UsageFault
from hil.live.counter import LONGEST, Caller, Gone
from hil.live.place import Place
from tests.support.manned import Bench, Served, served


@pytest.fixture
def fake() -> Bench:
    return Bench()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("FIELDHAND_HIL", str(tmp_path))
    return Place("raspi0")


@pytest.fixture
def running(fake: Bench, place: Place) -> Iterator[Served]:
    with served("raspi0", fake) as found:
        yield found


def test_two_callers_are_answered_in_turn(running: Served, place: Place, fake: Bench) -> None:
    with Caller(place) as one, Caller(place) as other:
        assert one.ask({"do": "set", "name": "t0", "value": "31.5"})["said"] == "t0 measures 31.5"
        assert other.ask({"do": "show"})["parts"]["t0"] == {"temperature": 31.5}
        with pytest.raises(UsageFault, match="no part 't9'"):
            one.ask({"do": "set", "name": "t9", "value": "1"})
        with pytest.raises(HardwareFault, match="is an output"):
            one.ask({"do": "set", "name": "27", "value": "high"})
        assert one.ask({"do": "show"})["board"] == "raspi0"


def test_a_line_in_pieces_and_two_in_one_are_answered(running: Served, place: Place) -> None:
    with place.connected() as link, link.makefile("rb") as answers:
        link.sendall(b'{"do": ')
        link.sendall(b'"show"}\n{"do": "show"}\nno request\n')
        assert [b'"ok": true' in answers.readline() for _ in range(3)] == [True, True, False]


def test_who_sends_without_end_is_shown_out_and_others_stay(running: Served, place: Place) -> None:
    with Caller(place) as other, place.connected() as link:
        link.sendall(b"x" * (LONGEST + 1))
        try:
            said = link.recv(1)
        except ConnectionResetError:
            said = b""
        assert said == b""
        assert other.ask({"do": "show"})["board"] == "raspi0"


def test_who_takes_no_answer_is_shown_out_and_others_stay(running: Served, place: Place) -> None:
    with Caller(place) as other, place.connected() as link:
        with pytest.raises(OSError):
            for _ in range(10_000):
                link.sendall(b'{"do": "show"}\n' * 100)
        assert other.ask({"do": "show"})["board"] == "raspi0"


def test_who_went_without_a_word_is_forgotten(running: Served, place: Place) -> None:
    for _ in range(20):
        place.connected().close()
    with Caller(place) as other:
        assert other.ask({"do": "show"})["board"] == "raspi0"


def test_a_board_that_ended_is_gone(place: Place, fake: Bench) -> None:
    with served("raspi0", fake) as running, Caller(place) as caller:
        assert caller.ask({"do": "show"})["ok"]
        running.close()
        with pytest.raises(Gone, match="raspi0 has ended"):
            caller.ask({"do": "show"})
