"""bash_kill as the model meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.faults import ToolFault
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.registry import find
from tests.edge.hands.test_jobs import wait
from tests.support.one_call import carry, judge, world


def test_it_ends_a_shell_and_tells_how_and_what_it_wrote_stays(tmp_path: Path) -> None:
    here = world(tmp_path)
    here.job_seconds = 60.0
    carry("bash", {"command": "echo up; exec sleep 60", "background": True}, here)
    wait(lambda: carry("bash_output", {"shell_id": "sh-1"}, here).data["output"] == "up\n")
    for _ in range(2):
        found = carry("bash_kill", {"shell_id": "sh-1"}, here)
        assert found.ok and found.text == (
            "sh-1 was ended by bash_kill, by SIGTERM; it wrote 3 characters, which bash_output still reads"
        )
        assert (found.data["status"], found.data["exit_code"]) == ("killed", -15)
    assert carry("bash_output", {"shell_id": "sh-1"}, here).data["output"] == "up\n"
    with pytest.raises(ToolFault, match=r"no background shell is called 'sh-2' \(there are sh-1 \(killed"):
        carry("bash_kill", {"shell_id": "sh-2"}, here)
    here.close()


def test_it_is_low_but_in_readonly_and_needs_no_tape_and_no_clean_words(tmp_path: Path) -> None:
    here = world(tmp_path)
    for preset, verdict in (("readonly", "deny"), ("supervised", "allow"), ("guarded", "allow"), ("full", "allow")):
        call, decision = judge("bash_kill", {"shell_id": "sh-1"}, here, preset)
        assert (decision.verdict, decision.risk, decision.rule) == (verdict, "low", "end.job")
    state = State(durable=False, tainted="https://x.de/", unattended=True)
    effects = find("bash_kill").effects(call.args, here.scene)
    assert decide(call, effects, Policy("guarded"), state, here.scene).verdict == "allow"
