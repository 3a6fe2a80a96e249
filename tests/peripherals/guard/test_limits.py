from __future__ import annotations

import pytest

from edge.call import Output
from edge.faults import Refused
from edge.peripherals.guard.limits import Limits
from tests.support.benches import Rig

PUMP = Output("pump", "pump", "relay 2", max_on=60.0, min_off=30.0)
VALVE = Output("valve", "valve", "relay 3", max_on=60.0, max_per_hour=3)


def test_nothing_leaves_safe_sooner_than_it_was_safe_for():
    rig = Rig((PUMP,))
    rig.pass_(29.5)
    said = rig.refused("pump", "guard.min_off")
    assert said == "pump must stay as it is for 30 s between two times: 1 s are left"
    rig.pass_(0.5)
    rig.on("pump", seconds=10.0)
    rig.pass_(10.0)
    assert rig.row("pump")["state"] is False
    rig.pass_(29.75)
    rig.refused("pump", "guard.min_off")
    rig.pass_(0.25)
    rig.on("pump")


def test_a_renewal_needs_no_rest():
    rig = Rig((PUMP,))
    rig.pass_(30.0)
    rig.on("pump", seconds=10.0)
    rig.pass_(5.0)
    assert rig.on("pump", seconds=20.0)["left"] == 20.0


def test_it_leaves_safe_at_most_so_often_within_any_hour():
    rig = Rig((VALVE,))
    for _ in range(3):
        rig.on("valve", seconds=5.0)
        rig.on("valve", seconds=10.0)  # a renewal is none
        rig.on("valve", state=False)
        rig.pass_(100.0)
    said = rig.refused("valve", "guard.max_per_hour")
    assert said == "valve may be switched 3 times an hour, and was: 3300 s are left"
    rig.pass_(3299.5)
    rig.refused("valve", "guard.max_per_hour")
    rig.pass_(0.5)
    rig.on("valve")
    rig.on("valve", state=False)
    assert "100 s are left" in rig.refused("valve", "guard.max_per_hour")


def test_what_was_refused_is_not_counted_and_what_failed_is():
    rig = Rig((VALVE,))
    rig.plant.dead.add("valve")
    assert rig.set("valve")["kind"] == "hardware"
    rig.plant.dead.clear()
    rig.pass_(1.0)
    for _ in range(5):
        assert rig.set("valve", seconds=61.0)["rule"] == "guard.max_on"
    for _ in range(2):
        rig.on("valve")
        rig.on("valve", state=False)
    rig.refused("valve", "guard.max_per_hour")


def test_earlier_starts_count_after_a_restart():
    rig = Rig((VALVE,), past={"valve": (-3700.0, -3500.0, -100.0), "gone": (-1.0,)})
    rig.on("valve")
    rig.on("valve", state=False)
    assert "100 s are left" in rig.refused("valve", "guard.max_per_hour")
    rig.pass_(100.0)
    rig.on("valve")


def test_a_past_that_lies_ahead_counts_as_now_and_is_bounded():
    limits = Limits((VALVE,), 0.0, {"valve": [1e9] * 1000})
    assert limits.starts == {"valve": [0.0, 0.0, 0.0]}
    with pytest.raises(Refused, match="3600 s are left"):
        limits.check(VALVE, 0.0, 0.0)
    limits.check(VALVE, 0.0, 0.0, hourly=False)
    limits.check(VALVE, 0.0, 3600.0)


def test_an_output_without_limits_has_none():
    free = Output("fan", "fan", "relay 1")
    limits = Limits((free,), 0.0, {"fan": [0.0] * 9})
    limits.left(free, 0.0)
    limits.check(free, 0.0, 0.0)
    assert limits.starts == {}


def test_what_is_kept_of_the_past_is_bounded():
    limits = Limits((VALVE,), 0.0, {})
    for second in range(10_000):
        limits.left(VALVE, float(second))
    assert limits.starts == {"valve": [9997.0, 9998.0, 9999.0]}
