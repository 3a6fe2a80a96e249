"""Names and addresses that a person gives to a board, each with the sentence of what is allowed.

A check takes the value and gives what is kept; ValueError has the rest of a sentence that begins with the key.
"""

from __future__ import annotations

from edge.card.zones import ZONES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST_NAME = 63  # of a label: RFC 1123 section 2.1
MOST_SERVERS = 4
MOST_KEYS = 4
SHORTEST_SECRET = 8
LONGEST_PASSWORD = 127  # busybox login reads so many characters of a line
LONGEST_KEY = 4096  # bytes, as edge/config.py reads a key file


def text(value: Any) -> str:
    """A text in one line."""
    if not isinstance(value, str):
        raise ValueError('must be a text in quotes, such as "north-3"')
    if not value.isprintable():
        raise ValueError("holds a control character")
    return value


def hostname(value: Any) -> str:
    """A host name without a domain, in small letters."""
    name = text(value).strip()
    plain = name.isascii() and name.replace("-", "a").isalnum()
    if not plain or not 0 < len(name) <= LONGEST_NAME or "-" in (name[0], name[-1]) or name.isdigit():
        raise ValueError(
            f"must be 1 to {LONGEST_NAME} letters, digits and hyphens without a hyphen at either end, not only digits "
            f"and without a domain (RFC 1123), not {name[:70]!r}"
        )
    return name.lower()


def board_id(value: Any) -> str:
    """What ops call this board."""
    name = text(value).strip()
    plain = name.isascii() and all(letter.isalnum() or letter in "._:-" for letter in name)
    if not plain or not 0 < len(name) <= 64:
        raise ValueError(f"must be 1 to 64 letters, digits and . _ : -, not {name[:70]!r}")
    return name


def zone(value: Any) -> str:
    """The rule of a time zone (POSIX TZ): the image has no zone files, so common names are known here."""
    name = text(value).strip()
    if name in ZONES:
        return ZONES[name]
    if _is_rule(name):
        return name
    from edge.schema import near

    meant = near(name, ZONES)
    told = f"did you mean {meant}? " if meant else ""
    raise ValueError(
        f"is no zone that this image knows: {name[:60]!r}; {told}Else write its rule, such as "
        "CET-1CEST,M3.5.0,M10.5.0/3 (the last line of the zone's file on a laptop: tail -n1 /usr/share/zoneinfo/NAME)"
    )


def _is_rule(name: str) -> bool:
    """The outer form of a POSIX TZ: a name of letters or in <>, an offset, more of that kind."""
    import re

    abbreviation, offset = r"([A-Za-z]{3,6}|<[A-Za-z0-9+-]{3,6}>)", r"[+-]?\d{1,2}(:\d{2}){0,2}"
    when = r"M\d{1,2}\.[1-5]\.[0-6](/[+-]?\d{1,3}(:\d{2}){0,2})?"
    summer = rf"({abbreviation}({offset})?(,{when},{when})?)?"
    return re.fullmatch(rf"{abbreviation}{offset}{summer}", name, re.ASCII) is not None


def address(value: Any) -> str:
    """An IPv4 address of one host with the size of its network."""
    import ipaddress

    told = text(value).strip()
    wanted = 'must be an IPv4 address with the size of its network, such as "192.168.1.20/24"'
    host, slash, bits = told.partition("/")
    if not slash:
        raise ValueError(f"{wanted}: /24 or the like is missing behind {told[:40]!r}")
    try:
        found = ipaddress.IPv4Interface(told)
    except ValueError as fault:
        raise ValueError(f"{wanted}, not {told[:40]!r}") from fault
    if not bits.isdecimal() or not 1 <= int(bits) <= 32:
        raise ValueError(f"{wanted}, not {told[:40]!r}")
    network = found.network
    if network.prefixlen < 31 and found.ip in (network.network_address, network.broadcast_address):
        raise ValueError(f"must be the address of a host: {host} is the network {network} itself or its broadcast")
    if found.ip.is_multicast or found.ip.is_loopback or found.ip.is_unspecified:
        raise ValueError(f"must be an address that a host can have, and {host} is none")
    return str(found)


def host_address(value: Any) -> str:
    """An IP address without a network."""
    import ipaddress

    told = text(value).strip()
    try:
        return str(ipaddress.ip_address(told))
    except ValueError as fault:
        raise ValueError(f'must be an IP address such as "192.168.1.1", not {told[:40]!r}') from fault


def gateway(value: Any) -> str:
    """An IPv4 address without a network."""
    found = host_address(value)
    if ":" in found:
        raise ValueError(f"must be an IPv4 address, not {found}")
    return found


def addresses(value: Any) -> tuple[str, ...]:
    """One IP address or a list of them."""
    return _list(value, host_address, 'a list of IP addresses, such as ["192.168.1.1"]')


def servers(value: Any) -> tuple[str, ...]:
    """One server or a list of them, by name or address."""
    return _list(value, _server, 'a list of servers, such as ["ntp.example.org"]')


def _list(value: Any, one: Any, what: str) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list):
        raise ValueError(f"must be {what}")
    if len(given) > MOST_SERVERS:
        raise ValueError(f"must name at most {MOST_SERVERS}, and names {len(given)}")
    return tuple(dict.fromkeys([one(entry) for entry in given]))


def _server(value: Any) -> str:
    name = text(value).strip()
    if ":" in name or name.replace(".", "").isdigit():
        return host_address(name)
    labels = name.lower().rstrip(".").split(".")
    try:
        return ".".join(
            [label if label.isascii() and label.isdigit() and len(labels) > 1 else hostname(label) for label in labels]
        )
    except ValueError as fault:
        raise ValueError(f"must name servers, and {name[:70]!r} is none") from fault


def password(value: Any) -> str:
    """A password that can be typed at a console. It is never shown."""
    if not isinstance(value, str):
        raise ValueError("must be a text in quotes")
    if not value.isprintable() or not SHORTEST_SECRET <= len(value) <= LONGEST_PASSWORD or value != value.strip():
        raise ValueError(
            f"must be {SHORTEST_SECRET} to {LONGEST_PASSWORD} characters that a keyboard has, no blank at either end"
        )
    if len(value.encode("utf-8", "replace")) > LONGEST_PASSWORD:
        raise ValueError(f"must be at most {LONGEST_PASSWORD} bytes long")
    return value


def password_hash(value: Any) -> str:
    """A SHA-512 or SHA-256 crypt as `mkpasswd -m sha-512` or `openssl passwd -6` prints it. It is never shown."""
    import re

    form = r"\$([56])\$(rounds=\d{4,9}\$)?[./0-9A-Za-z]{1,16}\$([./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})"
    found = re.fullmatch(form, value, re.ASCII) if isinstance(value, str) else None
    if found is None or len(found.group(3)) != (86 if found.group(1) == "6" else 43):
        raise ValueError("must be a hash that begins with $6$, as `openssl passwd -6` prints it")
    return str(value)


def api_key(value: Any) -> str:
    """The key of a model's server: one word of ASCII. It is never shown."""
    if not isinstance(value, str):
        raise ValueError("must be a text in quotes")
    word = value.strip()
    plain = all(33 <= ord(letter) < 127 for letter in word)
    if not plain or not SHORTEST_SECRET <= len(word) <= LONGEST_KEY:
        raise ValueError(f"must be one word of {SHORTEST_SECRET} to {LONGEST_KEY} ASCII characters without blanks")
    return word


def public_keys(value: Any) -> tuple[str, ...]:
    """Keys whose updates are taken: "HEX NAME" as a .pub file holds them -> the same lines, in small letters."""
    if not isinstance(value, list):
        raise ValueError('must be a list of public keys, each as its .pub file holds it: ["64 hex digits NAME"]')
    if len(value) > MOST_KEYS:
        raise ValueError(f"must hold at most {MOST_KEYS} keys, and holds {len(value)}")
    found = []
    for one in value:
        word, _, name = text(one).strip().partition(" ")
        if len(word) != 64 or not set(word.lower()) <= set("0123456789abcdef"):
            raise ValueError(f"must hold public keys of 64 hex digits and a name, and {one[:20]!r}... is none")
        found.append(f"{word.lower()} {board_id(name)}" if name.strip() else word.lower())
    return tuple(dict.fromkeys(found))
