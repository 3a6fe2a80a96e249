from __future__ import annotations

import _socket
import socket

import pytest

from edge.peripherals.guard.protocol import REPLY, decode
from edge.peripherals.guard.wire import HELD, Wire


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    wire = Wire(_socket.socket(fileno=ours.detach()))
    yield wire, theirs
    wire.close()
    theirs.close()


def test_frames_come_as_they_are_complete(ends):
    wire, theirs = ends
    assert wire.receive() == []
    theirs.sendall(b'{"do":')
    assert wire.receive() == []
    theirs.sendall(b'"beat"}\n{}\n')
    assert wire.receive() == [b'{"do":"beat"}', b"{}"]


def test_the_end_of_the_other_side_is_none(ends):
    wire, theirs = ends
    theirs.close()
    assert wire.receive() is None
    assert wire.gone
    assert not wire.send({"a": 1})


def test_sending_to_a_side_that_has_gone_is_no_error(ends):
    wire, theirs = ends
    theirs.close()
    wire.send({"a": 1})
    assert wire.gone
    assert not wire.waiting


def test_what_the_other_side_does_not_read_is_held_and_then_dropped(ends):
    wire, theirs = ends
    sent = 0
    while wire.send({"number": sent, "filler": "x" * 1000}):
        sent += 1
    assert wire.full
    assert wire.waiting
    assert len(wire._out) < HELD + 4096
    seen = b""
    while wire.waiting:
        seen += theirs.recv(1 << 20)
        wire.flush()
    theirs.setblocking(False)
    while seen.count(b"\n") < sent:
        seen += theirs.recv(1 << 20)
    assert [decode(line)["number"] for line in seen.splitlines()] == list(range(sent))


def test_a_reply_that_does_not_fit_becomes_a_refusal_with_its_id(ends):
    wire, theirs = ends
    wire.send({"id": 5, "ok": True, "text": "x" * REPLY})
    wire.send({"id": 6, "ok": True, "value": float("nan")})
    first, second = (decode(line) for line in theirs.recv(8192).splitlines())
    assert (first["id"], first["ok"], second["id"], second["ok"]) == (5, False, 6, False)
    assert "cannot be sent" in first["error"]
