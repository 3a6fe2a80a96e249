"""A switch that ends, from another thread, what a model back end waits for.

Rules:
1. A cut ends the request that runs, and nothing later: it counts for requests that were made before it.
2. It takes effect at once where a thread waits on the socket that is held here (the socket is shut down, which
   wakes it), and within LOOK seconds everywhere else.
"""

from __future__ import annotations

import time

from edge.faults import ModelFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LOOK = 0.05  # seconds


class Cut:
    """One for each back end. `what` names the request in the fault; `endpoint` may be empty."""

    def __init__(self, what: str, endpoint: str = "") -> None:
        import _thread

        self.endpoint = endpoint
        self._what = what
        self._begun = 0.0
        self._at = -1.0
        self._socket: Any = None
        self._lock = _thread.allocate_lock()

    def arm(self, made: float = 0.0) -> None:
        """A request begins that was made at `made` (time.monotonic(), 0 = now): only later cuts count for it."""
        self._begun = made or time.monotonic()

    def cut(self) -> None:
        """End the request that runs. Any thread may call this, at any time."""
        self._at = time.monotonic()
        with self._lock:
            if self._socket is not None:
                _shut(self._socket)

    @property
    def done(self) -> bool:
        """True when the request that runs was cut."""
        return self._at >= self._begun

    def fault(self) -> ModelFault:
        """What a cut request ends with."""
        return ModelFault(f"{self._what} was cut off", endpoint=self.endpoint)

    def pause(self, seconds: float) -> None:
        """Sleep; ModelFault when cut."""
        end = time.monotonic() + seconds
        while True:
            if self.done:
                raise self.fault()
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, LOOK))

    def hold(self, sock: Any) -> None:
        """The socket to shut down at a cut; None when there is none. At once when the cut came first."""
        with self._lock:
            self._socket = sock
            if sock is not None and self.done:
                _shut(sock)

    def release(self, sock: Any) -> None:
        """Close a socket, never while it is being shut down from another thread."""
        with self._lock:
            if self._socket is sock:
                self._socket = None
            sock.close()


def _shut(sock: Any) -> None:
    """Shut down the connection below any TLS: `SSLSocket.shutdown` would pull TLS from under the thread that reads."""
    import socket

    try:
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return  # not connected any more: then nobody waits on it
