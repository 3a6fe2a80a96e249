"""A board on a desk: its console at a terminal of this machine, its power at commands, and what it has not got."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.faults import HardwareFault
from hil.drivers.desk import Desk, switched
from hil.resources import Board, read

pytest.importorskip("serial", reason="pyserial is not on this machine")


class Wired:
    """Two terminals in the place of the board's serial ports, and a file that the power switch writes."""

    def __init__(self, folder: Path) -> None:
        (self.console, far), (self.port, far_port) = os.openpty(), os.openpty()
        self.ends = (self.console, far, self.port, far_port)
        self.switched = folder / "switched"
        self.text = (
            'title = "mine"\nproduct = "pi-arm64"\nhas = ["power", "port"]\n[lacks]\nlines = "no wires"\n'
            '[guest]\nport = "/dev/ttyS1"\n'
            f'[console]\ndevice = "{os.ttyname(far)}"\n[port]\ndevice = "{os.ttyname(far_port)}"\nspeed = 9600\n'
            f"[switch]\non = {self.act('on')}\noff = {self.act('off')}\n"
        )

    def act(self, name: str) -> str:
        """The words of a command that writes `name` down, as TOML has them."""
        return json.dumps(["sh", "-c", 'printf "%s " "$1" >>"$0"', str(self.switched), name])

    def board(self, text: str = "") -> Board:
        return read(text or self.text, Path("mine.toml"))


@pytest.fixture
def wired(tmp_path: Path) -> Iterator[Wired]:
    found = Wired(tmp_path)
    yield found
    for end in found.ends:
        os.close(end)


def test_console_and_port_are_the_serial_ports(wired: Wired) -> None:
    with Desk(wired.board()) as desk:
        os.write(wired.console, b"U-Boot 2024\r\nfieldhand login: ")
        desk.wait("login: ", 60)
        desk.console.line("rescue")
        assert os.read(wired.console, 64) == b"rescue\r"
        desk.port.send(b"READ\n")
        assert os.read(wired.port, 64) == b"READ\n"
        os.write(wired.port, b"\xffT=21\n")
        assert desk.port.expect(b"T=21\n") == b"\xff"
        assert "U-Boot 2024" in desk.transcript


def test_the_power_is_what_the_file_says(wired: Wired) -> None:
    with Desk(wired.board()) as desk:
        desk.power_on()
        desk.cut()
    assert wired.switched.read_text().split() == ["off", "on", "off"]
    with Desk(wired.board(wired.text + f"cycle = {wired.act('cycle')}\n")) as desk:
        desk.power_on()
    assert wired.switched.read_text().split()[-1] == "cycle"


def test_what_it_has_not_got_is_told_in_the_words_of_its_file(wired: Wired) -> None:
    bare = wired.text.partition("[port]")[0].replace('"power", "port"', "")
    with Desk(wired.board(bare)) as desk:
        for ask, said in (
            (lambda: desk.lines, "mine has no lines: no wires"),
            (lambda: desk.parts, "mine has no parts: its file does not name it"),
            (lambda: desk.port, "mine has no port: its file does not name it"),
            (desk.power_on, "mine has no power: its file does not name it"),
            (desk.cut, "mine has no power: its file does not name it"),
        ):
            with pytest.raises(HardwareFault, match=said):
                ask()


def test_a_switch_that_fails_is_told_with_its_last_line() -> None:
    with pytest.raises(HardwareFault, match=r"ended with 3: no hub \(see \[switch\]"):
        switched((sys.executable, "-c", "import sys; print('trying'); print('no hub'); sys.exit(3)"))
    with pytest.raises(HardwareFault, match="the power switch did not work"):
        switched(("/no/such/switch",))


def test_a_port_that_is_not_there_is_told(wired: Wired) -> None:
    absent = wired.text.replace(os.ttyname(wired.ends[1]), "/dev/ttyNONE")
    with pytest.raises(HardwareFault, match="the serial port /dev/ttyNONE cannot be opened"):
        Desk(wired.board(absent))
