from __future__ import annotations

import random

import pytest

from edge.card.asked import Asked, Network
from edge.card.cloud import FILES, asked
from edge.card.written import Wrong

HASH = "$6$abcdefgh$3rj1vTLX64btReFsM4MQ22otcD40l7vbtw7qCyr0dxc4kxNmgx53xVM8gWiLYbCqTHTbXFaVFU7ZT28pnvdyu0"
# As the imager of Raspberry Pi writes it.
IMAGER = f"""#cloud-config
hostname: north-3
manage_etc_hosts: true
packages:
- avahi-daemon
apt:
  conf: |
    Acquire {{
      Check-Date "false";
    }};
timezone: Europe/Berlin
keyboard:
  model: pc105
  layout: "de"
users:
- name: pi
  groups: users,adm
  shell: /bin/bash
  lock_passwd: false
  passwd: {HASH}
ssh_pwauth: true
runcmd:
- [ sed, -i, 's/a/b/', /x ]
"""


def user(text: str) -> tuple[Asked, list[Wrong]]:
    return asked({"user-data": ("#cloud-config\n" + text).encode()})


def network(text: str) -> tuple[Asked, list[Wrong]]:
    return asked({"network-config": text.encode()})


def told(wrong: list[Wrong]) -> list[tuple[int, bool]]:
    return [(one.line, one.only_said) for one in wrong]


def test_what_an_imager_writes_is_taken_and_what_is_not_here_is_named() -> None:
    found, wrong = asked({"user-data": IMAGER.encode(), "meta-data": b"instance-id: rpi-1\nlocal-hostname: other\n"})
    assert found.hostname == "north-3" and found.zone.startswith("CET") and found.id == "rpi-1"
    assert found.password_hash == HASH and found.named == ("board", "login")
    assert all(one.only_said for one in wrong)
    named = {str(one).split(" is ")[0] for one in wrong}
    assert named >= {"user-data:4: packages", "user-data:6: apt", "user-data:12: keyboard", "user-data:22: runcmd"}
    assert any("operator" in one.sentence for one in wrong) and any("SSH" in one.sentence for one in wrong)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("password: correct horse", "correct horse"),
        ("password: 12345678", "12345678"),
        ("users:\n- default\n- name: pi\n  plain_text_passwd: correct horse", "correct horse"),
        ("users:\n- name: pi\n  passwd: first-one-1\n- name: operator\n  passwd: second-one", "second-one"),
        ("user: {name: operator, plain_text_passwd: 'correct horse'}", "correct horse"),
        ("chpasswd:\n  expire: false\n  list: |\n    operator:correct horse\n", "correct horse"),
        ("chpasswd:\n  list:\n  - pi:with:colon", "with:colon"),
        ("chpasswd:\n  users:\n  - {name: operator, password: correct-horse, type: text}", "correct-horse"),
    ],
)
def test_every_way_to_say_a_password_is_the_operators(text: str, word: str) -> None:
    found, wrong = user(text)
    assert found.password == word and found.named == ("login",)
    assert all(one.only_said for one in wrong)
    assert word not in " ".join(map(str, wrong))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("version: 2\nethernets:\n  eth0:\n    dhcp4: true\n    optional: true\n", Network("dhcp")),
        ("network:\n  version: 2\n  renderer: networkd\n  ethernets:\n    eth0: {dhcp4: yes}\n", Network("dhcp")),
        (
            "version: 2\nethernets:\n  eth0:\n    addresses: [192.168.1.20/24, 'fd00::2/64']\n"
            "    gateway4: 192.168.1.1\n    nameservers:\n      search: [x]\n      addresses: [9.9.9.9]\n",
            Network("static", "192.168.1.20/24", "192.168.1.1", ("9.9.9.9",)),
        ),
        (
            "version: 2\nethernets:\n  eth0:\n    addresses:\n    - 10.0.0.2/8\n    routes:\n    - to: default\n"
            "      via: 10.0.0.1\n",
            Network("static", "10.0.0.2/8", "10.0.0.1"),
        ),
    ],
)
def test_the_wired_network_is_understood(text: str, made: Network) -> None:
    found, wrong = network(text)
    assert found.network == made and found.named == ("wired",) and wrong == []


def test_time_servers_are_taken_unless_they_are_switched_off() -> None:
    assert user("ntp:\n  servers: [a.example, b.example]\n")[0].servers == ("a.example", "b.example")
    assert user("ntp: {enabled: false, servers: [a.example]}\n")[0].named == ()


def test_a_second_card_and_wifi_are_said_and_the_first_card_is_taken() -> None:
    text = "version: 2\nethernets:\n  eth0: {dhcp4: true}\n  eth1:\n    dhcp4: true\nwifis:\n  wlan0: {dhcp4: true}\n"
    found, wrong = network(text)
    assert found.network == Network("dhcp") and told(wrong) == [(4, True), (6, True)]
    assert "Wi-Fi" in wrong[1].sentence and "eth1" in wrong[0].sentence


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("hostname: -bad-", 2, "RFC 1123"),
        ("hostnam: x", 2, "did you mean hostname"),
        ("hostname: [a]", 2, "must be one value"),
        ("timezone: Europe/Berln", 2, "did you mean Europe/Berlin"),
        ("a: b: c\nhostname: x_y", 2, "two colons"),
        ("password: kurz", 2, "8 to 127"),
        ("users:\n- name: pi\n  passwd: $1$old$x", 4, "begins with $6$"),
        ("users: pi", 2, "must be a list"),
        ("ntp: {enabled: maybe}", 2, "true or false"),
        ("- a", 2, "must be a mapping"),
    ],
)
def test_a_wrong_line_is_a_fault_with_its_number(text: str, line: int, sentence: str) -> None:
    _, wrong = user(text)
    assert (line, False) in told(wrong)
    assert any(sentence in str(one) for one in wrong)


def test_all_wrong_lines_are_told_at_once() -> None:
    _, wrong = user("hostname: a_b\ntimezone: nowhere\nx: 'open\npassword: kurz\n")
    assert [line for line, only in told(wrong) if not only] == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("version: 1\nconfig: []\n", "version: 2"),
        ("ethernets: {}\n", "version: 2"),
        ("version: 2\nethernets:\n  eth0:\n    optional: true\n", "neither dhcp4"),
        ("version: 2\nethernets:\n  eth0:\n    addresses: [10.0.0.2]\n", "/24 or the like"),
        ("version: 2\nethernets:\n  eth0:\n    addresses: [10.0.0.2/24]\n    gateway4: 10.0.9.1\n", "not another host"),
    ],
)
def test_a_network_that_cannot_be_is_a_fault(text: str, sentence: str) -> None:
    found, wrong = network(text)
    assert found.named == () and any(sentence in str(one) and one.line for one in wrong)


def test_a_script_is_not_taken_for_settings() -> None:
    _, wrong = asked({"user-data": b"#!/bin/sh\nreboot\n"})
    assert told(wrong) == [(1, False)] and "scripts are not run" in wrong[0].sentence


def test_files_that_say_nothing_ask_for_nothing() -> None:
    assert asked({"user-data": b"#cloud-config\n", "meta-data": b"", "network-config": b"# later\n"}) == (Asked(), [])


def test_any_file_is_taken_or_told_with_lines_that_are_there() -> None:
    chance = random.Random(23)
    pieces = [
        "hostname: ",
        "a",
        "\n",
        "\n  ",
        "\n- ",
        "users:",
        "passwd: ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "version: 2\n",
        "~",
    ]
    pieces += [
        "ethernets:",
        "\n    ",
        "eth0:",
        "addresses: ",
        "10.0.0.1/24",
        "chpasswd:",
        "list: |",
        "ntp:",
        "true",
        ": ",
    ]
    for _ in range(400):
        text = "#cloud-config\n" + "".join(chance.choices(pieces, k=chance.randrange(30)))
        for name in FILES:
            _, wrong = asked({name: text.encode()})
            assert all(0 <= one.line <= text.count("\n") + 1 for one in wrong)
