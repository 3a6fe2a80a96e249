"""A file's lock (flock(2)), waited for as long as it was said and no longer."""

from __future__ import annotations

TURN = 0.1  # seconds between two tries


def lock(fd: int, seconds: float, shared: bool = False) -> bool:
    """Take the lock of an open file, shared or alone; False when others kept it for so many seconds. OSError."""
    import fcntl
    from errno import EWOULDBLOCK
    from time import monotonic, sleep

    until = monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            return True
        except OSError as error:
            if error.errno != EWOULDBLOCK:
                raise
        if monotonic() >= until:
            return False
        sleep(TURN)
