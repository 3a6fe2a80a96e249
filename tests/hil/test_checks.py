"""Values of a board's file that nothing could be started with: each is told with its line before anything is."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import ConfigFault
from hil.resources import HERE, Board, read
from tests.support.desks import DESK


def changed(text: str, old: str, new: str) -> Board:
    assert old in text
    return read(text.replace(old, new, 1), Path("mine.toml"))


def ours(name: str) -> str:
    return (HERE / f"{name}.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("pi-arm64", "../pi", r"mine.toml:2: '../pi' is no product \(one of pi-arm64, "),
        ("my desk", r"my\u001b[2J desk", r"mine.toml:1: title is .* \(it must be text on one line\)"),
        ("/dev/ttyUSB0", "", r"mine.toml:9: '' is no serial port"),
        ("/dev/ttyUSB0", "ttyUSB0", r"mine.toml:9: 'ttyUSB0' is no serial port"),
        ("9600", "0", r"mine.toml:13: a serial port has no speed 0"),
        ('["uhubctl", "-a", "off"]', "[]", r"mine.toml:17: switch.off is no command"),
        ('port = "/dev/ttyS1"', "", r"the board has port, and \[guest\] has no port"),
        ("# $", "(", r"mine.toml:24: '\(' is no pattern: missing"),
        ("# $", "", r"mine.toml:24: login.prompt is empty"),
    ],
)
def test_of_a_board_on_a_desk(old: str, new: str, said: str) -> None:
    assert changed(DESK, "desk", "table").title == "The board on my table"
    with pytest.raises(ConfigFault, match=said):
        changed(DESK, old, new)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "bcm2837-rpi-3-b.dtb",
            "bcm2835-rpi-zero.dtb",
            r"mine.toml:15: .* is no device tree of pi-arm64 .*rpi-3-b\.dtb",
        ),
        ("u-boot-rpi_3.bin", "u-boot-rpi.bin", r"is no U-Boot of pi-arm64 \(one of u-boot-rpi_3.bin, "),
        ("console = 1", "console = 0", r"console and port are 0 and 0"),
        ("tmp105", "tmp999", r"mine.toml:30: 'tmp999' is no kind of part here \(one of tmp105, "),
        ("tmp105", "bme280", r"'bme280' is no kind of part here"),
        ("0x48", "0x148", r"mine.toml:32: no part has the address 0x148"),
        ("0x1e", "0x48", r"mine.toml:38: m0 is where t0 is"),
        ("bus = 1\naddress", "bus = -1\naddress", r"mine.toml:31: the board has no bus -1"),
        ('kind = "tmp105"', 'kind = "tmp105"\nwire = "28-060504030201"', r"a tmp105 hangs on no 1-wire line"),
        ("lines = ", "# ", r"the board has lines, and \[guest\] has no lines"),
        ("\nbus = 1\nport", "\nport", r"the board has parts, and \[guest\] has no bus"),
    ],
)
def test_of_a_board_with_the_parts_of_qemu(old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigFault, match=said):
        changed(ours("raspi3b"), old, new)


@pytest.mark.parametrize("name", ["17", "GPIO17", "gpio17", "bus", "T0", '"m 0"', '"a,x=1"', '"a.b"', "a" * 33, '""'])
def test_a_part_whose_name_is_taken_for_something_else(name: str) -> None:
    with pytest.raises(ConfigFault, match="is no name for a part"):
        changed(ours("raspi3b"), "[parts.m0]", f"[parts.{name}]")


def test_parts_that_are_claimed_and_not_described() -> None:
    with pytest.raises(ConfigFault, match=r"mine.toml:4: the board has parts, and none is described"):
        read(ours("raspi3b").partition("[parts.t0]")[0], Path("mine.toml"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("lines = 28", "lines = -2", r"mine.toml:20: there are no -2 lines"),
        ("lines = 28", "lines = 5000", r"there are no 5000 lines"),
        ("bus = 0\naddress = 0x76", "bus = 1\naddress = 0x76", r"mine.toml:35: the board has no bus 1 \(bus = 0"),
        ('wire = "28-060504030201"', "", r"'' is no number of a 1-wire part"),
        ("28-060504030201", "28-zz", r"mine.toml:42: '28-zz' is no number of a 1-wire part"),
        ("0x18", "0x48", r"water is where t0 is"),
    ],
)
def test_of_a_lab_bench(old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigFault, match=said):
        changed(ours("virt"), old, new)


def test_two_parts_behind_one_bridge_are_two_places() -> None:
    second = '[parts.soil]\nkind = "ds18b20"\nbus = 0\naddress = 0x18\nwire = "28-0000000000%s"\n'
    board = read(ours("virt") + second % "01", Path("mine.toml"))
    assert board.parts["soil"].address == board.parts["water"].address
    with pytest.raises(ConfigFault, match="second is where soil is"):
        read(ours("virt") + second % "01" + second.replace("soil", "second") % "01", Path("mine.toml"))
