"""What can be asked of a board, whoever answers: an emulated one through QEMU, one on a desk through its wires.

A board that lacks a capability (hil/resources.py) has the property all the same, and whoever asks for it is told why.
"""

from __future__ import annotations

from typing import Protocol

from hil.console import Console
from hil.drivers.link import Link
from hil.resources import Board


class Lines(Protocol):
    """GPIO lines from outside, by their number on the board's chip."""

    def set(self, line: int, level: int) -> None:
        """Hold a line high (1) or low (0)."""

    def release(self, line: int) -> None:
        """Let it go again."""

    def level(self, line: int) -> int:
        """What a meter would show."""

    def seen(self) -> dict[int, tuple[str, int]]:
        """Every line: "in" or "out" as the board has it, "other" where the line is not its GPIO; and the level."""


class Parts(Protocol):
    """Sensors at the board's buses, 1-wire among them, by the names that its file gives them."""

    def names(self) -> dict[str, tuple[str, ...]]:
        """The parts, and the quantities that each of them measures."""

    def set(self, name: str, value: float, quantity: str = "") -> None:
        """What it measures from now on."""

    def value(self, name: str, quantity: str = "") -> float:
        """What it measures now."""

    def mode(self, name: str, mode: str) -> None:
        """How it behaves: "ok", or in a way of failing."""


class Port(Protocol):
    """The far end of the second serial port."""

    @property
    def link(self) -> Link: ...

    def send(self, data: bytes) -> None:
        """Bytes to the board."""

    def receive(self, seconds: float) -> bytes:
        """What came, waited for so long."""

    def expect(self, wanted: bytes, seconds: float = ...) -> bytes:
        """What came before these bytes."""


class Power(Protocol):
    """The board's power."""

    def power_on(self) -> None:
        """Off and on: the board begins at its beginning."""

    def cut(self) -> None:
        """Take it away at once."""


class Bench(Power, Protocol):
    """A board and all that is wired to it."""

    @property
    def board(self) -> Board: ...

    @property
    def console(self) -> Console: ...

    @property
    def lines(self) -> Lines: ...

    @property
    def parts(self) -> Parts: ...

    @property
    def port(self) -> Port: ...

    @property
    def transcript(self) -> str: ...

    @property
    def notes(self) -> list[str]: ...

    @property
    def resets(self) -> int: ...

    def wait(self, pattern: str, seconds: float) -> None:
        """Wait for a text on the console; `Stalled` where the emulation itself stands still."""
