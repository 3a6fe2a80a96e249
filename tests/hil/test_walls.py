"""Every forbidden act of probes.tsv, tried on the board by children of the image's own agent, behind its kernel's wall.

The rows and what they are held against are those of tests/edge/hands/wall/test_probes.py.
"""

from __future__ import annotations

import json

import pytest

from hil.agent import Agent
from tests.support.probes import CASES, claimed, judged
from tests.support.probing import CONTROL, OPEN, rows
from tests.support.sources import ROOT

# The lab benches start the same cards: three architectures show it at every landing.
pytestmark = [pytest.mark.emulated, pytest.mark.fast_on("raspi0", "raspi2b", "raspi3b")]
FOLDER = "/data/probes"  # where the workspace lies: on the card's own file system


def test_what_the_wall_must_stop_fails_on_the_board_and_is_what_is_claimed(
    agent: Agent, figures: dict[str, str]
) -> None:
    agent.put("/tmp/probes.tsv", CASES.read_bytes())
    agent.must(f"mkdir -m 755 {FOLDER}")
    source = (ROOT / "tests/support/probing.py").read_text("utf-8")
    told = json.loads(agent.python(source, "landlock", FOLDER, "/tmp/probes.tsv").splitlines()[-1])
    print(told)
    assert told["level"] == "landlock" and told["user"] == 0 and told["alone"]
    assert set(told["rows"]) == {row["id"] for row in rows(str(CASES))}
    assert told["control"] == dict.fromkeys(CONTROL, 0), "a child cannot do what it may: the rows would show nothing"
    assert told["open"] == dict.fromkeys(OPEN, 0), "without a wall these rows succeed"
    judged("landlock", told)
    claimed(told)
    nothing = sum(code == 77 for code in told["rows"].values())
    figures["forbidden acts stopped"] = f"{len(told['rows']) - nothing} of {len(told['rows'])} ({nothing} not there)"
    agent.must(f"rm -r {FOLDER} /tmp/probes.tsv")
