"""What a request is held to, whichever way it goes: directly, through a proxy for HTTP, through one for SOCKS."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Grant, Permit
from edge.faults import Refused, ToolFault
from edge.gate import urls
from edge.hands import Holder
from edge.hands.net import Net
from edge.hands.net_resolve import Scripted
from edge.hands.world import World
from tests.support.certs import Authority
from tests.support.net_hands import allowing, ask, world
from tests.support.webserver import Request, Socks, Store, Web, chunked, drips, leads, proxying, raw, says

WAYS = ("direct", "http proxy", "socks proxy")
HOST = "files.example"


def relays(request: Request, sock: Any) -> None:
    """A forward proxy that sends a request for a whole URL on to this loopback, and the answer back."""
    if request.method == "CONNECT":
        proxying(request, sock)
        return
    url = urls.read(request.path)
    lines = [
        f"{request.method} {url.target} HTTP/1.1",
        *(f"{name}: {value}" for name, value in request.headers.items()),
    ]
    with socket.create_connection(("127.0.0.1", url.port), timeout=60) as far, contextlib.suppress(OSError):
        far.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + request.body)
        while True:
            piece = far.recv(65536)
            if not piece:
                return
            sock.sendall(piece)


class Way:
    """One way to a web server that is called HOST."""

    def __init__(self, name: str, web: Web, proxy: str, folder: Path) -> None:
        self.name, self.web, self.proxy, self.folder = name, web, proxy, folder

    def world(self) -> World:
        names = Scripted({HOST: [("127.0.0.1",)]} if self.name == "direct" else {})
        return world(self.folder, names, allowing(), self.proxy)

    def ask(self, path: str = "/", method: str = "GET", here: World | None = None, **given: Any) -> Mapping[str, Any]:
        url = self.web.url(path, HOST)
        return ask(here or self.world(), url, method, allowed=("127.0.0.1",), **given)

    def save(self, path: str, to: str) -> Mapping[str, Any]:
        url = self.web.url(path, HOST)
        permit = Permit("c1", (Grant("fetch", "host", urls.read(url).origin), Grant("write", "work", to)))
        holder = Holder(permit, Call("http_request", {}, "c1"), self.world())
        return Net(holder, ("127.0.0.1",)).save("GET", url, {}, b"", to)


@contextlib.contextmanager
def opened(name: str, folder: Path, certificate: tuple[str, str] | None = None) -> Iterator[Way]:
    with contextlib.ExitStack() as stack:
        web = stack.enter_context(Web(certificate=certificate))
        proxy = ""
        if name == "http proxy":
            through = stack.enter_context(Web(otherwise=relays))
            proxy = through.url()
        elif name == "socks proxy":
            proxy = f"socks5://127.0.0.1:{stack.enter_context(Socks(web.port)).port}"
        yield Way(name, web, proxy, folder)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Way]:
    with opened(request.param, tmp_path) as made:
        yield made


def test_an_answer_comes_whole_and_the_request_arrives_as_it_was_asked(way: Way) -> None:
    way.web.on["/a"] = says(b"hello", X_Kind="test")
    found = way.ask("/a?b=c", "POST", headers={"X-A": "b"}, body=b"data")
    assert (found["status"], found["body"], found["headers"]["x-kind"]) == (200, b"hello", "test")
    assert bool(found["via"]) == (way.name != "direct") and found["url"] == way.web.url("/a?b=c", HOST)
    (seen,) = way.web.seen
    assert (seen.method, seen.path, seen.body, seen.headers["x-a"]) == ("POST", "/a?b=c", b"data", "b")
    assert seen.headers["host"] == f"{HOST}:{way.web.port}"


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", b"abc"),
        (b"HTTP/1.0 200 OK\r\n\r\nto the end", b"to the end"),
        (b"HTTP/1.1 204 No\r\n\r\n", b""),
        (b"HTTP/1.1 304 No\r\nContent-Length: 99\r\n\r\n", b""),
        (
            b"HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n"
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            b"x",
        ),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n", b"abc"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc", b"ab"),
    ],
)
def test_every_framing_is_read(way: Way, data: bytes, body: bytes) -> None:
    way.web.on["/"] = raw(data)
    assert way.ask()["body"] == body


def test_a_head_has_a_length_and_no_body(way: Way) -> None:
    way.web.on["/"] = says(b"x" * 500)
    found = way.ask(method="HEAD")
    assert found["headers"]["content-length"] == "500" and found["body"] == b""


def test_packing_is_undone_and_bounded(way: Way) -> None:
    way.web.on["/"] = says(gzip.compress(bytes(8 << 20)), Content_Encoding="gzip")
    found = way.ask(limit=1000)
    assert found["body"] == bytes(1000) and found["cut"] and not found["packed"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "broke off"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "broke off|not HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50_000, "head is too long|not HTTP"),
        (b"", "broke off"),
    ],
)
def test_what_is_broken_is_a_sentence_that_names_the_host(way: Way, data: bytes, said: str) -> None:
    way.web.on["/"] = raw(data)
    with pytest.raises(ToolFault, match=said) as fault:
        way.ask()
    assert HOST in str(fault.value)


def test_a_drip_ends_at_the_deadline(way: Way) -> None:
    way.web.on["/"] = drips(b"HTTP/1.1 200 OK\r\n\r\n", b".", 0.05)
    begun = time.monotonic()
    with pytest.raises(ToolFault, match="time was up"):
        way.ask(seconds=0.5)
    assert time.monotonic() - begun < 30


def test_a_call_that_is_told_to_end_ends(way: Way) -> None:
    way.web.on["/"] = drips(b"HTTP/1.1 200 OK\r\n\r\n", b".", 0.05)
    here = way.world()

    def cut() -> None:
        while not way.web.seen:
            time.sleep(0.01)
        here.cut()

    cutter = threading.Thread(target=cut)
    cutter.start()
    with pytest.raises(ToolFault, match="was ended"):
        way.ask(here=here, seconds=60)
    cutter.join()


def test_redirects_are_followed_here_and_never_inside(way: Way) -> None:
    way.web.on["/old"], way.web.on["/new"] = leads("/new"), says(b"here")
    found = way.ask("/old", headers={"Authorization": "Bearer s3cret"})
    assert found["body"] == b"here" and len(found["hops"]) == 1
    assert way.web.seen[1].headers["authorization"] == "Bearer s3cret"
    way.web.on["/old"] = leads(f"http://10.0.0.1:{way.web.port}/")
    with pytest.raises(Refused, match="internal"):
        way.ask("/old")


def test_credentials_do_not_go_to_another_origin(way: Way) -> None:
    if way.name == "direct":
        here = world(way.folder, Scripted({HOST: [("127.0.0.1",)], "other.example": [("127.0.0.1",)]}), allowing())
    else:
        here = way.world()
    way.web.on["/old"], way.web.on["/new"] = leads(way.web.url("/new", "other.example")), says(b"here")
    assert way.ask("/old", here=here, headers={"Authorization": "Bearer s3cret", "X-A": "b"})["body"] == b"here"
    assert "authorization" not in way.web.seen[1].headers and way.web.seen[1].headers["x-a"] == "b"


def test_a_file_goes_on_where_it_broke_off(way: Way) -> None:
    way.web.on["/f"] = store = Store(b"0123456789" * 10_000, stops=40_000)
    with pytest.raises(ToolFault, match="40,000 bytes are kept"):
        way.save("/f", "got.bin")
    found = way.save("/f", "got.bin")
    assert found["saved"]["resumed"] == 40_000 and store.asked == ["", "bytes=40000-"]
    assert (way.folder / "got.bin").read_bytes() == store.body


def test_a_chunked_file_comes_too(way: Way) -> None:
    way.web.on["/f"] = chunked(b"abc", b"def" * 1000)
    assert way.save("/f", "got.bin")["saved"]["bytes"] == 3003


@pytest.mark.parametrize("name", WAYS)
def test_a_certificate_is_checked_to_the_far_end(name: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path / "ca")
    (tmp_path / "work").mkdir()
    with opened(name, tmp_path / "work", authority.issue("host", f"DNS:{HOST}")) as way:
        way.web.on["/"] = says(b"safe")
        here = way.world()
        with pytest.raises(ToolFault, match=r"signed by nobody|no certificate authorities"):
            way.ask(here=here)
        here.ca_file = str(authority.file)
        assert way.ask(here=here)["body"] == b"safe"
    with opened(name, tmp_path / "work", authority.issue("other", "DNS:other.example")) as way:
        here = way.world()
        here.ca_file = str(authority.file)
        with pytest.raises(ToolFault, match="another name"):
            way.ask(here=here)
        assert way.web.seen == []
