"""Whatever ends an agent or its guard, the pump is off in time: kills, stops and loops, seen from outside.

How late is late: an agent that is gone is noticed at once, one that hangs when its heartbeat is due. Behind that,
50 ms are forgiven, or five times the 99th percentile of how late this process wakes up in the same seconds. A guard
that was killed has 2 seconds, and nothing is forgiven.
"""

from __future__ import annotations

import itertools
import os
import signal
import time

import pytest

from tests.support.boards import rounds
from tests.support.guard_bench import Own, Service, Simulated, Tally
from tests.support.supervisor import why_not

BESIDE = 10  # benches of a kind that stand beside each other
WHY = {"kill": "agent gone", "stop": "heartbeat late", "spin": "heartbeat late"}
APART = 0.03
SPINS = ("main", "whole")


def one_slow(number):
    """Seconds of heartbeat: the usual 3 for a tenth of the benches, and 1 for all others, which saves time."""
    return 1 if number % BESIDE else 3


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    reason = why_not()
    if reason:
        pytest.skip(reason)
    with Several() as several:
        for number in range(BESIDE // 2):
            several.add(Service(tmp_path_factory.mktemp("service") / "b", one_slow(number), bool(number % 2)))
        yield several.all


@pytest.fixture(scope="module")
def owns(tmp_path_factory):
    with Several() as several:
        for number in range(BESIDE // 2):
            several.add(Own(tmp_path_factory.mktemp("own") / "b", one_slow(number), bool(number % 2)))
        yield several.all


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    with Several() as several:
        for _ in range(BESIDE):
            several.add(Simulated(tmp_path_factory.mktemp("sim") / "b"))
        yield several.all


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


def batch(benches, act, tally):
    """One run on each of the benches: all switch on, then each meets with its act, then all have to be off."""
    runs = [begun(bench, act, number) for number, bench in enumerate(benches)]
    for bench, (agent, _) in zip(benches, runs):
        bench.until_on(agent)
    tally.begin()
    tally.end(met(benches, [do for _, do in runs], act))
    assert {bench.why() for bench in benches} == {WHY[act]}
    for agent, _ in runs:
        agent.end()


def met(benches, dos, act):
    """How late each pump is off. They are met one after the other: together they would measure this machine."""
    late, due = [], []
    for bench, do in zip(benches, dos):
        due.append(do())
        if act == "kill":
            late.append(bench.off() - due[-1])
        else:
            time.sleep(APART)
    return late or [bench.off() - when for bench, when in zip(benches, due)]


def sweep(benches, act, runs):
    tally = Tally(f"{act}, {benches[0].kind.partition(',')[0]}")
    while tally.runs < runs:
        batch(benches, act, tally)
    print(tally)
    assert tally.good == tally.runs >= runs, str(tally)


@pytest.mark.soak
@pytest.mark.parametrize("act", ["kill", "stop", "spin"])
def test_an_agent_that_ends_or_hangs_leaves_the_pump_off_in_time(services, owns, act):
    """Half of the guards run as a service, half are a child of their agent; half of the pumps are on when low."""
    sweep([*services, *owns], act, rounds(100))


@pytest.mark.soak
@pytest.mark.parametrize("act", ["kill", "stop", "spin"])
def test_an_agent_that_ends_or_hangs_leaves_the_simulated_fan_off_in_time(simulated, act):
    sweep(simulated, act, rounds(100))


@pytest.mark.soak
def test_a_killed_guard_is_back_and_the_pump_off_within_two_seconds(services):
    """Whoever switched it does not matter to the guard's end, so this process itself is the agent."""
    tally = Tally("guard killed under busybox init, 2 s", least=0.0)
    for bench in itertools.islice(itertools.cycle(services[:2]), rounds(100)):
        bench.up()
        board = bench.join()
        assert board.set("pump", True, 60.0, "c1")["state"] is True and bench.on()
        guard = bench.guard()
        tally.begin()
        killed = time.monotonic()
        os.kill(guard, signal.SIGKILL)
        tally.end([bench.off() - killed - 2.0])
        assert bench.why() == "board started anew"
        board.close()
    print(tally)
    assert tally.good == tally.runs, str(tally)
