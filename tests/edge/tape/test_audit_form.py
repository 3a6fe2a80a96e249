"""A record of the audit log: nothing shifts, nothing long or deep or secret gets in, what is written comes back."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import random

import pytest

from edge.faults import TapeFault
from edge.tape import audit_form as form

KEY = bytes(range(32))


def redact(text: str) -> str:
    return text.replace("hunter2-hunter2", "[redacted]").replace("password=hunter", "password=[redacted]")


def inner(fields: dict) -> str:
    return form.fields_text("note", fields, redact)


def line(fields: dict, prev: str = form.FIRST, seq: int = 1) -> bytes:
    return form.encode(seq, "0" * 8, 1.5, 2.25, "note", inner(fields), prev, KEY)[0]


def record(fields: dict) -> dict:
    found = form.decode(line(fields)[:-1])
    assert found is not None
    return {name: value for name, value in found.items() if name not in form.RESERVED}


def test_a_record_comes_back_as_it_was_given() -> None:
    own = {"call": "c1", "args": {"name": "fan", "n": [1, 2.5, True, None]}, "text": 'a "b"\n\\ü\udc80'}
    fields = {**own, "seq": 9, "kind": "x"}
    assert record(fields) == {**own, "seq_": 9, "kind_": "x"}
    found = form.decode(line(fields, seq=7)[:-1])
    assert found is not None
    assert (found["seq"], found["kind"], found["boot"], found["mono"], found["wall"]) == (7, "note", "0" * 8, 1.5, 2.25)
    assert form.number(line({}, seq=1234567)) == 1234567


def test_the_mac_is_the_hmac_of_the_standard_over_parts_behind_their_lengths() -> None:
    dice = random.Random(51)
    for size in (0, 1, 55, 56, 63, 64, 65, 1000):
        key, body = bytes(dice.randrange(256) for _ in range(32)), os.urandom(size)
        prev = b"a" * 64
        parts = b"".join(len(part).to_bytes(8, "big") + part for part in (form.LABEL, prev, body))
        assert form.mac_of(key, prev, body) == hmac.new(key, parts, "sha256").hexdigest()
        assert form.digest_of(body) == hashlib.sha256(body).hexdigest()
    assert form.ratchet(KEY, 2) == hashlib.sha256(form.NEXT + hashlib.sha256(form.NEXT + KEY).digest()).digest()


def test_fields_cannot_be_shifted_into_each_other() -> None:
    macs = {
        form.split(line(fields)[:-1])[2] for fields in ({"a": "bc"}, {"ab": "c"}, {"a": "b", "c": ""}, {"a": "b,c"})
    }
    assert len(macs) == 4


def test_what_is_no_line_is_none() -> None:
    good = line({"text": "x"})[:-1]
    assert form.decode(good) is not None
    for cut in range(len(good)):
        assert form.decode(good[:cut]) is None
    for bad in (b"", b"{}", good + b" ", good.replace(b'"prev"', b'"pref"'), good[:-3] + b'G"}', bytes(300)):
        assert form.decode(bad) is None


def test_a_long_text_is_clipped_and_its_digest_is_of_the_redacted_text() -> None:
    text = "hunter2-hunter2 " + "x" * 9000
    told = redact(text)
    found = record({"args": {"content": text}})["args"]["content"]
    assert found["bytes"] == len(told) and found["sha256"] == hashlib.sha256(told.encode()).hexdigest()
    assert len(found["clip"].encode()) <= form.VALUE and "bytes cut" in found["clip"]
    assert record({"text": "ü" * 1024})["text"] == "ü" * 1024
    assert record({"text": "ü" * 1025})["text"]["bytes"] == 2050


@pytest.mark.parametrize(
    "fields",
    [
        {"args": {f"k{n}": "x" * 2000 for n in range(500)}},
        {"args": list(range(100000))},
        {f"k{n}": "x" * 1000 for n in range(500)},
        {"args": {"x" * 100000: 1}},
    ],
    ids=["many texts", "many numbers", "many fields", "a long name"],
)
def test_no_record_grows_without_bound(fields: dict) -> None:
    made = line(fields)
    assert len(made) < 3 * form.RECORD and form.decode(made[:-1]) is not None


def test_what_is_too_deep_is_cut_there() -> None:
    value: object = "end"
    for _ in range(100):
        value = {"a": value}
    assert "nested deeper than" in json.dumps(record({"args": value}))
    value = "end"
    for _ in range(100_000):
        value = [value]
    try:  # each Python has a depth of its own from which on it gives up
        assert "deeper than" in json.dumps(record({"args": value}))
    except TapeFault as fault:
        assert "cannot be kept" in str(fault)


def test_secrets_are_taken_out_wherever_they_stand() -> None:
    fields = {"args": {"a": ["x hunter2-hunter2 y"], "hunter2-hunter2": 1}, "text": "z\nhunter2-hunter2"}
    assert b"hunter2" not in line(fields)
    assert record(fields)["args"] == {"a": ["x [redacted] y"], "[redacted]": 1}


def test_receipts_are_a_hundred_bits_of_the_mac_and_back() -> None:
    dice = random.Random(52)
    for _ in range(200):
        mac = f"{dice.getrandbits(256):064x}"
        receipt = form.receipt_of(mac)
        assert (
            len(receipt) == 22 and form.mac_start(receipt) == mac[:25] and form.claimed(f"see {receipt}.") == (receipt,)
        )
    for wrong in ("", "r-", "r-" + "1" * 20, "x-" + "a" * 20, "r-" + "a" * 19, "r-" + "ä" * 20):
        assert form.mac_start(wrong) == ""


def test_words_that_look_like_receipts_are_found_once_and_prose_is_not() -> None:
    text = "`r-ABCDEFGHIJKLMNOPQRST` and (r-abcdefghijklmnopqrst), r-squared, r-12, over-r-abcdefghijklmnopqrstu"
    assert form.claimed(text) == ("r-abcdefghijklmnopqrst",)
    assert form.claimed("r-" * 100000) == ()
