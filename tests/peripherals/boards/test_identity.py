"""Which board it is, by what its files say."""

from __future__ import annotations

import random

import pytest

from edge.peripherals.boards.header import FIRST, FULL, SHORT
from edge.peripherals.boards.identity import TYPES, Board, header_of, identify
from tests.support.boards import rounds

TREE = "/proc/device-tree/"


def board(**files: str | bytes) -> Board:
    """compatible, model, revision (number), cpuinfo, product."""
    paths = {
        "compatible": TREE + "compatible",
        "model": TREE + "model",
        "code": TREE + "system/linux,revision",
        "cpuinfo": "/proc/cpuinfo",
        "product": "/sys/class/dmi/id/product_name",
    }
    held = {paths[name]: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    return identify(held.get)


def coded(code: int) -> Board:
    return board(code=code.to_bytes(4, "big"))


@pytest.mark.parametrize(
    "code, family, soc, mib, header, label",
    [
        (0xD04170, "Raspberry Pi 5", "BCM2712", 8192, FULL, "pinctrl-rp1"),
        (0xC03112, "Raspberry Pi 4 B", "BCM2711", 4096, FULL, "pinctrl-bcm2711"),
        (0xC03130, "Raspberry Pi 400", "BCM2711", 4096, FULL, "pinctrl-bcm2711"),
        (0xA02082, "Raspberry Pi 3 B", "BCM2837", 1024, FULL, "pinctrl-bcm2835"),
        (0xA020D3, "Raspberry Pi 3 B+", "BCM2837", 1024, FULL, "pinctrl-bcm2835"),
        (0x902120, "Raspberry Pi Zero 2 W", "BCM2837", 512, FULL, "pinctrl-bcm2835"),
        (0x9000C1, "Raspberry Pi Zero W", "BCM2835", 512, FULL, "pinctrl-bcm2835"),
        (0xA01041, "Raspberry Pi 2 B", "BCM2836", 1024, FULL, "pinctrl-bcm2835"),
        (0xA22042, "Raspberry Pi 2 B", "BCM2837", 1024, FULL, "pinctrl-bcm2835"),
        (0xB03140, "Raspberry Pi CM4", "BCM2711", 2048, FULL, "pinctrl-bcm2711"),
        (0xA020A0, "Raspberry Pi CM3", "BCM2837", 1024, "", "pinctrl-bcm2835"),
        (0x000E, "Raspberry Pi B", "BCM2835", 512, SHORT, "pinctrl-bcm2835"),
        (0x0002, "Raspberry Pi B", "BCM2835", 256, FIRST, "pinctrl-bcm2835"),
        (0x0010, "Raspberry Pi B+", "BCM2835", 512, FULL, "pinctrl-bcm2835"),
        (0x1000003, "Raspberry Pi B", "BCM2835", 256, FIRST, "pinctrl-bcm2835"),
        (0x2A02082, "Raspberry Pi 3 B", "BCM2837", 1024, FULL, "pinctrl-bcm2835"),
    ],
)
def test_a_revision_code_says_all_of_it(code: int, family: str, soc: str, mib: int, header: str, label: str) -> None:
    found = coded(code)
    assert (found.family, found.soc, found.mib, found.header, found.labels) == (family, soc, mib, header, (label,))
    assert int(found.revision, 16) == code and found.carrier is ("CM" in family)


def test_every_type_of_a_code_is_named() -> None:
    for number, name in TYPES.items():
        assert coded(1 << 23 | number << 4).family == f"Raspberry Pi {name}"


@pytest.mark.parametrize("code", [0x80FFF0, 0x16, 0xFFFFFFFF, 0x007FFFFF, 0])
def test_a_code_that_is_not_known_is_no_board(code: int) -> None:
    assert coded(code).family == "" and coded(code).header == ""


def test_a_mainline_device_tree_has_no_code_and_names_its_board() -> None:
    found = board(compatible=b"raspberrypi,3-model-b\0brcm,bcm2837\0", model=b"Raspberry Pi 3 Model B\0")
    assert (found.model, found.family, found.soc) == ("Raspberry Pi 3 Model B", "Raspberry Pi 3 B", "BCM2837")
    assert found.labels == ("pinctrl-bcm2835",) and found.revision == "" and found.mib == 0


def test_cpuinfo_tells_where_there_is_no_device_tree() -> None:
    text = "processor\t: 0\nRevision\t: c03112\nModel\t\t: Raspberry Pi 4 Model B Rev 1.2\n"
    found = board(cpuinfo=text)
    assert (found.model, found.family) == ("Raspberry Pi 4 Model B Rev 1.2", "Raspberry Pi 4 B")


@pytest.mark.parametrize(
    "kinds, family",
    [
        (b"ti,am335x-bone-black\0ti,am335x-bone\0ti,am33xx\0", "BeagleBone"),
        (b"nvidia,p3450-0000\0nvidia,tegra210\0", "Jetson Nano"),
        (b"xunlong,orangepi-zero\0allwinner,sun8i-h2-plus\0", "Orange Pi"),
        (b"linux,dummy-virt\0", "emulated ARM board"),
    ],
)
def test_other_boards_have_a_family_and_no_pins(kinds: bytes, family: str) -> None:
    found = board(compatible=kinds)
    assert (found.family, found.header, found.mib) == (family, "", 0) and found.model


def test_what_is_not_told_is_empty() -> None:
    assert identify(lambda path: None) == Board()
    assert board(product="PowerThing 9\n").model == "PowerThing 9"
    assert board(compatible=b"\xff\xfe\0", model=b"\xff", code=b"\0\0", cpuinfo="Revision: zz\n").family == ""


def test_a_chip_that_only_pis_have_stands_for_the_usual_header_where_the_board_tells_nothing() -> None:
    assert header_of(Board(), "pinctrl-rp1") == FULL and header_of(Board(), "tegra-gpio") == ""
    assert header_of(coded(0x000E), "pinctrl-bcm2835") == SHORT and header_of(coded(0xA020A0), "pinctrl-bcm2835") == ""


def test_any_bytes_are_some_board_or_none() -> None:
    chance, count = random.Random(4), rounds(10_000)
    words = (
        b"raspberrypi,",
        b"4-model-b",
        b"\0",
        b"brcm,bcm2711",
        b"Revision\t: ",
        b"c03112",
        b"\n",
        b"\xff",
        b"ti,am335x-bone",
    )
    for _ in range(count):
        files = {
            name: b"".join(chance.choice(words) for _ in range(chance.randrange(6)))
            for name in ("compatible", "model", "cpuinfo")
        }
        found = board(code=bytes(chance.randrange(256) for _ in range(chance.choice((0, 3, 4, 8)))), **files)
        assert found.header in ("", FULL, SHORT, FIRST) and (found.labels or not found.header)
