"""What a second terminal asks: values, lines, pictures; each wrong request is a sentence with its exit code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edge.faults import Fault, HardwareFault, UsageFault
from hil.live.control import Session, answer, understood
from tests.support.manned import Bench


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def fake() -> Bench:
    return Bench()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def session(fake: Bench, clock: Clock) -> Session:
    return Session(fake, clock)


def asked(session: Session, **request: Any) -> dict[str, Any]:
    return understood(answer(session, json.dumps(request).encode()))


def put(session: Session, name: str, value: str) -> str:
    return str(asked(session, do="set", name=name, value=value)["said"])


def test_a_part_is_set_and_its_value_is_told(session: Session, fake: Bench) -> None:
    assert put(session, "t0", "31.5") == "t0 measures 31.5"
    assert put(session, "m0.mag-y", "-4e1") == "m0.mag-y measures -40"
    assert fake.parts.all == {("t0", "temperature"): 31.5, ("m0", "mag-x"): 0.0, ("m0", "mag-y"): -40.0}


def test_what_is_no_number_is_a_way_to_behave(session: Session, fake: Bench) -> None:
    assert put(session, "t0", "nak") == "t0 is nak"
    assert asked(session, do="show")["modes"] == {"t0": "nak"}
    assert put(session, "t0", "ok") == "t0 is ok"
    assert fake.parts.modes == [("t0", "nak"), ("t0", "ok")]
    assert asked(session, do="show")["modes"] == {}
    for value in ("nan", "inf", "-1e999", "", "warm", "31,5", "1_0", "\u0663", "0x10", " 3", "1e", "--3"):
        with pytest.raises(UsageFault, match="is no mode"):
            put(session, "t0", value)


@pytest.mark.parametrize("name", ["17", "GPIO17", "gpio17"])
def test_a_line_is_held_and_let_go(session: Session, fake: Bench, name: str) -> None:
    assert put(session, name, "high") == "GPIO17 is held high" and fake.lines.level(17) == 1
    assert put(session, name, "low") == "GPIO17 is held low" and fake.lines.level(17) == 0
    put(session, name, "1")
    assert put(session, name, "release") == "GPIO17 is let go" and fake.lines.level(17) == 0


@pytest.mark.parametrize(
    ("request_", "kind", "sentence"),
    [
        ({"do": "set", "name": "17", "value": "up"}, UsageFault, "a line cannot be set to 'up'"),
        ({"do": "set", "name": "99", "value": "low"}, UsageFault, "no line 99"),
        ({"do": "set", "name": "27", "value": "low"}, HardwareFault, "line 27 is an output"),
        ({"do": "set", "name": "t9", "value": "3"}, UsageFault, "no part 't9'"),
        ({"do": "set", "name": "", "value": "3"}, UsageFault, "no part ''"),
        ({"do": "set"}, UsageFault, "no part ''"),
        ({"do": "set", "name": 17, "value": "low"}, UsageFault, "name is no text"),
        ({"do": "set", "name": "17", "value": 1}, UsageFault, "value is no text"),
        ({"do": "stop"}, UsageFault, "asks for nothing that is known here"),
        ({"do": ["set"]}, UsageFault, "asks for nothing"),
        ({}, UsageFault, "asks for nothing"),
    ],
)
def test_a_wrong_request_is_a_sentence(
    session: Session, fake: Bench, request_: dict[str, Any], kind: type[Fault], sentence: str
) -> None:
    before = (fake.lines.seen(), dict(fake.parts.all))
    with pytest.raises(kind, match=sentence) as told:
        asked(session, **request_)
    assert told.value.fix
    assert (fake.lines.seen(), fake.parts.all) == before


@pytest.mark.parametrize("line", [b"", b"{", b"\xff\xfe", b"[1]", b"3", b'"set"', b"null", b"[" * 4000])
def test_what_is_no_request_is_a_sentence(session: Session, line: bytes) -> None:
    with pytest.raises(UsageFault):
        understood(answer(session, line))


def test_an_answer_that_is_none_is_a_fault() -> None:
    for line in (b"", b"hello\n", b"[]\n", b"{}\n"):
        with pytest.raises(HardwareFault, match="cannot be read"):
            understood(line)


def test_lines_at_rest_and_lines_of_other_things_are_not_shown(session: Session, fake: Bench) -> None:
    assert asked(session, do="show")["lines"] == {"GPIO27": ["out", 0]}
    put(session, "17", "low")
    assert asked(session, do="show")["lines"] == {"GPIO17": ["in", 0], "GPIO27": ["out", 0]}
    put(session, "17", "release")
    fake.lines.all[17] = ("in", 1)
    assert asked(session, do="show")["lines"] == {"GPIO17": ["in", 1], "GPIO27": ["out", 0]}


def test_what_is_shown(session: Session, fake: Bench, clock: Clock) -> None:
    session.heard(b"x" * 900 + b"login: ")
    fake.resets, clock.now = 2, 130.0
    shown = asked(session, do="show")
    assert (shown["board"], shown["up"], shown["resets"]) == ("raspi0", 30.0, 2)
    assert shown["console"]["bytes"] == 907 and shown["console"]["quiet"] == 30.0
    assert shown["console"]["end"].endswith("xlogin: ") and len(shown["console"]["end"]) == 200
    assert shown["parts"] == {"t0": {"temperature": 20.0}, "m0": {"mag-x": 0.0, "mag-y": 1.5}}
    assert shown["lacks"] == {}


def test_a_board_without_is_shown_with_why() -> None:
    shown = asked(Session(Bench(has=("power",))), do="show")
    assert shown["lines"] == {} and shown["parts"] == {} and shown["resets"] is None
    assert shown["lacks"] == {one: f"raspi0 has no {one}: its file does not name it" for one in ("lines", "parts")}
