"""serial_close: at once, without a question, and said."""

from __future__ import annotations

from pathlib import Path

from edge.peripherals.port.model import Device
from edge.registry import find
from tests.support.one_call import carry, judge
from tests.support.ports import wired


def test_what_was_opened_is_closed_without_a_question(tmp_path: Path) -> None:
    here, wires = wired(tmp_path, Device({}, b"hello"))
    carry("serial_open", {"port": "meter"}, here)
    assert judge("serial_close", {"port": "meter"}, here)[1].verdict == "allow"
    found = carry("serial_close", {"port": "METER"}, here)
    assert found.ok and found.text.startswith("the serial port meter was closed by serial_close; ") and wires[0].closed
    here.close()


def test_readonly_closes_nothing_for_it_opens_nothing(tmp_path: Path) -> None:
    here, _ = wired(tmp_path, Device({}))
    assert judge("serial_close", {"port": "meter"}, here, "readonly")[1].verdict == "deny"
    assert judge("serial_open", {"port": "meter"}, here, "readonly")[1].verdict == "deny"
    assert find("serial_close").words({"port": "meter"}, here.scene).startswith("close the serial port meter (energy")
