"""serial_send: what the gate says by the declared risk, what is sent, what did not leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.hands import Hands
from edge.peripherals.port.model import Device
from edge.record import replace
from edge.registry import find
from tests.support.one_call import carry, judge
from tests.support.ports import METER, READING, wired

READ = {"port": "meter", "text": "READ"}


@pytest.mark.parametrize(
    ("risk", "verdicts"),
    [
        ("low", ("deny", "allow", "allow", "allow")),
        ("medium", ("deny", "ask", "ask", "allow")),
        ("high", ("deny", "deny", "ask", "allow")),
    ],
)
def test_sending_is_as_risky_as_the_port_says_and_readonly_never_sends(
    risk: str, verdicts: tuple[str, ...], tmp_path: Path
) -> None:
    here, _ = wired(tmp_path, Device({}))
    here.scene = replace(here.scene, ports=(replace(METER, risk=risk),))
    modes = ("readonly", "supervised", "guarded", "full")
    found = [judge("serial_send", READ, here, mode)[1] for mode in modes]
    assert tuple(one.verdict for one in found) == verdicts
    assert {one.risk for one in found} == {risk}


def test_a_port_that_says_nothing_is_high_and_the_person_sees_all_that_is_sent(tmp_path: Path) -> None:
    here, _ = wired(tmp_path, Device({}))
    decision = judge("serial_send", {"port": "meter", "text": "rm -rf /\x1b[2K"}, here)[1]
    assert decision.risk == "high" and '"rm -rf /\\x1b[2K\\r\\n"' in decision.sentence
    words = find("serial_send").words({"port": "meter", "hex": "01ff"}, here.scene)
    assert words == "send 01 ff to the serial port meter (energy meter, /dev/ttyUSB0)"


def test_what_is_sent_is_heard_at_the_other_end(tmp_path: Path) -> None:
    device = Device(READING)
    here, _ = wired(tmp_path, device)
    carry("serial_open", {"port": "meter"}, here)
    assert carry("serial_send", READ, here).text == "6 bytes were sent to meter"
    assert carry("serial_send", {"port": "meter", "hex": "52 45 41 44 0d 0a"}, here).ok
    assert device.heard == b"READ\r\nREAD\r\n"
    here.close()


def test_what_did_not_leave_is_no_success(tmp_path: Path) -> None:
    here, _ = wired(tmp_path, Device({}), stuck=True)
    carry("serial_open", {"port": "meter"}, here)
    call, decision = judge("serial_send", READ, here)
    assert decision.permit is not None
    found = find("serial_send").run(call.args, Hands(replace(decision.permit, seconds=0.6), call, here))
    assert not found.ok and found.text.startswith("0 of 6 bytes left for meter in time: the rest waits")
    here.close()
