"""The end of something that goes on in a thread of its own, for whoever waits for it."""

from __future__ import annotations

import _thread


class Ended:
    """Not yet, until `over`; that is said once."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._lock.acquire()

    def over(self) -> None:
        """It is over now."""
        self._lock.release()

    def wait(self, seconds: float) -> bool:
        """True when it is over within `seconds`."""
        if not self._lock.acquire(timeout=seconds):
            return False
        self._lock.release()
        return True
