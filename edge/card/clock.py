"""The time by a server of the network, for a board without a clock of its own: one question, one answer (RFC 4330).

Rules:
1. An answer counts when it is for our question (its originate time is the chance we sent), comes from a server that is
   itself set (mode 4, stratum 1 to 15, no alarm), and lies not before the image was made. Anything else is no answer.
2. The clock is set only when it is off by more than SLACK; half of the way there and back is added.
3. One process, one round over the servers: whoever calls decides how often (usr/sbin/fieldhand-clock of the image).
   Nobody listens to the network between two questions.
"""

from __future__ import annotations

import os
import socket
import time

from edge.tape.disk import small_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SERVERS = ("0.debian.pool.ntp.org", "1.debian.pool.ntp.org")
PORT = 123
SECONDS = 5.0
SLACK = 0.5
_SINCE_1900 = 2208988800  # seconds from 1900 to 1970 (RFC 4330, section 3)
_CLIENT = b"\x23" + bytes(39)  # version 4, mode 3; then our chance as the transmit time
_LENGTH = 48


def servers(text: str) -> tuple[str, ...]:
    """The servers of a file with a line SERVERS="a b"; the pool without one."""
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name == "SERVERS" and value.strip("\"' "):
            return tuple(value.strip("\"' ").split())
    return SERVERS


def told(answer: bytes, chance: bytes) -> float | None:
    """The server's time in seconds since 1970, None for what does not count (rule 1). Good until 2104: times below
    2036 in the form of RFC 4330, section 3, are those of the next era."""
    if len(answer) < _LENGTH or answer[24:32] != chance:
        return None
    if answer[0] & 7 != 4 or answer[0] >> 6 == 3 or not 0 < answer[1] < 16:
        return None
    whole, part = int.from_bytes(answer[40:44], "big"), int.from_bytes(answer[44:48], "big")
    return (whole if whole & 0x80000000 else whole + (1 << 32)) - _SINCE_1900 + part / (1 << 32)


def ask(server: str, port: int = PORT, seconds: float = SECONDS) -> float | None:
    """The time now by that server; None when it does not answer, or not well."""
    chance = os.urandom(8)
    try:
        family, kind, _, _, place = socket.getaddrinfo(server, port, 0, socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as link:
            link.settimeout(seconds)
            link.connect(place)
            began = time.monotonic()
            link.send(_CLIENT + chance)
            answer = link.recv(512)
            took = time.monotonic() - began
    except (OSError, UnicodeError):
        return None
    found = told(answer, chance)
    return None if found is None else found + took / 2


def _adjust(now: float) -> None:
    time.clock_settime(time.CLOCK_REALTIME, now)


def main(settings: str, least: float, port: int = PORT, adjust: Callable[[float], None] = _adjust) -> int:
    """Ask each server until one answers, set the clock. 0 when it is right now, 1 when nobody answered or it is not
    ours to set. `settings`: a file for `servers`; `least`: a time that is past for sure, in seconds since 1970."""
    for server in servers(small_file(settings).decode("utf-8", "replace")):
        found = ask(server, port)
        if found is None or found < least:
            continue
        if abs(found - time.time()) > SLACK:
            try:
                adjust(found)
            except OSError:
                return 1
        return 0
    return 1
