"""Addresses of interfaces from the kernel by netlink (rtnetlink(7)): the only place that tells IPv4 with its interface.

Nothing is set: one question (RTM_GETADDR, all families), its answers until NLMSG_DONE. `answers` is pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Facts = dict[str, Any]

_GETADDR, _NEWADDR, _DONE, _ERROR = 22, 20, 3, 2
_DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
_ADDRESS, _LOCAL, _FLAGS = 1, 2, 8  # IFA_ADDRESS, IFA_LOCAL, IFA_FLAGS
_INET, _INET6 = 2, 10
_STATES = {0x08: "duplicate", 0x20: "deprecated", 0x40: "tentative"}  # IFA_F_DADFAILED, _DEPRECATED, _TENTATIVE
_SCOPES = {0: "global", 200: "site", 253: "link", 254: "host"}
_MOST = 1 << 20  # bytes of answers


def addresses() -> list[Facts] | None:
    """Each as `index address family scope`; None when the kernel does not answer."""
    import socket

    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0) as line:
            line.settimeout(2.0)
            line.sendto(_question(), (0, 0))
            return _heard(line)
    except (OSError, AttributeError):
        return None


def _question() -> bytes:
    from sys import byteorder

    body = bytes(8)  # struct ifaddrmsg: any family, any interface
    head = [(16 + len(body), 4), (_GETADDR, 2), (_DUMP, 2), (1, 4), (0, 4)]
    return b"".join(value.to_bytes(size, byteorder) for value, size in head) + body


def _heard(line: Any) -> list[Facts] | None:
    found: list[Facts] = []
    heard = 0
    while heard < _MOST:
        raw = line.recv(65536)
        heard += len(raw)
        rows, ended = answers(raw)
        found += rows
        if ended:
            return found if ended == "done" else None
        if not raw:
            return None
    return found


def answers(raw: bytes) -> tuple[list[Facts], str]:
    """The addresses of one piece of the answer; `done` or `error` when it was the last, else ""."""
    found: list[Facts] = []
    at = 0
    while at + 16 <= len(raw):
        size, kind = _int(raw, at, 4), _int(raw, at + 4, 2)
        if size < 16 or at + size > len(raw):
            return found, "error"
        if kind in (_DONE, _ERROR):
            return found, "done" if kind == _DONE else "error"
        if kind == _NEWADDR and size >= 24:
            row = _address(raw[at + 16 : at + size])
            if row is not None:
                found.append(row)
        at += size + 3 & ~3
    return found, ""


def _address(body: bytes) -> Facts | None:
    """One struct ifaddrmsg with its attributes."""
    family, prefix, flags, scope = body[:4]
    told = _attributes(body[8:])
    address = told.get(_LOCAL) or told.get(_ADDRESS)  # of a point-to-point link ADDRESS is the other end
    if address is None or (family, len(address)) not in ((_INET, 4), (_INET6, 16)):
        return None
    if len(told.get(_FLAGS, b"")) == 4:
        flags = _int(told[_FLAGS], 0, 4)
    text = ".".join(map(str, address)) if family == _INET else v6(address)
    row = {"index": _int(body, 4, 4), "address": f"{text}/{prefix}", "scope": _SCOPES.get(scope, str(scope))}
    states = [word for bit, word in _STATES.items() if flags & bit]
    return {**row, "state": " ".join(states)} if states else row


def _attributes(raw: bytes) -> dict[int, bytes]:
    found = {}
    at = 0
    while at + 4 <= len(raw):
        size, kind = _int(raw, at, 2), _int(raw, at + 2, 2)
        if size < 4:
            break
        found[kind & 0x3FFF] = raw[at + 4 : at + size]
        at += size + 3 & ~3
    return found


def _int(raw: bytes, at: int, size: int) -> int:
    from sys import byteorder

    return int.from_bytes(raw[at : at + size], byteorder)


def v6(raw: bytes) -> str:
    """16 bytes as an address: groups in hex, the longest run of zeros as `::` (RFC 5952)."""
    groups = [raw[at] << 8 | raw[at + 1] for at in range(0, 16, 2)]
    best, length = 0, 0
    for start in range(8):
        end = start
        while end < 8 and not groups[end]:
            end += 1
        if end - start > length:
            best, length = start, end - start
    words = [f"{group:x}" for group in groups]
    if length < 2:
        return ":".join(words)
    return ":".join(words[:best]) + "::" + ":".join(words[best + length :])
