"""Work that a card may keep waiting, done in order by a thread while whoever keeps leases goes on.

Rules this file keeps:
1. What is given is done in the order in which it was given, by one thread; there is none while there is nothing to do.
2. Who gives waits a little, and on an ordinary card that is enough: what he gave is done when he goes on. A card that
   stands still costs him no more than that each time, and while it stands nobody waits for it again.
3. At most MOST wait; what comes then is not taken, and who gave it says so.
4. Where no thread can be had, he does it himself.
"""

from __future__ import annotations

import _thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 1000


class Aside:
    """`give` work, `wait` for its end. Work raises nothing."""

    def __init__(self) -> None:
        self._work: list[tuple[Callable[[], None], _thread.LockType]] = []
        self._guard = _thread.allocate_lock()
        self._busy = False
        self._late = False  # somebody waited in vain, and the thread has not got over it yet

    def give(self, work: Callable[[], None], seconds: float = 0.0) -> bool:
        """Have it done, and wait for it so long (rule 2). False: it is not taken (rule 3)."""
        done = _thread.allocate_lock()
        done.acquire()
        with self._guard:
            if len(self._work) >= MOST:
                return False
            self._work.append((work, done))
            begin, self._busy = not self._busy, True
            late = self._late
        if begin:
            self._begin()
        if seconds and not late and not done.acquire(True, seconds):
            with self._guard:
                self._late = self._busy
        return True

    def wait(self) -> None:
        """Until all that was given before is done, however long that takes."""
        done = _thread.allocate_lock()
        done.acquire()
        with self._guard:
            if not self._busy:
                return
            self._work.append((_nothing, done))
        done.acquire()

    def _begin(self) -> None:
        try:
            _thread.start_new_thread(self._run, ())
        except RuntimeError:
            self._run()

    def _run(self) -> None:
        while True:
            with self._guard:
                if not self._work:
                    self._busy = self._late = False
                    return
                work, done = self._work.pop(0)
            work()
            done.release()


def _nothing() -> None:
    """What `wait` has done behind all others."""
