"""The network as the kernel and resolv.conf tell it.

Rules:
1. Nothing is sent anywhere: whether a host can be reached is not tested.
2. What an interface does not tell (the speed of a cable that is not plugged in) is left out.
3. A listening socket is told with its process where the kernel shows it, else with its user.
"""

from __future__ import annotations

from edge.hands.facts_netlink import v6
from edge.hands.facts_process import names_of
from edge.hands.facts_reader import known, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.hands.facts_reader import Reader

    Facts = dict[str, Any]

INTERFACES = 64
SOCKETS = 100
_PROCESSES, _FILES = 2000, 256  # looked through for the owners of sockets
_COUNTERS = ("rx_bytes", "tx_bytes", "rx_packets", "tx_packets", "rx_errors", "tx_errors", "rx_dropped", "tx_dropped")
_NAME_SERVERS = (
    "/etc/resolv.conf",
    "/run/systemd/resolve/resolv.conf",
    "/run/NetworkManager/resolv.conf",
    "/run/resolvconf/resolv.conf",
)


def network(reader: Reader, addresses: list[Facts] | None, late: Callable[[], str]) -> Facts:
    """Interfaces with addresses, default routes, name servers, listening sockets."""
    if addresses is None:
        addresses = six(reader.text("/proc/net/if_inet6", 1 << 16))
        unheard = "the kernel did not answer for IPv4 addresses"
    else:
        unheard = ""
    radio = wireless(reader.text("/proc/net/wireless", 8192))
    names = reader.names("/sys/class/net")
    found = [interface(reader, name, addresses, radio) for name in names[:INTERFACES]]
    told = {
        "interfaces": found,
        "interfaces_in_all": len(names) if len(names) > INTERFACES else None,
        "not_told": unheard or None,
        **listening(reader, late),
    }
    return {**known(told), **default_routes(reader), **resolver(reader)}


def default_routes(reader: Reader) -> Facts:
    """Where all else goes; nothing when the kernel has no list of routes to show, an empty list when none leads out."""
    four_, six_ = reader.text("/proc/net/route", 1 << 18), reader.text("/proc/net/ipv6_route", 1 << 20)
    return {} if four_ is None and six_ is None else {"default_routes": routes4(four_) + routes6(six_)}


def interface(reader: Reader, name: str, addresses: list[Facts], radio: dict[str, Facts]) -> Facts:
    folder = f"/sys/class/net/{name}"
    index = reader.number(f"{folder}/ifindex")
    speed = reader.number(f"{folder}/speed")
    counters = {what: reader.number(f"{folder}/statistics/{what}") for what in _COUNTERS}
    own = [row for row in addresses if (row.get("index") == index and index is not None) or row.get("name") == name]
    carrier = reader.number(f"{folder}/carrier")
    return known(
        {
            "name": name,
            "state": reader.text(f"{folder}/operstate", 64),
            "link": None if carrier is None else carrier != 0,
            "addresses": [" ".join(filter(None, (row["address"], row.get("state")))) for row in own],
            "mac": _mac(reader.text(f"{folder}/address", 128)),
            "mtu_bytes": reader.number(f"{folder}/mtu"),
            "speed_mbit": speed if speed is not None and speed > 0 else None,
            "duplex": _told(reader.text(f"{folder}/duplex", 64)),
            "wireless": radio.get(name),
            **counters,
        }
    )


def _mac(text: str | None) -> str | None:
    return text if text and text.strip("0:") else None


def _told(text: str | None) -> str | None:
    return None if text in (None, "", "unknown") else text


def six(text: str | None) -> list[Facts]:
    """/proc/net/if_inet6: address, index, prefix, scope and flags in hex, name."""
    found = []
    for line in (text or "").splitlines():
        parts = line.split()
        try:
            raw, prefix = bytes.fromhex(parts[0]), int(parts[2], 16)
        except (IndexError, ValueError):
            continue
        if len(parts) > 5 and len(raw) == 16:
            found.append({"name": parts[5], "address": f"{v6(raw)}/{prefix}"})
    return found


def wireless(text: str | None) -> dict[str, Facts]:
    """/proc/net/wireless: name -> link quality and levels in dBm. A level of -256 or 0 is none."""
    found = {}
    for line in (text or "").splitlines()[2:]:
        name, parted, rest = line.partition(":")
        words = [word.rstrip(".") for word in rest.split()]
        if parted and len(words) >= 4:
            quality, level, noise = (number(word) for word in words[1:4])
            row = {"quality": quality, "signal_dbm": _level(level), "noise_dbm": _level(noise)}
            found[name.strip()] = known(row)
    return found


def _level(value: int | None) -> int | None:
    return value if value is not None and -200 < value < 0 else None


def routes4(text: str | None) -> list[Facts]:
    """Default routes of /proc/net/route: addresses are words in the byte order of the machine."""
    found = []
    for line in (text or "").splitlines()[1:]:
        parts = line.split()
        if len(parts) > 7 and parts[1] == parts[7] == "00000000":
            gateway, metric = four(parts[2]), number(parts[6])
            row = {"by": parts[0], "gateway": gateway if gateway != "0.0.0.0" else None, "metric": metric}
            found.append(known(row))
    return found


def routes6(text: str | None) -> list[Facts]:
    """Default routes of /proc/net/ipv6_route, without those that reject."""
    found = []
    for line in (text or "").splitlines():
        parts = line.split()
        if len(parts) < 10 or parts[0].strip("0") or parts[1] != "00" or parts[9] == "lo":
            continue
        try:
            gateway, metric, flags = bytes.fromhex(parts[4]), int(parts[5], 16), int(parts[8], 16)
        except ValueError:
            continue
        if not flags & 0x200 and len(gateway) == 16:  # RTF_REJECT
            found.append(known({"by": parts[9], "gateway": v6(gateway) if any(gateway) else None, "metric": metric}))
    return found


def four(word: str) -> str | None:
    """`010200C0` of a little-endian machine is 192.0.2.1."""
    from sys import byteorder

    try:
        raw = int(word, 16).to_bytes(4, byteorder)
    except (ValueError, OverflowError):
        return None
    return ".".join(map(str, raw))


def resolver(reader: Reader) -> Facts:
    """Name servers and search domains; what /etc/resolv.conf leads to, wherever a service keeps it."""
    for path in _NAME_SERVERS:
        text = reader.text(path, 16384)
        if text is not None:
            lines = [line.split() for line in text.splitlines() if line[:1] not in ("#", ";")]
            servers = [words[1] for words in lines if len(words) > 1 and words[0] == "nameserver"]
            search = [word for words in lines if words and words[0] in ("search", "domain") for word in words[1:]]
            return {"name_servers": servers, **({"search": search} if search else {})}
    return {}


def listening(reader: Reader, late: Callable[[], str]) -> Facts:
    """Sockets that wait for others: protocol, address, port, and who holds them."""
    rows: list[Facts] = []
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        rows += sockets(kind, reader.text(f"/proc/net/{kind}", 1 << 20))
    rows.sort(key=lambda row: (row["port"], row["protocol"], row["address"]))
    shown = rows[:SOCKETS]
    holders = _owners(reader, {row["inode"] for row in shown}, late) if shown else {}
    users = names_of(reader.text("/etc/passwd", 1 << 20))
    for row in shown:
        inode, uid = row.pop("inode"), row.pop("uid")
        if inode in holders:
            row["process"] = holders[inode]
        row["user"] = users.get(uid, str(uid))
    return {"listening": shown, "listening_in_all": len(rows) if len(rows) > len(shown) else None}


def sockets(kind: str, text: str | None) -> list[Facts]:
    """Listening TCP (state 0A) and bound UDP without a peer (07) of /proc/net/{tcp,udp}{,6}."""
    found = []
    for line in (text or "").splitlines()[1:]:
        parts = line.split()
        if len(parts) < 10 or parts[3] != ("0A" if kind.startswith("tcp") else "07"):
            continue
        address, _, port = parts[1].rpartition(":")
        shown = four(address) if len(address) == 8 else _long(address)
        uid, inode = number(parts[7]), number(parts[9])
        try:
            gate = int(port, 16)
        except ValueError:
            continue
        if shown is not None and uid is not None:
            found.append({"protocol": kind, "address": shown, "port": gate, "uid": uid, "inode": inode})
    return found


def _long(text: str) -> str | None:
    """An IPv6 address as four words in the byte order of the machine."""
    from sys import byteorder

    try:
        raw = b"".join(int(text[at : at + 8], 16).to_bytes(4, byteorder) for at in range(0, 32, 8))
    except ValueError:
        return None
    return v6(raw) if len(text) == 32 else None


def _owners(reader: Reader, inodes: set[int | None], late: Callable[[], str]) -> dict[int | None, str]:
    """Socket number -> `name (pid)`, of the processes whose open files the kernel shows to us."""
    wanted = {f"socket:[{inode}]": inode for inode in inodes if inode}
    found: dict[int | None, str] = {}
    pids = [name for name in reader.names("/proc") if name.isdigit()][:_PROCESSES]
    for pid in pids:
        if not wanted or late():
            break
        for name in reader.names(f"/proc/{pid}/fd", _FILES):
            target = reader.link(f"/proc/{pid}/fd/{name}")
            if target in wanted:
                found[wanted.pop(target)] = f"{reader.text(f'/proc/{pid}/comm', 64) or 'process'} ({pid})"
    return found
