"""A second shell of a board, at its second serial port: for looking at what holds the console, and for ending it.

The shell is started over the console and ended before the port is used otherwise. It has no prompt and echoes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hil.agent import Agent, Shell
from hil.console import Console


@contextmanager
def beside(agent: Agent) -> Iterator[Shell]:
    """The second shell, from a board that is in a shell; the board may be anywhere when it ends."""
    port = agent.bench.board.guest.port
    agent.must(f"stty -F {port} raw -echo icrnl")
    link = agent.bench.port.link
    while link.take(0):
        pass  # what nobody read: the boot loader speaks there too, and that would be taken for a new start
    agent.must(f"(setsid sh <{port} >{port} 2>&1 &)")
    console = Console(link)
    yield Shell(console)
    console.line("exit")
