"""The goal with a chat-completions server on this machine, over a USB network card in the board: the server says each
step, from what the board's tools told it of a sensor whose value the host sets, and the host reads the line back.

The board is told of the server as a card is, and its wired port comes up by DHCP or with an address of its own. Then
what may go wrong on the way: a console that hangs up in the middle of a turn, a clock that nobody set.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hil import cable
from hil.agent import PROMPT, Agent, Conversation
from hil.drivers.qemu import Machine
from hil.resources import Board
from hil.strategy import Strategy
from tests.support.cabled import DAY, LASTS, PLANNER, SERVER, Cabled, results, shows, told, wired
from tests.support.certs import Authority
from tests.support.chatserver import call
from tests.support.onboard import ASKED, BY_DHCP, FAN, LATE, PUMP, until

pytestmark = [pytest.mark.emulated, pytest.mark.needs("usb", "lines", "parts")]
# What goes wrong is the same on all: one board shows it at every landing.
on_one_board = pytest.mark.fast_on("raspi3b")
SECURE = """[model]
name = "chat:scripted"
base_url = "https://{server}/v1"
{more}
"""
HELLO = "fieldhand --config /tmp/{name}.toml --board sim --state /tmp/state -e hello 2>&1"
READ = call("sensor_read", {"name": "t0"})
PUMPED = call("output_set", {"name": "pump", "state": True, "for_seconds": 30})
COOLED = call("output_set", {"name": "fan", "state": True, "for_seconds": 600})
STATE = "--state /data/state"
USB = "/sys/bus/usb/drivers/ftdi_sio"
GETTY = "(setsid getty -L 0 ttyUSB0 vt100 </dev/null >/dev/null 2>&1 &)"


@pytest.fixture(scope="module")
def server(
    board: Board, bench: Machine, strategy: Strategy, cabled: Cabled, figures: dict[str, str]
) -> Iterator[Cabled]:
    """What the board asks at its prompt, until these tests are over."""
    strategy.to("shell")
    wired(Agent(bench))
    told(Agent(bench), SERVER)
    yield cabled
    strategy.to("shell")
    told(Agent(bench), PLANNER)
    asked = len(cabled.server.requests) + len(cabled.secure.requests)
    figures["requests to the model"] = f"{asked} over usb-net ({'DHCP' if board.name == BY_DHCP else 'static'})"


def test_a_goal_goes_by_the_sensor_as_the_server_says_when_the_operator_allows_it(
    bench: Machine, server: Cabled, talk: Conversation
) -> None:
    bench.parts.set("t0", 31.5)
    server.says(READ, pumped_above_30, lambda body: f"At {degrees(body)} C: {results(body)[-1]}")
    talk.console.line("How warm is it? If it is above 30 C, turn the pump on for 30 seconds.")
    talk.expect(ASKED)
    assert bench.lines.level(PUMP) == 1  # off: the relay is active low
    talk.console.line("y")
    until(lambda: bench.lines.level(PUMP) == 0, "the pump was not on")
    talk.expect(r"At 31\.5 C: pump is on, \d+ s left")
    talk.expect(PROMPT)
    until(lambda: bench.lines.level(PUMP) == 1, "the pump was not off when its time was over")
    assert [len(results(body)) for body in server.asked()] == [0, 1, 2]


def test_a_condition_that_does_not_hold_switches_nothing(bench: Machine, server: Cabled, talk: Conversation) -> None:
    bench.parts.set("t0", -10.5)
    server.says(READ, pumped_above_30)
    talk.console.line("How warm is it? If it is above 30 C, turn the pump on for 30 seconds.")
    talk.expect(r"At -10\.5 C nothing is to be done\.")
    talk.expect(PROMPT)
    assert bench.lines.level(PUMP) == 1 and len(server.asked()) == 2


def test_what_the_operator_refuses_is_not_done_and_the_server_is_told(
    bench: Machine, server: Cabled, talk: Conversation
) -> None:
    server.says(PUMPED, "As you wish.")
    talk.console.line("water the bed")
    talk.expect(ASKED)
    talk.console.line("n")
    talk.expect(r"As you wish\.")
    talk.expect(PROMPT)
    assert results(server.asked()[-1])[-1].startswith("refused: ")
    assert bench.lines.level(PUMP) == 1


@on_one_board
def test_a_line_that_is_gone_in_a_turn_and_back_has_lost_nothing_but_what_was_said_meanwhile(
    bench: Machine, server: Cabled, talk: Conversation, strategy: Strategy
) -> None:
    """The laptop goes, the adapter stays: no board sees that on a line of three wires."""
    server.asked()
    server.says({"reply": READ, "delay": 5}, {"reply": "An answer to one who came back.", "delay": 5})
    talk.console.line("take your time")
    talk.expect("take your time")
    bench.leave()
    server.until_asked(2)
    bench.back()
    talk.expect("An answer to one who came back")
    talk.console.line("")
    talk.expect(PROMPT)
    strategy.to("shell")
    assert "sensor_read" in Agent(bench).must(f"fieldhand tape show last {STATE}")


@on_one_board
def test_a_line_that_hangs_up_in_a_turn_ends_agent_and_output_and_the_tape_knows(
    bench: Machine, server: Cabled, agent: Agent
) -> None:
    """The kernel hangs the port up, as it does when its adapter is pulled; then the adapter is back."""
    line = server.adapter()
    agent.must(GETTY)
    server.asked()
    server.says(COOLED, {"reply": "Nobody is there.", "delay": LATE})
    line.line("")
    line.login("operator", "fieldhand", PROMPT, LATE)
    line.line("cool the house")
    until(lambda: line.pump(0.1) and bench.lines.level(FAN) == 1, "the fan was not on")
    server.until_asked(2)
    port = agent.must(f"ls {USB} | grep :").strip()
    agent.must(f"echo {port} >{USB}/unbind")
    until(lambda: bench.lines.level(FAN) == 0, "the fan was not off")
    shows(agent, f"fieldhand tape show last {STATE}", r"(?s)interrupted.*board +fan off: agent left.*close")
    agent.must(f"fieldhand audit verify {STATE}")
    agent.must(f"echo {port} >{USB}/bind")
    shows(agent, "ls /dev/ttyUSB0", "^/dev/ttyUSB0")
    agent.must(GETTY)
    line.line("")
    line.login("operator", "fieldhand", PROMPT, LATE)
    line.send("\x04")
    line.close()


@on_one_board
def test_a_clock_that_nobody_set_and_a_certificate_whose_time_is_not_now_are_told(
    server: Cabled, agent: Agent, authority: Authority
) -> None:
    server.secure.acts += [{"reply": "A word behind a certificate.", "times": 1}]
    agent.put("/tmp/ca.pem", Path(authority.file).read_bytes())
    for name, more in (("trusted", 'ca_file = "/tmp/ca.pem"'), ("foreign", "")):
        agent.put(f"/tmp/{name}.toml", SECURE.format(server=cable.SERVER, more=more).encode())
    now, later = (f"@{time.time() + days * DAY:.0f}" for days in (0, 2 * LASTS))
    for day, name, said in (
        ("", "trusted", r"is not valid yet; this board's clock says 20\d\d-.*if it is later than that, set the clock"),
        ("@1000", "trusted", r"the clock of this board is wrong \(it says 1970-01-01 .*set the clock"),
        (now, "foreign", "signed by nobody this board trusts"),
        (now, "trusted", r"A word behind a certificate\."),
        (later, "trusted", r"has run out; this board's clock says 20\d\d-.*check both"),
        (now, "foreign", "signed by nobody this board trusts"),
    ):
        text = agent.run(f"{f'date -s {day} >/dev/null; ' if day else ''}{HELLO.format(name=name)}")[1]
        assert re.search(said, " ".join(text.split())), text


def degrees(body: dict[str, Any]) -> float:
    """The value that sensor_read brought last: a request has those of earlier turns too."""
    found = [value for said in results(body) for value in re.findall(r"^t0 (\S+) C ", said)]
    assert found, results(body)
    return float(found[-1])


def pumped_above_30(body: dict[str, Any]) -> Any:
    """The server's next step, by what it was told."""
    warm = degrees(body)
    return PUMPED if warm > 30 else f"At {warm} C nothing is to be done."
