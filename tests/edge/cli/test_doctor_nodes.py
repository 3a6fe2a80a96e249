"""Doctor on kernel, nodes and groups, over folders that hold another board's files."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from edge.cli.doctor_nodes import Place, findings, kernel, may_open, watchdog
from edge.cli.finding import Finding, remedy
from tests.support.boards import rounds

PASSWD = "root:x:0:0::/home/root:/bin/sh\npi:x:1000:1000::/home/pi:/bin/sh\n"
SYSTEMS = ("Raspberry Pi OS", "Debian", "minimal image")


def place(folder: Path, uid: int = 1000, groups: tuple[int, ...] = (1000,), needed: bool = False) -> Place:
    return Place(str(folder), uid, groups, needed)


def write(folder: Path, **files: str) -> None:
    """etc_group="..." writes /etc/group."""
    for name, text in files.items():
        path = folder / name.replace("__", "-").replace("_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def node(folder: Path, name: str, mode: int = 0o660, gid: int | None = None) -> None:
    path = folder / "dev" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(mode)
    if gid is not None and os.geteuid() == 0:
        os.chown(path, 0, gid)


def one(found: list[Finding], what: str) -> Finding:
    (finding,) = [finding for finding in found if finding.what == what]
    return finding


def systems(fix: str) -> bool:
    return all(system in fix for system in SYSTEMS)


def test_nothing_there_is_absent_and_never_wrong_for_the_simulated_board(tmp_path: Path) -> None:
    found = list(findings(place(tmp_path)))
    assert [finding.what for finding in found] == ["kernel", "devices", "watchdog"]
    assert {finding.state for finding in found} == {"absent"}
    assert "the simulated board needs none" in one(found, "devices").sentence and systems(one(found, "watchdog").fix)


def test_a_real_board_without_a_chip_is_wrong_with_the_fix_for_each_system(tmp_path: Path) -> None:
    finding = one(list(findings(place(tmp_path, needed=True))), "devices: GPIO")
    assert finding.state == "wrong" and systems(finding.fix) and "CONFIG_GPIO_CDEV" in finding.fix


@pytest.mark.parametrize(
    "release, state, needed",
    [
        *(("6.12.20+rpt-rpi-v8", "ok", True), ("5.10.0-8-arm64", "ok", True), ("5.9.16", "wrong", True)),
        *(("4.19.66-v7+", "absent", False), ("5.4", "wrong", True), ("", "absent", True), ("nonsense", "absent", True)),
    ],
)
def test_the_kernel_has_to_be_5_10(tmp_path: Path, release: str, state: str, needed: bool) -> None:
    write(tmp_path, proc_sys_kernel_osrelease=f"{release}\n")
    (finding,) = kernel(place(tmp_path, needed=needed))
    assert finding.state == state
    assert ("ENOTTY" in finding.sentence and systems(finding.fix)) is (release[:1] in ("4", "5") and state != "ok")


def test_nodes_are_told_with_owner_group_and_mode(tmp_path: Path) -> None:
    write(tmp_path, etc_passwd=PASSWD, etc_group="root:x:0:\n")
    for name in ("gpiochip0", "gpiochip10", "i2c-1", "spidev0.1", "ttyS0", "ttyUSB0", "ttyprintk", "gpiochipx", "null"):
        node(tmp_path, name, 0o666)
    found = list(findings(place(tmp_path)))
    assert [finding.what for finding in found if finding.what.startswith("devices")] == [
        "devices: GPIO",
        "devices: I2C",
        "devices: SPI",
        "devices: serial",
    ]
    gpio = one(found, "devices: GPIO")
    assert gpio.state == "ok" and gpio.sentence.index("gpiochip0") < gpio.sentence.index("gpiochip10")
    assert " 0666)" in gpio.sentence and "gpiochipx" not in gpio.sentence
    assert "ttyprintk" not in one(found, "devices: serial").sentence


def test_many_nodes_are_counted(tmp_path: Path) -> None:
    for number in range(40):
        node(tmp_path, f"ttyS{number}", 0o666)
    assert one(list(findings(place(tmp_path))), "devices: serial").sentence.endswith("and 34 more")


def test_a_node_opens_by_owner_group_and_mode(tmp_path: Path) -> None:
    node(tmp_path, "gpiochip0", 0o660)
    owner, group = os.stat(tmp_path / "dev/gpiochip0").st_uid, os.stat(tmp_path / "dev/gpiochip0").st_gid
    other = 12345
    for uid, groups, mode, opens in (
        *((0, (), 0o000, True), (other, (other,), 0o660, False), (other, (group,), 0o660, True)),
        *((other, (group,), 0o640, False), (other, (), 0o666, True), (other, (group,), 0o606, False)),
    ):
        (tmp_path / "dev/gpiochip0").chmod(mode)
        assert may_open(Place(str(tmp_path), uid, groups), "/dev/gpiochip0") is (opens or uid == owner == 0)
    assert not may_open(Place(str(tmp_path), other), "/dev/gone")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file to a group")
def test_a_node_of_a_group_is_opened_by_joining_it(tmp_path: Path) -> None:
    write(tmp_path, etc_passwd=PASSWD, etc_group="root:x:0:\ngpio:x:986:\n")
    node(tmp_path, "gpiochip0", gid=986)
    finding = one(list(findings(place(tmp_path, needed=True))), "devices: GPIO")
    assert finding.state == "wrong" and "gpiochip0 (root:gpio 0660); not open to this user" in finding.sentence
    assert "sudo usermod -aG gpio pi, then log in again" in finding.fix and "addgroup pi gpio" in finding.fix
    finding = one(list(findings(place(tmp_path))), "devices: GPIO")
    assert finding.state == "absent"
    assert one(list(findings(place(tmp_path, groups=(986,), needed=True))), "devices: GPIO").state == "ok"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a node of root's")
def test_a_node_that_only_root_has_needs_a_group_first(tmp_path: Path) -> None:
    write(tmp_path, etc_passwd=PASSWD, etc_group="root:x:0:\n")
    node(tmp_path, "gpiochip0", 0o600, gid=0)
    finding = one(list(findings(place(tmp_path, needed=True))), "devices: GPIO")
    assert finding.state == "wrong" and systems(finding.fix)
    assert "groupadd" in finding.fix and "udev" in finding.fix and "/etc/mdev.conf" in finding.fix


@pytest.mark.parametrize(
    "members, session, state, words",
    [
        ("pi", (1000, 986), "ok", "pi is in it"),
        ("pi", (1000,), "wrong", "this login session began before that"),
        ("", (1000,), "absent", "pi is not in it"),
        ("", (1000, 986), "ok", "pi is in it"),
        ("pine,pip", (1000,), "absent", "pi is not in it"),
    ],
)
def test_a_group_counts_when_this_session_has_it(
    tmp_path: Path, members: str, session: tuple[int, ...], state: str, words: str
) -> None:
    write(tmp_path, etc_passwd=PASSWD, etc_group=f"gpio:x:986:{members}\ni2c:x:994:pi\n")
    node(tmp_path, "gpiochip0", 0o666)
    found = list(findings(place(tmp_path, groups=session, needed=True)))
    finding = one(found, "group gpio")
    assert (finding.state, words in finding.sentence) == (state, True)
    assert "log in again" in finding.fix or state == "ok"
    assert not [finding for finding in found if finding.what == "group i2c"]  # there is no I2C to be opened


def test_root_needs_no_group(tmp_path: Path) -> None:
    write(tmp_path, etc_group="gpio:x:986:\n")
    node(tmp_path, "gpiochip0", 0o600)
    found = list(findings(place(tmp_path, 0, (0,), True)))
    assert one(found, "devices: GPIO").state == "ok" and not [one for one in found if one.what.startswith("group")]


def test_a_pwm_chip_is_had_by_writing_to_its_export(tmp_path: Path) -> None:
    folder = tmp_path / "sys/class/pwm/pwmchip0"
    folder.mkdir(parents=True)
    (folder / "export").write_text("")
    (folder / "export").chmod(0o222)
    assert one(list(findings(place(tmp_path, 12345, (12345,)))), "devices: PWM").state == "ok"
    (folder / "export").chmod(0o200)
    finding = one(list(findings(place(tmp_path, 12345, (12345,)))), "devices: PWM")
    assert finding.state == "absent" and "not open to this user: pwmchip0" in finding.sentence and systems(finding.fix)


def test_any_text_in_the_tables_is_read_without_a_fault(tmp_path: Path) -> None:
    chance, count = random.Random(5), rounds(2000)
    node(tmp_path, "gpiochip0", 0o666)
    for _ in range(count):
        text = "".join(chance.choice("pi:gpio,1000\n:x986 \x00-+.é") for _ in range(chance.randrange(60)))
        write(tmp_path, etc_passwd=text, etc_group=text[::-1], proc_sys_kernel_osrelease=text[:20])
        assert all(finding.sentence for finding in findings(place(tmp_path)))


def test_a_watchdog_that_nobody_feeds_watches_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "sys/class/watchdog/watchdog0"
    folder.mkdir(parents=True)
    for name, text in (("identity", "Broadcom BCM2835 Watchdog timer"), ("state", "inactive"), ("timeout", "15")):
        (folder / name).write_text(text + "\n")
    (finding,) = watchdog(place(tmp_path))
    assert finding.state == "absent" and "Broadcom BCM2835 Watchdog timer, timeout 15 s" in finding.sentence
    assert systems(finding.fix) and "RuntimeWatchdogSec" in finding.fix and "inittab" in finding.fix
    (folder / "state").write_text("active\n")
    (finding,) = watchdog(place(tmp_path))
    assert finding.state == "ok" and finding.fix == ""


def test_what_is_the_same_on_two_systems_is_said_once() -> None:
    assert remedy("a", "a", "b", "c") == "Raspberry Pi OS, Debian: a; minimal image: b"
    assert remedy("a", "b", "a", "c") == "Raspberry Pi OS, minimal image: a; Debian: b"
