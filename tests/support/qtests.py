"""A far end for hil/drivers/qtest.py: registers in a dict, as QEMU's test socket has them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hil.drivers.qtest import QTest


@contextmanager
def served(registers: dict[int, int], write: Callable[[int, int], None] | None = None) -> Iterator[QTest]:
    """Connected to registers that answer; `write` is what a write does instead of storing. Words it does not know are
    refused, `bye` ends it."""
    here, there = socket.socketpair()
    store = write or registers.__setitem__

    def answer(words: list[str]) -> bytes:
        if words[0] == "readl":
            return b"OK 0x%016x\n" % registers.get(int(words[1], 16), 0)
        if words[0] == "writel":
            store(int(words[1], 16), int(words[2], 16))
            return b"IRQ raise 3\nOK\n"
        return {"odd": b"OK pear\n", "bye": b""}.get(words[0], b"FAIL Unknown command\n")

    def serve() -> None:
        with there, there.makefile("rb") as lines:
            for line in lines:
                answered = answer(line.decode().split())
                if not answered:
                    return
                there.sendall(answered)

    thread = threading.Thread(target=serve)
    thread.start()
    found = QTest(here)
    try:
        yield found
    finally:
        found.close()
        thread.join()
