"""A bus of I2C parts, through smbus2 and as the model: the same answers and the same errors.

The kernel behind smbus2 is a model as well: the requests of i2c-dev on the same parts, with what the kernel does to
them. The real one has its turn on the emulated boards.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from edge.peripherals.sim.adapter import Buses
from edge.peripherals.sim.registers import Bus, ThermometerChip
from edge.peripherals.via import i2c

if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.peripherals.bus import Adapter

    Opener = Callable[[int], Adapter]

SLAVE, FUNCS, SMBUS = 0x0703, 0x0705, 0x0720
I2C_BLOCK, READ = 8, 1


class Kernel:
    """What i2c-dev does with the requests of one opening."""

    def __init__(self, board: Buses) -> None:
        self.board, self.address = board, 0

    def ioctl(self, fd: int, request: int, argument: Any) -> int:
        if request == SLAVE:
            if (1, argument) in self.board.driven:
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
            self.address = argument
        elif request == FUNCS:
            argument.value = 0x0EFF0009
        else:
            assert request == SMBUS and (argument.size, argument.read_write) == (I2C_BLOCK, READ)
            self.transfer(argument)
        return 0

    def transfer(self, told: Any) -> None:
        block = told.data.contents.block
        answer = self.board.opened(1).register(self.address, told.command, block[0])
        for at, byte in enumerate(answer, 1):
            block[at] = byte


@pytest.fixture
def board() -> Buses:
    return Buses({1: Bus({0x48: ThermometerChip("tmp105", lambda: 23.5)})})


@pytest.fixture(params=["smbus2", "model"])
def opened(request: pytest.FixtureRequest, board: Buses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opener:
    if request.param == "model":
        return board.opened
    import smbus2.smbus2

    (tmp_path / "i2c-1").touch()
    real = os.open

    def open_(path: Any, flags: int, *more: int, **other: Any) -> int:
        return real(f"{tmp_path}{path[4:]}" if str(path).startswith("/dev/i2c-") else path, flags, *more, **other)

    monkeypatch.setattr(smbus2.smbus2, "ioctl", Kernel(board).ioctl)
    monkeypatch.setattr(os, "open", open_)
    return i2c.KernelBus


def test_a_register_is_read_as_often_as_one_likes(opened: Opener) -> None:
    bus = opened(1)
    assert [bus.register(0x48, 0, 2), bus.register(0x48, 1, 1), bus.register(0x48, 2, 2)] == [
        b"\x17\x80",
        b"\x00",
        b"\x4b\x00",
    ]
    bus.close()


@pytest.mark.parametrize("number", [errno.EIO, errno.ENXIO, errno.EAGAIN, errno.EREMOTEIO, errno.EOPNOTSUPP])
def test_an_error_of_the_bus_keeps_its_number(opened: Opener, board: Buses, number: int) -> None:
    board.failing.append(number)
    bus = opened(1)
    with pytest.raises(OSError) as caught:
        bus.register(0x48, 0, 2)
    assert caught.value.errno == number
    assert bus.register(0x48, 0, 2) == b"\x17\x80"
    bus.close()


def test_an_empty_address_a_driven_part_and_a_bus_held_low(opened: Opener, board: Buses) -> None:
    board.driven.add((1, 0x49))
    bus = opened(1)
    for address, number in ((0x4A, errno.EREMOTEIO), (0x49, errno.EBUSY)):
        with pytest.raises(OSError) as caught:
            bus.register(address, 0, 2)
        assert caught.value.errno == number
    board.stuck.add(1)
    with pytest.raises(OSError) as caught:
        bus.register(0x48, 0, 2)
    assert caught.value.errno == errno.ETIMEDOUT
    bus.close()


def test_a_bus_that_is_not_there(opened: Opener) -> None:
    with pytest.raises(FileNotFoundError):
        opened(7)


def test_two_openings_exclude_each_other_until_one_is_closed(opened: Opener) -> None:
    first, second = opened(1), opened(1)
    assert first.lock() and first.lock() and not second.lock()
    first.close()
    assert second.lock()
    second.close()
