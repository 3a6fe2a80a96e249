from __future__ import annotations

from edge.peripherals.guard.owners import FOREVER, NAMELESS, Owners


def test_each_is_late_by_its_own_heartbeat_and_told_once():
    owners = Owners(3.0)
    owners.joined("a", "run 1", 0.0)
    owners.joined("b", "", 1.0)
    assert owners.next_late(("a", "b")) == 3.0
    assert owners.next_late(("b",)) == 4.0
    assert owners.late(2.9) == []
    owners.alive("b", 2.0)
    assert owners.late(3.0) == ["a"]
    assert owners.late(4.0) == []
    assert owners.next_late(("a",)) == FOREVER
    owners.alive("a", 5.0)
    assert owners.next_late(("a",)) == 8.0
    owners.alive("a", 4.5)
    assert owners.next_late(("a",)) == 8.0


def test_a_stranger_is_not_alive():
    owners = Owners(3.0)
    owners.alive("x", 0.0)
    assert owners.late(100.0) == []
    assert owners.shown("x") == NAMELESS


def test_who_was_forgotten_is_never_late():
    owners = Owners(3.0)
    owners.joined("a", "run 1", 0.0)
    assert owners.shown("a") == "run 1"
    owners.forget("a")
    owners.forget("a")
    assert owners.late(100.0) == []
