"""The quick reader of heads against http.client itself: whatever it takes, it takes as http.client does."""

from __future__ import annotations

import contextlib
import io
import random
from http.client import HTTPException, HTTPResponse

from edge.model.head import parsed, quick
from edge.model.wire import begun
from tests.support.boards import rounds

HEADS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\nabc",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nConnection: close\r\ncontent-length:  0 \r\n\r\n",
    b"HTTP/1.1 204\r\nServer: x\r\nKeep-Alive: timeout=5, max=100\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n\r\nuntil the end",
    b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\nTransfer-Encoding: Chunked\r\nX-A: a:b \r\nDate: x\r\n\r\n0\r\n\r\n",
)


class Source:
    def __init__(self, data):
        self.reader = io.BufferedReader(io.BytesIO(data))

    def makefile(self, _mode):
        return self.reader


def facts(response):
    """All that reading the body and keeping the connection depend on."""
    fields = {name: value.strip(" ") for name, value in response.headers.items()}
    fields = {name.lower(): value for name, value in fields.items()}
    framing = (response.status, response.chunked, response.length, response.will_close)
    return framing, fields, response.read()


def by_http_client(data):
    with contextlib.closing(HTTPResponse(Source(data), method="POST")) as response:
        try:
            response.begin()
            return facts(response)
        except (HTTPException, ValueError) as error:
            return type(error)


def by_quick(data):
    """None when it is left to http.client; then nothing may have been taken."""
    source = Source(data)
    head = quick(source.reader)
    if head is None:
        assert source.reader.read() == data
        return None
    try:
        return facts(begun(head, source, HTTPResponse))
    except (HTTPException, ValueError) as error:
        return type(error)


def test_everyday_heads_are_read_quickly_and_alike():
    for data in HEADS:
        assert by_quick(data) == by_http_client(data) is not None, data


def test_what_is_not_plain_is_left_to_http_client():
    for line in (
        b"X: a\r\nX: b",
        b"X: a\r\n folded",
        b"X : a",
        b"nocolon",
        b": a",
        b"X: a\nY: b",
        b"X: \xe9",
        b"X: a\tb",
    ):
        assert parsed(b"HTTP/1.1 200 OK\r\n" + line) is None, line
    for first in (b"HTTP/1.0 200 OK", b"HTTP/1.1 100 Continue", b"HTTP/1.1 20x", b"HTTP/1.1 2000", b"ICY 200 OK", b""):
        assert parsed(first + b"\r\nX: a") is None, first


def test_over_mutated_heads_both_agree():
    chance = random.Random(7)
    extra = (
        b"Content-Length: 2\r\n",
        b"\r\n",
        b"Connection: close\r\n",
        b" x\r\n",
        b"\n",
        b"\x0b",
        b"Transfer-Encoding: x",
    )
    taken = 0
    count = rounds(60_000)
    for _ in range(count):
        data = bytearray(chance.choice(HEADS))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data))
            what = chance.randrange(4)
            if what == 0:
                data[at] = chance.randrange(256)
            elif what == 1:
                del data[at : at + chance.randrange(1, 6)]
            elif what == 2:
                data[at:at] = chance.choice(extra)
            else:
                data[at] = chance.choice(b" :\r\n\tA9-")
            if not data:
                data = bytearray(b"H")
        found = by_quick(bytes(data))
        if found is not None:
            taken += 1
            assert found == by_http_client(bytes(data)), bytes(data)
    print(f"{count} mutated heads, {taken} read quickly, all as http.client reads them")
    assert taken > count // 20


def by_pieces(response):
    pieces = list(iter(lambda: response.read1(5), b""))
    return pieces, response.length


def test_a_body_of_known_length_comes_in_the_same_pieces():
    for size in (0, 1, 5, 12):
        for there in range(size + 3):
            data = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"abcdefghijklmno"[:there]
            source = Source(data)
            quickly = by_pieces(begun(quick(source.reader), source, HTTPResponse))
            with contextlib.closing(HTTPResponse(Source(data), method="POST")) as response:
                response.begin()
                assert by_pieces(response) == quickly, data
