"""What was typed at the terminal before its prompt stood: lines wait for readline, the end of input would be lost.

Source: n_tty.c of Linux. While a turn runs the terminal is in canonical mode, and Ctrl-D is kept as an end of input,
which is no byte: poll says readable, FIONREAD counts none. Once readline has the terminal, it is a zero byte.
"""

from __future__ import annotations

import fcntl
import posix
import select
import termios


def ended(descriptor: int = 0) -> bool:
    """Whether Ctrl-D comes next; it is taken then. Nothing else is."""
    try:
        if not select.select([descriptor], [], [], 0)[0]:
            return False
        return not any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))) and not posix.read(descriptor, 1)
    except OSError:
        return False  # the terminal is gone: whoever reads the line finds that out
