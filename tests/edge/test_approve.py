"""What binds an answer to a call, and the words of answers."""

from __future__ import annotations

import pytest

from edge.approve import LONGEST_TEXT, digest, no, unanswered, yes
from edge.call import Call

CALL = Call("bash", {"command": "ls /tmp", "timeout_seconds": 30}, "c1")


@pytest.mark.parametrize(
    ("call", "cwd", "policy"),
    [
        (Call("bash", {"command": "ls /tmp ", "timeout_seconds": 30}), "/srv", "p1"),
        (Call("bash", {"command": "ls /tmp", "timeout_seconds": 31}), "/srv", "p1"),
        (Call("bash", {"command": "ls /tmp", "timeout_seconds": "30"}), "/srv", "p1"),
        (Call("bash", {"command": "ls /tmp"}), "/srv", "p1"),
        (Call("shell", {"command": "ls /tmp", "timeout_seconds": 30}), "/srv", "p1"),
        (CALL, "/srv/other", "p1"),
        (CALL, "/srv", "p2"),
        (CALL, "/srvp1", ""),
    ],
)
def test_a_digest_changes_with_everything_it_binds(call, cwd, policy):
    assert digest(call, cwd, policy) != digest(CALL, "/srv", "p1")


def test_a_digest_does_not_change_with_the_order_of_arguments_or_the_call_id():
    other = Call("bash", {"timeout_seconds": 30, "command": "ls /tmp"}, "c2")
    assert digest(other, "/srv", "p1") == digest(CALL, "/srv", "p1")
    assert digest(Call("bash", {"command": "\udce9"}), "/", "p")


def test_answers_say_who_and_why_not():
    assert (yes("operator").yes, yes("operator").by) == (True, "operator")
    assert no("operator").sentence == "the operator said no"
    instead = no("operator", "  wait until noon \n")
    assert (instead.yes, instead.text) == (False, "wait until noon")
    assert instead.sentence == "the operator answered instead: wait until noon"
    assert len(no("operator", "x" * 10_000).text) == LONGEST_TEXT
    assert unanswered(120.0).sentence == "nobody answered within 120 s"
