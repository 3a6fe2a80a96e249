"""The attribute files themselves, in a folder that stands for the root."""

from __future__ import annotations

import os
import socket
from glob import glob
from pathlib import Path

import pytest

from edge.peripherals.sysfs.files import Files
from edge.peripherals.sysfs.model import Chip, PwmModel
from edge.peripherals.sysfs.pwm import find


@pytest.fixture
def root(tmp_path: Path) -> Path:
    chip = tmp_path / "sys/devices/platform/soc/fe20c000.pwm/pwm/pwmchip0"
    chip.mkdir(parents=True)
    (chip / "npwm").write_text("2\n")
    (chip / "device").symlink_to("../../../fe20c000.pwm")
    (tmp_path / "sys/class/pwm").mkdir(parents=True)
    (tmp_path / "sys/class/pwm/pwmchip0").symlink_to("../../devices/platform/soc/fe20c000.pwm/pwm/pwmchip0")
    return tmp_path


def test_an_attribute_is_read_and_written_whole_at_one_descriptor(root: Path) -> None:
    files = Files(str(root))
    fd = files.open("/sys/class/pwm/pwmchip0/npwm")
    assert [files.read(fd), files.read(fd)] == ["2", "2"]
    files.write(fd, "4")
    assert files.read(fd) == "4"
    files.close(fd)


def test_a_lock_keeps_a_second_holder_out_until_it_is_closed(root: Path) -> None:
    files = Files(str(root))
    first, second = (files.open("/sys/class/pwm/pwmchip0/npwm") for _ in range(2))
    assert files.lock(first) and not files.lock(second)
    files.close(first)
    assert files.lock(second)
    files.close(second)


def test_a_chip_is_found_by_the_device_that_its_link_names(root: Path) -> None:
    files = Files(f"{root}/")
    assert files.names("/sys/class/pwm") == ["pwmchip0"]
    assert find(files, "fe20c000.pwm") == find(files, "pwmchip0") == "/sys/class/pwm/pwmchip0"


def test_an_attribute_that_can_only_be_written_is_opened_for_that_alone() -> None:
    """Held by the kernel's own sysfs: a file to unbind a driver, which is opened and not written to."""
    found = [path for path in sorted(glob("/sys/bus/*/drivers/*/unbind")) if os.access(path, os.W_OK)]
    if not found:
        pytest.skip("this machine has no attribute that can only be written, or not for this user")
    files = Files()
    for mode in ("r", "rw"):
        with pytest.raises(PermissionError):
            files.open(found[0], mode)
    files.close(files.open(found[0], "w"))


def test_a_value_of_the_kernels_is_read_anew_at_the_same_descriptor() -> None:
    """Held by the kernel's own sysfs: what the loopback interface counts, before and after a packet."""
    counter = "/sys/class/net/lo/statistics/rx_packets"
    if not os.path.exists(counter):
        pytest.skip("this machine has no loopback interface in its sysfs")
    files = Files()
    fd = files.open(counter, "r")
    before = int(files.read(fd))
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth,
    ):
        try:
            ear.bind(("127.0.0.1", 0))
            mouth.sendto(b"x", ear.getsockname())
        except OSError as error:
            pytest.skip(f"loopback cannot be used here: {error.strerror}")
        ear.settimeout(30.0)
        ear.recv(1)
    assert int(files.read(fd)) > before
    files.close(fd)


def test_the_double_refuses_the_same_way() -> None:
    model = PwmModel(pwmchip0=Chip("a.pwm", 1))
    for name, mode in (("export", "rw"), ("unexport", "r"), ("npwm", "rw"), ("npwm", "w")):
        with pytest.raises(PermissionError):
            model.open(f"/sys/class/pwm/pwmchip0/{name}", mode)
    assert model.read(model.open("/sys/class/pwm/pwmchip0/npwm", "r")) == "1"
    model.write(model.open("/sys/class/pwm/pwmchip0/export", "w"), "0")
    assert "pwm0" in model.names("/sys/class/pwm/pwmchip0")


def test_what_is_not_there_is_an_error_of_the_kernels(root: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Files(str(root)).open("/sys/class/pwm/pwmchip0/export")
    with pytest.raises(FileNotFoundError):
        Files(str(root)).names("/sys/class/nothing")
