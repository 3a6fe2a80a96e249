"""Who answers the questions of a run, by what was said and what there is."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest

from tests.support import agent

CODE = """
import sys
from edge.cli import settled
from edge.cli.who import approver
from tests.support.answering import question
yes, waits, trace = (word == "1" for word in sys.argv[2:])
found = approver(yes, waits, sys.argv[1], trace)
print(type(found).__name__)
answer = found.at_once(question(60.0))
print(answer and answer.by)
found.close()
settled()
"""


def who(state, yes="0", waits="0", trace="0", terminal=None):
    """The kind of approver, who answers at once, and what stderr is told."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(state), yes, waits, trace],
        cwd=agent.ROOT,
        stdin=subprocess.DEVNULL if terminal is None else terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if terminal is None else terminal,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return (*done.stdout.split(), done.stderr)


def test_without_a_terminal_there_is_nobody_unless_somebody_is_to_be_waited_for(tmp_path):
    assert who(tmp_path)[:2] == ("Nobody", "nobody")
    kind, answered, told = who(tmp_path, waits="1")
    assert (kind, answered) == ("Socket", "None")
    assert "? switch exhaust fan" in told and "waits at most 60 s: fieldhand approvals approve " in told


def test_yes_beforehand_is_asked_nobody(tmp_path):
    assert who(tmp_path, yes="1", waits="1")[:2] == ("SaidYes", "--yes")
    assert os.listdir(tmp_path) == []


def test_a_trace_tells_the_question_as_json(tmp_path):
    told = json.loads(who(tmp_path, waits="1", trace="1")[2])
    assert told["event"] == "asked" and len(told["id"]) == 6
    assert told["words"].startswith("switch exhaust fan") and len(told["digest"]) == 64


@pytest.mark.parametrize("state", [True, False], ids=["kept", "nothing is kept"])
def test_at_a_terminal_both_are_asked_and_without_a_state_folder_the_terminal_alone(tmp_path, state):
    master, slave = pty.openpty()
    try:
        kind, answered, _ = who(tmp_path if state else "", terminal=slave)
        assert (kind, answered) == ("Desk", "None")
        assert os.path.exists(tmp_path / "approvals") is state
    finally:
        os.close(master)
        os.close(slave)
