"""One suite over every serial line: the double in this process, and a terminal of the kernel's through pyserial."""

from __future__ import annotations

import errno
from typing import Any

import pytest

from edge.peripherals.port.model import Device, Wire
from edge.peripherals.port.opening import open_port
from tests.support.ports import READING, Terminal, eventually


class Double:
    """The model."""

    def __init__(self) -> None:
        self.device = Device(READING)
        self.line = Wire(self.device)
        self.say, self.unplug = self.line.say, self.line.unplug

    def close(self) -> None:
        self.line.close()


class Kernel:
    """A pseudo-terminal."""

    def __init__(self) -> None:
        self.device = Device(READING)
        self.far = Terminal(self.device)
        self.line = open_port(self.far.port())
        self.say, self.unplug = self.far.say, self.far.unplug

    def close(self) -> None:
        self.line.close()
        self.far.unplug()


@pytest.fixture(params=[Double, Kernel], ids=["model", "pyserial on a pty"])
def bench(request: pytest.FixtureRequest) -> Any:
    made = request.param()
    yield made
    made.close()


def said(bench: Any, size: int) -> bytes:
    """So many bytes, in as many reads as they take."""
    found = b""

    def more() -> bool:
        nonlocal found
        found += bench.line.read(0.05)
        return len(found) >= size

    eventually(more)
    return found


def test_what_is_sent_is_heard_once_and_the_answer_is_read(bench: Any) -> None:
    assert bench.line.write(b"READ\r\n", 10.0) == 6
    assert said(bench, 14) == b"T=21.5\r\nH=40\r\n"
    assert bench.device.heard == b"READ\r\n"


def test_every_byte_passes_both_ways_as_it_is(bench: Any) -> None:
    every = bytes(range(256))
    assert bench.line.write(every, 10.0) == 256
    eventually(lambda: bench.device.heard == every)
    bench.say(every)
    assert said(bench, 256) == every


def test_silence_is_no_byte(bench: Any) -> None:
    assert bench.line.read(0.05) == b"" == bench.line.read(0.0)


def test_what_is_said_while_nobody_reads_waits(bench: Any) -> None:
    bench.say(b"one ")
    bench.say(b"two")
    assert said(bench, 7) == b"one two"


def test_an_unplugged_device_is_an_error_of_the_kernel(bench: Any) -> None:
    bench.unplug()
    with pytest.raises(OSError) as reading:
        eventually(lambda: bench.line.read(0.05) is None)
    with pytest.raises(OSError) as writing:
        bench.line.write(b"x", 1.0)
    assert reading.value.errno == errno.EIO == writing.value.errno


def test_closing_twice_is_closing_once_and_then_nothing_is_read(bench: Any) -> None:
    bench.line.close()
    bench.line.close()
    with pytest.raises(OSError):
        bench.line.read(0.05)
