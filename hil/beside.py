"""A second shell of a board, at its second serial port: for looking at what holds the console, and for ending it.

The shell is started over the console and ended before the port is used otherwise. It has no prompt and echoes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hil.agent import SECONDS, Agent
from hil.console import Console


class Beside:
    """Commands at the second port while the console is somebody else's."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def run(self, command: str, seconds: float = SECONDS) -> tuple[int, str]:
        """Exit code and output of a command."""
        return self._console.run(command, seconds)

    def must(self, command: str, seconds: float = SECONDS) -> str:
        """The output of a command that has to succeed."""
        code, text = self.run(command, seconds)
        assert code == 0, f"{command} ended with {code}:\n{text}"
        return text


@contextmanager
def beside(agent: Agent) -> Iterator[Beside]:
    """The second shell, from a board that is in a shell; the board may be anywhere when it ends."""
    port = agent.bench.board.guest.port
    agent.must(f"stty -F {port} raw -echo icrnl")
    agent.must(f"(setsid sh <{port} >{port} 2>&1 &)")
    console = Console(agent.bench.port.link)
    yield Beside(console)
    console.line("exit")
