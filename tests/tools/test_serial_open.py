"""serial_open: it asks, says how the port is set, and what a wrong name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import Refused
from edge.hands.ports import Ports
from edge.peripherals.port.model import Device
from edge.registry import find
from tests.support.one_call import carry, judge
from tests.support.ports import wired


def test_opening_asks_in_guarded_and_says_what_it_may_do(tmp_path: Path) -> None:
    here, wires = wired(tmp_path, Device({}))
    decision = judge("serial_open", {"port": "meter"}, here)[1]
    assert (decision.verdict, decision.risk, decision.rule) == ("ask", "medium", "port.open")
    assert "meter (energy meter, /dev/ttyUSB0): 9600 baud 8N1" in decision.sentence
    assert "may reset what is connected" in find("serial_open").words({"port": "meter"}, here.scene)
    assert wires == []


def test_an_open_port_says_how_it_is_set(tmp_path: Path) -> None:
    here, _ = wired(tmp_path, Device({}))
    first = carry("serial_open", {"port": "Meter"}, here)
    assert first.text.startswith("meter is open: energy meter, /dev/ttyUSB0, 9600 baud 8N1, no flow control; what came")
    assert "it was open already" in carry("serial_open", {"port": "meter"}, here).text
    here.close()


def test_only_declared_ports_are_there_and_those_are_named(tmp_path: Path) -> None:
    here, wires = wired(tmp_path, Device({}))
    for name in ("/dev/ttyUSB0", "ttyUSB0", "meters", "../meter"):
        decision = judge("serial_open", {"port": name}, here, "full")[1]
        assert decision.verdict == "deny" and decision.rule == "default.undeclared"
        assert "it has meter" in decision.sentence and wires == []


def test_a_console_is_refused_to_the_model(tmp_path: Path) -> None:
    here, _ = wired(tmp_path, Device({}))

    def console(_port: object) -> None:
        raise Refused("the serial port meter (/dev/ttyAMA0) is a console and is not opened", "port.console")

    here._ports = Ports(here, console)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="is a console"):
        carry("serial_open", {"port": "meter"}, here, "full")
