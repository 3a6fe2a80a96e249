"""A person's terminal becomes the board's: every key goes to it, but for one that leaves.

Rules:
1. The terminal is given back as it was found, whatever ends it: a fault, a signal that unwinds (images/frame.py), the
   board. One that has hung up has nothing to be given back.
2. What the board left set of colours and the cursor is undone too.
"""

from __future__ import annotations

import os
import select
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from edge.faults import UsageFault
from hil.drivers.link import Link
from hil.live.control import Session
from hil.live.counter import Counter

LEAVE = b"\x1d"  # Ctrl-], as of telnet
LEFT = "was left"
_UNDONE = b"\x1b[0m\x1b[?25h\x1b[?7h\r\n"
_MOST = 4096
_TURN = 1.0


@contextmanager
def raw(keys: int, screen: int) -> Iterator[None]:
    """Rules 1 and 2. UsageFault where it is no terminal."""
    try:
        before = termios.tcgetattr(keys)
    except termios.error as error:
        raise UsageFault("a board's console needs a terminal to be shown at", "run it in one") from error
    try:
        tty.setraw(keys, termios.TCSANOW)
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(keys, termios.TCSANOW, before)
        with suppress(OSError):
            os.write(screen, _UNDONE)


def carry(link: Link, session: Session, counter: Counter, keys: int, screen: int) -> str:
    """Keys to the board, its console to the screen, answers to who comes in; why it ended."""
    while link.open:
        guests = counter.sockets()
        ready = select.select([keys, link, *guests], [], [], _TURN)[0]
        if link in ready:
            _shown(link, session, screen)
        if keys in ready and not _typed(link, keys):
            return LEFT
        for guest in guests:
            if guest in ready:
                counter.serve(guest)
    return "the board ended"


def _shown(link: Link, session: Session, screen: int) -> None:
    data = link.take(0)
    session.heard(data)
    while data:
        data = data[os.write(screen, data) :]


def _typed(link: Link, keys: int) -> bool:
    """Hand on what was typed; False when it was the key that leaves, or the terminal is gone."""
    try:
        data = os.read(keys, _MOST)
    except OSError:
        data = b""
    before, leave, _ = data.partition(LEAVE)
    if before:
        link.give(before)
    return bool(data) and not leave
