"""Opening a serial port: what is refused, with which sentence, and that it is had alone."""

from __future__ import annotations

import errno
import fcntl
import os
import termios
from pathlib import Path

import pytest

from edge.call import Port
from edge.faults import HardwareFault, Refused
from edge.peripherals.port.model import Device
from edge.peripherals.port.opening import fault, open_port
from edge.peripherals.port.ttys import System
from tests.support.ports import Terminal


def modes(path: str) -> list[object]:
    """The settings of a terminal, asked by another descriptor."""
    handle = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return termios.tcgetattr(handle)
    finally:
        os.close(handle)


def test_speed_and_framing_arrive_at_the_terminal() -> None:
    with Terminal(Device({})) as far:
        line = open_port(far.port(baud=19200, framing="7E2", flow="xonxoff"))
        iflag, _, cflag, _, _, ospeed, _ = termios.tcgetattr(line._made.fileno())  # type: ignore[attr-defined]
        line.close()
        assert ospeed == termios.B19200 and iflag & termios.IXON and cflag & termios.CSTOPB
        assert not cflag & termios.HUPCL  # closing does not reset what is connected


def test_what_came_before_is_discarded() -> None:
    with Terminal(Device({})) as far:
        far.say(b"old")
        line = open_port(far.port())
        assert line.read(0.05) == b""
        line.close()


def test_a_port_is_had_alone_and_is_free_again_when_it_is_closed() -> None:
    with Terminal(Device({})) as far:
        line = open_port(far.port())
        with pytest.raises(HardwareFault, match="is held by another program") as caught:
            open_port(far.port())
        assert caught.value.errno == errno.EBUSY and "end that program" in caught.value.fix
        line.close()
        open_port(far.port()).close()


def test_others_who_lock_it_keep_it() -> None:
    with Terminal(Device({})) as far:
        handle = os.open(far.path, os.O_RDWR | os.O_NOCTTY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(HardwareFault, match="held"):
            open_port(far.port())
        os.close(handle)


def test_a_child_gets_no_descriptor_of_it() -> None:
    with Terminal(Device({})) as far:
        line = open_port(far.port())
        assert not os.get_inheritable(line._made.fileno())  # type: ignore[attr-defined]
        line.close()


def test_what_is_not_there_and_what_is_no_port_is_said(tmp_path: Path) -> None:
    with pytest.raises(HardwareFault, match=r"the serial port meter \(/dev/ttyNONE\) is not there") as caught:
        open_port(Port("meter", "meter", "/dev/ttyNONE"))
    assert "by-id" in caught.value.fix
    with pytest.raises(HardwareFault, match="is no serial port"):
        open_port(Port("meter", "meter", "/dev/null"))


def test_a_console_is_refused_and_nothing_of_it_is_changed(tmp_path: Path) -> None:
    (tmp_path / "cmdline").write_text("")
    with Terminal(Device({})) as far:
        (tmp_path / "cmdline").write_text(f"console={far.path[len('/dev/') :]},115200")
        before = modes(far.path)
        with pytest.raises(Refused, match="is a console and is not opened") as caught:
            open_port(far.port(), System(proc=str(tmp_path)))
        assert caught.value.rule == "port.console" and modes(far.path) == before


def test_a_speed_that_a_terminal_does_not_take_is_a_sentence_with_the_table() -> None:
    found = fault(OSError(errno.EINVAL, "no"), Port("meter", "meter", "/dev/ttyUSB0", 12345))
    assert "does not take 12345 baud 8N1" in found.sentence and "[ports.meter]" in found.fix


@pytest.mark.parametrize(
    ("number", "said", "todo"),
    [
        (errno.EACCES, "may not be opened by this user", "dialout"),
        (errno.EPERM, "may not be opened by this user", "dialout"),
        (errno.EIO, "is gone", "plugged in"),
        (errno.ENODEV, "is gone", "plugged in"),
        (errno.EBUSY, "is held by another program", "end that program"),
        (errno.ENOMEM, "failed", "dmesg"),
    ],
)
def test_each_error_of_the_system_is_a_sentence(number: int, said: str, todo: str) -> None:
    found = fault(OSError(number, os.strerror(number)), Port("meter", "meter", "/dev/ttyNONE"))
    assert said in found.sentence and todo in found.fix and found.errno == number
