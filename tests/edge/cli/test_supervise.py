"""What `fieldhand supervise` is told, and what it becomes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from edge.card.places import NOTIFY
from edge.cli import supervise as module
from edge.cli.args import parse
from edge.cli.supervise import USUAL, _watchdog, asked, command, supervise
from edge.faults import CardFault, UsageFault
from tests.support.agent import ROOT, environment


def test_what_is_not_told_is_usual() -> None:
    assert asked(("hang=5",)) == {**USUAL, "hang": "5"}


@pytest.mark.parametrize("word", ["hang", "hang=x", "hang=0.2", "hang=nan", "tick=99", "what=1", "=1"])
def test_what_it_does_not_take_is_told(word: str) -> None:
    with pytest.raises(UsageFault):
        supervise(parse(["supervise", word]))


@pytest.mark.parametrize("words", [(), ("hang=5",), ("notify=/nowhere/n",), ("device=",)])
def test_off_a_card_it_says_what_it_needs_and_ends(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """It must not take the watchdog of a machine that is no board of ours."""
    monkeypatch.setattr(module, "RELEASE", "/nowhere/release")
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("it started"))
    with pytest.raises(CardFault, match="started from no card"):
        supervise(parse(["supervise", *words]))


def test_on_a_card_its_usual_paths_are_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "release").write_text("")
    became: list[list[str]] = []
    monkeypatch.setattr(module, "RELEASE", str(tmp_path / "release"))
    monkeypatch.setattr(module, "_folder", lambda where: None)
    monkeypatch.setattr(os, "execve", lambda program, words, environ: became.append(words))
    supervise(parse(["supervise"]))
    assert f"notify={NOTIFY}" in became[0]


def test_whether_there_is_a_watchdog_and_why_not() -> None:
    assert _watchdog("/dev/null", ["panic=10"]) == {"device": "/dev/null", "why": ""}
    assert _watchdog("/dev/null", ["fieldhand.nowdt"])["device"] == ""
    assert _watchdog("/dev/nowhere", [])["why"] == "there is no /dev/nowhere"
    assert _watchdog("", [])["device"] == ""


def test_the_process_is_bare(tmp_path: Path) -> None:
    words = command({"notify": "/n"})
    assert words[1:4] == ["-I", "-S", "-c"] and words[-2:] == [str(ROOT), "notify=/n"]


def test_it_becomes_the_supervisor_and_hears_agents(tmp_path: Path) -> None:
    """Where there is no card nothing is to be confirmed; that is said and stops nothing."""
    told = [f"notify={tmp_path}/n", f"guard={tmp_path}/g", f"status={tmp_path}/s", f"log={tmp_path}/l", "device="]
    process = subprocess.Popen(
        [sys.executable, "-m", "edge", "supervise", *told],
        cwd=ROOT,
        env=environment(tmp_path),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = process.stderr.readline() + process.stderr.readline()
    assert "was not started from a slot of a card" in said and "no watchdog guards this board" in said
    agent = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    agent.connect(f"{tmp_path}/n")
    assert os.stat(f"{tmp_path}/n").st_mode & 0o777 == 0o600
    agent.close()
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    process.stderr.close()
