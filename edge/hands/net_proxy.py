"""The operator's proxy: what it is, and how a connection goes through it to a host.

Rules:
1. `http://host:port`: https by CONNECT (RFC 9110 section 9.3.6), http by whole URLs. `socks5://host:port` (RFC 1928):
   everything by CONNECT, without a password. The proxy looks up the name, also with socks5: what is behind it is
   nothing that this board could judge by address.
2. A proxy that says no says why, in a sentence that names it.
"""

from __future__ import annotations

from edge.faults import ToolFault
from edge.gate import urls
from edge.gate.addresses import packed
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.gate.urls import Url
    from edge.hands.net_line import Line

USUAL = 1080
_ANSWERS = {
    1: "it failed",
    2: "its rules do not allow it",
    3: "the network cannot be reached",
    4: "the host cannot be reached",
    5: "nothing listens there",
    6: "it took too long",
    7: "it connects to nothing",
    8: "it does not know this kind of address",
}


class Proxy(Record):
    """`url` is where it listens; `socks`: it speaks SOCKS 5."""

    url: Url
    socks: bool

    @property
    def shown(self) -> str:
        return f"socks5://{urls.bracketed(self.url.host)}:{self.url.port}" if self.socks else self.url.authority


def read(text: str) -> Proxy | None:
    """The proxy that a setting names, None for "". ToolFault when it names none."""
    if not text:
        return None
    scheme, _, rest = text.partition("://")
    socks = scheme.lower() in ("socks5", "socks5h")
    if socks:
        rest = rest.rstrip("/")
        text = f"http://{rest}" if rest.rpartition("]")[2].rpartition(":")[2].isdigit() else f"http://{rest}:{USUAL}"
    url = urls.read(text)
    if url.kind == "bad" or url.scheme != "http":
        why = url.why if url.kind == "bad" else "must begin with http:// or socks5://"
        raise ToolFault(f"the proxy {url.shown} {why}", "the operator sets network.proxy")
    return Proxy(url, socks)


def through(line: Line, url: Url, proxy: Proxy, head: int) -> None:
    """Have the proxy connect `line` through to the host of `url`; `head` bounds the bytes of its answer.

    ToolFault when it does not, and what the line raises.
    """
    line.room = head
    why = _socks(line, url) if proxy.socks else _connect(line, url)
    if why:
        to = f"{urls.bracketed(url.host)}:{url.port}"
        raise ToolFault(f"the proxy {proxy.shown} does not connect to {to}: {why}")


def _connect(line: Line, url: Url) -> str:
    """CONNECT; why it did not."""
    from edge.hands.net_exchange import begun

    to = f"{urls.bracketed(url.host)}:{url.port}"
    head = f"CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n".encode("ascii")
    line.send((head,), len(head))
    answer = begun(line, "CONNECT")
    return "" if answer.status == 200 else f"{answer.status} {answer.reason[:80]}".rstrip()


def _socks(line: Line, url: Url) -> str:
    """The greeting without a password, and CONNECT (RFC 1928 sections 3 to 6); why it did not."""
    line.send((b"\x05\x01\x00",), 3)
    version, method = _exactly(line, 2)
    if version != 5:
        return "it does not speak SOCKS 5"
    if method:
        return "it wants a password, which is not given"
    raw = packed(url.host)
    name = url.host.encode("ascii")
    where = bytes((1 if len(raw) == 4 else 4,)) + raw if raw else bytes((3, len(name))) + name
    asked = b"\x05\x01\x00" + where + url.port.to_bytes(2, "big")
    line.send((asked,), len(asked))
    version, answer, _, kind = _exactly(line, 4)
    if version != 5 or kind not in (1, 3, 4):
        return "it does not speak SOCKS 5"
    if answer:
        return _ANSWERS.get(answer, f"it said {answer}")
    _exactly(line, 2 + (_exactly(line, 1)[0] if kind == 3 else 4 if kind == 1 else 16))
    return ""


def _exactly(line: Line, count: int) -> bytes:
    """The next bytes. ConnectionError when there are no more."""
    found = line.reader.read(count)
    if len(found or b"") < count:
        raise ConnectionError
    return found
