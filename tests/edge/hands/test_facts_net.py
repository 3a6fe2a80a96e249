"""The network of recorded texts, and of this machine."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from edge.hands.facts_net import four, listening, network, resolver, routes4, routes6, six, sockets, wireless
from edge.hands.facts_reader import Reader
from tests.support.fact_boards import laid, nobody_waits

little = pytest.mark.skipif(sys.byteorder != "little", reason="the recorded texts are of little-endian boards")
WIRELESS = """Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   58.  -52.  -256        0      0      0      0     12        0
"""
ROUTE = """Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
wlan0	00000000	0102A8C0	0003	0	0	303	00000000	0	0	0
wlan0	0002A8C0	00000000	0001	0	0	303	00FFFFFF	0	0	0
wg0	00000000	00000000	0001	0	0	0	00000000	0	0	0
"""
NO6 = "0" * 32
ROUTE6 = (
    f"{NO6} 00 {NO6} 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003    wlan0\n"
    f"{NO6} 00 {NO6} 00 {NO6} ffffffff 00000001 00000000 00200200       lo\n"
    f"fe800000000000000000000000000000 40 {NO6} 00 {NO6} 00000100 00000001 00000000 00000001    wlan0\n"
)
TCP = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 1 0 100 0 0 10 0
   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12346 1 0 100 0 0 10 0
   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 12347 1 0 100 0 0 10 0
"""
TCP6 = (
    "  sl  local_address                         remote_address                        st\n"
    f"   0: 00000000000000000000000001000000:0277 {NO6}:0000 0A 00000000:00000000 00:00000000 00000000     0"
    "        0 12348 1\n"
)
BOARD = {
    "/sys/class/net/wlan0/ifindex": "3\n",
    "/sys/class/net/wlan0/operstate": "up\n",
    "/sys/class/net/wlan0/carrier": "1\n",
    "/sys/class/net/wlan0/address": "b8:27:eb:00:00:01\n",
    "/sys/class/net/wlan0/mtu": "1500\n",
    "/sys/class/net/wlan0/speed": "-1\n",
    "/sys/class/net/wlan0/statistics/rx_bytes": "1000\n",
    "/sys/class/net/wlan0/statistics/rx_errors": "7\n",
    "/sys/class/net/eth0/ifindex": "2\n",
    "/sys/class/net/eth0/operstate": "down\n",
    "/sys/class/net/lo/ifindex": "1\n",
    "/sys/class/net/lo/address": "00:00:00:00:00:00\n",
    "/proc/net/wireless": WIRELESS,
    "/proc/net/route": ROUTE,
    "/proc/net/ipv6_route": ROUTE6,
    "/proc/net/tcp": TCP,
    "/proc/net/tcp6": TCP6,
    "/proc/net/if_inet6": "fe800000000000000000000000000001 03 40 20 80    wlan0\nbroken\n",
    "/etc/resolv.conf": "# by hand\nsearch lan\nnameserver 192.168.2.1\nnameserver fe80::1%wlan0\noptions edns0\n",
    "/etc/passwd": "root:x:0:0::/:\npi:x:1000:1000::/:\n",
    "/proc/77/comm": "sshd\n",
}


def board(tmp_path: Path) -> Reader:
    reader = laid(BOARD, tmp_path)
    (tmp_path / "proc/77/fd").mkdir()
    os.symlink("socket:[12345]", tmp_path / "proc/77/fd/3")
    return reader


@little
def test_a_board_with_wireless(tmp_path: Path) -> None:
    told = [{"index": 3, "address": "192.168.2.9/24", "scope": "global"}]
    found = network(board(tmp_path), told, nobody_waits)
    wlan = next(row for row in found["interfaces"] if row["name"] == "wlan0")
    assert wlan["addresses"] == ["192.168.2.9/24"] and wlan["wireless"] == {"quality": 58, "signal_dbm": -52}
    assert wlan["state"] == "up" and wlan["link"] is True and wlan["rx_errors"] == 7
    assert "speed_mbit" not in wlan and "tx_bytes" not in wlan
    assert found["default_routes"] == [
        {"by": "wlan0", "gateway": "192.168.2.1", "metric": 303},
        {"by": "wg0", "metric": 0},
        {"by": "wlan0", "gateway": "fe80::1", "metric": 1024},
    ]
    assert found["name_servers"] == ["192.168.2.1", "fe80::1%wlan0"] and found["search"] == ["lan"]
    assert found["listening"] == [
        {"protocol": "tcp", "address": "0.0.0.0", "port": 22, "process": "sshd (77)", "user": "root"},
        {"protocol": "tcp6", "address": "::1", "port": 631, "user": "root"},
        {"protocol": "tcp", "address": "127.0.0.1", "port": 8080, "user": "pi"},
    ]
    assert "not_told" not in found


@little
def test_without_an_answer_of_the_kernel_the_gap_is_told(tmp_path: Path) -> None:
    found = network(board(tmp_path), None, nobody_waits)
    wlan = next(row for row in found["interfaces"] if row["name"] == "wlan0")
    assert wlan["addresses"] == ["fe80::1/64"] and "IPv4" in found["not_told"]


def test_nothing_there_is_nothing_told(tmp_path: Path) -> None:
    assert network(Reader(("/proc", "/sys"), top=str(tmp_path)), [], nobody_waits) == {}


def test_broken_lines_are_passed_over() -> None:
    for text in ("", "x\n", "a\nb c\n", "\n\n\n", "h\nwlan0 00000000 zz 3 0 0 x 00000000\n"):
        assert all("by" in row for row in routes4(text))
        assert routes6(text) == [] and six(text) == [] and wireless(text) == {}
        assert sockets("tcp", text) == []
    assert four("123456789") is None and four("zz") is None


def test_a_name_server_behind_a_link(tmp_path: Path) -> None:
    reader = laid({"/run/systemd/resolve/stub-resolv.conf": "nameserver 127.0.0.53\n"}, tmp_path)
    (tmp_path / "etc").mkdir()
    os.symlink("../run/systemd/resolve/stub-resolv.conf", tmp_path / "etc/resolv.conf")
    assert resolver(reader)["name_servers"] == ["127.0.0.53"]
    assert resolver(Reader(("/etc",), top=str(tmp_path))) == {}


def test_a_socket_of_this_process_is_seen_to_listen() -> None:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        line.listen()
        port = line.getsockname()[1]
        text = Path("/proc/net/tcp").read_text()
        rows = [row for row in sockets("tcp", text) if row["port"] == port]
        assert [(row["address"], row["uid"]) for row in rows] == [("127.0.0.1", os.getuid())]
        found = listening(Reader(("/proc", "/etc/passwd")), nobody_waits)
    mine = [row for row in found["listening"] if row["port"] == port]
    assert found.get("listening_in_all") or mine[0]["process"].endswith(f"({os.getpid()})")
