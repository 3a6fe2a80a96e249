"""Jobs: always a free thread, results fed by the thread that made them."""

from __future__ import annotations

import threading
import time
from typing import Any

from edge.jobs import Jobs


class Fed:
    """Takes results like the loop does: counting the job as done under a lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.events: list[tuple[Any, str]] = []
        self.jobs = Jobs(self.feed)
        self.next: list[Any] = []

    def feed(self, event: Any, job_done: bool = False) -> None:
        with self.lock:
            if job_done:
                self.jobs.done()
            self.events.append((event, threading.current_thread().name))
            if self.next:
                self.jobs.add(self.next.pop(0))
            else:
                self.jobs.ring()

    def add(self, job: Any) -> None:
        with self.lock:
            self.jobs.add(job)

    def wait(self, count: int) -> None:
        end = time.monotonic() + 60
        while len(self.events) < count and time.monotonic() < end:
            self.jobs.wait(0.1)


def test_a_chain_of_jobs_stays_in_one_thread() -> None:
    fed = Fed()
    fed.next = [lambda: 2, lambda: 3]
    fed.add(lambda: 1)
    fed.wait(3)
    assert [event for event, _ in fed.events] == [1, 2, 3]
    assert len({name for _, name in fed.events}) == 1


def test_a_job_that_hangs_does_not_hold_up_the_next() -> None:
    fed = Fed()
    stuck = threading.Event()
    fed.add(lambda: stuck.wait(120) and "late")
    fed.add(lambda: "quick")
    fed.wait(1)
    assert [event for event, _ in fed.events] == ["quick"]
    assert not fed.jobs.quiet(0.05)
    stuck.set()
    fed.wait(2)
    assert fed.jobs.quiet(60.0)


def test_waiting_ends_when_the_bell_rings() -> None:
    fed = Fed()
    fed.add(lambda: 1)
    started = time.monotonic()
    fed.jobs.wait(60)
    assert time.monotonic() - started < 50
