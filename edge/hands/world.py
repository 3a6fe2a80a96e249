"""What the hands of all calls share: the scene, the tape, and the board process, started at first use."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Union

    from edge.call import Scene
    from edge.peripherals.guard.client import Board as Process
    from edge.peripherals.guard.inprocess import InProcessBoard
    from edge.tape.journal import Tape
    from edge.tape.unkept import Unkept

    Board = Union[Process, InProcessBoard]


class World:
    """One per run. `start_board` makes the board; it is called once, by the first call that needs it."""

    def __init__(self, scene: Scene, tape: Tape | Unkept, start_board: Callable[[], Board]) -> None:
        import _thread

        self.scene = scene
        self.tape = tape
        self._start = start_board
        self._board: Board | None = None
        self._lock: Any = _thread.allocate_lock()

    def board(self) -> Board:
        """The running board; HardwareFault when it cannot be started. A dead one is not replaced silently."""
        with self._lock:
            if self._board is None:
                self._board = self._start()
            return self._board

    def running_board(self) -> Board | None:
        """The board when one was started; never starts one and never waits."""
        return self._board

    def close(self) -> None:
        """End the board process: safe values first."""
        if self._board is not None:
            self._board.close()
            self._board = None
