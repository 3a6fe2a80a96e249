from __future__ import annotations

import json
import random

import pytest

from edge.call import Reading
from edge.faults import HardwareFault, Refused, ToolFault, UsageFault
from edge.peripherals.guard import protocol
from edge.peripherals.guard.protocol import LIMIT, REPLY, Damaged, Request, Splitter, Transition
from tests.support.boards import rounds

SET = {"id": 3, "do": "set", "name": "fan", "state": True, "seconds": 120, "call": "c1"}


def frame(**message):
    return json.dumps(message).encode()


def test_a_set_is_read_with_all_its_fields():
    assert protocol.request(frame(**SET)) == Request(3, "set", "fan", True, 120, "c1")


def test_seconds_and_call_may_be_left_out_or_null():
    short = {name: value for name, value in SET.items() if name not in ("seconds", "call")}
    expected = Request(3, "set", "fan", True)
    assert protocol.request(frame(**short)) == expected
    assert protocol.request(frame(**{**SET, "seconds": None, "call": None})) == expected


def test_a_beat_has_no_id_and_all_else_has_one():
    assert protocol.request(frame(do="beat")) == Request(0, "beat")
    assert protocol.request(frame(do="beat", seen=1.5)) == Request(0, "beat", seen=1.5)
    assert isinstance(protocol.request(frame(do="beat", seen="1")), Damaged)
    assert isinstance(protocol.request(frame(do="beat", id=1)), Damaged)
    assert isinstance(protocol.request(frame(do="states")), Damaged)


@pytest.mark.parametrize(
    ("damaged", "number", "word"),
    [
        (None, 0, "longer than 4096"),
        (b"\xff{}", 0, "UTF-8"),
        (b"{", 0, "name"),
        (b"[]", 0, "not a JSON object"),
        (b"{}", 0, "no request"),
        (frame(id=True, do="bye"), 0, "whole number"),
        (frame(id=-1, do="bye"), 0, "whole number"),
        (frame(id=1.5, do="bye"), 0, "whole number"),
        (frame(id=1 << 60, do="bye"), 0, "whole number"),
        (frame(id=4, do="explode"), 4, "no request 'explode'"),
        (frame(id=4, do=["set"]), 4, "no request"),
        (frame(id=4, do="bye", now=True), 4, "no field 'now'"),
        (frame(id=4, do="sense"), 4, "needs name as str"),
        (frame(id=4, do="sense", name=4), 4, "needs name as str"),
        (frame(id=4, do="sense", name="n" * 81), 4, "longer than 80"),
        (frame(**{**SET, "state": 1}), 3, "needs state as bool"),
        (frame(**{**SET, "seconds": "2"}), 3, "needs seconds as int or float"),
        (frame(**{**SET, "seconds": True}), 3, "needs seconds"),
        (frame(**{**SET, "call": "c" * 81}), 3, "longer than 80"),
    ],
)
def test_a_damaged_frame_is_said_with_its_id_where_it_can_be_read(damaged, number, word):
    found = protocol.request(damaged)
    assert isinstance(found, Damaged)
    assert found.id == number
    assert word in found.sentence


def test_mutated_requests_give_a_request_or_a_sentence_and_nothing_else():
    dice = random.Random(11)
    valid = [frame(**SET), frame(id=1, do="sense", name="temperature"), frame(do="beat"), frame(id=9, do="states")]
    kinds = {Request: 0, Damaged: 0}
    for _ in range(rounds(50_000)):
        text = bytearray(dice.choice(valid))
        for _ in range(dice.randrange(1, 4)):
            at = dice.randrange(len(text) + 1)
            text[at : at + dice.randrange(2)] = bytes([dice.choice((dice.randrange(256), *b'{}[]",:0129'))])
        found = protocol.request(bytes(text))
        kinds[type(found)] += 1
        protocol.encode(protocol.refusal(found.id, UsageFault(getattr(found, "sentence", ""))))
    print(kinds)
    assert all(kinds.values())


def test_frames_come_out_the_same_however_the_bytes_come_in():
    dice = random.Random(12)
    sent = [b"x" * dice.choice((0, 1, 50, LIMIT - 1, LIMIT, 3 * LIMIT)) for _ in range(60)]
    stream = b"".join(text + b"\n" for text in sent)
    expected = [text if len(text) < LIMIT else None for text in sent]
    for size in (1, 7, 100, LIMIT, len(stream)):
        splitter = Splitter()
        found = [part for at in range(0, len(stream), size) for part in splitter.feed(stream[at : at + size])]
        assert found == expected, size


def test_a_line_without_end_is_not_held():
    splitter = Splitter()
    assert splitter.feed(b"x" * LIMIT) == [None]
    for _ in range(100):
        assert splitter.feed(b"y" * LIMIT) == []
    assert splitter.feed(b"z\n{}\n") == [b"{}"]


def test_a_frame_over_the_limit_is_not_made():
    for head, limit in (({"a": 1}, REPLY), ({"do": "set"}, LIMIT)):
        rest = limit - len(protocol.encode({**head, "b": ""}))
        assert len(protocol.encode({**head, "b": "b" * rest})) == limit
        with pytest.raises(ValueError, match=f"at most {limit}"):
            protocol.encode({**head, "b": "b" * (rest + 1)})


@pytest.mark.parametrize(
    ("fault", "again"),
    [
        (UsageFault("no such output", "the outputs are: fan"), UsageFault),
        (Refused("too long", "guard.max_on", "ask for less"), Refused),
        (HardwareFault("it did not acknowledge"), HardwareFault),
        (ToolFault("a kind the agent does not expect of a board"), HardwareFault),
    ],
)
def test_a_fault_comes_through_a_reply_as_itself(fault, again):
    found = protocol.fault(protocol.refusal(1, fault))
    assert type(found) is again
    assert (found.sentence, found.fix) == (fault.sentence, fault.fix)
    assert getattr(found, "rule", "") == getattr(fault, "rule", "")


def test_a_reply_without_a_reason_is_still_a_sentence():
    assert str(protocol.fault({"id": 1, "ok": False})) == "the board gave no reason"


def test_a_long_sentence_is_cut_and_ends_in_dots():
    reply = protocol.refusal(1, HardwareFault("a" * 1000))
    assert len(reply["error"]) == 400
    assert reply["error"].endswith("...")


def test_a_reading_goes_through_a_reply_unchanged():
    reading = Reading("temperature", 33.0, "C", "ok", 0.2, "sim air probe")
    assert protocol.reading(protocol.reading_fields(reading)) == reading
    with pytest.raises(ValueError, match="no reading"):
        protocol.reading({"name": "temperature"})


def test_the_agent_is_told_what_it_did_not_ask_for():
    ended = Transition(1.0, "fan", False, protocol.LEASE_ENDED, tell="a")
    assert protocol.told(ended)
    assert protocol.told(ended, "a")
    assert not protocol.told(ended, "b")
    assert not protocol.told(Transition(1.0, "fan", False, protocol.SET))
    assert not protocol.told(Transition(1.0, "fan", False, protocol.SET), "")
    assert protocol.told(Transition(1.0, "fan", True, "it hums", tell=protocol.EVERYBODY, kind="fault"), "b")
    said = protocol.event(Transition(1.0, "fan", False, protocol.LATE))
    assert said == {"event": "off", "name": "fan", "state": False, "why": "heartbeat late"}


def test_what_cannot_be_printed_of_the_name_of_a_run_is_not_handed_on():
    said = b'{"id":1,"do":"hello","protocol":2,"run":"a\\u001b[2J\\nfake \\ud800 \\u00fc"}'
    assert protocol.request(said).run == "a?[2J?fake ? \u00fc"
