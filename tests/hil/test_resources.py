"""Boards from TOML: those of this checkout are whole, a user's own is read, and what is wrong names file, line, key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from edge.faults import ConfigFault, UsageFault
from hil.resources import CAPABILITIES, HERE, Serial, Switch, named, names, read
from images import product
from tests.support.desks import DESK


@pytest.mark.parametrize("name", names())
def test_a_board_of_ours_says_of_each_capability_what_it_has_or_why_not(name: str) -> None:
    board = named(name)
    assert {*board.has, *board.lacks} == set(CAPABILITIES)
    assert all(board.misses(one) == "" for one in board.has)
    assert all(board.misses(one) == f"{name} has no {one}: {why}" for one, why in board.lacks.items())
    assert product.load(board.product).name == board.product
    emulator = board.emulated()
    assert {emulator.console, emulator.port} == {0, 1}
    assert bool(emulator.okay) != bool(emulator.removed) or emulator.way == "direct"


def test_a_board_on_a_desk_is_read_from_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(DESK)
    board = named(str(tmp_path / "mine.toml"))
    assert (board.name, board.console, board.port) == ("mine", Serial("/dev/ttyUSB0"), Serial("/dev/ttyUSB1", 9600))
    assert board.switch == Switch(("uhubctl", "-a", "on"), ("uhubctl", "-a", "off"))
    assert (board.login.user, board.login.password) == ("rescue", "other") and board.switched
    assert board.misses("port", "lines") == "mine has no lines: no wires are plugged in"
    assert board.misses("edges") == "mine has no edges: its file does not name it"
    with pytest.raises(UsageFault, match="mine is not emulated"):
        board.emulated()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("speed = 9600", 'speed = "fast"', r"mine.toml:13: port.speed is 'fast' \(it must be a whole number\)"),
        ("speed = 9600", "sped = 9600", r"mine.toml:13: port.sped is not known here \(did you mean speed\?\)"),
        ('product = "pi-arm64"\n', "", r"there is no product"),
        ('device = "/dev/ttyUSB1"\n', "", r"\[port\] has no device"),
        ('has = ["port", "power"]', 'has = ["prot"]', r"mine.toml:3: 'prot' is no capability"),
        (
            'has = ["port", "power"]',
            'has = "port"',
            r"mine.toml:3: has is 'port' \(it must be a list of texts, each on one line\)",
        ),
        ('has = ["port", "power"]', 'has = ["lines"]', r"the board has lines and lacks it"),
        ('has = ["port", "power"]', 'has = ["edges"]', r"no driver here gives a board on a desk edges"),
        ("[switch]", "[login_]", r"login_ is not known here \(did you mean login\?\)"),
        ('port = "/dev/ttyS1"', 'device = "/dev/ttyS1"', r"guest.device is not known here"),
        (
            'lines = "no wires are plugged in"',
            "lines = 3",
            r"mine.toml:6: lacks.lines is '3' \(it must be text on one line\)",
        ),
        ('[console]\ndevice = "/dev/ttyUSB0"\n', "", r"a board has either \[emulator\] or \[console\]"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_place(old: str, new: str, said: str) -> None:
    assert old in DESK
    with pytest.raises(ConfigFault, match=said):
        read(DESK.replace(old, new), Path("mine.toml"))


def test_a_capability_without_its_table_is_told() -> None:
    text = DESK.partition("[switch]")[0]
    with pytest.raises(ConfigFault, match=r"the board has power and no \[switch\]"):
        read(text, Path("mine.toml"))


@pytest.mark.parametrize(("name", "line"), [("raspi0", "uboot"), ("raspi3b", "registers"), ("virt", "lines")])
def test_what_a_way_to_start_needs_is_asked_for(name: str, line: str) -> None:
    text = (HERE / f"{name}.toml").read_text("utf-8")
    emulator = re.sub(rf"(?m)^{line} = [^[].*\n", "", text)
    with pytest.raises(ConfigFault, match=rf"\[emulator\] has no {line}, which the way \w+ needs"):
        read(emulator, Path(f"{name}.toml"))


def test_a_way_to_start_that_qemu_has_not_is_told() -> None:
    text = (Path(__file__).parents[2] / "hil/boards/raspi0.toml").read_text("utf-8")
    with pytest.raises(ConfigFault, match=r"'magic' is no way to start \(one of bios, kernel, wrapped, direct\)"):
        read(text.replace('way = "bios"', 'way = "magic"'), Path("raspi0.toml"))


def test_a_name_that_is_no_board_shows_those_there_are() -> None:
    with pytest.raises(UsageFault, match=f"there is no board 'raspi9'.*{', '.join(names())}"):
        named("raspi9")
    with pytest.raises(ConfigFault, match="cannot be read"):
        named("./absent.toml")


def test_a_file_of_ones_own_is_not_called_as_a_board_of_ours(tmp_path: Path) -> None:
    (tmp_path / "raspi3b.toml").write_text(DESK)
    with pytest.raises(ConfigFault, match="a board here is called raspi3b already"):
        named(str(tmp_path / "raspi3b.toml"))
    assert named(str(HERE / "raspi3b.toml")) == named("raspi3b")
