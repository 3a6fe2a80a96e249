"""One thread that waits for the edges of all pins of a factory.

Rules this file keeps:
1. It waits in the kernel (epoll) and holds no lock while it tells anybody anything: what is told may close pins, open
   others, or set what it likes.
2. A fault in what it tells ends this thread as any thread ends, with Python's own report of it; a successor takes over
   what was not told yet. Edges never stop for one faulty handler.
3. A descriptor is forgotten before it is closed: the number may be another one's a moment later.
4. The child of a fork has none of it: the thread stayed behind, and what is taken out of the shared epoll there would
   be lost to the parent. It begins anew when it asks for edges itself.
"""

from __future__ import annotations

import os
import select
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    # Reads what there is and gives what is to be done about each edge, in order.
    Ready = Callable[[], "list[Callable[[], None]]"]


class Watcher:
    """Descriptors and who reads them. The thread starts with the first one."""

    def __init__(self) -> None:
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._readers: dict[int, Ready] = {}
        self._epoll: select.epoll | None = None
        self._end = -1

    def add(self, descriptor: int, ready: Ready) -> None:
        """Have `ready` called when there is something to read, on the thread."""
        self._after_a_fork()
        with self._lock:
            if self._epoll is None:
                self._epoll = self._begin()
            if descriptor not in self._readers:
                self._epoll.register(descriptor, select.EPOLLIN)
            self._readers[descriptor] = ready

    def remove(self, descriptor: int) -> None:
        """Forget a descriptor; one that is not there is no fault."""
        self._after_a_fork()
        with self._lock:
            if self._readers.pop(descriptor, None) is not None and self._epoll is not None:
                self._epoll.unregister(descriptor)

    def close(self) -> None:
        """End the thread, which may be the one that asks for it."""
        self._after_a_fork()
        with self._lock:
            self._readers.clear()
            if self._epoll is not None:
                self._epoll = None
                os.close(self._end)

    def _after_a_fork(self) -> None:
        if os.getpid() != self._process:
            self._begin_anew()

    def _begin(self) -> select.epoll:
        epoll = select.epoll()
        hears, self._end = os.pipe()
        epoll.register(hears, select.EPOLLIN)  # it is ready for good when its other end is closed
        self._start(epoll, hears, [])
        return epoll

    def _start(self, *work: Any) -> None:
        threading.Thread(target=self._run, args=work, name="fieldhand-edges", daemon=True).start()

    def _run(self, epoll: select.epoll, hears: int, untold: list[Callable[[], None]]) -> None:
        ended = False
        try:
            while not ended:
                while untold:
                    untold.pop(0)()
                ended = self._turn(epoll, hears, untold)
        finally:
            if not ended:
                self._start(epoll, hears, untold)

    def _turn(self, epoll: select.epoll, hears: int, untold: list[Callable[[], None]]) -> bool:
        """Wait once and read; True when it is the end."""
        ready = [descriptor for descriptor, _ in epoll.poll()]
        if hears in ready:
            epoll.close()
            os.close(hears)
            return True
        with self._lock:
            readers = [self._readers[descriptor] for descriptor in ready if descriptor in self._readers]
        for reader in readers:
            untold += reader()
        return False
