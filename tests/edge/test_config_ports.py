"""`[ports.NAME]`: every key arrives, every slip is told with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.call import Port
from edge.cli import settle
from edge.cli.args import Options
from edge.config import load
from edge.faults import ConfigFault

WHOLE = """\
board = "auto"
[ports.meter]
device = "/dev/serial/by-id/usb-FTDI_A1-if00-port0"
label = "energy meter"
baud = 19200
framing = "7e1"
flow = "rtscts"
end = "cr"
risk = "low"
[ports.gps_2]
device = "/dev/ttyS1"
"""
METER = Port("meter", "energy meter", "/dev/serial/by-id/usb-FTDI_A1-if00-port0", 19200, "7E1", "rtscts", "\r", "low")


def written(folder: Path, text: str) -> str:
    path = folder / "fieldhand.toml"
    path.write_text(text)
    return str(path)


def test_every_key_arrives_and_what_is_not_said_is_usual_and_high(tmp_path: Path) -> None:
    declared = load(written(tmp_path, WHOLE)).declared
    assert declared is not None and declared.ports == (METER, Port("gps_2", "gps 2", "/dev/ttyS1"))
    usual = declared.ports[1]
    assert (usual.baud, usual.framing, usual.flow, usual.end, usual.risk) == (9600, "8N1", "none", "\r\n", "high")


def test_a_real_board_has_them_and_a_simulated_one_has_none(tmp_path: Path) -> None:
    path = written(tmp_path, WHOLE)
    found = settle.settings(Options("repl", config=path), {})
    assert settle.scene("", {}, found, path).ports[0] == METER
    simulated = settle.settings(Options("repl", config=path, board="sim"), {})
    assert settle.scene("", {}, simulated, path).ports == ()


def test_a_board_file_has_them_too(tmp_path: Path) -> None:
    board = written(tmp_path, WHOLE.replace('board = "auto"\n', ""))
    found = settle.settings(Options("repl", board=board), {})
    assert [port.name for port in settle.scene("", {}, found).ports] == ["meter", "gps_2"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('device = "ttyUSB0"', "ports.meter.device must be a path below /dev"),
        ('device = "/dev/../etc/shadow"', "ports.meter.device must be a path below /dev"),
        ('device = "socket://10.0.0.1:23"', "ports.meter.device must be a path below /dev"),
        ("device = 3", "ports.meter.device must be a text"),
        ('label = "x"', "ports.meter needs a device"),
        ('device = "/dev/ttyS1"\nbaud = 0', "ports.meter.baud must be from 50"),
        ('device = "/dev/ttyS1"\nbaud = "fast"', "ports.meter.baud must be a whole number"),
        ('device = "/dev/ttyS1"\nframing = "9N1"', "ports.meter.framing must be data bits"),
        ('device = "/dev/ttyS1"\nframing = 8', "ports.meter.framing must be data bits"),
        ('device = "/dev/ttyS1"\nflow = "hard"', "ports.meter.flow must be none or rtscts or xonxoff"),
        ('device = "/dev/ttyS1"\nend = "\\n"', "ports.meter.end must be lf or cr or crlf or none"),
        ('device = "/dev/ttyS1"\nrisk = "none"', "ports.meter.risk must be low or medium or high"),
        ('device = "/dev/ttyS1"\nspeed = 9600', "there is no key ports.meter.speed"),
    ],
)
def test_a_slip_is_told_with_line_and_key(line: str, said: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"[ports.meter]\n{line}\n")
    with pytest.raises(ConfigFault) as caught:
        load(path)
    assert said in caught.value.sentence and f"{path}:" in str(caught.value) and caught.value.key.startswith("ports.")


@pytest.mark.parametrize("head", ["[ports.Meter]", '[ports."a/b"]', "[ports]\nmeter = 3\n[x]"])
def test_a_name_is_small_letters_and_a_port_is_a_table(head: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigFault):
        load(written(tmp_path, f'{head}\ndevice = "/dev/ttyS1"\n'))
