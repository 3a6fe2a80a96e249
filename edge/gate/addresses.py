"""Which IP addresses are internal: an own table, judged on the bits. Pure.

Rules:
1. Internal is what may lead to this machine, its networks or a cloud's metadata. The table is our own: what the
   standard library calls global changes between Python versions and holds multicast and embedded private addresses.
2. An IPv6 address that carries an IPv4 address is as internal as what it carries (mapped, compatible, translated,
   NAT64, 6to4, ISATAP). Teredo and the local NAT64 prefix, whose insides cannot be read off, are internal.
3. What is no address in its plain spelling is reported as such, never as public.
4. Ranges for documentation are public: they lead nowhere.

Sources: IANA special-purpose registries (RFC 6890), RFC 4291, 4193, 3879, 6052, 8215, 3056, 5214, 4380, 2765; the wire
server of Azure has a public address (168.63.129.16).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    Address = Union[str, bytes]

NONE = "not an address in its plain spelling"
_TEREDO = 0x20010000 << 96

# (first address, bits of the prefix, what it is)
V4 = (
    (0x00000000, 8, "this network"),
    (0x0A000000, 8, "a private network"),
    (0x64400000, 10, "a network shared behind a provider"),
    (0x7F000000, 8, "this machine"),
    (0xA9FE0000, 16, "link-local, where clouds keep their metadata"),
    (0xAC100000, 12, "a private network"),
    (0xC0000000, 24, "reserved for protocols"),
    (0xC0A80000, 16, "a private network"),
    (0xC6120000, 15, "a network for benchmarks"),
    (0xE0000000, 4, "multicast"),
    (0xF0000000, 4, "reserved"),
    (0xA83F8110, 32, "the wire server of a cloud"),
)
V6 = (
    (0, 128, "unspecified, which is this machine"),
    (1, 128, "this machine"),
    (0x0064FF9B0001 << 80, 48, "a local NAT64 network"),
    (0x0100 << 112, 64, "the discard prefix"),
    (0x0200 << 112, 7, "an overlay network"),
    (_TEREDO, 32, "a Teredo tunnel"),
    (0x5F00 << 112, 16, "a routing domain"),
    (0xFC00 << 112, 7, "a private network"),
    (0xFE80 << 112, 10, "link-local"),
    (0xFEC0 << 112, 10, "site-local"),
    (0xFF00 << 112, 8, "multicast"),
)
# (first address, bits of the prefix, how far the carried IPv4 address is shifted to the left)
_CARRIERS = (
    (0, 96, 0),  # IPv4-compatible, and what is left of :: and ::1
    (0xFFFF << 32, 96, 0),  # IPv4-mapped
    (0xFFFF << 48, 96, 0),  # IPv4-translated
    (0x0064FF9B << 96, 96, 0),  # NAT64
    (0x2002 << 112, 16, 80),  # 6to4
)
_ISATAP = (0x00005EFE, 0x02005EFE)
_HEX = frozenset("0123456789abcdefABCDEF")


def internal(address: Address) -> str:
    """What an internal address is, "" when it is public.

    As text (a dotted quad; IPv6 without brackets, its zone is not looked at) or packed in 4 or 16 bytes, as a socket
    has them. Never raises; what is no address is said to be none.
    """
    raw = packed(address.partition("%")[0] if ":" in address else address) if isinstance(address, str) else address
    if len(raw) == 4:
        return _found(V4, int.from_bytes(raw, "big"), 32)
    if len(raw) == 16:
        return _of_v6(int.from_bytes(raw, "big"))
    return NONE


def _found(table: tuple[tuple[int, int, str], ...], number: int, width: int) -> str:
    return next((what for first, bits, what in table if (number ^ first) >> (width - bits) == 0), "")


def _of_v6(number: int) -> str:
    what = _found(V6, number, 128)
    if what:
        return what
    for first, bits, shift in _CARRIERS:
        if (number ^ first) >> (128 - bits) == 0:
            return _carried((number >> shift) & 0xFFFFFFFF)
    if (number >> 32) & 0xFFFFFFFF in _ISATAP:
        return _carried(number & 0xFFFFFFFF)
    return ""


def _carried(number: int) -> str:
    what = _found(V4, number, 32)
    return f"it carries {dotted(number.to_bytes(4, 'big'))}, {what}" if what else ""


def packed(text: str) -> bytes:
    """The 4 or 16 bytes of an address in its plain spelling, b"" when it is none.

    IPv4: four decimal numbers without leading zeros, nothing else. IPv6 as in RFC 4291, without brackets and zone.
    """
    return _packed_v6(text) if ":" in text else _packed_v4(text)


def _packed_v4(text: str) -> bytes:
    parts = text.split(".")
    if len(parts) != 4 or not all(_is_octet(part) for part in parts):
        return b""
    return bytes(int(part) for part in parts)


def _is_octet(part: str) -> bool:
    plain = part.isascii() and part.isdigit() and len(part) <= 3
    return plain and int(part) < 256 and (part == "0" or part[0] != "0")


def _packed_v6(text: str) -> bytes:
    if len(text) > 45 or text.count("::") > 1:
        return b""
    head, gap, tail = text.partition("::")
    before, after = _groups(head, not gap), _groups(tail, True)
    if before is None or after is None:
        return b""
    missing = 16 - len(before) - len(after)
    if missing < 0 or (missing > 0) != bool(gap):
        return b""
    return before + bytes(missing) + after


def _groups(text: str, last: bool) -> bytes | None:
    """The bytes of groups between colons; `last`: a dotted quad may end them. None when they are none."""
    if not text:
        return b""
    made = b""
    groups = text.split(":")
    for number, group in enumerate(groups):
        if last and number + 1 == len(groups) and "." in group:
            quad = _packed_v4(group)
            if not quad:
                return None
            made += quad
        elif 1 <= len(group) <= 4 and _HEX.issuperset(group):
            made += int(group, 16).to_bytes(2, "big")
        else:
            return None
    return made


def dotted(raw: bytes) -> str:
    """The one spelling of a packed address: a dotted quad, or IPv6 as in RFC 5952."""
    if len(raw) == 4:
        return ".".join(map(str, raw))
    groups = [int.from_bytes(raw[at : at + 2], "big") for at in range(0, 16, 2)]
    start, length = _longest_zeros(groups)
    words = [format(group, "x") for group in groups]
    if length < 2:
        return ":".join(words)
    return ":".join(words[:start]) + "::" + ":".join(words[start + length :])


def _longest_zeros(groups: list[int]) -> tuple[int, int]:
    """(where the first longest run of zero groups starts, how long it is)."""
    best = (0, 0)
    start = 0
    for at, group in enumerate([*groups, 1]):
        if group:
            if at - start > best[1]:
                best = (start, at - start)
            start = at + 1
    return best
