"""Where a model's server is: from `base_url` to host, port and path. Loaded before the prompt: text only.

Rules:
1. A base URL is http or https, a host, maybe a port, maybe a path; anything else in it is a fault that says so.
2. A key goes over https anywhere. Over plain http it goes only to where nobody in between should be listening:
   this machine, an address of a private or link-local network (RFC 1918, 3927, 4193, 4291), or a name of the local
   network (one word, or below .local, .lan, .home.arpa, .internal).
"""

from __future__ import annotations

from edge.faults import ConfigFault
from edge.record import Record

PORTS = {"http": 80, "https": 443}
LOCAL = (".local", ".lan", ".home.arpa", ".internal", ".localhost")
LOCAL_V6 = ("fc", "fd", "fe8", "fe9", "fea", "feb")


class Place(Record):
    """`host` without brackets; `path` begins with / and is where requests go."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """host:port, an IPv6 address in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def endpoint(self) -> str:
        """What sentences call it."""
        return self.authority + self.path


def place(base_url: str, below: str) -> Place:
    """The place of `below` (`chat/completions`) under a base URL. ConfigFault when it is none."""
    url = base_url.strip()
    if not url:
        raise _wrong("a chat model needs the address of its server", "")
    if any(ord(c) <= 32 or ord(c) > 126 for c in url):
        raise _wrong("holds blanks, control characters or letters beyond ASCII", url)
    scheme, found, rest = url.partition("://")
    scheme = scheme.lower()
    if not found or scheme not in PORTS:
        raise _wrong("must begin with http:// or https://", url)
    if "?" in rest or "#" in rest:
        raise _wrong("must have neither ? nor #", url)
    authority, _, path = rest.partition("/")
    if "@" in authority:
        raise _wrong("must not hold a user or password: the key comes from key_env or key_file", "")
    host, port = _host_and_port(authority, url)
    path = path.strip("/")
    if not (path == below or path.endswith("/" + below)):
        path = f"{path}/{below}" if path else below
    return Place(scheme == "https", host, port or PORTS[scheme], "/" + path)


def _host_and_port(authority: str, url: str) -> tuple[str, int]:
    if authority.startswith("["):
        host, closed, rest = authority[1:].partition("]")
        number = rest[1:]
        bad = not closed or (bool(rest) and not (rest.startswith(":") and number))
    else:
        host, found, number = authority.partition(":")
        bad = bool(found) and not number
    if bad or not host or (number and not (number.isdigit() and 0 < int(number[:6]) < 65536)):
        raise _wrong("has no host, or its port is not a number from 1 to 65535", url)
    return host, int(number or 0)


def _wrong(what: str, url: str) -> ConfigFault:
    said = f"base_url {url[:100]!r} {what}" if url else f"base_url: {what}"
    return ConfigFault(said, "for example http://127.0.0.1:8080/v1", key="model.base_url")


def guard_key(to: Place, key: str) -> None:
    """ConfigFault when `key` would go in the clear to where others can listen (rule 2)."""
    if key and not to.secure and not near(to.host):
        raise ConfigFault(
            f"the key would go unencrypted to {to.authority}",
            "use https://, or unset the key if this server needs none",
            key="model.base_url",
        )


def near(host: str) -> bool:
    """True for this machine and the local network (rule 2)."""
    host = host.lower().rstrip(".")
    if ":" in host:
        return host == "::1" or host.startswith(LOCAL_V6)
    parts = host.split(".")
    if len(parts) == 4 and all(part.isdigit() for part in parts):
        first, second = int(parts[0]), int(parts[1])
        return (
            first in (10, 127) or (first, second) in ((192, 168), (169, 254)) or (first == 172 and 16 <= second <= 31)
        )
    return len(parts) == 1 or host.endswith(LOCAL)
