"""The table of connections: bounds, and how those that do nothing are let go."""

from __future__ import annotations

import _socket
import select

import pytest

from edge.peripherals.guard import sessions
from edge.peripherals.guard.sessions import Sessions


@pytest.fixture
def table():
    table = Sessions(select.poll())
    yield table
    table.close()


def pair():
    return _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)


def test_whoever_does_not_say_hello_is_over_after_a_while_and_an_agent_is_not(table):
    (ours, _a), (other, _b), (first, _c) = pair(), pair(), pair()
    agent = table.add(ours, 0, 100.0)
    silent = table.add(other, 0, 100.0)
    table.add(first, 0, 100.0, first=True)
    table.welcome(agent, "run", "")
    assert table.settle(100.0 + sessions.SECONDS - 0.1) == []
    assert table.due() == 100.0 + sessions.SECONDS
    assert table.settle(100.0 + sessions.SECONDS) == [silent]
    table.drop(silent)
    assert table.due() == sessions.FOREVER


def test_whoever_asks_last_has_the_place_of_whoever_has_been_here_longest(table):
    first, agent = (table.add(pair()[0], 0, 1.0, first=first) for first in (True, False))
    table.welcome(agent, "run", "")
    taken = [table.add(pair()[0], 0, 1.0) for _ in range(3 * sessions.ASKERS)]
    assert list(table.rows.values()) == [first, agent, *taken[-sessions.ASKERS :]]
    assert len({one.owner for one in taken}) == len(taken)


def test_whoever_asks_more_than_a_person_does_is_over_and_an_agent_may(table):
    asker, agent = table.add(pair()[0], 0, 1.0), table.add(pair()[0], 0, 1.0)
    table.welcome(agent, "run", "")
    asker.asked = agent.asked = sessions.ASKED
    assert table.settle(1.0) == [asker]


def test_an_agent_that_does_not_read_is_over_after_a_while(table):
    ours, theirs = pair()
    agent = table.add(ours, 0, 1.0)
    table.welcome(agent, "run", "")
    while not agent.wire.full:
        table.tell({"event": "x" * 1000})
    assert table.settle(50.0) == []
    assert table.due() == 50.0 + sessions.SLOW
    assert table.settle(50.0 + sessions.SLOW) == [agent]
    while agent.wire.waiting:
        theirs.recv(1 << 20)
        agent.wire.flush()
    assert table.settle(51.0 + sessions.SLOW) == []


def test_an_event_goes_to_all_agents_and_to_nobody_else(table):
    ends = []
    for _ in range(2):
        ours, theirs = pair()
        theirs.setblocking(False)
        ends.append((table.add(ours, 0, 1.0), theirs))
    table.welcome(ends[0][0], "run", "")
    table.tell({"event": "all"})
    assert ends[0][1].recv(100).count(b"\n") == 1
    with pytest.raises(BlockingIOError):
        ends[1][1].recv(100)
