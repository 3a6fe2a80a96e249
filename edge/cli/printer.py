"""What goes to stderr, written by a thread of its own.

Rules:
1. Whoever has something to tell never waits for a slow or stuck terminal: a console nobody reads must not hold up
   the loop, its locks or the heartbeat.
2. Nothing is lost on a slow line: up to LINES pieces wait their turn. Beyond that they are dropped and counted.
3. `flush` waits as long as bytes move, and gives up after STUCK seconds of its own looking without any: time in which
   this process itself stood still (a stopped job, a starved machine) is no fault of the console.
4. A progress line is overwritten by whatever comes after it, and gone before anything else is written to the terminal.
5. While a question stands nothing pushes it away: what is told waits for the answer. What cannot wait is shown at once,
   and the last line of the question again behind it.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LINES = 2000
STUCK = 2.0
_LOOK = 0.002
_SPUN = 78  # columns of a progress line at most


class Printer:
    """`tty` and `width` (columns) are those of the descriptor when the printer was made."""

    def __init__(self, descriptor: int = 2, encoding: str = "ascii") -> None:
        import _queue
        import _thread

        self._descriptor = descriptor
        self._encoding = encoding
        self._queue: Any = _queue.SimpleQueue()
        self._lock: Any = _thread.allocate_lock()
        self._waiting = 0
        self._dropped = 0
        self._moved = 0
        self._spun = ""
        self._question = ""  # the last line of one that stands
        self._held: list[str] = []
        self._dead = False
        self.tty = os.isatty(descriptor)
        self.width = _columns(descriptor) if self.tty else 0
        self._spins = min(_SPUN, max(self.width - 1, 1))
        _thread.start_new_thread(self._write, ())

    def say(self, text: str, after: str = "", now: bool = False) -> None:
        """One or more whole lines; `after` is put behind them without a line end (a prompt with what was typed).

        now: it does not wait for the end of a question.
        """
        with self._lock:
            if self._question and not now:
                self._hold(text)
                return
            if self._question:
                self._put(f"\n{text}\n{self._question}")
                return
            self._put(f"{self._wiped(after)}{text}\n{after}")

    def ask(self, text: str) -> None:
        """A question, without a line end, behind which somebody types. It stands until `answered`."""
        with self._lock:
            self._put(self._wiped() + text)
            self._question = text.rpartition("\n")[2]

    def answered(self, *first: str) -> None:
        """The question stands no more: `first`, then what was held up by it is told now."""
        with self._lock:
            held, self._held, self._question = self._held, [], ""
            for text in (*first, *held):
                self._put(text + "\n")

    def _hold(self, text: str) -> None:
        if len(self._held) < LINES:
            self._held.append(text)
        else:
            self._dropped += 1

    def _wiped(self, prompt: str = "") -> str:
        """What takes the progress line away, or the prompt that stands there."""
        wiped = f"\r{' ' * self._spins}\r" if self._spun or prompt else ""
        self._spun = ""
        return wiped

    def spin(self, text: str) -> None:
        """The progress line, only on a terminal, only when it changed and nothing else waits."""
        with self._lock:
            if self.tty and text != self._spun and not self._waiting and not self._question:
                self._put("\r" + text[: self._spins].ljust(min(len(self._spun), self._spins)))
                self._spun = text

    def _put(self, text: str) -> None:
        if self._waiting >= LINES:
            self._dropped += 1
            return
        if self._dropped:
            text = f"({self._dropped} lines are not shown: nobody read them)\n{text}"
            self._dropped = 0
        self._waiting += 1
        self._queue.put(text.encode(self._encoding, "backslashreplace"))

    def _write(self) -> None:
        while True:
            data = self._queue.get()
            while data and not self._dead:
                try:
                    data = data[os.write(self._descriptor, data[:4096]) :]
                except OSError:
                    self._dead = True
                self._moved += 1
            with self._lock:
                self._waiting -= 1

    def flush(self) -> bool:
        """Until all was written (True), or nothing moved in as many looks as STUCK seconds hold (False).

        No progress line stands afterwards: what others write to the same terminal begins at the left.
        """
        if self._held:
            self.answered()  # whoever waits for the end of all that is told does not wait for an answer
        if self._spun:
            with self._lock:
                self._put(self._wiped())
        moved, looks = self._moved, 0
        while self._waiting:
            if self._moved != moved:
                moved, looks = self._moved, 0
            if looks * _LOOK > STUCK:
                return False
            time.sleep(_LOOK)
            looks += 1
        return True


def _columns(descriptor: int) -> int:
    try:
        return os.get_terminal_size(descriptor).columns or 80
    except OSError:
        return 80
