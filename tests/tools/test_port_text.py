"""Serial ports in words, and the bytes that a call means."""

from __future__ import annotations

from typing import Any

import pytest

from edge.call import Port, Scene
from edge.faults import UsageFault
from edge.tools.port_text import called, digits, given, heard, meant, set_as, shown

SCENE = Scene("/", "", ports=(Port("meter", "energy meter", "/dev/ttyUSB0"), Port("gps", "GPS", "/dev/ttyS1", end="")))
NOTHING: dict[str, Any] = {
    **{"port": "meter", "matched": False, "match": "", "text": "", "size": 0, "rest": 0, "dropped": 0},
    **{"seconds": 5.0, "noise": 0.0, "why": "", "form": "text"},
}


def test_a_port_is_meant_whatever_the_case_and_an_unknown_one_stays_as_it_was_written() -> None:
    assert (meant(" Meter ", SCENE), meant("Lamp", SCENE)) == ("meter", "Lamp")
    assert called("METER", SCENE) == "the serial port meter (energy meter, /dev/ttyUSB0)"
    assert called("lamp", SCENE) == "the serial port lamp"


@pytest.mark.parametrize(
    ("args", "data"),
    [
        ({"port": "meter", "text": "READ"}, b"READ\r\n"),
        ({"port": "meter", "text": "READ\r"}, b"READ\r"),
        ({"port": "meter", "text": "two\nlines"}, b"two\nlines\r\n"),
        ({"port": "meter", "text": ""}, b"\r\n"),
        ({"port": "gps", "text": "READ"}, b"READ"),
        ({"port": "gps", "text": "21 °C"}, b"21 \xc2\xb0C"),
        ({"port": "meter", "hex": "01 0a,FF 0x20"}, b"\x01\x0a\xff\x20"),
        ({"port": "meter", "hex": "0x0103,0X04"}, b"\x01\x03\x04"),
        ({"port": "none", "text": "x"}, b"x"),
    ],
)
def test_what_is_sent_is_the_text_with_the_end_of_its_port_or_exact_bytes(args: dict[str, str], data: bytes) -> None:
    assert given(args, SCENE) == data


@pytest.mark.parametrize("args", [{"port": "meter"}, {"port": "meter", "text": "x", "hex": "01"}])
def test_text_and_hex_are_one_or_the_other(args: dict[str, str]) -> None:
    with pytest.raises(UsageFault, match="either text or hex"):
        given(args, SCENE)


@pytest.mark.parametrize("text", ["0", "zz", "1 2", "0x0", "...", "0x", ", ,", "10x2", "00x1", "01 0x"])
def test_what_is_no_hexadecimal_number_is_said(text: str) -> None:
    with pytest.raises(UsageFault, match="pairs of digits"):
        digits(text)


def test_what_is_sent_hides_nothing_from_the_person_who_is_asked() -> None:
    assert shown(b"a\x1b[2J\r\n", False) == '"a\\x1b[2J\\r\\n"' and shown(b"\x01\xff", True) == "01 ff"
    assert set_as("/dev/ttyUSB0", 9600, "8N1", "none") == "/dev/ttyUSB0, 9600 baud 8N1, no flow control"
    assert set_as("/dev/ttyS1", 300, "7E1", "rtscts").endswith("rtscts flow control")


@pytest.mark.parametrize(
    ("found", "wanted", "text"),
    [
        ({}, "T=", "meter said nothing within 5.0 s"),
        ({"why": "it was cut"}, "", "meter said nothing within 5.0 s; it ended early: it was cut"),
        ({"matched": True, "match": "T=1", "text": "T=1", "size": 5}, "T=", "meter said after 5.0 s: T=1"),
        (
            {"matched": True, "match": "T=1", "text": "XX\nT=1", "size": 8, "rest": 4},
            "T=",
            "meter said after 5.0 s: T=1\n4 more bytes wait behind it\nwhat came:\nXX\nT=1",
        ),
        (
            {"text": "E4\n", "size": 4, "dropped": 9},
            "T=",
            "meter did not say T= within 5.0 s; 4 bytes came and still wait\n"
            "9 bytes that came before were dropped: nobody had read them in time\nwhat came:\nE4",
        ),
        ({"text": "E4\n", "size": 4}, "", "4 bytes came from meter within 5.0 s\nwhat came:\nE4"),
    ],
)
def test_what_came_of_waiting(found: dict[str, Any], wanted: str, text: str) -> None:
    assert heard({**NOTHING, **found}, wanted) == text


def test_the_wrong_speed_is_suspected_only_where_much_is_no_text() -> None:
    noisy = {**NOTHING, "text": "\ufffd" * 20, "size": 20}
    assert "100% of it is no text: it looks like the wrong speed" in heard({**noisy, "noise": 1.0}, "")
    assert "wrong speed" not in heard({**noisy, "noise": 0.3}, "")


def test_much_is_clipped_and_says_so() -> None:
    text = heard({**NOTHING, "text": "x" * 60_000, "size": 60_000}, "")
    assert len(text) < 5000 and "bytes cut" in text
