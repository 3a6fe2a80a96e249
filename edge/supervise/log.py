"""The system's log (syslog(3)): what is told to it in one go, and it as the output of a program.

Rules:
1. A log that is not there loses what it would have kept, and nothing fails over that; `tell` says whether it was taken.
2. A log that nobody reads is full some time. `tell` waits for nothing; a program waits SECONDS for a line of its own,
   then its write fails (EAGAIN): what it does is not held up by who should read of it.
"""

from __future__ import annotations

import _socket
import sys

WRONG = b"<27>"  # daemon, error
SECONDS = 2
_OLD = 21  # SO_SNDTIMEO with a time of two longs; under any other number it has two of 64 bits (asm/socket.h)


def tell(path: str, data: bytes) -> bool:
    """One message that something is wrong; False when nobody keeps a log."""
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC | _socket.SOCK_NONBLOCK)
    try:
        peer.sendto(WRONG + data, path)
    except OSError:
        return False
    finally:
        peer.close()
    return True


def output(path: str) -> _socket.socket | None:
    """A socket that takes each line that is written as one message; None where there is no log."""
    log = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
    try:
        log.connect(path)
        log.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDTIMEO, _time(SECONDS))
    except OSError:
        log.close()
        return None
    return log


def _time(seconds: int) -> bytes:
    """A struct timeval as SO_SNDTIMEO wants it."""
    width = 4 if sys.maxsize < 1 << 32 and _socket.SO_SNDTIMEO == _OLD else 8
    return seconds.to_bytes(width, sys.byteorder) + bytes(width)
