"""The agent's heartbeat to the board process, in a thread of its own.

Rules:
1. A beat goes out only while the main thread is well: waiting at its prompt, or seen lately. A loop that hangs stops
   the beats, and the board makes its outputs safe by itself. Each beat says when the main thread was seen: what hangs
   is late when the guard's time is over from then, however long this thread waited for its own turn to send it.
2. Beats are sent before anything that might wait. What the board told is handed on afterwards; when it
   cannot be taken now, it is kept for the next round.
3. A board that takes no heartbeat LOST_AFTER times in a row is told as lost, once.
4. Several beats fit into the guard's time (`Board.heartbeat`), however short it is.
5. A board process that this run started and that crashed is started again at once (`renew`): nothing else would make
   its outputs safe. That is tried until it works; the new one has a heartbeat of its own.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from edge.peripherals.guard.client import Board

EVERY = 1.0
LOOK = 0.2
PART = 3  # beats within the guard's time, at least
WELL = 1.5  # seconds for which a main thread may be busy before it is said to hang
LOST_AFTER = 3
LOST = {
    "event": "lost",
    "why": "the board takes no heartbeat; the state of its outputs is unknown until its next start makes them safe",
}


class Pulse:
    """`silence()`: for how many seconds the main thread was not seen; `tell(event)` is False to get the event again.

    `renew()` starts another board and says whether there is one now.
    """

    def __init__(
        self,
        board: Board,
        silence: Callable[[], float],
        tell: Callable[[Mapping[str, Any]], bool],
        renew: Callable[[], bool],
    ) -> None:
        self._board = board
        self._renew = renew
        self._silence = silence
        self._tell = tell
        self._kept: list[Mapping[str, Any]] = []
        self._over = False

    def start(self) -> None:
        import _thread

        _thread.start_new_thread(self._beat, ())

    def stop(self) -> None:
        self._over = True

    def _beat(self) -> None:
        last = tried = 0.0
        lost = 0
        while not self._over:
            now = time.monotonic()
            silence = self._silence()
            if now - last >= self._every() and silence < WELL:
                lost = 0 if self._board.beat(now - silence) else lost + 1
                last = now
                if lost == LOST_AFTER:
                    self._kept.append(LOST)
            self._kept += self._board.events()
            while self._kept and self._tell(self._kept[0]):
                self._kept.pop(0)
            if self._board.gone and now - tried >= EVERY:
                tried = now
                self._over = self._over or self._renew()
            time.sleep(min(LOOK, self._every() / 4))

    def _every(self) -> float:
        """Seconds between two beats; a board that was joined again may have another time."""
        return min(EVERY, self._board.heartbeat / PART)
