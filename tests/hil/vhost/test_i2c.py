from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.faults import HardwareFault, UsageFault
from edge.peripherals.sim.registers import Bus, ThermometerChip
from hil.vhost import i2c
from hil.vhost.i2c import Adapter
from tests.support.frontends import Frontend, talking

FAIL_NEXT, READ = 1, 2


class Guest:
    """A driver of the adapter, and what the part at 0x48 measures."""

    def __init__(self) -> None:
        self.value: float | None = 25.5
        self.adapter = Adapter(Bus({0x48: ThermometerChip("tmp105", self._measured)}))
        self.front: Frontend

    def _measured(self) -> float:
        if self.value is None:
            raise HardwareFault("it is broken off")
        return self.value

    def write(self, address: int, data: bytes, flags: int = 0) -> bytes:
        return self.front.request(0, struct.pack("<HHI", address << 1, 0, flags) + data, 1)

    def read(self, address: int, count: int) -> bytes:
        return self.front.request(0, struct.pack("<HHI", address << 1, 0, READ), count + 1, indirect=True)


@pytest.fixture
def guest(tmp_path: Path) -> Iterator[Guest]:
    found = Guest()
    with talking(tmp_path, found.adapter) as (front, server):
        found.front = front
        yield found
        assert list(server.faults) == []


def test_a_register_is_read_as_two_messages(guest: Guest) -> None:
    assert guest.write(0x48, b"\0", FAIL_NEXT) == b"\0"
    assert guest.read(0x48, 2) == b"\x19\x80\0"
    guest.value = -10.5
    assert guest.read(0x48, 2) == b"\xf5\x80\0"


def test_an_empty_message_finds_who_is_there(guest: Guest) -> None:
    assert [address for address in range(8, 0x78) if guest.write(address, b"") == b"\0"] == [0x48]


def test_nobody_acknowledges_and_the_message_behind_fails_too(guest: Guest) -> None:
    assert guest.write(0x49, b"\0", FAIL_NEXT) == b"\1"
    assert guest.read(0x48, 2) == b"\0\0\1"
    assert guest.read(0x48, 2) == b"\x19\x80\0"


def test_a_part_that_fails_gives_no_value(guest: Guest) -> None:
    guest.value = None
    assert guest.write(0x48, b"\0") == b"\1"
    assert guest.read(0x48, 2) == b"\0\0\1"


def test_a_stuck_bus_fails_for_all_and_comes_free(guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(i2c, "STUCK_SECONDS", 0.0)
    guest.adapter.mode("stuck")
    assert guest.read(0x48, 2) == b"\0\0\1"
    guest.adapter.mode("ok")
    assert guest.read(0x48, 2) == b"\x19\x80\0"


def test_a_slow_bus_answers_all_the_same(guest: Guest) -> None:
    guest.adapter.mode("slow=0.01")
    assert guest.read(0x48, 2) == b"\x19\x80\0"


@pytest.mark.parametrize("word", ["fast", "slow", "slow=x", "slow=-1", "slow=31", "slow=nan", "stuck=1", "ok=2"])
def test_a_word_that_is_no_mode_is_told(word: str) -> None:
    if word == "slow":
        word = "slow="
    with pytest.raises(UsageFault, match="is no mode of an I2C bus"):
        Adapter(Bus({})).mode(word)


def test_a_request_without_a_head_ends_the_talk(tmp_path: Path) -> None:
    with talking(tmp_path, Adapter(Bus({}))) as (front, server):
        front.offer(0, b"\0\0", 1)
        assert front.gone()
        assert "no head" in str(server.faults[0])
