"""A device at a serial adapter that is pulled while the agent has its port open, and plugged in again."""

from __future__ import annotations

import re

import pytest

from hil.agent import Agent, Conversation
from hil.beside import beside
from tests.support.cabled import Cabled
from tests.support.onboard import ASKED, LATE

pytestmark = [pytest.mark.emulated, pytest.mark.needs("usb", "port"), pytest.mark.fast_on("raspi3b")]
METER = """board = "auto"
[ports.meter]
device = "/dev/ttyUSB0"
label = "energy meter"
risk = "low"
"""
ASIDE = "fieldhand --config /tmp/meter.toml --model offline --state /tmp/aside"
# The kernel lets go of the whole device, as when it is pulled: an interface that is unbound alone could come back.
PLUGGED = "echo {} >$(readlink -f /sys/bus/usb/devices/{})/authorized"
THERE = "i=0; until [ -c /dev/ttyUSB0 ] || [ $i -gt 600 ]; do i=$((i+1)); sleep 1; done; ls /dev/ttyUSB0"
EXPECT = ",serial_expect port=meter seconds=25 pattern='T=([0-9.]+)'"


def test_a_device_that_is_pulled_while_its_port_is_open_is_told_and_found_again(agent: Agent, cabled: Cabled) -> None:
    agent.put("/tmp/meter.toml", METER.encode())
    line = cabled.adapter()
    with beside(agent) as hand, agent.talk(ASIDE) as talk:
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
        hand.must(THERE)
        opened(talk, "meter is open: energy meter, /dev/ttyUSB0")
        line.send("T=22.5\r\n")
        assert "T=22.5" in talk.say(EXPECT)
        assert "was closed" in talk.say(",serial_close port=meter")
    line.close()


def opened(talk: Conversation, said: str) -> None:
    """What the agent says to opening the port, which it asks for."""
    talk.console.line(",serial_open port=meter")
    talk.expect(ASKED)
    found = talk.say("y")
    assert re.search(said, found), found
