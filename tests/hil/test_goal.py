"""An operator types goals at the prompt of the login: the agent reads a sensor whose value the host sets, over a real
kernel, and switches lines that the host reads.

Nothing is told beforehand but what lies on the card (tests/support/onboard.py).
"""

from __future__ import annotations

import itertools
import re
import threading

import pytest

from hil.agent import Agent, Conversation
from hil.protocols import Bench
from hil.resources import Board
from hil.strategy import Strategy
from tests.support.onboard import ASKED, DOOR, FAN, PUMP, until

pytestmark = [pytest.mark.emulated, pytest.mark.needs("lines", "parts")]
WATCHED = 20
# The second is what the driver of virtio makes of a part that does not acknowledge.
UNREAD = "did not (acknowledge|answer cleanly)"
GOAL = "How warm is it? If it is above 30 C, turn the fan on for 2 minutes."


def test_a_goal_is_answered_by_what_the_part_measures(bench: Bench, talk: Conversation) -> None:
    # At the resolution that the part has after a start, half a degree: it rounds down.
    for value, said in ((31.5, "31.5 C"), (-10.25, "-10.5 C"), (20.0, "20.0 C")):
        bench.parts.set("t0", value)
        assert f"It is {said} (t0" in talk.say("how warm is it?")


def test_a_condition_that_does_not_hold_switches_nothing(bench: Bench, talk: Conversation) -> None:
    bench.parts.set("t0", 20.0)
    assert "20.0 C is not above 30 C" in talk.say(GOAL)
    assert bench.lines.level(FAN) == 0


def test_a_condition_that_holds_switches_a_line_that_the_host_sees(bench: Bench, talk: Conversation) -> None:
    bench.parts.set("t0", 31.5)
    said = talk.say(GOAL)
    assert "31.5 C is above 30 C" in said and re.search(r"The fan is on for 2 min, confirmed by the board", said), said
    assert bench.lines.level(FAN) == 1
    assert "The fan is off" in talk.say("turn the fan off")
    assert bench.lines.level(FAN) == 0


def test_a_part_that_does_not_answer_gives_a_sentence_and_no_value(bench: Bench, talk: Conversation) -> None:
    bench.parts.set("t0", 31.5)
    said = talk.say("read the attic")
    assert re.search(UNREAD, said) and not re.search(r"\d C\b", said), said


@pytest.mark.needs("faults")
def test_a_part_that_fails_is_told_and_read_again_when_it_is_well(bench: Bench, talk: Conversation) -> None:
    bench.parts.set("t0", 31.5)
    bench.parts.mode("t0", "nak")
    said = talk.say(GOAL)
    bench.parts.mode("t0", "ok")
    assert re.search(UNREAD, said) and "The fan was left as it was" in said, said
    assert not re.search(r"\d C \(", said), said
    assert bench.lines.level(FAN) == 0
    assert "It is 31.5 C (t0" in talk.say("how warm is it?")


def test_a_contact_that_the_host_closes_is_read(bench: Bench, talk: Conversation) -> None:
    for level, state in ((1, "open"), (0, "closed")):
        bench.lines.set(DOOR, level)
        assert state in talk.say(",sensor_read name=door")


@pytest.mark.needs("edges")
def test_edges_that_the_host_makes_are_watched(bench: Bench, talk: Conversation) -> None:
    talk.console.line(f",gpio_watch line=GPIO{WATCHED} seconds=20")
    talk.expect(r"gpio_watch line=GPIO\d+ seconds=20")
    told = threading.Event()

    def toggle() -> None:
        for level in itertools.cycle((1, 0)):
            bench.lines.set(WATCHED, level)
            if told.wait(0.5):
                return

    wire = threading.Thread(target=toggle)
    wire.start()
    try:
        said = talk.expect(r"(?s).*?fieldhand> ")
    finally:
        told.set()
        wire.join()
    assert "rising" in said and "falling" in said, said


@pytest.mark.needs("onewire")
def test_a_thermometer_at_one_wire_is_read(board: Board, bench: Bench, agent: Agent, strategy: Strategy) -> None:
    part, folder = board.parts["water"], f"/sys/bus/i2c/devices/i2c-{board.guest.bus}"
    bench.parts.set("water", 21.5)
    agent.must(f"modprobe -a ds2482 w1_therm; echo ds2482 {part.address:#x} >{folder}/new_device")
    until(lambda: agent.run(f"ls /sys/bus/w1/devices/{part.wire}")[0] == 0, "the kernel did not find the thermometer")
    strategy.to("agent")
    assert "21.5 C (water" in Conversation(bench.console).say("read the water")
    strategy.to("shell")
    agent.must(f"echo {part.address:#x} >{folder}/delete_device")


def test_what_the_operator_refuses_is_not_switched(bench: Bench, talk: Conversation) -> None:
    talk.console.line("turn the pump on for 2 minutes")
    assert bench.lines.level(PUMP) == 1  # off: the relay is active low
    talk.expect(ASKED)
    assert "Nothing was switched" in talk.say("n")
    assert bench.lines.level(PUMP) == 1


def test_what_the_operator_allows_is_switched_and_off_at_the_end(
    bench: Bench, talk: Conversation, strategy: Strategy
) -> None:
    talk.console.line("turn the pump on for 2 minutes")
    talk.expect(ASKED)
    assert "The pump is on for 2 min" in talk.say("y")
    assert bench.lines.level(PUMP) == 0
    strategy.to("shell")  # leaves the prompt
    until(lambda: bench.lines.level(PUMP) == 1, "the pump was not off")
