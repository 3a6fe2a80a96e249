"""A chat-completions server on this machine answers the agent of a board, over a USB network card in the board.

What the card is told (provision.toml) is all that is done: the wired port comes up, with DHCP or an address of its own,
and the operator at the console types goals. The server is a script that answers from what the board's tools told it.
Then what may go wrong on the way: a clock that nobody set, a line that is gone in the middle of a turn, a device at the
serial adapter that is pulled while its port is open. One start a board; each test finds the agent's prompt on the
console and leaves it there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.card.layout import CONFIG
from hil import cable, card, opening
from hil.agent import Agent, Conversation
from hil.beside import beside
from hil.resources import having, named
from tests.support.cabled import ASKED, KEY, LATE, PROMPT, Cabled, results, wired
from tests.support.certs import Authority
from tests.support.chatserver import ChatServer, call
from tests.support.emulated import holding, shell

pytestmark = pytest.mark.emulated
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
SECURE = """[model]
name = "chat:scripted"
base_url = "https://{server}/v1"
{more}
"""
HELLO = "fieldhand --config /tmp/{name}.toml --board sim --state /tmp/state -e hello 2>&1"
METER = """board = "auto"
[ports.meter]
device = "/dev/ttyUSB0"
label = "energy meter"
risk = "low"
"""
ASIDE = "fieldhand --config /tmp/meter.toml --model offline --state /tmp/aside"
# The kernel lets go of the whole device, as when it is pulled: an interface that is unbound alone could come back.
PLUGGED = "echo {} >$(readlink -f /sys/bus/usb/devices/{})/authorized"
FAN = call("output_set", {"name": "fan", "state": True, "for_seconds": 600})
EXPECT = ",serial_expect port=meter seconds=25 pattern='T=([0-9.]+)'"
STATE = "--state /data/state"
GETTY = "(setsid getty -L 0 ttyUSB0 vt100 </dev/null >/dev/null 2>&1 &)"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """One that was made now: later than any image."""
    return Authority(tmp_path_factory.mktemp("authority") / "made")


@pytest.fixture(
    scope="module",
    params=[name if name == FAST else pytest.param(name, marks=pytest.mark.long) for name in having("usb")],
)
def lab(
    request: pytest.FixtureRequest,
    authority: Authority,
    tmp_path_factory: pytest.TempPathFactory,
    summary: list[str],
) -> Iterator[Cabled]:
    """A board at its agent's prompt, with a cable to the servers and a serial adapter."""
    name = str(request.param)
    folder = tmp_path_factory.mktemp(name)
    address = '"dhcp"' if name == FAST else STATIC
    cert = authority.issue(name, f"IP:{cable.SERVER}")
    with ChatServer([]) as server, ChatServer([], cert=cert) as secure:
        more = (*cable.cable({80: server.port, 443: secure.port}), *cable.adapter(folder / "line"))
        source = folder / "open.img"
        opening.insert(named(name), source)  # with the second serial port, for a shell there
        with holding(name, source, folder, more=more) as machine:
            source.unlink()
            told = WISHES.format(wired=address, server=cable.SERVER, key=KEY)
            card.put(machine.card, CONFIG, "provision.toml", told.encode())
            began = time.monotonic()
            machine.boot()
            shell(machine)
            wired(machine.console)
            made = Cabled(machine, server, secure, folder / "line")
            made.to_prompt()
            yield made
            asked, seconds = len(server.requests) + len(secure.requests), time.monotonic() - began
            summary.append(f"{name}: {asked} requests to the model over usb-net ({address}), {seconds:.0f} s")


def test_a_goal_is_carried_out_as_the_server_says_when_the_operator_allows_it(lab: Cabled) -> None:
    lab.told(
        call("sensor_read", {"name": "temperature"}),
        call("output_set", {"name": "fan", "state": True, "for_seconds": 45}),
        lambda body: f"At {degrees(results(body)[-2])} degrees it is on.",
    )
    lab.goal("cool the house for a moment")
    lab.console.expect(ASKED, LATE)
    lab.console.line("y")
    answer = lab.console.expect(r"At (\S+) degrees it is on\.", LATE)[1]
    lab.console.expect(PROMPT, LATE)
    _, second, third = lab.asked()
    assert results(third)[-2] == results(second)[-1] and degrees(results(third)[-2]) == answer
    assert results(third)[-1].startswith("fan is on, 45 s left")


def test_what_the_operator_refuses_is_not_done_and_the_server_is_told(lab: Cabled) -> None:
    lab.told(call("output_set", {"name": "pump", "state": True, "for_seconds": 7}), "As you wish.")
    lab.goal("water the bed")
    lab.console.expect("pump", LATE)
    lab.console.expect(ASKED, LATE)
    lab.console.line("n")
    lab.console.expect(r"As you wish\.", LATE)
    lab.console.expect(PROMPT, LATE)
    _, second = lab.asked()
    assert results(second)[-1].startswith("refused: ") and "pump is on" not in lab.machine.transcript


def test_a_line_that_is_gone_in_a_turn_and_back_has_lost_nothing_but_what_was_said_meanwhile(lab: Cabled) -> None:
    """The laptop goes, the adapter stays: no board sees that on a line of three wires."""
    lab.told({"reply": "An answer that nobody saw.", "delay": 5})
    lab.goal("take your time")
    lab.machine.leave()
    lab.until_asked("take your time")
    lab.machine.back()
    lab.console.line("")
    lab.console.expect(PROMPT, LATE)
    lab.to_shell()
    lab.until(f"fieldhand tape show last {STATE} | grep answer", "An answer that nobody saw")
    lab.to_prompt()


def test_a_line_that_hangs_up_in_a_turn_ends_agent_and_output_and_the_tape_knows(lab: Cabled) -> None:
    """The kernel hangs the port up, as it does when its adapter is pulled; then the adapter is back."""
    lab.to_shell()
    line = lab.adapter()
    lab.run(GETTY)
    lab.told(FAN, {"reply": "Nobody is there.", "delay": LATE})
    line.line("")
    line.login("operator", "fieldhand", PROMPT, LATE)
    line.line("cool the house")
    line.expect(ASKED, LATE)
    line.line("y")
    line.expect("fan is on", LATE)
    usb = "/sys/bus/usb/drivers/ftdi_sio"
    port = lab.run(f"ls {usb} | grep :")[1].strip()
    assert lab.run(f"echo {port} >{usb}/unbind")[0] == 0
    lab.until(f"fieldhand tape show last {STATE}", r"(?s)interrupted.*board +fan off: agent left.*close")
    assert re.search(r"(?m)^ +fan +off", lab.run(f"fieldhand sim show {STATE}")[1])
    assert lab.run(f"fieldhand audit verify {STATE}")[0] == 0
    assert lab.run(f"echo {port} >{usb}/bind")[0] == 0
    lab.until("ls /dev/ttyUSB0", "^/dev/ttyUSB0")
    lab.run(GETTY)
    line.line("")
    line.login("operator", "fieldhand", PROMPT, LATE)
    line.send("\x04")
    line.close()
    lab.to_prompt()


def test_a_device_that_is_pulled_while_its_port_is_open_is_told_and_found_again(lab: Cabled) -> None:
    lab.to_shell()
    lab.put("/tmp/meter.toml", METER)
    line, board = lab.adapter(), Agent(lab.machine)
    with beside(board) as hand, board.talk(ASIDE) as talk:
        usb = hand.must("basename $(readlink -f /sys/class/tty/ttyUSB0/device/../..)").strip()
        opened(talk, "meter is open: energy meter, /dev/ttyUSB0, 9600 baud")
        assert "6 bytes were sent to meter" in talk.say(",serial_send port=meter text=READ")
        line.expect(r"READ\n", LATE)
        line.send("T=21.5\r\n")
        assert "T=21.5" in talk.say(EXPECT)
        talk.console.line(EXPECT)
        talk.expect(re.escape(EXPECT))
        hand.must(PLUGGED.format(0, usb))
        talk.expect("the serial port meter was closed: .*ttyUSB0. is gone")
        assert "is gone" in talk.say(",serial_expect port=meter")
        opened(talk, "the serial port meter .*ttyUSB0. is not there")
        hand.must(PLUGGED.format(1, usb))
        hand.must("i=0; until [ -c /dev/ttyUSB0 ] || [ $i -gt 600 ]; do i=$((i+1)); sleep 1; done; ls /dev/ttyUSB0")
        opened(talk, "meter is open: energy meter, /dev/ttyUSB0")
        line.send("T=22.5\r\n")
        assert "T=22.5" in talk.say(EXPECT)
        assert "was closed" in talk.say(",serial_close port=meter")
    line.close()
    lab.to_prompt()


def opened(talk: Conversation, said: str) -> None:
    """What the agent says to opening the port, which it asks for."""
    talk.console.line(",serial_open port=meter")
    talk.expect(ASKED)
    found = talk.say("y")
    assert re.search(said, found), found


def test_a_clock_that_nobody_set_is_told_where_a_certificate_is_not_valid_yet(
    lab: Cabled, authority: Authority
) -> None:
    lab.to_shell()
    lab.secure.acts += [{"reply": "A word behind a certificate.", "times": 1}]
    trusted = 'ca_file = "/tmp/ca.pem"'
    lab.put("/tmp/ca.pem", Path(authority.file).read_text("ascii"))
    for name, more in (("trusted", trusted), ("foreign", "")):
        lab.put(f"/tmp/{name}.toml", SECURE.format(server=cable.SERVER, more=more))
    for day, name, said in (
        ("", "trusted", r"is not valid yet; this board's clock says 20\d\d-.*if it is later than that, set the clock"),
        ("@1000", "trusted", r"the clock of this board is wrong \(it says 1970-01-01 .*set the clock"),
        (f"@{time.time():.0f}", "foreign", "signed by nobody this board trusts"),
        (f"@{time.time():.0f}", "trusted", r"A word behind a certificate\."),
    ):
        text = lab.run(f"{f'date -s {day} >/dev/null; ' if day else ''}{HELLO.format(name=name)}")[1]
        assert re.search(said, " ".join(text.split())), text
    lab.to_prompt()


def degrees(read: str) -> str:
    """The value in what sensor_read brought."""
    found = re.match(r"temperature (\S+) C ", read)
    assert found, read
    return found[1]
