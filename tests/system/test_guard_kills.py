"""Whatever ends an agent or its guard, the pump is off in time: kills, stops and loops, seen from outside.

How late is late: an agent that is gone is noticed at once, one that hangs when its heartbeat is due. Behind that,
50 ms are forgiven, or five times the 99th percentile of how late this process wakes up in the same seconds. A guard
that was killed has 2 seconds, and nothing is forgiven.
"""

from __future__ import annotations

import os
import signal
import time

import pytest

from tests.support.boards import rounds
from tests.support.guard_bench import Own, Service, Simulated, Tally, Watch
from tests.support.supervisor import why_not

BESIDE = 10  # benches of a kind that stand beside each other
WHY = {"kill": "agent gone", "stop": "heartbeat late", "spin": "heartbeat late"}
APART = 0.03  # seconds between two of these acts, so that they do not all fall due at once
BETWEEN = 0.4  # seconds between two kills of guards: each start has a processor
# How many of them at a time: what only waits may be many; what spins has the two processors for itself.
TOGETHER = {"kill": 1, "stop": 2 * BESIDE, "spin": 5}
SPINS = ("main", "whole", "waiting")


def one_slow(number):
    """Seconds of heartbeat: the usual 3 for a tenth of the benches, and 1 for all others, which saves time."""
    return 1 if number % BESIDE else 3


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """Guards as a service; none where there can be no such supervisor."""
    with Several() as several:
        for number in range(0 if why_not() else BESIDE // 2):
            several.add(Service(tmp_path_factory.mktemp("service") / "b", one_slow(number), bool(number % 2)))
        yield several.all


@pytest.fixture(scope="module")
def benches(services, tmp_path_factory):
    """Ten with a model of chips, half of them with a service where there can be one, and ten simulated boards."""
    with Several() as several:
        for number in range(BESIDE - len(services)):
            several.add(Own(tmp_path_factory.mktemp("own") / "b", one_slow(number), bool(number % 2)))
        for _ in range(BESIDE):
            several.add(Simulated(tmp_path_factory.mktemp("sim") / "b"))
        yield [*services, *several.all]


class Several:
    """Benches that end together."""

    def __init__(self):
        self.all = []

    def add(self, bench):
        self.all.append(bench)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for bench in self.all:
            bench.end()


def begun(bench, act, number):
    """An agent of a bench that is about to have its pump on, for that act; and the act."""
    if act == "spin":
        how = SPINS[number % len(SPINS)]
        agent = bench.spinning(how)
        return agent, lambda: agent.spin(how)
    agent = bench.switching()
    return agent, getattr(agent, act)


def batch(benches, act, tallies, watch):
    """One run on each of the benches: all switch on, then each meets with its act."""
    runs = [begun(bench, act, number) for number, bench in enumerate(benches)]
    for bench, (agent, _) in zip(benches, runs):
        bench.until_on(agent)
    assert all(bench.on() for bench in benches)
    rows = list(zip(benches, runs))
    size = TOGETHER[act]
    for begin in range(0, len(rows), size):
        met(rows[begin : begin + size], act, tallies, watch)


def met(rows, act, tallies, watch):
    """Do it to some at once, wait until their pumps are off, and end what still runs."""
    with watch:
        due = []
        for _, (_, do) in rows:
            due.append(do())
            time.sleep(APART if len(rows) > 1 else 0.0)
        for when, (bench, (agent, _)) in zip(due, rows):
            late = bench.off() - when
            assert late >= (0.0 if act == "kill" else -3.0), "off before anything was done"
            tallies[bench.kind].add(late)
            agent.end()
    for bench, _ in rows:
        assert bench.why() == WHY[act]


@pytest.mark.soak
@pytest.mark.parametrize("act", ["kill", "stop", "spin"])
def test_an_agent_that_ends_or_hangs_leaves_the_pump_off_in_time(benches, act):
    """Of the pumps at lines half are on when the line is low."""
    tallies = {kind: Tally(f"{act}, {kind}") for kind in dict.fromkeys(bench.kind for bench in benches)}
    runs, watch = rounds(100), Watch()
    for _ in range(runs // BESIDE):
        batch(benches, act, tallies, watch)
    judged = [tally.judged(watch) for tally in tallies.values()]
    print(*judged, sep="\n")
    assert sum(one.good for one in judged) == 2 * runs, "\n".join(map(str, judged))


@pytest.mark.soak
def test_a_killed_guard_is_back_and_the_pump_off_within_two_seconds(services):
    """Whoever switched it does not matter to the guard's end, so this process itself is the agent."""
    if not services:
        pytest.skip(why_not())
    tally = Tally("guard killed under busybox init, 2 s", least=0.0)
    watch = Watch()
    for _ in range(rounds(100) // 2):
        with watch:
            killed = [switched_and_killed(bench) for bench in services[:2]]
            for bench, (when, _) in zip(services, killed):
                tally.add(bench.off() - when - 2.0)
        for bench, (_, board) in zip(services, killed):
            bench.up()
            assert bench.why() == "board started anew"
            board.close()
    judged = tally.judged(watch)
    print(judged)
    assert judged.good == judged.runs, str(judged)


def switched_and_killed(bench):
    """Have the guard of a bench switch its pump on, and kill it. When, and the connection to it."""
    board = bench.join()
    assert board.set("pump", True, 60.0, "c1")["state"] is True and bench.on()
    guard = bench.guard()
    time.sleep(BETWEEN)
    when = time.monotonic()
    os.kill(guard, signal.SIGKILL)
    return when, board
