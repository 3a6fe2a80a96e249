"""The agent at a pseudo-terminal, as a person has it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path

from tests.support import agent

_started: list[subprocess.Popen[bytes]] = []


def end_all() -> None:
    """End what a test that failed in the middle left running."""
    while _started:
        process = _started.pop()
        process.kill()
        process.wait()


class Console:
    """The agent at a pseudo-terminal. `until(text)` reads the screen on until it shows."""

    def __init__(self, home: Path, *words: str) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            agent.command(*words),
            cwd=agent.ROOT,
            env=agent.environment(home, TERM="dumb"),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        _started.append(self.process)
        os.close(slave)
        self.screen = ""

    def until(self, text: str, seconds: float = 60.0) -> str:
        """What came up to and with `text`; the rest stays for the next call."""
        end = time.monotonic() + seconds
        while text not in self.screen:
            assert time.monotonic() < end, f"{text!r} did not show; the screen: {self.screen[-2000:]!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                self.screen += os.read(self.master, 65536).decode("utf-8", "replace")
        seen, _, self.screen = self.screen.partition(text)
        return seen + text

    def type(self, line: str) -> None:
        os.write(self.master, line.encode() + b"\n")

    def end(self) -> int:
        code = self.process.wait(timeout=60)
        os.close(self.master)
        return code
