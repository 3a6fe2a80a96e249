"""The double of a serial device: what it hears, what it says."""

from __future__ import annotations

import pytest

from edge.peripherals.port.model import ROOM, Device, Wire


def test_an_answer_comes_when_the_whole_question_was_heard_and_once_for_each() -> None:
    device = Device({b"A\n": b"1", b"B\n": b"2"})
    assert [device.hear(b"xA"), device.hear(b"\nB\nA\n"), device.hear(b"C\n")] == [b"", b"121", b""]
    assert device.heard == b"xA\nB\nA\nC\n"


def test_the_greeting_waits_when_it_is_opened() -> None:
    assert Wire(Device({}, b"XX\xb2")).read(0.0) == b"XX\xb2"


def test_what_nobody_reads_is_held_up_to_the_room_of_a_terminal() -> None:
    wire = Wire(Device({}))
    wire.say(b"a" * ROOM)
    wire.say(b"b")
    assert wire.read(0.0) == b"a" * ROOM


def test_what_is_stuck_sends_nothing_and_says_so() -> None:
    device = Device({})
    assert Wire(device, stuck=True).write(b"READ", 0.0) == 0 and device.heard == b""


@pytest.mark.parametrize("how", ["unplug", "close"])
def test_what_is_gone_neither_reads_nor_writes(how: str) -> None:
    wire = Wire(Device({}))
    getattr(wire, how)()
    for act in (lambda: wire.read(0.0), lambda: wire.write(b"x", 0.0)):
        with pytest.raises(OSError):
            act()
