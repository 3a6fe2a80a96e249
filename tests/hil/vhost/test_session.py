from __future__ import annotations

import random
import struct
import threading
import time
from pathlib import Path

import pytest

from hil.vhost import messages, session
from hil.vhost.queues import LARGEST, Request
from hil.vhost.server import Server
from tests.support.frontends import BUFFERS, ENTRIES, GUEST, INDIRECT, NEXT, RING, WRITE, Frontend, talking


class Echo:
    """Answers what it is asked, backwards; holds what begins with H."""

    features = 1 << 3
    queues = 2

    def __init__(self) -> None:
        self.held: list[Request] = []
        self.resets = 0

    def config(self) -> bytes:
        return b"config"

    def reset(self) -> None:
        self.resets += 1
        self.held.clear()

    def take(self, queue: int, request: Request) -> None:
        if request.data[:1] == b"H":
            self.held.append(request)
        else:
            request.answer(request.data[::-1])


def test_a_request_is_answered_in_the_guests_memory(tmp_path: Path) -> None:
    with talking(tmp_path, Echo()) as (front, server):
        for count in range(3 * ENTRIES):  # more than the ring holds
            data = b"request %d" % count
            assert front.request(count % 2, data, 64, indirect=count % 3 == 0) == data[::-1]
        assert list(server.faults) == []


def test_no_more_is_answered_than_there_is_room_for(tmp_path: Path) -> None:
    with talking(tmp_path, Echo()) as (front, _):
        assert front.request(0, b"abcdef", 4) == b"fedc"


def test_an_answer_may_come_later_and_from_another_thread(tmp_path: Path) -> None:
    device = Echo()
    with talking(tmp_path, device) as (front, _):
        place = front.offer(0, b"HELD", 8)
        assert front.request(1, b"behind it", 16) == b"ti dniheb"
        device.held[0].answer(b"late")
        assert front.answered(0) == 4
        assert front.memory[place : place + 4] == b"late"


def test_what_is_offered_before_the_ring_runs_is_taken_when_it_does(tmp_path: Path) -> None:
    device = Echo()
    with talking(tmp_path, device) as (front, _):
        assert front.ask(messages.GET_VRING_BASE, struct.pack("<II", 0, 0)) == struct.pack("<II", 0, 0)
        front.offer(0, b"early", 8)
        front.start(0)
        assert front.answered(0) == 5


def test_a_ring_that_stopped_keeps_its_place_and_drops_what_was_held(tmp_path: Path) -> None:
    device = Echo()
    with talking(tmp_path, device) as (front, _):
        front.request(0, b"one", 8)
        front.offer(0, b"HELD", 8)
        assert front.request(1, b"behind it", 16)
        held = device.held[0]
        assert front.ask(messages.GET_VRING_BASE, struct.pack("<II", 0, 0)) == struct.pack("<II", 0, 2)
        assert front.ask(messages.GET_FEATURES) and device.resets == 1
        held.answer(b"gone")
        front.start(0, 2)
        assert front.request(0, b"two", 8) == b"owt"


class Waiting(Echo):
    """Waits in its second request until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def take(self, queue: int, request: Request) -> None:
        if request.data == b"second":
            assert self.go.wait(60)
        super().take(queue, request)


def test_the_guest_hears_of_no_answer_before_it_has_all_of_them(tmp_path: Path) -> None:
    device = Waiting()
    with talking(tmp_path, device) as (front, _):
        front.request(0, b"before", 8)
        first = front.offer(0, b"first", 8, kick=False)
        front.offer(0, b"second", 8)
        end = time.monotonic() + 60
        while front.memory[first : first + 5] != b"tsrif":
            assert time.monotonic() < end
        assert front.answered(0, 0) == -1
        device.go.set()
        assert (front.answered(0), front.answered(0, 0)) == (5, 6)


def test_qemu_is_told_what_there_is(tmp_path: Path) -> None:
    with talking(tmp_path, Echo()) as (front, _):
        (features,) = struct.unpack("<Q", front.ask(messages.GET_FEATURES))
        assert features & session.VERSION_1 and features & session.HAS_PROTOCOL and features & Echo.features
        assert front.ask(messages.GET_QUEUE_NUM) == struct.pack("<Q", 2)
        assert front.ask(messages.GET_CONFIG, struct.pack("<III", 0, 6, 0) + bytes(6))[12:] == b"config"
        assert front.ask(messages.GET_CONFIG, struct.pack("<III", 4, 8, 0) + bytes(8))[12:] == b"ig" + bytes(6)


def test_a_message_that_wants_a_word_gets_one(tmp_path: Path) -> None:
    with talking(tmp_path, Echo()) as (front, _):
        front.link.sendall(struct.pack("<III", messages.SET_FEATURES, 9, 8) + bytes(8))
        assert front._exactly(20) == struct.pack("<IIIQ", messages.SET_FEATURES, 5, 8, 0)


def test_the_next_start_finds_the_device_again(tmp_path: Path) -> None:
    device = Echo()
    with Server(tmp_path / "far", device) as server:
        for count in range(3):
            front = Frontend(server.path, 2)
            assert front.request(0, b"again", 8) == b"niaga"
            front.close()
            assert device.resets <= count + 1
        assert list(server.faults) == []


def test_it_ends_when_it_is_told_to_with_a_guest_at_it(tmp_path: Path) -> None:
    server = Server(tmp_path / "far", Echo())
    front = Frontend(server.path, 2)
    assert front.request(0, b"here", 8)
    server.close()
    assert front.gone() and not server.path.exists()
    front.close()


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([(GUEST + BUFFERS, 8, NEXT, 0)], "more than 8 parts"),  # its own follower
        ([(GUEST + BUFFERS, 8, NEXT, 99)], "names part 99"),
        ([(GUEST - 4, 8, 0, 0)], "8 bytes at 0x3ffffffc are not in one region"),
        ([(GUEST + (1 << 20) - 4, 8, 0, 0)], "are not in one region"),
        ([(0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF, 0, 0)], "are not in one region"),
        ([(GUEST, LARGEST + 1, 0, 0)], "more than 65536 bytes"),
        ([(GUEST, 0xFFFFFFFF, WRITE, 0)], "more than 65536 bytes"),
        ([(GUEST, 8, WRITE | NEXT, 1), (GUEST, 8, 0, 0)], "behind its room"),
        ([(GUEST + BUFFERS, 20, INDIRECT, 0)], "a table of its own of 20 bytes"),
        ([(GUEST + BUFFERS, 0, INDIRECT, 0)], "a table of its own of 0 bytes"),
        ([(GUEST + BUFFERS, 32, INDIRECT | NEXT, 1)], "a table of its own of 32 bytes, flags 0x5"),
        ([(GUEST, 16, INDIRECT, 0)], "a table inside of its parts"),
    ],
)
def test_a_ring_that_cannot_be_ends_the_talk_and_says_why(
    tmp_path: Path, parts: list[tuple[int, int, int, int]], why: str
) -> None:
    with talking(tmp_path, Echo()) as (front, server):
        for at, part in enumerate(parts):
            front.part(0, at, *part)
        front.put(0, 0)
        assert front.gone()
        _again(front, server)
        assert why in str(server.faults[-1])


@pytest.mark.parametrize(
    ("kind", "payload", "why"),
    [
        (messages.SET_VRING_NUM, struct.pack("<II", 0, 0), "a ring of 0 entries"),
        (messages.SET_VRING_NUM, struct.pack("<II", 0, 1 << 20), "a ring of 1048576 entries"),
        (messages.SET_VRING_NUM, struct.pack("<II", 7, 8), "names queue 7, the device has 2"),
        (messages.SET_VRING_ADDR, struct.pack("<IIQQQQ", 0, 0, 1, 2, 3, 0), "0x1 is no address of the memory"),
        (messages.SET_VRING_KICK, struct.pack("<Q", 0), "came with 0 files"),
        (messages.SET_VRING_CALL, struct.pack("<Q", 0x1FF), "names queue 255"),
        (messages.SET_MEM_TABLE, struct.pack("<II", 1, 0), "1 regions came with 0 files"),
        (messages.SET_MEM_TABLE, struct.pack("<II", 0xFFFFFFFF, 0), "4294967295 regions came with 0 files"),
        (messages.GET_CONFIG, b"", "has only 0 bytes"),
    ],
)
def test_a_message_that_cannot_be_ends_the_talk_and_says_why(
    tmp_path: Path, kind: int, payload: bytes, why: str
) -> None:
    with talking(tmp_path, Echo()) as (front, server):
        front.say(kind, payload)
        assert front.gone()
        _again(front, server)
        assert why in str(server.faults[-1])


@pytest.mark.parametrize(
    "table", [(GUEST, 1 << 40, 0, 0), (GUEST, 0, 0, 0), (GUEST, 4096, 0, 1), (GUEST, 4096, 0, 1 << 63)]
)
def test_memory_that_is_not_in_its_file_is_refused(tmp_path: Path, table: tuple[int, int, int, int]) -> None:
    with talking(tmp_path, Echo()) as (front, server):
        front.say(messages.SET_MEM_TABLE, struct.pack("<IIQQQQ", 1, 0, *table), [front.file])
        assert front.gone()
        _again(front, server)
        assert "cannot be mapped" in str(server.faults[-1])


@pytest.mark.parametrize("seed", range(60))
def test_whatever_a_guest_writes_into_its_rings_the_device_stays(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with talking(tmp_path, Echo()) as (front, server):
        for at in range(ENTRIES):
            address = GUEST + chance.choice([0, RING, BUFFERS, 1 << 20, chance.randrange(1 << 21)])
            length = chance.choice([0, 16, 32, 4096, chance.randrange(1 << 32)])
            front.part(0, at, address, length, chance.randrange(8), chance.randrange(ENTRIES + 1))
        for place in (0x1000, 0x2000):
            front.memory[place : place + 64] = chance.randbytes(64)
        for _ in range(3):
            front.offered[0] = chance.randrange(4)
            front.put(0, chance.randrange(ENTRIES + 1))
        _again(front, server)


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_said_to_it_the_device_stays(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with talking(tmp_path, Echo()) as (front, server):
        for _ in range(chance.randrange(1, 40)):
            kind = chance.choice([*range(1, 26), 44])
            payload = struct.pack("<II", chance.randrange(3), chance.randrange(9)) + chance.randbytes(
                chance.randrange(60)
            )
            files = [front.file, front.calls[0][1], front.kicks[1][0]][: chance.choice([0, 0, 1, 1, 2, 3])]
            try:
                front.say(kind, payload, files)
            except OSError:
                break
        _again(front, server)


def _again(front: Frontend, server: Server) -> None:
    """The device answers another guest: the one before is done with, however it ended."""
    front.link.close()
    other = Frontend(server.path, 2)
    assert other.request(0, b"again", 8) == b"niaga"
    other.close()
