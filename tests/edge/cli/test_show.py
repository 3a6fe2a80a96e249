"""A turn on stderr for people: which call a line is about."""

from __future__ import annotations

import pytest

from edge import cli
from edge.call import Call, Decision, Observation
from edge.cli.show import Lines

SCHEMAS = {"grep": {"type": "object", "properties": {"pattern": {"type": "string"}}}}
ALLOW = Decision("allow", "low", "read.workspace", "reads it")
ASK = Decision("ask", "medium", "read.outside", "reads that")


@pytest.fixture
def lines(capfd: pytest.CaptureFixture[str]) -> Lines:
    made = Lines()
    made.knows(SCHEMAS)
    return made


def call(number: int) -> Call:
    return Call("grep", {"pattern": f"p{number}"}, f"c{number}")


def shown(capfd: pytest.CaptureFixture[str]) -> list[str]:
    cli.settled()
    return capfd.readouterr().err.splitlines()


def test_results_of_calls_that_run_together_say_whose_they_are(lines: Lines, capfd: pytest.CaptureFixture[str]) -> None:
    for number, decision in ((1, ALLOW), (2, ASK), (3, ALLOW)):
        lines.decided(call(number), decision)
        if decision is ALLOW:
            lines.granted(call(number), decision, "gate")
    lines.outcome(call(1), "done", Observation(True, "one"))
    lines.outcome(call(2), "refused", Observation(False, "two"))
    lines.outcome(call(3), "done", Observation(True, "three"))
    gate = "  low risk, allow [read.workspace]: reads it"
    assert shown(capfd) == [
        *("1 grep pattern=p1", gate, "2 grep pattern=p2", "3 grep pattern=p3", gate),
        *("1 grep:", "  -> one"),
        *("2 grep:", "  medium risk, ask, not allowed [read.outside]: reads that", "  !! two"),
        *("3 grep:", "  -> three"),
    ]


def test_a_call_alone_is_named_once(lines: Lines, capfd: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        lines.decided(call(number), ASK)
        lines.granted(call(number), ASK, "a person")
        lines.outcome(call(number), "done", Observation(True, "it"))
    gate = "  medium risk, ask, yes by a person [read.outside]: reads that"
    assert shown(capfd) == [*("1 grep pattern=p1", gate, "  -> it"), *("2 grep pattern=p2", gate, "  -> it")]


def test_news_of_the_board_do_nothing_to_a_terminal(lines: Lines, capfd: pytest.CaptureFixture[str]) -> None:
    for kind in ("note", "fault", "off"):
        lines.board({"event": kind, "name": "pu\x07mp", "state": None, "why": 'held by "\x1b[31mevil\x9b2J"'})
    assert not set("\x1b\x07\x9b") & set("".join(shown(capfd)))


def test_news_of_the_board_name_the_output(lines: Lines, capfd: pytest.CaptureFixture[str]) -> None:
    lines.board({"event": "off", "name": "pump", "state": False, "why": "lease ended"})
    lines.board({"event": "fault", "name": "pump", "why": "feedback: pump was switched off and flow shows on"})
    lines.board({"event": "override", "name": "pump", "why": "held safe by key"})
    lines.board({"event": "stopped", "why": "everything is stopped"})
    assert shown(capfd) == [
        "board: pump off, lease ended",
        "board: pump: feedback: pump was switched off and flow shows on",
        "board: pump: held safe by key",
        "board: everything is stopped",
    ]
