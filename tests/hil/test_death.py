"""Whatever ends on a board while an output is on, the line is safe again, as seen from outside.

The agent is at the console, ended from a second shell. Deadlines are the host's and generous: that it was the guard,
and not the lease that was over, its record says.
"""

from __future__ import annotations

import json

import pytest

from hil.agent import Agent, Conversation, Shell
from hil.beside import beside
from hil.protocols import Bench
from hil.strategy import Strategy
from tests.support.onboard import FAN, until

pytestmark = [pytest.mark.emulated, pytest.mark.needs("lines", "parts", "port")]
RECORD = "/data/state/guard/board.jsonl"
# The Python whose input is a terminal is the agent's: services of init have the console or none.
AT_PROMPT = (
    "for p in /proc/[0-9]*; do case $(readlink $p/exe) in */python3*) "
    "case $(readlink $p/fd/0) in /dev/tty*) echo ${p#/proc/};; esac;; esac; done"
)
# Whoever holds lines, by its open files.
GUARD = "for p in /proc/[0-9]*; do ls -l $p/fd 2>&1 | grep -q gpio-line && echo ${p#/proc/}; done; true"
PRIVATE = "awk '/^Private/ {sum += $2} END {print sum}' /proc/%s/smaps_rollup"


def on(talk: Conversation, bench: Bench) -> None:
    assert "The fan is on for 10 min" in talk.say("turn the fan on for 10 minutes")
    assert bench.lines.level(FAN) == 1


def process(second: Shell, which: str) -> str:
    """The one process that a command finds, "" when there is none."""
    found = second.must(which).split()
    assert len(found) < 2, second.must("ps")
    return "".join(found)


def told(second: Shell, since: int) -> list[tuple[str, object, str]]:
    """What the guard wrote down of outputs after so many lines."""
    rows = [json.loads(line) for line in second.must(f"tail -n +{since + 1} {RECORD}").splitlines()]
    return [(row["name"], row["state"], row["why"]) for row in rows if "name" in row]


def length(second: Shell) -> int:
    return int(second.must(f"wc -l <{RECORD}"))


def test_an_agent_that_is_killed_leaves_its_output_safe(
    bench: Bench, agent: Agent, strategy: Strategy, figures: dict[str, str]
) -> None:
    with beside(agent) as second:
        strategy.to("agent")
        on(Conversation(bench.console), bench)
        since, pid = length(second), process(second, AT_PROMPT)
        figures["the agent's private memory"] = f"{int(second.must(PRIVATE % pid)) // 1024} MiB"
        second.must(f"kill -9 {pid}")
        until(lambda: bench.lines.level(FAN) == 0, "the fan's line was not low")
        strategy.ended()
        assert ("fan", False, "agent gone") in told(second, since)


def test_a_guard_that_is_killed_is_started_again_and_makes_its_lines_safe(
    bench: Bench, agent: Agent, strategy: Strategy
) -> None:
    with beside(agent) as second:
        strategy.to("agent")
        talk = Conversation(bench.console)
        on(talk, bench)
        since, pid = length(second), process(second, GUARD)
        second.must(f"kill -9 {pid}")
        until(lambda: bench.lines.level(FAN) == 0, "the fan's line was not low")
        until(lambda: process(second, GUARD) not in ("", pid), "no other guard held the lines")
        assert ("fan", False, "board started anew") in told(second, since)
        talk.expect(r"board: (?s:.*?)fieldhand> ")  # the prompt says that what it held is lost
        on(talk, bench)
        assert "The fan is off" in talk.say("turn the fan off")
        strategy.to("shell")
