"""Addresses by netlink: the decoder on made messages, and the kernel's own answer."""

from __future__ import annotations

import random
import sys

import pytest

from edge.hands.facts_netlink import addresses, answers, v6


def number(value: int, size: int) -> bytes:
    return value.to_bytes(size, sys.byteorder)


def attribute(kind: int, value: bytes) -> bytes:
    raw = number(4 + len(value), 2) + number(kind, 2) + value
    return raw + bytes(-len(raw) % 4)


def message(kind: int, body: bytes) -> bytes:
    raw = number(16 + len(body), 4) + number(kind, 2) + bytes(10) + body
    return raw + bytes(-len(raw) % 4)


def address(family: int, prefix: int, flags: int, scope: int, index: int, *attributes: bytes) -> bytes:
    return message(20, bytes((family, prefix, flags, scope)) + number(index, 4) + b"".join(attributes))


def test_both_families_with_scope_and_state() -> None:
    raw = (
        address(2, 24, 0, 0, 3, attribute(1, bytes((192, 0, 2, 7))), attribute(2, bytes((192, 0, 2, 7))))
        + address(10, 64, 0x40, 253, 3, attribute(1, bytes.fromhex("fe80" + "0" * 27 + "1")))
        + address(2, 32, 0, 0, 5, attribute(1, bytes((10, 0, 0, 2))), attribute(2, bytes((10, 0, 0, 1))))
        + message(3, bytes(4))
    )
    found, ended = answers(raw)
    assert ended == "done"
    assert found[0] == {"index": 3, "address": "192.0.2.7/24", "scope": "global"}
    assert found[1] == {"index": 3, "address": "fe80::1/64", "scope": "link", "state": "tentative"}
    assert found[2]["address"] == "10.0.0.1/32"  # the own end of a line with two


def test_an_error_and_a_cut_message_end_it() -> None:
    assert answers(message(2, number(13, 4)))[1] == "error"
    assert answers(number(400, 4) + bytes(12)) == ([], "error")
    assert answers(b"") == ([], "")


def test_any_bytes_are_read_without_harm() -> None:
    chance = random.Random(4)
    good = address(2, 24, 0, 0, 3, attribute(2, bytes(4))) * 3
    for _ in range(3000):
        raw = bytearray(good)
        for _ in range(chance.randrange(1, 8)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        found, _ = answers(bytes(raw[: chance.randrange(len(raw) + 1)]))
        assert all("/" in row["address"] for row in found)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("0" * 32, "::"),
        ("0" * 31 + "1", "::1"),
        ("20010db8" + "0" * 23 + "1", "2001:db8::1"),
        ("20010db8000000010000000000000001", "2001:db8:0:1::1"),
        ("20010db8000000010002000300040005", "2001:db8:0:1:2:3:4:5"),
        ("fe800000000000000000000000000000", "fe80::"),
    ],
)
def test_addresses_as_text(raw: str, text: str) -> None:
    assert v6(bytes.fromhex(raw)) == text


def test_this_kernel_tells_of_the_loopback() -> None:
    found = addresses()
    if found is None:
        pytest.skip("this kernel or sandbox has no netlink socket")
    assert any(row["address"] == "127.0.0.1/8" and row["scope"] == "host" for row in found)
