"""The kernel's nodes: which are chips, and that the real calls are made."""

from __future__ import annotations

import errno
import os
import select

import pytest

from edge.faults import HardwareFault
from edge.peripherals.gpiochip import uapi
from edge.peripherals.gpiochip.chip import Chip
from edge.peripherals.gpiochip.seam import Kernel, of


def test_nodes_come_in_order_of_their_numbers_without_links_and_others(tmp_path):
    for name in ("gpiochip10", "gpiochip2", "gpiochip0", "gpiochipx", "gpiochip", "gpiomem", "gpiochip²"):
        (tmp_path / name).touch()
    (tmp_path / "gpiochip4").symlink_to("gpiochip0")
    found = Kernel(str(tmp_path)).chips()
    assert [os.path.basename(path) for path in found] == ["gpiochip0", "gpiochip2", "gpiochip10"]


def test_no_folder_is_no_chips(tmp_path):
    assert Kernel(str(tmp_path / "none")).chips() == ()


def test_what_is_no_chip_says_that_it_does_not_know_the_request():
    with pytest.raises(HardwareFault, match=r"/dev/null does not answer as a GPIO chip.*5\.10") as caught:
        Chip(Kernel(), "/dev/null")
    assert caught.value.errno == errno.ENOTTY


def test_an_unreadable_node_names_the_group(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may open every node")
    node = tmp_path / "gpiochip0"
    node.touch(0o000)
    with pytest.raises(HardwareFault, match=r"permission denied.*group"):
        Chip(Kernel(str(tmp_path)), str(node))


def test_the_kernels_calls_reach_a_descriptor_and_change_the_data_in_place():
    kernel = Kernel()
    fd, other = os.pipe()
    os.write(other, b"12345")
    data = bytearray(4)
    kernel.ioctl(fd, 0x541B, data)  # FIONREAD
    assert uapi.get(data, 0, 4) == 5
    assert kernel.read(fd, 3) == b"123"
    assert select.select([fd], [], [], 0)[0] == [fd]
    kernel.close(fd)
    os.close(other)
    with pytest.raises(OSError):
        os.fstat(fd)
    for act in (lambda: kernel.ioctl(-1, 0x541B, data), lambda: kernel.read(-1, 4)):
        with pytest.raises(OSError) as caught:
            act()
        assert caught.value.errno == errno.EBADF


def test_a_descriptor_is_not_inherited(tmp_path):
    (tmp_path / "gpiochip0").touch()
    fd = Kernel(str(tmp_path)).open(str(tmp_path / "gpiochip0"))
    assert not os.get_inheritable(fd)
    os.close(fd)


def test_the_setting_says_which():
    assert isinstance(of(""), Kernel)
    with pytest.raises(HardwareFault, match="no model of GPIO chips answers at /nowhere"):
        of("model:/nowhere/socket")
    with pytest.raises(HardwareFault, match="no GPIO chips called 'other'"):
        of("other")
