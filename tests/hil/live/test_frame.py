"""One picture of a board, and what counts as a change of it."""

from __future__ import annotations

from typing import Any

from hil.live.frame import changes, facts, lines


def shown(**other: Any) -> dict[str, Any]:
    return {
        "board": "raspi0",
        "title": "Raspberry Pi Zero (ARMv6)",
        "up": 192.4,
        "resets": 0,
        "console": {"bytes": 1802, "quiet": 3.2, "end": "log\r\n\x1b[1mfieldhand> \x1b[0m\x1b[?25h"},
        "lines": {"GPIO17": ["in", 0], "GPIO27": ["out", 1]},
        "parts": {"t0": {"temperature": 31.5}, "m0": {"mag-x": 0.0, "mag-y": -1.25}},
        "modes": {},
        "lacks": {},
        **other,
    }


def test_the_picture() -> None:
    assert lines(shown(), 80) == [
        "raspi0: Raspberry Pi Zero (ARMv6), on for 3 min 12 s, 0 resets",
        "console: 1802 bytes, quiet for 3 s: fieldhand>",
        "",
        "lines",
        "  GPIO17   in   low                       GPIO27   out  high",
        "",
        "parts",
        "  t0       temperature 31.5               m0.mag-y -1.25",
        "  m0.mag-x 0",
    ]


def test_it_fits_a_small_terminal() -> None:
    found = lines(shown(), 40, 5)
    assert len(found) == 5 and all(len(line) <= 40 for line in found)
    assert "lines more" in found[-1]


def test_what_there_is_not_says_why() -> None:
    why = "mine has no lines: its file does not name it"
    found = lines(shown(lines={}, parts={}, resets=None, lacks={"lines": why}), 80)
    assert f"  {why}" in found and "  all are at rest" in found and "resets" not in "".join(found)


def test_nothing_of_the_console_is_a_command_to_the_terminal() -> None:
    told = {"bytes": 1, "quiet": 0, "end": "\x1b]0;title\x07\x9b2Jx\x1b[31"}
    assert not any("\x1b" in line or "\x9b" in line or "\x07" in line for line in lines(shown(console=told), 80))


def test_a_change_is_a_line_and_what_is_the_same_is_none() -> None:
    first = facts(shown())
    assert changes({}, first) == [
        "GPIO17 in   low",
        "GPIO27 out  high",
        "t0 temperature 31.5",
        "m0.mag-x 0",
        "m0.mag-y -1.25",
        "resets 0",
    ]
    assert changes(first, facts(shown(up=300, console={"bytes": 1, "quiet": 0, "end": ""}))) == []
    failing = facts(shown(modes={"t0": "nak"}))
    assert changes(first, failing) == ["t0 fails nak"] and changes(failing, first) == ["t0 fails no more"]
    second = facts(shown(lines={"GPIO27": ["out", 0]}, resets=1))
    assert changes(first, second) == ["GPIO27 out  low", "resets 1", "GPIO17 no more"]
