"""The heartbeat goes out while the main thread is well, and only then."""

from __future__ import annotations

import _thread
import time
from typing import Any

from edge import pulse as module
from edge.pulse import Pulse


class Board:
    """Counts beats, hands out events."""

    def __init__(self, heartbeat: float = 3.0) -> None:
        self.heartbeat = heartbeat
        self.gone = False
        self.beats = 0
        self.ages: list[float] = []  # how long before a beat the main thread was seen
        self.waiting: list[dict[str, Any]] = []

    def beat(self, seen: float) -> bool:
        self.beats += 1
        self.ages.append(time.monotonic() - seen)
        return True

    def events(self) -> list[dict[str, Any]]:
        found, self.waiting = self.waiting, []
        return found


def started(board: Board, silence: Any, tell: Any, monkeypatch: Any) -> Pulse:
    monkeypatch.setattr(module, "EVERY", 0.02)
    monkeypatch.setattr(module, "LOOK", 0.01)
    pulse = Pulse(board, silence, tell, lambda: False)  # type: ignore[arg-type]
    pulse.start()
    return pulse


def until(condition: Any, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def test_beats_go_out_and_stop(monkeypatch: Any) -> None:
    board = Board()
    pulse = started(board, lambda: 0.0, lambda event: True, monkeypatch)
    assert until(lambda: board.beats >= 3)
    before = _thread._count()
    pulse.stop()
    assert until(lambda: _thread._count() < before)
    after = board.beats
    time.sleep(0.1)
    assert board.beats == after


def test_a_main_thread_that_hangs_gets_no_beats(monkeypatch: Any) -> None:
    board = Board()
    silence, asked = [0.0], []
    pulse = started(board, lambda: asked.append(1) or silence[0], lambda event: True, monkeypatch)
    assert until(lambda: board.beats >= 1)
    silence[0] = module.WELL
    asked.clear()
    assert until(lambda: len(asked) >= 2)  # a beat that was on its way has gone out
    before = board.beats
    assert until(lambda: len(asked) >= 5)
    assert board.beats == before
    silence[0] = 0.25
    assert until(lambda: board.beats > before)
    pulse.stop()
    assert board.ages[0] >= 0.0 and board.ages[-1] >= 0.25


def test_several_beats_fit_into_a_short_time_of_the_guard() -> None:
    board = Board(0.06)
    pulse = Pulse(board, lambda: 0.0, lambda event: True, lambda: False)  # type: ignore[arg-type]
    pulse.start()
    begun = time.monotonic()
    assert until(lambda: board.beats >= 10)
    assert time.monotonic() - begun < 9 * module.EVERY
    board.heartbeat = 3600.0
    assert until(lambda: board.beats > 11)  # never more seldom than EVERY
    pulse.stop()


def test_a_board_that_takes_no_heartbeat_is_told_as_lost_once(monkeypatch: Any) -> None:
    class Dead(Board):
        def beat(self, seen: float) -> bool:
            self.beats += 1
            return False

    board = Dead()
    told: list[Any] = []
    pulse = started(board, lambda: 0.0, lambda event: told.append(event) or True, monkeypatch)
    assert until(lambda: board.beats >= 8)
    pulse.stop()
    assert [event["event"] for event in told] == ["lost"] and "unknown" in told[0]["why"]


def test_a_board_that_crashed_is_started_again_until_that_works(monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "EVERY", 0.02)
    monkeypatch.setattr(module, "LOOK", 0.01)
    board = Board()
    tries: list[int] = []
    pulse = Pulse(board, lambda: 0.0, lambda event: True, lambda: tries.append(1) or len(tries) == 3)  # type: ignore
    pulse.start()
    assert until(lambda: board.beats >= 3) and tries == []
    before = _thread._count()
    board.gone = True
    assert until(lambda: _thread._count() < before)
    assert len(tries) == 3


def test_an_event_that_cannot_be_taken_now_comes_again_in_order(monkeypatch: Any) -> None:
    board = Board()
    board.waiting = [{"n": 1}, {"n": 2}]
    taken: list[int] = []
    busy = [True]

    def tell(event: Any) -> bool:
        if busy[0]:
            return False
        taken.append(event["n"])
        return True

    pulse = started(board, lambda: 0.0, tell, monkeypatch)
    assert until(lambda: board.beats >= 3) and taken == []
    busy[0] = False
    assert until(lambda: taken == [1, 2])
    pulse.stop()
