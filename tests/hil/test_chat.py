"""A chat-completions server on this machine answers the agent of a board, over a USB network card in the board.

What the card is told (provision.toml) is all that is done: the wired port comes up, with DHCP or an address of its own,
and the operator at the console types goals. The server is a script that answers from what the board's tools told it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from edge.card.layout import CONFIG
from hil import cable, card
from hil.boards import BOARDS
from hil.console import Console
from hil.qemu import Machine
from tests.support.chatserver import ChatServer, call
from tests.support.emulated import inserted, shell

pytestmark = pytest.mark.emulated
KEY = "sk-0123456789abcdef"
PROMPT = "fieldhand> "
ASKED = r"\[y/N/t\] "
LATE = 600.0
# raspi3b takes what DHCP gives, the others have an address of their own.
FAST = "raspi3b"
STATIC = f'{{address = "{cable.ADDRESS}"}}'
WISHES = """[network]
wired = {wired}
[model]
name = "chat:scripted"
base_url = "http://{server}/v1"
key = "{key}"
[settings]
board = "sim"
"""


class Lab:
    """A board, the server it asks, and what of its requests was looked at."""

    def __init__(self, machine: Machine, server: ChatServer) -> None:
        self.machine, self.server = machine, server
        self._seen = len(server.requests)

    @property
    def console(self) -> Console:
        return self.machine.console

    def told(self, *replies: Any) -> None:
        """What the server says to the next requests."""
        self.server.acts += [{"reply": reply} for reply in replies]

    def asked(self) -> list[dict[str, Any]]:
        """The requests since the last look; each came with the key, to the chat."""
        new, self._seen = self.server.requests[self._seen :], len(self.server.requests)
        for one in new:
            assert (one["method"], one["path"]) == ("POST", "/v1/chat/completions")
            assert one["headers"]["authorization"] == f"Bearer {KEY}"
        return [json.loads(one["body"]) for one in new]


@pytest.fixture(
    scope="module",
    params=[name if name == FAST else pytest.param(name, marks=pytest.mark.long) for name in sorted(BOARDS)],
)
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, summary: list[str]) -> Iterator[Lab]:
    """A board at its agent's prompt, with a cable to the server."""
    name = str(request.param)
    wired = '"dhcp"' if name == FAST else STATIC
    with ChatServer([]) as server:
        more = cable.cable({80: server.port})
        with inserted(name, tmp_path_factory.mktemp(name), more=more) as machine:
            wishes = WISHES.format(wired=wired, server=cable.SERVER, key=KEY)
            card.put(machine.card, CONFIG, "provision.toml", wishes.encode())
            began = time.monotonic()
            machine.boot()
            shell(machine)
            connected(machine.console)
            machine.console.line("exit")
            machine.console.login("operator", "fieldhand", PROMPT, LATE)
            yield Lab(machine, server)
            summary.append(
                f"{name}: {len(server.requests)} requests to the model over usb-net ({wired.split()[0]}), "
                f"{time.monotonic() - began:.0f} s"
            )


def connected(console: Console) -> None:
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


def degrees(read: str) -> str:
    """The value in what sensor_read brought."""
    found = re.match(r"temperature (\S+) C ", read)
    assert found, read
    return found[1]


def goal(lab: Lab, text: str) -> None:
    """What the operator types, and the echo of it."""
    lab.console.line(text)
    lab.console.expect(re.escape(text))


def test_a_goal_is_carried_out_as_the_server_says_when_the_operator_allows_it(lab: Lab) -> None:
    lab.told(
        call("sensor_read", {"name": "temperature"}),
        call("output_set", {"name": "fan", "state": True, "for_seconds": 45}),
        lambda body: f"At {degrees(results(body)[-2])} degrees it is on.",
    )
    goal(lab, "cool the house for a moment")
    lab.console.expect(ASKED, LATE)
    lab.console.line("y")
    answer = lab.console.expect(r"At (\S+) degrees it is on\.", LATE)[1]
    lab.console.expect(PROMPT, LATE)
    _, second, third = lab.asked()
    assert results(third)[-2] == results(second)[-1] and degrees(results(third)[-2]) == answer
    assert results(third)[-1].startswith("fan is on, 45 s left")


def test_what_the_operator_refuses_is_not_done_and_the_server_is_told(lab: Lab) -> None:
    lab.told(call("output_set", {"name": "pump", "state": True, "for_seconds": 7}), "As you wish.")
    goal(lab, "water the bed")
    lab.console.expect("pump", LATE)
    lab.console.expect(ASKED, LATE)
    lab.console.line("n")
    lab.console.expect(r"As you wish\.", LATE)
    lab.console.expect(PROMPT, LATE)
    _, second = lab.asked()
    assert results(second)[-1].startswith("refused: ") and "pump is on" not in lab.machine.transcript
