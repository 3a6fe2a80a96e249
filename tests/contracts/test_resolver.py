"""What finds addresses: one suite over the operating system's look-up and the scripted table."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from edge.faults import ToolFault
from edge.gate.addresses import packed
from edge.hands.net_resolve import HANGING, Scripted, System

KNOWN = ("127.0.0.1", "::1")


class Hanging:
    """A C library whose look-up of `slow` names does not come back until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def __call__(self, host: Any, *args: Any, **given: Any) -> Any:
        if host.startswith(b"slow"):
            self.let_go.wait(120)
        return socket.getaddrinfo(host, *args, **given)


@pytest.fixture(params=["system", "scripted"])
def resolver(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "scripted":
        yield Scripted({"localhost": [KNOWN], "twice.example": [KNOWN + KNOWN]}, slow=("slow.example",))
        return
    hanging = Hanging()
    yield System(hanging)
    hanging.let_go.set()


def never() -> bool:
    return False


def soon(seconds: float = 60.0) -> float:
    return time.monotonic() + seconds


def test_a_known_name_has_addresses_in_their_plain_spelling_each_once(resolver: Any) -> None:
    found = resolver.addresses("localhost", soon(), never)
    assert isinstance(found, tuple) and found and set(found) <= set(KNOWN)
    assert all(packed(one.partition("%")[0]) for one in found) and len(set(found)) == len(found)


@pytest.mark.parametrize("host", ["nowhere.invalid", "a" * 63 + ".invalid", "x_y.invalid"])
def test_an_unknown_name_is_a_sentence_that_holds_it(resolver: Any, host: str) -> None:
    with pytest.raises(ToolFault, match="has no address") as fault:
        resolver.addresses(host, soon(), never)
    assert host in str(fault.value) and fault.value.fix


def test_a_look_up_that_hangs_ends_at_the_deadline(resolver: Any) -> None:
    begun = time.monotonic()
    with pytest.raises(ToolFault, match=r"slow\.example was not found in time"):
        resolver.addresses("slow.example", begun + 0.5, never)
    assert 0.45 < time.monotonic() - begun < 25


def test_a_look_up_that_hangs_ends_when_the_call_is_told_to(resolver: Any) -> None:
    begun = time.monotonic()
    with pytest.raises(ToolFault, match=r"slow\.example was ended"):
        resolver.addresses("slow.example", begun + 30, lambda: time.monotonic() > begun + 0.3)
    assert time.monotonic() - begun < 25


def test_a_hanging_look_up_does_not_hinder_the_next(resolver: Any) -> None:
    with pytest.raises(ToolFault):
        resolver.addresses("slow.example", soon(0.1), never)
    assert resolver.addresses("localhost", soon(), never)


# --- the system's alone ---


def test_look_ups_that_hang_are_bounded_and_count_until_they_come_back() -> None:
    hanging = Hanging()
    resolver = System(hanging)
    for _ in range(HANGING):
        with pytest.raises(ToolFault, match="not found in time"):
            resolver.addresses("slow.invalid", soon(0.05), never)
    with pytest.raises(ToolFault, match=f"{HANGING} earlier look-ups still hang"):
        resolver.addresses("localhost", soon(), never)
    hanging.let_go.set()
    end = soon()
    while True:
        try:
            assert resolver.addresses("localhost", soon(), never)
            break
        except ToolFault:
            assert time.monotonic() < end, "the look-ups that came back still count"
            time.sleep(0.05)


def _told(family: int, *where: Any) -> Callable[..., Any]:
    return lambda *args, **given: [(family, socket.SOCK_STREAM, 6, "", where)] * 3


def test_a_scope_stands_behind_the_address() -> None:
    scoped = System(_told(socket.AF_INET6, "fe80::1", 0, 0, 7))
    assert scoped.addresses("printer.example", soon(), never) == ("fe80::1%7",)
    plain = System(_told(socket.AF_INET6, "2606:4700::1", 0, 0, 0))
    assert plain.addresses("six.example", soon(), never) == ("2606:4700::1",)


def test_a_dns_server_that_does_not_answer_is_said() -> None:
    def silent(*args: Any, **given: Any) -> Any:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    with pytest.raises(ToolFault, match="no DNS server answered"):
        System(silent).addresses("any.example", soon(), never)


# --- the table's alone ---


def test_a_name_answers_in_turn_and_stays_with_its_last_answer() -> None:
    table = Scripted({"moving.example": [("1.1.1.1",), ("2.2.2.2",)]})
    found = [table.addresses("moving.example", soon(), never) for _ in range(4)]
    assert found == [("1.1.1.1",), ("2.2.2.2",), ("2.2.2.2",), ("2.2.2.2",)]
    assert table.asked == ["moving.example"] * 4
