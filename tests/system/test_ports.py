"""A serial device from outside: the command line, a terminal of the kernel's, and a device that answers at its end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.peripherals.port.model import Device
from tests.support import agent
from tests.support.console import Console, end_all
from tests.support.ports import READING, Terminal, eventually

BOARD = """
[ports.meter]
device = "{path}"
label = "energy meter"
"""
TALK = (
    ("serial_open", {"port": "meter"}),
    ("serial_send", {"port": "meter", "text": "READ"}),
    ("serial_expect", {"port": "meter", "pattern": "T=([0-9.]+)"}),
)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    end_all()


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Terminal]:
    with Terminal(Device(READING, b"XX\xb2")) as made:
        (tmp_path / "board.toml").write_text(BOARD.format(path=made.path))
        yield made


def on(home: Path, *words: str) -> Any:
    return agent.run("--board", str(home / "board.toml"), *words, home=home)


def records(home: Path, kind: str) -> list[Any]:
    return [record for tape in agent.tapes(home) for record in agent.records(tape) if record["kind"] == kind]


def test_a_model_opens_asks_and_answers_with_what_the_device_said(far: Terminal, tmp_path: Path) -> None:
    steps = [{"thought": "", "action": name, "action_input": args} for name, args in TALK]
    final = {"thought": "", "action": "final", "action_input": "It is 21.5 C."}
    (tmp_path / "talk.jsonl").write_text("\n".join(json.dumps({"reply": json.dumps(one)}) for one in [*steps, final]))
    done = on(tmp_path, "--model", f"scripted:{tmp_path}/talk.jsonl", "--yes", "-e", "How warm is it?")
    assert (done.returncode, done.stdout) == (0, "It is 21.5 C.\n"), done.stderr
    outcomes = records(tmp_path, "outcome")
    assert [one["status"] for one in outcomes] == ["done"] * 3 and "said after" in outcomes[2]["text"]
    assert "T=21.5" in outcomes[2]["text"] and outcomes[2]["taint"] == "meter" and "taint" not in outcomes[1]
    assert far.device.heard == b"READ\r\n"
    (note,) = records(tmp_path, "note")
    assert note["text"] == "the serial port meter was closed with the conversation" and note["port"] == "meter"


def test_a_person_at_the_prompt_keeps_a_port_open_over_lines(far: Terminal, tmp_path: Path) -> None:
    console = Console(tmp_path, "--board", str(tmp_path / "board.toml"), "--mode", "full", "--yes")
    console.until("fieldhand> ")
    console.type(",serial_open port=meter")
    console.until("meter is open: energy meter")
    console.type(",serial_send port=meter text=READ")
    console.until("6 bytes were sent to meter")
    console.type(",serial_expect port=meter pattern='T=([0-9.]+)'")
    console.until("T=21.5")
    console.type(",serial_expect port=meter pattern=H=[0-9]+")
    console.until("H=40")
    console.type(",serial_close port=meter")
    console.until("was closed by serial_close")
    console.type(",quit")
    assert console.end() == 0


def test_an_adapter_that_is_pulled_is_told_at_the_prompt(far: Terminal, tmp_path: Path) -> None:
    console = Console(tmp_path, "--board", str(tmp_path / "board.toml"), "--mode", "full", "--yes")
    console.until("fieldhand> ")
    console.type(",serial_open port=meter")
    console.until("meter is open")
    console.until("fieldhand> ")
    far.unplug()
    console.until("is gone")
    console.type(",serial_send port=meter text=READ")
    console.until("is gone")
    console.type(",quit")
    assert console.end() == 0


def test_nobody_is_asked_in_a_one_shot_and_so_nothing_is_sent(far: Terminal, tmp_path: Path) -> None:
    done = on(tmp_path, "tool", "serial_open", "port=meter")
    assert done.returncode == 6 and "opens the serial port meter" in done.stderr
    granted = on(tmp_path, "--grant", "serial_open meter", "tool", "serial_open", "port=meter")
    assert granted.returncode == 0 and granted.stdout.startswith("meter is open"), granted.stderr
    assert on(tmp_path, "--mode", "readonly", "--yes", "tool", "serial_open", "port=meter").returncode == 6
    assert far.device.heard == b""


def test_the_policy_and_doctor_say_how_it_stands_with_a_port(far: Terminal, tmp_path: Path) -> None:
    args = '{"port": "meter", "text": "READ"}'
    checked = on(tmp_path, "policy", "check", "serial_send", args)
    assert checked.returncode == 10 and "port.send" in checked.stdout and '"READ\\r\\n"' in checked.stdout
    assert on(tmp_path, "--mode", "readonly", "policy", "check", "serial_send", args).returncode == 11
    explained = on(tmp_path, "policy", "explain").stdout
    assert all(rule in explained for rule in ("port.open", "port.read", "port.send", "port.close"))
    found = {one["what"]: one for one in json.loads(on(tmp_path, "doctor", "--json").stdout)}
    assert found["port meter"]["state"] == "ok" and found["port meter"]["sentence"].endswith("9600 baud 8N1, free")
    assert "serial_open" in on(tmp_path, "tools").stdout
    plain = agent.run("tools", home=tmp_path).stdout
    assert "a simulated board has no serial ports" in plain


def test_two_agents_do_not_share_a_port(far: Terminal, tmp_path: Path) -> None:
    console = Console(tmp_path, "--board", str(tmp_path / "board.toml"), "--mode", "full", "--yes")
    console.until("fieldhand> ")
    console.type(",serial_open port=meter")
    console.until("meter is open")
    second = on(tmp_path, "--yes", "tool", "serial_open", "port=meter")
    assert second.returncode != 0 and f"(process {console.process.pid})" in second.stderr + second.stdout
    console.type(",quit")
    assert console.end() == 0
    eventually(lambda: on(tmp_path, "--yes", "tool", "serial_open", "port=meter").returncode == 0)
