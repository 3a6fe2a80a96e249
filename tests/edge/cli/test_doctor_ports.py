"""Doctor on declared serial ports: what keeps one from being opened, and that looking opens none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from edge.call import Port
from edge.cli import doctor_ports
from edge.cli.doctor_nodes import Place
from edge.cli.doctor_ports import findings
from edge.cli.finding import Finding
from edge.peripherals.port.model import Device
from edge.peripherals.port.ttys import System
from tests.support.ports import Terminal

OPEN = Place("/", 0, ())


def one(port: Port, place: Place = OPEN, system: System | None = None) -> Finding:
    (found,) = findings((port,), place, system or System())
    return found


def test_no_ports_is_nothing_to_say() -> None:
    assert list(findings((), OPEN, System())) == []


def test_a_free_port_is_ok_with_how_it_is_set() -> None:
    with Terminal(Device({})) as far:
        found = one(far.port(baud=19200))
    assert (found.what, found.state, found.sentence) == ("port meter", "ok", f"{far.path}, 19200 baud 8N1, free")


def test_what_is_not_there_and_what_is_no_port_is_wrong() -> None:
    gone = one(Port("meter", "meter", "/dev/ttyNONE"))
    assert gone.state == "wrong" and gone.sentence.endswith("it is not there") and "by-id" in gone.fix
    assert one(Port("meter", "meter", "/dev/null")).sentence.endswith("it is no serial port")


def test_a_console_is_wrong_with_what_frees_it_on_each_system(tmp_path: Path) -> None:
    with Terminal(Device({})) as far:
        (tmp_path / "cmdline").write_text(f"console={far.path[len('/dev/') :]}")
        found = one(far.port(), OPEN, System(proc=str(tmp_path)))
    assert found.state == "wrong" and "never opened (the kernel was started with console=" in found.sentence
    assert "raspi-config" in found.fix and "USB adapter" in found.fix.card  # type: ignore[attr-defined]


def test_who_may_not_open_it_is_told_the_group() -> None:
    with Terminal(Device({})) as far:
        os.chmod(far.path, 0o600)
        found = one(far.port(), Place("/", 54321, ()))
    assert found.state == "wrong" and "may not be opened by this user" in found.sentence and "dialout" in found.fix


def test_who_holds_it_is_named(tmp_path: Path) -> None:
    with Terminal(Device({})) as far:
        (tmp_path / "locks").mkdir()
        (tmp_path / f"locks/LCK..{os.path.basename(far.path)}").write_text(f"{os.getppid()}\n")
        found = one(far.port(), OPEN, System(locks=f"{tmp_path}/locks"))
    assert found.state == "wrong" and f"(process {os.getppid()})" in found.sentence


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_ports, "missing", lambda needs: "the Python package serial is not installed: pip x")
    found, _ = findings((Port("meter", "meter", "/dev/ttyNONE"),), OPEN, System())
    assert found.state == "wrong" and found.sentence.endswith("serial is not installed") and found.fix == "pip x"
