"""A connection of an emulated board is carried whole, both ways, whichever side ends first."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from hil import cable
from hil.cable import SERVER

RELAY = Path(cable.__file__).with_name("relay.py")


def relay(port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", str(RELAY), str(port)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_what_is_asked_arrives_with_its_end_and_the_answer_comes_whole() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        child = relay(server.getsockname()[1])
        assert child.stdin is not None and child.stdout is not None
        server.settimeout(60)
        link, _ = server.accept()
        child.stdin.write(b"a" * 300_000)
        child.stdin.close()
        with link, link.makefile("rb") as file:
            link.settimeout(60)
            assert file.read() == b"a" * 300_000
            link.sendall(b"b" * 300_000)
        assert child.stdout.read() == b"b" * 300_000
        assert child.wait(60) == 0
        child.stdout.close()


def test_a_server_that_ends_the_connection_ends_the_relay() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        child = relay(server.getsockname()[1])
        server.settimeout(60)
        server.accept()[0].close()
        assert child.wait(60) == 0
        child.communicate()


def test_where_nobody_listens_the_relay_says_so_by_its_code() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    child = relay(port)
    assert child.wait(60) == 1
    child.communicate()


def test_a_cable_reaches_what_is_served_and_is_restricted() -> None:
    words = cable.cable({80: 4321})
    assert words[2:] == ("-device", "usb-net,netdev=cable")
    assert "restrict=on" in words[1] and f"guestfwd=tcp:{SERVER}:80-cmd:" in words[1] and "'4321'" in words[1]
