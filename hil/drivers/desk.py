"""A real board on a desk: its console and second port at serial ports of this machine, its power at a switch.

Rules:
1. A serial port is opened for us alone, and stays open: what the board says while it is off and on is not missed.
2. The switch is whatever commands its file names. One that fails is told with its last line; nothing is tried twice.
3. Lines and parts of a real board are not in reach from here: who asks for them is told what its file says.
"""

from __future__ import annotations

import subprocess
from contextlib import ExitStack
from types import TracebackType
from typing import NoReturn

from edge.faults import HardwareFault
from hil.console import Console
from hil.drivers.link import Link
from hil.drivers.port import Port
from hil.protocols import Lines, Parts
from hil.resources import Board, Serial

_SWITCH_SECONDS = 120.0


class Desk:
    """The wires to one board. Use it as a context."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.notes: list[str] = []
        with ExitStack() as undo:
            self._port = Port(plugged(board.port)) if board.port else None
            if self._port:
                undo.callback(self._port.close)
            self.console = Console(plugged(board.console or Serial("")))
            undo.pop_all()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.console.close()
        if self._port:
            self._port.close()

    @property
    def transcript(self) -> str:
        return self.console.transcript

    @property
    def port(self) -> Port:
        if self._port is None:
            self._without("port")
        return self._port

    @property
    def lines(self) -> Lines:
        self._without("lines")

    @property
    def parts(self) -> Parts:
        self._without("parts")

    @property
    def resets(self) -> int:
        self._without("resets")

    def wait(self, pattern: str, seconds: float) -> None:
        self.console.expect(pattern, seconds)

    def power_on(self) -> None:
        """Off and on by the switch."""
        switch = self.board.switch
        if switch is None:
            self._without("power")
        for words in (switch.cycle,) if switch.cycle else (switch.off, switch.on):
            switched(words)

    def cut(self) -> None:
        if self.board.switch is None:
            self._without("power")
        switched(self.board.switch.off)

    def _without(self, capability: str) -> NoReturn:
        raise HardwareFault(self.board.misses(capability))


def switched(words: tuple[str, ...]) -> None:
    """Rule 2."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SWITCH_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HardwareFault(f"the power switch did not work: {error}", "see [switch] in the board's file") from error
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        raise HardwareFault(
            f"the power switch failed: {' '.join(words)} ended with {done.returncode}: {said[-1]}",
            "see [switch] in the board's file",
        )


def plugged(serial: Serial) -> Link:
    """An open serial port of this machine."""
    from serial import SerialException, serial_for_url

    try:
        settings = {} if "://" in serial.device else {"exclusive": True}
        return Link(serial_for_url(serial.device, baudrate=serial.speed, timeout=0, **settings))
    except (SerialException, ValueError) as error:
        raise HardwareFault(f"the serial port {serial.device} cannot be opened: {error}") from error
