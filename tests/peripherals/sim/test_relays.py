from __future__ import annotations

import pytest

from edge.peripherals.sim.relays import Relay, driven, turned


def test_a_contact_follows_its_line_after_the_delay():
    relay = driven(Relay(), 1.0, 10.0)
    assert (relay.acts(10.0, 0.5), relay.acts(10.4, 0.5), relay.acts(10.5, 0.5)) == (0.0, 0.0, 1.0)


def test_driving_it_to_what_it_has_begins_nothing_anew():
    relay = driven(Relay(), 0.5, 10.0)
    assert driven(relay, 0.5, 20.0) is relay


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_a_stuck_one_stays_as_it_was_whatever_its_line_says(level):
    relay = turned(driven(Relay(), level, 1.0), "stuck", 5.0)
    assert driven(relay, 1.0 - level, 6.0).acts(100.0) == level
    assert turned(driven(relay, 1.0 - level, 6.0), "ok", 7.0).acts(100.0) == 1.0 - level


def test_a_dead_one_is_open():
    assert turned(driven(Relay(), 1.0, 1.0), "dead", 2.0).acts(3.0) == 0.0
