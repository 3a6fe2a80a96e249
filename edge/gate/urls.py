"""What a URL leads to, read from its text alone. Pure.

Rules:
1. One reading, the strict one: where programs differ about what a text means (user-info, backslashes, blanks, percent
   signs in the authority, odd spellings of addresses, letters beyond ASCII in a host) it is refused.
2. `http` and `https` only. A port is a plain number from 1 to 65535 or is not written at all.
3. A host whose last label is a number is an address and must be four decimal numbers without leading zeros: the C
   library takes short, octal and hexadecimal forms too, and a leading zero means one thing here and another there.
4. Names that resolve inside: localhost, names of one label, the domains of local networks, the metadata of clouds.
   They are compared in lower case and without the dot at the end. All other names are judged by their addresses.
5. What is not ASCII after the authority is written as percent escapes of UTF-8, so that what a person is shown is
   exactly what is sent.
"""

from __future__ import annotations

from edge.gate.addresses import dotted, internal, packed
from edge.record import Record, replace

LONGEST = 8192  # characters of a URL
PORTS = {"http": 80, "https": 443}
LOCAL_NAMES = ("ip6-localhost", "ip6-loopback")
LOCAL_DOMAINS = (
    "localhost",
    "localdomain",
    "local",
    "internal",
    "home",
    "home.arpa",
    "lan",
    "intranet",
    "corp",
    "private",
)
METADATA = ("metadata.goog", "metadata.tencentyun.com", "metadata.packet.net", "metadata.platformequinix.com")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.")
_HEX = frozenset("0123456789abcdefABCDEF")


class Url(Record):
    """`kind` is public (an address), name (judged after DNS), internal or bad; `why` is the rest of a sentence.

    `host`: lower case, without brackets and the last dot; `target`: path and query as they are sent; `origin`:
    `https://host:443`; `shown`: for people, ASCII, without a user or password. All but kind, why and shown are empty
    (port 0) when it is bad.
    """

    kind: str
    why: str = ""
    scheme: str = ""
    host: str = ""
    port: int = 0
    target: str = ""
    origin: str = ""
    shown: str = ""

    @property
    def authority(self) -> str:
        """What the field Host says: the port only where it is not the usual one."""
        host = bracketed(self.host)
        return host if PORTS.get(self.scheme) == self.port else f"{host}:{self.port}"


def bracketed(host: str) -> str:
    """A host as it stands in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def read(text: str) -> Url:
    """What `text` leads to. Never raises: what cannot be read in one way only is `bad`, and `why` says why."""
    wrong = _wrong_letters(text)
    if wrong:
        return _bad(text, wrong)
    scheme, found, rest = text.partition("://")
    scheme = scheme.lower()
    if not found or scheme not in PORTS:
        return _bad(text, "must begin with http:// or https://")
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    authority = rest[:end]
    wrong = _wrong_authority(authority)
    if wrong:
        return _bad(text, wrong)
    host, port, wrong = _split(authority, PORTS[scheme])
    kind = ""
    if not wrong:
        host, kind, wrong = _host(host.lower())
    if not kind:
        return _bad(text, wrong)
    target = _escaped(rest[end:].partition("#")[0])
    if not target.startswith("/"):
        target = "/" + target
    origin = f"{scheme}://{bracketed(host)}:{port}"
    made = Url(kind, wrong, scheme, host, port, target, origin)
    return replace(made, shown=f"{scheme}://{made.authority}{target}")


def _wrong_letters(text: str) -> str:
    if len(text) > LONGEST:
        return f"is longer than {LONGEST} characters"
    if text.isascii() and text.isprintable() and " " not in text and "\\" not in text:
        return ""  # nearly all, at once: a page may have many long links
    for letter in text:
        if letter <= " " or "\x7f" <= letter <= "\xa0" or "\ud800" <= letter <= "\udfff" or letter.isspace():
            return "holds blanks, control characters or half characters; write them as percent escapes"
        if letter == "\\":
            return "holds a backslash, which programs read in different ways; write %5C where it is meant"
    return ""


def _wrong_authority(authority: str) -> str:
    if not authority:
        return "names no host"
    if "@" in authority:
        return "holds a user or password before the host; credentials go into a header"
    if not authority.isascii():
        return "has a host with letters beyond ASCII; write it in its xn-- form"
    if "%" in authority:
        return "holds a percent sign in its host; a host is written plainly, without a zone"
    return ""


def _split(authority: str, usual: int) -> tuple[str, int, str]:
    """(host, port, what is wrong)."""
    if authority.startswith("["):
        host, closed, rest = authority.partition("]")
        host += closed
        if not closed or (rest and rest[0] != ":"):
            return "", 0, "has a [ in its host that is not closed before the port"
        colon, number = rest[:1], rest[1:]
    else:
        host, colon, number = authority.partition(":")
        if ":" in number:
            return "", 0, "has more than one colon in its authority; an IPv6 address stands in brackets"
    if not colon:
        return host, usual, ""
    if not (number.isdigit() and len(number) <= 5 and number[0] != "0" and int(number) < 65536):
        return "", 0, "has a port that is not a plain number from 1 to 65535"
    return host, int(number), ""


def _host(host: str) -> tuple[str, str, str]:
    """(host in its one spelling, kind or "", why) for a host in lower case."""
    if host.startswith("["):
        raw = packed(host[1:-1])
        return _address(raw) if len(raw) == 16 else ("", "", "has something in brackets that is no IPv6 address")
    host = host[:-1] if host.endswith(".") else host
    labels = host.split(".")
    if len(host) > 253 or not all(_is_label(label) for label in labels):
        return "", "", "has a host that is no name: labels of 1 to 63 letters, digits and hyphens, 253 in all"
    if _is_number(labels[-1]):
        raw = packed(host)
        if raw:
            return _address(raw)
        return "", "", "spells an address in an odd way; write four decimal numbers without leading zeros"
    why = _internal_name(host, labels)
    return host, "internal" if why else "name", why


def _address(raw: bytes) -> tuple[str, str, str]:
    what = internal(raw)
    host = dotted(raw)
    return host, "internal" if what else "public", f"{host} is internal ({what})" if what else ""


def _is_label(label: str) -> bool:
    return 0 < len(label) < 64 and _LETTERS.issuperset(label) and label[0] != "-" and label[-1] != "-"


def _is_number(label: str) -> bool:
    """True when the C library may take the label for a number: decimal, octal, hexadecimal, binary."""
    return label.isdigit() or (label[0] == "0" and label[1:2] in ("x", "b", "o") and _HEX.issuperset(label[2:]))


def _internal_name(host: str, labels: list[str]) -> str:
    if host in LOCAL_NAMES or host in LOCAL_DOMAINS:
        return f"{host} names this machine or its network"
    if len(labels) == 1:
        return f"{host} is a name of one word, which is looked up in the local network"
    domain = next((one for one in LOCAL_DOMAINS if host.endswith("." + one)), "")
    if domain:
        return f"{host} is a name of the local network (.{domain})"
    if any(host == name or host.endswith("." + name) for name in METADATA):
        return f"{host} gives the metadata of a cloud"
    return ""


def _escaped(text: str) -> str:
    """`text` with what is not ASCII as percent escapes of UTF-8."""
    if text.isascii():
        return text
    return "".join(chr(byte) if byte < 128 else f"%{byte:02X}" for byte in text.encode("utf-8"))


def _bad(text: str, why: str) -> Url:
    shown = text
    if "@" in shown:
        scheme, found, _ = shown.partition("://")
        shown = (scheme + found if found else "") + "..." + shown[shown.rindex("@") :]
    shown = ascii(shown[:200])[1:-1] + "..." * (len(shown) > 200)
    return Url("bad", why, shown=shown)


def joined(base: Url, location: str) -> str:
    """The URL that a redirect of `base` names (RFC 3986 section 5.2, without a fragment); `read` judges it.

    Never raises. Nothing is repaired: a location with blanks or a backslash stays as it is, and `read` refuses it.
    """
    start = f"{base.scheme}://{base.authority}"
    path, _, _ = base.target.partition("?")
    place = location.partition("#")[0]
    head, colon, _ = place.partition(":")
    if colon and head[:1].isalpha() and _SCHEME.issuperset(head):
        return place
    if place.startswith("//"):
        return f"{base.scheme}:{place}"
    if not place:
        return start + base.target
    if place.startswith("?"):
        return start + path + place
    if not place.startswith("/"):
        place = path[: path.rindex("/") + 1] + place
    way, mark, query = place.partition("?")
    return start + _without_dots(way) + mark + query


def _without_dots(path: str) -> str:
    """`path` with `.` and `..` taken out (RFC 3986 section 5.2.4)."""
    kept: list[str] = []
    parts = path.split("/")[1:]
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    if parts[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
