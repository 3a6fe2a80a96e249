"""Doctor on what a Raspberry Pi switches on at boot."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from edge.cli.doctor_boot import findings, settings
from edge.cli.doctor_nodes import Place
from edge.cli.finding import Finding
from tests.support.boards import rounds

PI = "Raspberry Pi 4 B"


def look(folder: Path, config: str, cmdline: str = "", nodes: tuple[str, ...] = (), at: str = "boot/firmware") -> dict:
    (folder / at).mkdir(parents=True)
    (folder / at / "config.txt").write_text(config)
    (folder / at / "cmdline.txt").write_text(cmdline)
    for name in nodes:
        (folder / "dev" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "dev" / name).write_text("")
    found = list(findings(Place(str(folder)), PI))
    assert {finding.state for finding in found} <= {"ok", "absent"}
    return {finding.what: finding for finding in found}


def systems(finding: Finding) -> bool:
    return all(system in finding.fix for system in ("Raspberry Pi OS", "Debian", "minimal image"))


@pytest.mark.parametrize("at", ["boot/firmware", "boot"])
def test_what_is_on_is_told_by_its_line_and_the_file(tmp_path: Path, at: str) -> None:
    config = "# dtparam=spi=on\ndtparam=i2c_arm=on\nenable_uart=1\ndtoverlay=w1-gpio,gpiopin=4\n"
    (tmp_path / "sys/bus/w1/devices/w1_bus_master1").mkdir(parents=True)
    found = look(tmp_path, config, "", ("i2c-1", "serial0"), at)
    assert found["overlay: I2C"].sentence == f"dtparam=i2c_arm=on in /{at}/config.txt"
    assert [found[f"overlay: {name}"].state for name in ("I2C", "UART", "1-wire")] == ["ok"] * 3
    assert found["overlay: 1-wire"].sentence.startswith("dtoverlay=w1-gpio,gpiopin=4 in ")
    spi = found["overlay: SPI"]
    assert spi.state == "absent" and "does not speak of it" in spi.sentence and systems(spi)
    assert "raspi-config nonint do_spi 0" in spi.fix and "raspi-firmware-custom" in spi.fix


@pytest.mark.parametrize(
    "config, sentence",
    [
        ("dtparam=i2c_arm=off\n", "dtparam=i2c_arm=off in /boot/firmware/config.txt: it is off"),
        ("dtparam=i2c_arm=on\ndtparam=i2c_arm=off\n", "dtparam=i2c_arm=off in"),
        ("dtparam=spi=on,i2c_arm=on\n", "dtparam=i2c_arm=on in /boot/firmware/config.txt, and it is not in force"),
        ("dtparam=i2c\n", "dtparam=i2c in /boot/firmware/config.txt, and it is not in force"),
        ("[pi5]\ndtparam = i2c_arm = on # yes\n", "dtparam=i2c_arm=on in its section [pi5] in"),
        ("[pi5]\n[all]\ndtparam=i2c_arm=on\n", "dtparam=i2c_arm=on in /boot"),
        ("dtparam=i2c_vc=on\ndtparam=i2c_armband=on\n", "/boot/firmware/config.txt does not speak of it"),
    ],
)
def test_the_last_line_that_speaks_of_it_counts(tmp_path: Path, config: str, sentence: str) -> None:
    finding = look(tmp_path, config)["overlay: I2C"]
    assert finding.sentence.startswith(sentence) and finding.state == "absent" and systems_or_two(finding)


def systems_or_two(finding: Finding) -> bool:
    return systems(finding) and "reboot" in finding.fix


def test_what_is_written_and_not_there_needs_a_start_or_a_module(tmp_path: Path) -> None:
    finding = look(tmp_path, "dtparam=i2c_arm=on\n")["overlay: I2C"]
    assert "modprobe i2c-dev" in finding.fix and "not in force" in finding.sentence


def test_a_bus_that_is_there_without_a_line_is_ok(tmp_path: Path) -> None:
    finding = look(tmp_path, "", "", ("spidev0.0",))["overlay: SPI"]
    assert finding.state == "ok" and "all the same" in finding.sentence


def test_a_console_on_the_headers_port_is_told_with_the_lines_it_takes(tmp_path: Path) -> None:
    finding = look(tmp_path, "", "console=serial0,115200 console=tty1 root=/dev/mmcblk0p2\n")["overlay: console"]
    assert finding.state == "absent" and "console is serial0: GPIO14 and GPIO15" in finding.sentence
    assert systems(finding) and "do_serial_cons 1" in finding.fix and "/etc/inittab" in finding.fix


def test_the_running_kernel_is_asked_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cmdline").write_text("console=tty1 root=x\n")
    assert look(tmp_path, "", "console=ttyAMA0\n")["overlay: console"].state == "ok"


def test_lines_that_the_firmware_drives_are_told(tmp_path: Path) -> None:
    finding = look(tmp_path, "gpio=17=op,dl\ngpio=27=op,dh\n")["overlay: lines"]
    assert "gpio=17=op,dl, gpio=27=op,dh" in finding.sentence and "until the guard starts" in finding.sentence


def test_a_pi_without_the_file_says_so_and_another_board_says_nothing(tmp_path: Path) -> None:
    (finding,) = findings(Place(str(tmp_path)), PI)
    assert finding.state == "absent" and "mount the boot partition" in finding.fix
    assert list(findings(Place(str(tmp_path)), "BeagleBone")) == [] and list(findings(Place(str(tmp_path)), "")) == []


def test_sections_and_comments_are_read_as_the_firmware_does() -> None:
    text = "a=1\n[pi4]\nb=2 # two\n\n[ALL]\n c = 3\n# d=4\n[none"
    assert settings(text) == [("", "a=1"), ("pi4", "b=2"), ("", "c=3"), ("", "[none")]


def test_any_text_is_read_without_a_fault(tmp_path: Path) -> None:
    chance, count = random.Random(6), rounds(2000)
    (tmp_path / "boot").mkdir()
    words = (
        "dtparam",
        "=",
        "i2c_arm",
        ",",
        "on",
        "off",
        "[",
        "]",
        "all",
        "#",
        "\n",
        " ",
        "dtoverlay",
        "w1-gpio",
        "gpio",
        "\0",
    )
    for _ in range(count):
        text = "".join(chance.choice(words) for _ in range(chance.randrange(30)))
        (tmp_path / "boot/config.txt").write_text(text)
        found = list(findings(Place(str(tmp_path)), PI))
        assert len(found) >= 5 and all(finding.sentence for finding in found)
