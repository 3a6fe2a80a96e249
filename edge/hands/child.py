"""A running shell: its pipes, what is kept of them, and its end.

Rules:
1. Each stream is kept up to a bound, or goes to the spool of a job; what is more is read, counted and thrown away.
2. Nothing here waits longer than LOOK without a look at whether the shell has to end.
3. Pipes that something else holds open are read for a short while after the end, not until theirs.
"""

from __future__ import annotations

import os
import select
import time

from edge.hands.wall import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.hands.spool import Spool
    from edge.hands.wall.namespaces import Kept
    from edge.hands.wall.spawn import Child

KEPT = 1 << 20  # bytes of each stream
LOOK = 0.05  # seconds between two looks at whether the call has to end
_BLOCK = 65536
_GONE = 2.0  # seconds for a killed shell to be gone
_DRAIN = 0.25  # seconds for what is still in the pipes after the end


class Stream:
    """What is kept of a stream: its head, its tail, and how much was between them."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail = bytearray()
        self.cut = 0

    def add(self, block: bytes) -> None:
        room = KEPT - KEPT // 4 - len(self.head)
        if room > 0:
            self.head += block[:room]
            block = block[room:]
        self.tail += block
        over = len(self.tail) - KEPT // 4
        if over > 0:
            self.cut += over
            del self.tail[:over]

    def text(self) -> str:
        """All that is kept; afterwards nothing is, so that it stands in memory once."""
        raw, tail = self.head, self.tail
        self.head, self.tail = bytearray(), bytearray()
        raw += b"\n[%d bytes left out]\n" % self.cut if self.cut else b""
        raw += tail
        return raw.decode("utf-8", "replace")


class Watch:
    """One running shell, its pipes and its end. With a `spool` the streams go there too, in the order they came in."""

    def __init__(self, child: Child | Kept, pipes: list[int], spool: Spool | None) -> None:
        self.child = child
        self.code: int | None = None
        self.spool = spool
        self.kept: tuple[Stream, ...] = (Stream(), Stream())
        self.open = {fd: number for number, fd in enumerate(pipes)}
        self.poll = select.poll()
        for fd in pipes:
            self.poll.register(fd, select.POLLIN)
        self.handle = self.child.fileno()
        self._looks = self.handle >= 0
        if self._looks:
            self.poll.register(self.handle, select.POLLIN)

    def until(self, deadline: float, ending: Callable[[], bool], look: float = LOOK) -> str:
        """Read until the shell ends, its time is over, or it is told to end: `exit`, `deadline`, `stopped`."""
        while True:
            if ending():
                return "stopped"
            left = deadline - time.monotonic()
            if left <= 0:
                return "deadline"
            self._turn(min(left, look))
            if self.child.poll() is not None:
                return "exit"

    def spooled(self) -> None:
        """From now on only the spool keeps anything."""
        self.kept = ()

    def _turn(self, seconds: float) -> bool:
        """Wait for something and read it; False when there was nothing."""
        if self.handle < 0 and (not self.open or seconds > 0.01):
            seconds = min(seconds, 0.01)  # nothing tells of the end of the shell
        found = self.poll.poll(max(0, round(seconds * 1000)))
        for fd, _ in found:
            if fd in self.open:
                self._read(fd)
        return bool(found)

    def _read(self, fd: int) -> None:
        try:
            block = os.read(fd, _BLOCK)
        except BlockingIOError:
            return
        if not block:
            self._close(fd)
            return
        number = self.open[fd]
        if self.kept:
            self.kept[number].add(block)
        if self.spool is not None:
            self.spool.add(number, block)

    def _close(self, fd: int) -> None:
        self.poll.unregister(fd)
        self.open.pop(fd)
        os.close(fd)

    def ask_to_end(self, seconds: float) -> None:
        """SIGTERM to all that runs now, and time for it to end, with all its children, by itself."""
        until = time.monotonic() + seconds
        self._look_away()
        tree.ask(self.child.tag, self.child.pid)
        while time.monotonic() < until:
            # In name spaces the first process tells how the shell ended a moment after that.
            if self.child.poll() is not None and not tree.running(self.child.tag, self.child.pid):
                return
            self._turn(LOOK)

    def _look_away(self) -> None:
        """What tells of the end of the shell would do so without a pause from its end on."""
        if self._looks:
            self._looks = False
            self.poll.unregister(self.handle)

    def end(self) -> int:
        """End every process of the call, read what is left in the pipes, close all: how many were still running."""
        try:
            self._look_away()
            killed = self.child.kill_tree()
            until = time.monotonic() + _DRAIN
            while self.open and time.monotonic() < until:
                self._turn(0.02)
            self.code = self._code()
            return killed
        finally:
            for fd in list(self.open):
                self._close(fd)
            self.child.close()

    def _code(self) -> int | None:
        """How the shell ended, which the kernel may tell a moment after the end; None when it does not go."""
        until = time.monotonic() + _GONE
        while (code := self.child.poll()) is None and time.monotonic() < until:
            time.sleep(0.002)
        return code

    def result(self) -> dict[str, Any]:
        """`code signal stdout stderr cut` of what was kept."""
        code = self.code
        out, err = self.kept
        return {
            "code": code if code is not None and code >= 0 else None,
            "signal": signal_name(-code) if code is not None and code < 0 else "",
            "stdout": out.text(),
            "stderr": err.text(),
            "cut": out.cut + err.cut,
        }


def signal_name(number: int) -> str:
    """SIGTERM for 15."""
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
