"""The address table: both edges of every range, every way to carry an IPv4 address, one spelling."""

from __future__ import annotations

import ipaddress
import os
import random
import socket

import pytest

from edge.gate.addresses import NONE, V4, V6, dotted, internal, packed

ROUNDS = 40_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 4_000

# (first, last) of what is internal. Written out here a second time, from the registries.
RANGES_V4 = [
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("224.0.0.0", "255.255.255.255"),
]
RANGES_V6 = [
    ("::", "::7f"),  # with the compatible forms of 0.0.0.0/8
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
    ("100::", "100::ffff:ffff:ffff:ffff"),
    ("200::", "3ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
]
# How an IPv6 address carries an IPv4 address.
CARRIERS = {
    "mapped": lambda raw: bytes(10) + b"\xff\xff" + raw,
    "compatible": lambda raw: bytes(12) + raw,
    "translated": lambda raw: bytes(8) + b"\xff\xff\0\0" + raw,
    "nat64": lambda raw: b"\0\x64\xff\x9b" + bytes(8) + raw,
    "6to4": lambda raw: b"\x20\x02" + raw + b"\0\1" + b"\x12" * 8,
    "isatap": lambda raw: b"\x26\x06\x47\0" + bytes(4) + b"\0\0\x5e\xfe" + raw,
    "isatap, universal": lambda raw: b"\x26\x06\x47\0" + bytes(4) + b"\2\0\x5e\xfe" + raw,
}


def _inside(number: int, ranges: list[tuple[str, str]]) -> bool:
    return any(int(ipaddress.ip_address(a)) <= number <= int(ipaddress.ip_address(b)) for a, b in ranges)


@pytest.mark.parametrize(("first", "last"), RANGES_V4)
def test_a_range_of_ipv4_begins_and_ends_where_it_should(first: str, last: str) -> None:
    low, high = (int(ipaddress.IPv4Address(edge)) for edge in (first, last))
    for number in (low, low + 1, high - 1, high):
        assert bool(internal(number.to_bytes(4, "big"))) == _inside(number, RANGES_V4)
    assert internal(first) and internal(last)
    for number in {low - 1, high + 1} - {-1, 1 << 32}:
        assert bool(internal(number.to_bytes(4, "big"))) == _inside(number, RANGES_V4), number


def test_the_neighbours_of_the_ranges_are_public() -> None:
    for text in [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.1",
        "191.255.255.255",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "8.8.8.8",
    ]:
        assert internal(text) == "", text


@pytest.mark.parametrize(("first", "last"), RANGES_V6)
def test_a_range_of_ipv6_begins_and_ends_where_it_should(first: str, last: str) -> None:
    assert internal(first) and internal(last)
    low, high = (int(ipaddress.IPv6Address(edge)) for edge in (first, last))
    for number in {low - 1, high + 1} - {-1, 1 << 128}:
        text = str(ipaddress.IPv6Address(number))
        assert bool(internal(text)) == (_inside(number, RANGES_V6) or number < 1 << 32), text


def test_public_ipv6_addresses_are_public() -> None:
    for text in ("2606:4700:4700::1111", "2001:200::1", "2001:4860:4860::8888", "2a00::", "2003::1", "2000::"):
        assert internal(text) == "", text


@pytest.mark.parametrize("how", CARRIERS)
def test_an_address_inside_an_address_is_judged(how: str) -> None:
    for text in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "192.168.1.1", "168.63.129.16", "224.0.0.1"):
        assert internal(CARRIERS[how](socket.inet_aton(text))), (how, text)
    for text in ("8.8.8.8", "172.32.0.1", "100.128.0.0"):
        assert internal(CARRIERS[how](socket.inet_aton(text))) == "", (how, text)


def test_a_zone_changes_nothing_and_what_is_no_address_is_not_public() -> None:
    assert internal("fe80::1%eth0") and internal("::1%lo")
    for text in (
        "",
        "127.1",
        "0177.0.0.1",
        "127.0.0.010",
        "1.2.3.4.5",
        "256.1.1.1",
        "example.com",
        ":::",
        "1::2::3",
        "12345::",
        "::1.2.3",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7::8:9",
        "\u0661.2.3.4",
    ):
        assert internal(text) == NONE, text
    for raw in (b"", b"\x7f", bytes(5), bytes(17)):
        assert internal(raw) == NONE


def test_the_table_reads_and_writes_as_the_operating_system_does() -> None:
    rng = random.Random(31)
    for _ in range(ROUNDS):
        groups = [rng.choice((0, 0, 0, 1, 0xFFFF, rng.randrange(65536))) for _ in range(8)]
        raw = b"".join(group.to_bytes(2, "big") for group in groups)
        text = dotted(raw)
        assert socket.inet_pton(socket.AF_INET6, text) == raw == packed(text)
        assert packed(socket.inet_ntop(socket.AF_INET6, raw)) == raw
        four = raw[:4]
        assert dotted(four) == socket.inet_ntoa(four) and packed(dotted(four)) == four
    print(f"{ROUNDS} addresses")


def test_what_the_reader_takes_the_operating_system_takes_for_the_same() -> None:
    rng = random.Random(32)
    taken = 0
    for _ in range(ROUNDS):
        text = "".join(rng.choice(("0", "1", "9", "a", "f", ":", "::", ".", "255", "1.2.3.4")) for _ in range(9))
        raw = packed(text)
        if raw:
            taken += 1
            family = socket.AF_INET6 if ":" in text else socket.AF_INET
            assert socket.inet_pton(family, text) == raw, text
    assert taken > ROUNDS / 1000
    print(f"{taken} of {ROUNDS} texts were addresses")


def test_the_own_table_blocks_whatever_the_standard_library_calls_private() -> None:
    # Documentation addresses lead nowhere; a 6to4 or NAT64 address is judged by what it carries.
    allowed = [
        ipaddress.ip_network(one)
        for one in (
            "192.0.2.0/24",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "2001::/23",
            "2001:db8::/32",
            "3fff::/20",
            "::ffff:0:0/96",
            "64:ff9b::/96",
            "2002::/16",
        )
    ]
    rng = random.Random(33)
    for table, width in ((V4, 32), (V6, 128)):
        for _ in range(ROUNDS):
            first, bits, _ = rng.choice(table)
            number = (
                (first ^ (1 << rng.randrange(width))) ^ rng.getrandbits(width - bits)
                if rng.random() < 0.5
                else (first ^ rng.getrandbits(max(1, width - bits)))
            )
            address = ipaddress.ip_address(number.to_bytes(width // 8, "big"))
            if address.is_private and not any(address in net for net in allowed if net.version == address.version):
                assert internal(address.packed), address
