"""A board in a shell, worked with over its console alone, as an operator would: commands, the agent, a conversation.

Rules:
1. Nothing is put onto the board but what is typed: a program for its Python goes over the console in lines that its
   shell takes.
2. A conversation is left as a person leaves it, and the shell is there again; one that cannot be left is a fault.
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from hil.console import Console
from hil.protocols import Bench

PROMPT = r"fieldhand> "
SECONDS = 600.0
LIBRARY = "/usr/lib/fieldhand"
PROGRAM = "/tmp/program.py"
_PIECE = 600  # letters in a line: busybox's editor takes 1024


class Shell:
    """Commands at a line with a shell at its other end."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @property
    def console(self) -> Console:
        """The line."""
        return self._console

    def run(self, command: str, seconds: float = SECONDS) -> tuple[int, str]:
        """Exit code and output of a shell command."""
        return self.console.run(command, seconds)

    def must(self, command: str, seconds: float = SECONDS) -> str:
        """The output of a command that has to succeed."""
        code, text = self.run(command, seconds)
        assert code == 0, f"{command} ended with {code}:\n{text}"
        return text


class Agent(Shell):
    """A board that is in a shell, at its console: also when that is another one after a power cut."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    @property
    def console(self) -> Console:
        return self.bench.console

    def put(self, path: str, data: bytes) -> None:
        """A file on the board."""
        text, into = base64.b64encode(data).decode("ascii"), shlex.quote(f"{path}.b64")
        self.must(f": >{into}")
        for at in range(0, len(text), _PIECE):
            self.must(f"echo {text[at : at + _PIECE]} >>{into}")
        self.must(f"base64 -d {into} >{shlex.quote(path)} && rm {into}")

    def python(self, source: str, *words: str) -> str:
        """What a program prints that the board's Python runs with the image's library; it has to end well."""
        return self.must(self._program(source, words))

    @contextmanager
    def program(self, source: str, *words: str) -> Iterator[Console]:
        """The same while it runs: what it prints is expected, what it reads is typed. It has to end well."""
        self.console.line(f"{self._program(source, words)}; echo E''NDED $?")
        yield self.console
        code = self.console.expect(r"ENDED (\d+)\n", SECONDS, PROGRAM)[1]
        assert code == "0", f"the program ended with {code}"

    def _program(self, source: str, words: tuple[str, ...]) -> str:
        self.put(PROGRAM, source.encode())
        return f"PYTHONPATH={LIBRARY} python3 -B {PROGRAM} {shlex.join(words)}"

    @contextmanager
    def talk(self, command: str = "fieldhand --config /data/config/config.toml") -> Iterator[Conversation]:
        """A conversation with the agent, started from the shell."""
        self.console.line(command)
        self.console.expect(PROMPT, SECONDS, command)
        yield Conversation(self.console)
        self.console.send("\x04")
        self.console.expect(self.bench.board.login.prompt, SECONDS, command)


class Conversation:
    """The agent at its prompt."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def say(self, line: str, seconds: float = SECONDS) -> str:
        """What came until the next prompt."""
        self.console.line(line)
        return self.console.expect(rf"(?s)(.*?)\n[^\n]*{PROMPT}", seconds, line)[1]

    def expect(self, pattern: str, seconds: float = SECONDS) -> str:
        """What a pattern found: for questions that the agent asks before it is at its prompt again."""
        return self.console.expect(pattern, seconds, pattern)[0]
