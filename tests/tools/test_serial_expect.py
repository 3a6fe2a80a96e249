"""serial_expect: patterns of the linear engine, literal text, bytes; what came is a stranger's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from edge.call import Observation
from edge.faults import ToolFault
from edge.gate.taint import source
from edge.peripherals.port.model import Device
from edge.registry import find
from edge.tools.port_text import SHOWN
from tests.support.one_call import carry, judge
from tests.support.ports import wired


def expect(folder: Path, said: bytes, **args: Any) -> Observation:
    """What is brought of a device that said this."""
    here, _ = wired(folder, Device({}, said))
    carry("serial_open", {"port": "meter"}, here)
    try:
        return carry("serial_expect", {"port": "meter", "seconds": 30, **args}, here, "readonly")
    finally:
        here.close()


def test_the_pattern_is_found_behind_noise_and_told_as_untrusted(tmp_path: Path) -> None:
    found = expect(tmp_path, b"XX\xb2\r\nT=21.5\r\n", pattern="T=([0-9.]+)")
    assert found.ok and found.untrusted and found.text.splitlines()[0].endswith(" s: T=21.5")
    assert found.data is not None and found.data["match"] == "T=21.5"


def test_letters_beyond_ascii_do_not_move_what_is_found(tmp_path: Path) -> None:
    found = expect(tmp_path, "°°° T=21 °C\n".encode(), pattern="T=[0-9]+ .C")
    assert found.data is not None and found.data["match"] == "T=21 °C"


def test_a_literal_text_is_no_pattern(tmp_path: Path) -> None:
    found = expect(tmp_path, b"a.b (c) [x]\n", pattern="(c) [x]", literal=True)
    assert found.data is not None and found.data["match"] == "(c) [x]"


def test_bytes_are_looked_for_in_their_digits(tmp_path: Path) -> None:
    found = expect(tmp_path, bytes((1, 3, 2, 0, 0xD7, 0x0A)), pattern="03 02 (.. ..)", form="hex")
    assert found.data is not None and found.data["match"] == "03 02 00 d7"


def test_without_a_pattern_it_reads_until_the_line_is_quiet(tmp_path: Path) -> None:
    found = expect(tmp_path, b"one\r\ntwo\r\n")
    assert found.ok and found.text.endswith("what came:\none\ntwo")


def test_what_is_kept_of_a_long_line_is_clipped_whatever_the_pattern_takes(tmp_path: Path) -> None:
    found = expect(tmp_path, b"x" * 50_000 + b"\n", pattern="x+")
    assert found.ok and found.data is not None and found.data["size"] == 50_001
    assert all(len(found.data[name]) <= SHOWN and "bytes cut" in found.data[name] for name in ("text", "match"))


def test_no_match_is_no_success_and_shows_what_came(tmp_path: Path) -> None:
    found = expect(tmp_path, b"ERR 4\r\n", pattern="T=", seconds=0.05)
    assert not found.ok and "did not say T=" in found.text and found.text.endswith("ERR 4")
    assert not expect(tmp_path, b"", seconds=0.05).ok


def test_a_pattern_that_would_take_long_does_not(tmp_path: Path) -> None:
    found = expect(tmp_path, b"a" * 4000 + b"!\n", pattern="(a+)+$", seconds=0.5)
    assert not found.ok and found.data is not None and found.data["size"] == 4002


def test_a_broken_pattern_is_told_before_anything_is_waited_for(tmp_path: Path) -> None:
    with pytest.raises(ToolFault):
        expect(tmp_path, b"", pattern="(a", seconds=600)


def test_reading_is_low_everywhere_and_brings_in_a_strangers_words(tmp_path: Path) -> None:
    here, _ = wired(tmp_path, Device({}))
    for mode in ("readonly", "supervised", "guarded", "full"):
        decision = judge("serial_expect", {"port": "meter"}, here, mode)[1]
        assert (decision.verdict, decision.risk) == ("allow", "low")
    heard = [source(find(name).effects({"port": "meter", "text": "x"}, here.scene), here.scene) for name in NAMES]
    assert heard == ["", "", "meter", ""]


NAMES = ("serial_open", "serial_send", "serial_expect", "serial_close")
