"""One end of a stream socket that is never waited for: frames in, frames out, both bounded.

Rules this file keeps:
1. Nothing here blocks. What cannot be sent yet is held, at most HELD bytes and a reply; `full` says that the other
   side does not read, and whoever owns the wire then stops taking requests from it.
2. A reply that does not fit a frame becomes a refusal with its id: the wire never raises.
3. The end of the other side, and every error of the socket, is the same news: `receive` gives None.
"""

from __future__ import annotations

from edge.faults import HardwareFault
from edge.peripherals.guard.protocol import Splitter, encode, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Mapping
    from typing import Any

HELD = 64 * 1024
CHUNK = 16 * 1024


class Wire:
    """Frames over a non-blocking socket."""

    def __init__(self, socket: socket) -> None:
        socket.setblocking(False)
        self.socket = socket
        self.gone = False
        self._out = b""
        self._splitter = Splitter()

    @property
    def waiting(self) -> bool:
        """True while something is still to be sent."""
        return bool(self._out)

    @property
    def full(self) -> bool:
        """True when the other side has not read for so long that no more is held for it."""
        return len(self._out) >= HELD

    def receive(self) -> list[bytes | None] | None:
        """The frames that have come (None among them: a line too long), or None when the other side is gone."""
        try:
            data = self.socket.recv(CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.gone = True
            return None
        return self._splitter.feed(data)

    def send(self, message: Mapping[str, Any]) -> bool:
        """Send a message, or hold it; False when it was dropped because the wire is full or gone."""
        if self.full or self.gone:
            return False
        try:
            self._out += encode(message)
        except ValueError as error:
            self._out += encode(refusal(message.get("id", 0), HardwareFault(f"the reply cannot be sent: {error}")))
        self.flush()
        return True

    def flush(self) -> None:
        """Send what is held, as far as it goes."""
        try:
            while self._out:
                self._out = self._out[self.socket.send(self._out) :]
        except BlockingIOError:
            return
        except OSError:
            self.gone = True
            self._out = b""

    def close(self) -> None:
        self.socket.close()
