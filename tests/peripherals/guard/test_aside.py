"""Work behind a card that stands still: in order, bounded, waited for a little and then not again."""

from __future__ import annotations

import _thread
import threading
import time

import pytest

from edge.peripherals.guard import aside
from edge.peripherals.guard.aside import Aside
from tests.support.boards import eventually

LONG = 60.0  # against hanging only: no test waits for it


def test_what_is_given_is_done_when_the_giver_goes_on():
    done, work = [], Aside()
    for number in range(100):
        assert work.give(lambda number=number: done.append(number), LONG)
        assert done[-1] == number


def test_all_is_done_in_order_and_the_end_is_waited_for():
    go, done, work = threading.Event(), [], Aside()
    work.give(lambda: go.wait(LONG))
    for number in range(50):
        work.give(lambda number=number: done.append(number))
    assert not done
    go.set()
    work.wait()
    assert done == list(range(50))
    work.wait()  # nothing is left: it ends at once


def test_nobody_waits_again_behind_what_stands_still():
    go, done, work = threading.Event(), [], Aside()
    work.give(lambda: go.wait(LONG), 0.001)
    assert work.give(lambda: done.append(1), LONG) and not done
    go.set()
    work.wait()
    work.give(lambda: done.append(2), LONG)
    assert done == [1, 2]


def test_what_does_not_fit_is_not_taken(monkeypatch):
    monkeypatch.setattr(aside, "MOST", 2)
    began, go, work = threading.Event(), threading.Event(), Aside()
    work.give(lambda: (began.set(), go.wait(LONG)))
    assert began.wait(LONG)
    assert [work.give(time.time) for _ in range(3)] == [True, True, False]
    go.set()
    work.wait()
    assert work.give(time.time)


def test_without_a_thread_the_giver_does_it(monkeypatch):
    def none(*_):
        raise RuntimeError("can't start new thread")

    done, work = [], Aside()
    monkeypatch.setattr(_thread, "start_new_thread", none)
    work.give(lambda: done.append(1), LONG)
    assert done == [1]


def test_there_is_no_thread_while_there_is_nothing_to_do():
    before, work = _thread._count(), Aside()
    work.give(lambda: None, LONG)
    eventually(lambda: _thread._count() == before)


@pytest.mark.parametrize("seconds", [0.0, LONG])
def test_many_givers_lose_nothing(seconds):
    done, work = [], Aside()
    threads = [
        threading.Thread(target=lambda: [work.give(lambda: done.append(1), seconds) for _ in range(200)])
        for _ in range(4)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    work.wait()
    assert len(done) == 800
