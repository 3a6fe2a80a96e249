"""Answers that never end, come slowly, are broken or far too big: bounded in time, bytes and memory."""

from __future__ import annotations

import gzip
import json
import os
import random
import socket
import subprocess
import sys
import textwrap
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.faults import ToolFault
from edge.gate.urls import read
from edge.hands.net_exchange import BROKEN, Asked, exchange, meaning
from edge.hands.net_line import Line
from tests.support.net_hands import ask, world
from tests.support.sources import ROOT
from tests.support.webserver import Web, bomb, chunked, drips, endless, raw, says

LISTED = "internal"
ROUNDS = 30_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 3_000
SOON = 30.0  # seconds beyond the deadline that a busy machine may need


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as made:
        yield made


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("what", "start", "piece"),
    [
        ("the status line", b"", b"H"),
        ("the fields", HEAD, b"X-A: b\r\n"),
        ("one field", HEAD + b"X-A: ", b"b"),
        ("interim answers", b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        ("a body of known length", HEAD + b"Content-Length: 100000\r\n\r\n", b"x"),
        ("a body without length", HEAD + b"\r\n", b"x"),
        ("chunks", HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        ("the size of a chunk", HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        ("a trailer", HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-A: b\r\n"),
        ("packed bytes", HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10], b"\0\0\0\xff\xff"),
        ("nothing at all", b"", b""),
    ],
)
def test_a_drip_ends_at_the_total_deadline(what: str, start: bytes, piece: bytes, web: Web, tmp_path: Path) -> None:
    web.on["/"] = drips(start, piece, 0.1)
    begun = time.monotonic()
    with pytest.raises(ToolFault, match=r"127\.0\.0\.1 gave no whole answer within 0\.5 s: time was up"):
        ask(world(tmp_path), web.url(), root=LISTED, seconds=0.5)
    taken = time.monotonic() - begun
    assert 0.45 < taken < 0.5 + SOON, what


def test_redirects_share_one_deadline(web: Web, tmp_path: Path) -> None:
    from tests.support.net_hands import allowing
    from tests.support.webserver import leads

    def slowly(request: Any, sock: Any) -> None:
        request.over.wait(0.4)
        leads(request.path + "x")(request, sock)

    for number in range(6):
        web.on["/" + "x" * number] = slowly
    begun = time.monotonic()
    with pytest.raises(ToolFault, match="within 1 s"):
        ask(world(tmp_path, judge=allowing(LISTED)), web.url(), root=LISTED, seconds=1.0)
    assert time.monotonic() - begun < 1.0 + SOON


def test_an_endless_body_is_cut_at_the_limit(web: Web, tmp_path: Path) -> None:
    web.on["/"] = endless()
    found = ask(world(tmp_path), web.url(), root=LISTED, limit=100_000)
    assert found["body"] == b"x" * 100_000 and found["cut"] is True
    assert len(ask(world(tmp_path), web.url(), root=LISTED, limit=1 << 30)["body"]) == 1 << 20


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 5000])
def test_the_cut_is_said_exactly_when_there_was_more(size: int, web: Web, tmp_path: Path) -> None:
    web.on["/plain"] = says(b"y" * size)
    web.on["/chunks"] = chunked(*[b"y"] * size)
    web.on["/gzip"] = says(gzip.compress(b"y" * size), Content_Encoding="gzip")
    web.on["/end"] = raw(HEAD + b"\r\n" + b"y" * size)
    for path in ("/plain", "/chunks", "/gzip", "/end"):
        found = ask(world(tmp_path), web.url(path), root=LISTED, limit=100)
        assert (found["body"], found["cut"]) == (b"y" * min(size, 100), size > 100), path


@pytest.mark.parametrize(
    "start",
    [
        HEAD + b"X: " + b"a" * 70_000,
        HEAD + b"X-A: b\r\n" * 101 + b"\r\n",
        HEAD + (b"X: " + b"a" * 60_000 + b"\r\n") * 3 + b"\r\n",
        b"HTTP/1.1 200 " + b"O" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 4000,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + (b"1;" + b"e" * 60_000 + b"\r\nx\r\n") * 40,
    ],
    ids=["long field", "many fields", "long head", "long status", "interims", "chunk extensions"],
)
def test_heads_and_packing_out_of_all_measure_are_refused(start: bytes, web: Web, tmp_path: Path) -> None:
    web.on["/"] = raw(start, then=90)
    begun = time.monotonic()
    with pytest.raises(ToolFault, match=r"127\.0\.0\.1 (sent more than is taken|gave an answer that is not HTTP)"):
        ask(world(tmp_path), web.url(), root=LISTED, seconds=30, limit=100)
    assert time.monotonic() - begun < 28


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "broke off before any answer"),
        (b"HTTP/1.1 200 OK\r\nX: y\r\n", "broke off after 23 bytes"),
        (HEAD + b"Content-Length: 50\r\n\r\nshort", "broke off after"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab", "broke off after"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nab", "broke off after"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "did not answer in HTTP"),
        (b"\x15\x03\x01\x00\x02\x02\x16", "did not answer in HTTP"),
        (b"HTTP/9.9 abc\r\n\r\n", "not"),
        (HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", "said to be gzip and is not"),
        (HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"abcdef" * 100)[:-9], "ends before its end"),
        (HEAD + b"Content-Encoding: deflate\r\n\r\nx", "ends before its end"),
    ],
)
def test_a_broken_answer_is_a_fault_that_names_the_host(data: bytes, said: str, web: Web, tmp_path: Path) -> None:
    web.on["/"] = raw(data)
    with pytest.raises(ToolFault, match=said) as fault:
        ask(world(tmp_path), web.url(), root=LISTED)
    assert "answer" in str(fault.value) and ("127.0.0.1" in str(fault.value) or "said to be" in str(fault.value))


def _raw_deflate(data: bytes) -> bytes:
    made = zlib.compressobj(wbits=-15)
    return made.compress(data) + made.flush()


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress),
        ("X-GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", _raw_deflate),
        ("gzip", lambda data: gzip.compress(data[:10]) + gzip.compress(data[10:])),
        ("gzip", lambda data: gzip.compress(data) + b"\0" * 512),
        ("gzip", lambda data: gzip.compress(data) + b"padding"),
        ("identity", bytes),
        ("", bytes),
    ],
)
def test_packed_bodies_are_unpacked_however_the_bytes_fall(coding: str, packed: Any, web: Web, tmp_path: Path) -> None:
    data = json.dumps({"values": list(range(40_000))}).encode()
    raw_body = packed(data)
    start = HEAD + (b"Content-Encoding: %s\r\n" % coding.encode() if coding else b"")
    web.on["/whole"] = raw(start + b"Content-Length: %d\r\n\r\n" % len(raw_body) + raw_body)
    pieces = [raw_body[at : at + 7] for at in range(0, len(raw_body), 7)]
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    web.on["/pieces"] = raw(start + b"Transfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n")
    for path in ("/whole", "/pieces"):
        found = ask(world(tmp_path), web.url(path), root=LISTED)
        assert found["body"] == data and not found["cut"] and found["packed"] == ""


def test_a_coding_that_is_not_unpacked_is_said(web: Web, tmp_path: Path) -> None:
    for coding in ("br", "zstd", "gzip, gzip"):
        web.on["/"] = says(b"\x8b\x02\x80", Content_Encoding=coding)
        found = ask(world(tmp_path), web.url(), root=LISTED)
        assert (found["body"], found["packed"]) == (b"\x8b\x02\x80", coding)


# What a bomb costs is measured in a process of its own: how far its largest resident size grows. (ru_maxrss would begin
# with that of the process before exec.) Last it takes 16 MiB on purpose, which the instrument has to see.
MEASURED = """
    import sys
    from pathlib import Path
    from tests.support.net_hands import ask, world

    def peak():
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

    here = world(Path(sys.argv[1]))
    ask(here, sys.argv[2] + "small", root="internal", limit=1 << 20)
    before = peak()
    found = ask(here, sys.argv[2] + "bomb", root="internal", limit=1 << 20, seconds=60)
    after = peak()
    taken = bytes(1) * (16 << 20)
    print(len(found["body"]), found["cut"], after - before, peak() - after)
"""


@pytest.mark.parametrize("wrap", ["length", "chunks"])
def test_a_bomb_of_a_gibibyte_costs_less_than_8_mib(wrap: str, web: Web, tmp_path: Path) -> None:
    data = bomb(1 << 30)
    assert len(data) < 2 << 20 and gzip.decompress(bomb(2 << 20)) == bytes(2 << 20)
    start = HEAD + b"Content-Encoding: gzip\r\n"
    if wrap == "length":
        whole = start + b"Content-Length: %d\r\n\r\n" % len(data) + data
    else:
        whole = start + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
    web.on["/bomb"] = raw(whole)
    web.on["/small"] = says(gzip.compress(b"small"), Content_Encoding="gzip")
    command = [sys.executable, "-c", textwrap.dedent(MEASURED), str(tmp_path), web.url("/")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    size, cut, grown, seen = done.stdout.split()
    print(f"a bomb of 1 GiB in {len(data)} bytes: {grown} KiB more")
    assert (int(size), cut) == (1 << 20, "True") and int(grown) < 8192 < int(seen)


def test_a_packed_body_whose_bytes_unpack_to_nothing_is_bounded(web: Web, tmp_path: Path) -> None:
    web.on["/"] = drips(
        HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10], b"\0\0\0\xff\xff" * 13_000, 0.0
    )
    with pytest.raises(ToolFault, match="sent more than is taken"):
        ask(world(tmp_path), web.url(), root=LISTED, seconds=60, limit=1000)


def test_a_server_that_refuses_a_large_body_early_is_heard(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            sock, _ = listening.accept()
            with sock:
                sock.recv(1000)
                sock.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")
                sock.shutdown(socket.SHUT_WR)
                while sock.recv(65536):
                    pass

        thread = threading.Thread(target=refuse, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        found = ask(world(tmp_path), url, "POST", LISTED, body=b"z" * (4 << 20))
        assert (found["status"], found["body"]) == (413, b"big")
        thread.join(60)


def test_interim_answers_are_left_out(web: Web, tmp_path: Path) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    web.on["/"] = raw(b"HTTP/1.1 100 Continue\r\n\r\n" + early * 2 + HEAD + b"Content-Length: 3\r\n\r\nend")
    found = ask(world(tmp_path), web.url(), root=LISTED)
    assert (found["status"], found["body"]) == (200, b"end") and "link" not in found["headers"]


def test_whatever_a_server_sends_is_an_answer_or_a_fault(tmp_path: Path) -> None:
    rng = random.Random(61)
    zipped = gzip.compress(b"some text " * 30)
    good = [
        HEAD + b"Content-Length: 9\r\nContent-Type: a/b\r\n\r\nsome text",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n5;x=y\r\n text\r\n0\r\nX: y\r\n\r\n",
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(zipped) + zipped,
        HEAD + b"Content-Encoding: deflate\r\n\r\n" + zlib.compress(b"x" * 5000),
        b"HTTP/1.0 302 Found\r\nLocation: /x\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\n\r\n",
    ]
    junk = [
        b"\r\n",
        b"\0",
        b"\xff",
        b":",
        b"-1",
        b"999999999999999999999",
        b"HTTP/1.1 ",
        b" ",
        b"\r",
        b"0x10",
        b"chunked",
        b"\n\n",
    ]
    kinds: Counter[str] = Counter()
    asked = Asked("GET", read("http://example.com/"), {}, b"")
    for _ in range(ROUNDS):
        data = bytearray(rng.choice(good))
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(data) + 1)
            data[at : at + rng.randrange(3)] = rng.choice((*junk, bytes([rng.randrange(256)])))
        if rng.random() < 0.3:
            del data[rng.randrange(len(data) + 1) :]
        kinds[_outcome(asked, bytes(data))] += 1
    print(f"{ROUNDS} answers: {dict(kinds)}")
    assert kinds["answer"] > ROUNDS / 10 and kinds["fault"] > ROUNDS / 10


def _outcome(asked: Asked, data: bytes) -> str:
    ours, theirs = socket.socketpair()
    with theirs:
        ours.setblocking(False)
        line = Line(ours, time.monotonic() + 60, lambda: False)
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        try:
            answer = exchange(line, asked, 2000, False, lambda answer: answer.status == 302)
        except BROKEN as error:
            assert str(meaning(error, "example.com", line.got, 20, False)).startswith("example.com ")
            return "fault"
        except ToolFault:
            return "fault"
        finally:
            line.close()
        assert answer.body is None or len(answer.body.data) <= 2000
        return "answer"
