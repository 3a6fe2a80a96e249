"""A board at its agent's prompt with a cable to servers on this machine, for the tests that share one start of it."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from hil import cable
from hil.console import Console, Silence
from hil.drivers.link import Link, connected
from hil.drivers.qemu import Machine
from tests.support.chatserver import ChatServer
from tests.support.emulated import shell

KEY = "sk-0123456789abcdef"
PROMPT = "fieldhand> "
ASKED = r"\[y/N/t\] "
LATE = 600.0


class Cabled:
    """A board, the server it asks, one with TLS, and what of the requests to the first was looked at."""

    def __init__(self, machine: Machine, server: ChatServer, secure: ChatServer, line: Path) -> None:
        self.machine, self.server, self.secure = machine, server, secure
        self._line = line
        self._seen = len(server.requests)

    @property
    def console(self) -> Console:
        return self.machine.console

    def adapter(self) -> Console:
        """This machine's end of the serial port at USB."""
        return Console(Link(connected(self._line, 60.0)))

    def told(self, *replies: Any) -> None:
        """What the server says to the next requests: replies, or whole acts."""
        acts = [one if isinstance(one, dict) and "reply" in one else {"reply": one} for one in replies]
        self.server.acts += acts

    def goal(self, text: str) -> None:
        """Typed at the agent's prompt, and echoed."""
        self.console.line(text)
        self.console.expect(re.escape(text))

    def until_asked(self, text: str) -> None:
        """Wait until the server was asked something with this text."""
        end = time.monotonic() + LATE
        while not any(text.encode() in one["body"] for one in self.server.requests):
            assert time.monotonic() < end, f"the server was not asked {text!r}"
            time.sleep(0.2)

    def to_shell(self) -> None:
        """From the agent's prompt to a shell. A key may be lost while a line editor sets the terminal: once more."""
        for _ in range(10):
            self.console.send("\x04")
            try:
                self.console.expect(r"login: $", LATE / 10)
            except Silence:
                continue
            break
        shell(self.machine)
        self.run("dmesg -n 1")

    def to_prompt(self) -> None:
        """From a shell to the agent's prompt."""
        self.console.line("exit")
        self.console.login("operator", "fieldhand", PROMPT, LATE)

    def run(self, command: str) -> tuple[int, str]:
        """Exit code and output of a command in the shell."""
        return self.console.run(command, LATE)

    def until(self, command: str, wanted: str) -> None:
        """Run a command in the shell until what it says has the wanted form."""
        end = time.monotonic() + LATE
        while not re.search(wanted, text := self.run(command)[1]):
            assert time.monotonic() < end, f"{command} did not come to say {wanted}: {text}"

    def put(self, path: str, text: str) -> None:
        """Write a small file, from the shell."""
        for line in (f": >{path}", *(f"echo '{one}' >>{path}" for one in text.splitlines())):
            assert self.run(line)[0] == 0

    def asked(self) -> list[dict[str, Any]]:
        """The requests since the last look; each came with the key, to the chat."""
        new, self._seen = self.server.requests[self._seen :], len(self.server.requests)
        for one in new:
            assert (one["method"], one["path"]) == ("POST", "/v1/chat/completions")
            assert one["headers"]["authorization"] == f"Bearer {KEY}"
        return [json.loads(one["body"]) for one in new]


def wired(console: Console) -> None:
    """The wired port has its address, and what is beyond the server cannot be reached."""
    wait = "i=0; until ip -o addr show eth0 2>/dev/null | grep ' inet ' || [ $i -gt 600 ]; do i=$((i+1)); sleep 1; done"
    assert cable.ADDRESS in console.run(wait, LATE)[1]
    assert console.run(f"nc -w 60 {cable.SERVER} 80 </dev/null", LATE)[0] == 0
    assert console.run("ping -c 1 -w 60 10.0.2.2 >/dev/null", LATE)[0] == 0
    assert console.run(f"nc -w 5 {cable.SERVER} 22 </dev/null", LATE)[0] != 0
    assert console.run("ping -c 1 -w 5 1.1.1.1", LATE)[0] != 0


def results(body: dict[str, Any]) -> list[str]:
    """What the tools brought, by a request."""
    return [message["content"] for message in body["messages"] if message["role"] == "tool"]
