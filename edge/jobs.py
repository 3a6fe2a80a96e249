"""Threads for what may take long, and a bell that wakes the one who waits.

Rules:
1. There is always a free thread for a new job: one that hangs keeps its thread, the next job gets another.
2. A job returns an event, which its thread feeds; while feeding, the job counts as done, so that the next
   job of the turn goes on in the same thread without a switch.
3. Threads are daemons: they never hold up the end of the process. Python before 3.10 takes the thread that first
   imports `threading` for the main one and waits for its end: there it is imported here, before any job can.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Jobs:
    """`feed(event, job_done=True)` takes the results. `add` and `done` are called under the caller's lock."""

    def __init__(self, feed: Callable[[Any, bool], None]) -> None:
        import _queue
        import _thread
        import sys

        if sys.version_info < (3, 10):
            import threading  # noqa: F401 (rule 3)

        self._feed = feed
        self._queue: Any = _queue.SimpleQueue()
        self._start = _thread.start_new_thread
        self._bell: Any = _thread.allocate_lock()
        self._bell.acquire()
        self._threads = 0
        self._open = 0

    def add(self, job: Callable[[], Any]) -> None:
        """Have `job` done soon."""
        self._open += 1
        if self._open > self._threads:
            self._threads += 1
            self._start(self._serve, ())
        self._queue.put(job)

    def done(self) -> None:
        """The job whose event is being fed is over (rule 2)."""
        self._open -= 1

    def _serve(self) -> None:
        while True:
            event = self._queue.get()()
            self._feed(event, True)

    def ring(self) -> None:
        """Wake whoever waits."""
        if self._bell.locked():
            self._bell.release()

    def wait(self, seconds: float) -> None:
        """Until the bell rings, at most `seconds`."""
        self._bell.acquire(timeout=seconds)

    def quiet(self, seconds: float) -> bool:
        """True when no job is open within `seconds`."""
        end = time.monotonic() + seconds
        while self._open and time.monotonic() < end:
            time.sleep(0.005)
        return not self._open
