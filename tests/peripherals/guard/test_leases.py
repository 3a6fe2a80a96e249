from __future__ import annotations

import random

import pytest

from edge.call import Output
from edge.faults import HardwareFault, Refused, UsageFault
from edge.peripherals.guard.leases import CALLS, FOREVER, Ask, Leases, asked_level, safe_level
from tests.support.boards import rounds

FAN = Output("fan", "exhaust fan", "relay 1", max_on=3600.0)
PUMP = Output("pump", "pump", "relay 2", max_on=600.0)
COOLER = Output("cooler", "a fan that is safe when it runs", "relay 3", safe=True, max_on=60.0)
HEATER = Output("heater", "heater", "pwm 0", max_on=100.0, pwm=True)


class Table(Leases):
    """Leases with a driver that drives nothing: what is granted is so, what is due goes safe."""

    __slots__ = ()

    def set(self, name, state, seconds, call, now, owner="a", level=None):
        """The result, and what changed as (name, state)."""
        row = self.row(name)
        ask = Ask(owner, owner.upper(), name, asked_level(row.output, state, level), seconds, call)
        result = self.again(ask)
        if result is not None:
            return result, ()
        safe = ask.level == safe_level(row.output)
        fresh = self.made_safe(row, "set", now) if safe else self.granted(ask, now)
        self.put(fresh, now)
        result = {"name": name, "state": state, "left": fresh.left(now), "max_on": row.output.max_on}
        result["level"] = ask.level
        self.remember(ask, result)
        return result, () if row.safe and safe else ((name, state),)

    def end(self, rows, why, now):
        """Make rows safe: what changed."""
        for row in rows:
            self.put(self.made_safe(row, why, now), now)
        return tuple((row.output.name, row.output.safe) for row in rows)


@pytest.fixture
def leases():
    return Table((FAN, PUMP, COOLER, HEATER), 0.0)


def test_everything_starts_safe(leases):
    assert {name: row["state"] for name, row in leases.states(0.0).items()} == {
        "fan": False,
        "pump": False,
        "cooler": True,
        "heater": False,
    }
    assert leases.next_end() == FOREVER


def test_as_long_as_it_may_is_not_too_long_whenever_it_is_asked():
    drawn = random.Random(4)
    for now in [drawn.uniform(0.0, 2000.0) for _ in range(200)]:
        leases = Table((FAN,), now)
        result, _ = leases.set("fan", True, FAN.max_on, "c1", now)
        assert result["state"] and abs(result["left"] - FAN.max_on) < 1e-6


def test_on_for_a_time_ends_then(leases):
    result, notes = leases.set("fan", True, 120.0, "c1", 10.0)
    assert result == {"name": "fan", "state": True, "left": 120.0, "max_on": 3600.0, "level": 1.0}
    assert notes == (("fan", True),)
    assert leases.next_end() == 130.0
    assert leases.due(129.9) == []
    assert leases.end(leases.due(130.0), "lease ended", 130.0) == (("fan", False),)
    assert leases.states(130.0)["fan"] == {
        "state": False,
        "level": 0.0,
        "left": None,
        "why": "lease ended",
        "max_on": 3600.0,
        "owner": "",
        "fault": "",
        "override": "",
        "since": 130.0,
    }


def test_on_without_a_time_is_for_as_long_as_it_may_be_on(leases):
    result, _ = leases.set("pump", True, None, "", 0.0)
    assert result["left"] == 600.0


def test_an_output_that_is_safe_when_on_needs_its_lease_for_off(leases):
    leases.set("cooler", False, None, "", 0.0)
    assert leases.states(0.0)["cooler"]["left"] == 60.0
    assert leases.end(leases.due(60.0), "lease ended", 60.0) == (("cooler", True),)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf"), -float("inf")])
def test_no_time_is_refused_and_changes_nothing(leases, seconds):
    with pytest.raises(UsageFault, match="no time for pump"):
        leases.set("pump", True, seconds, "c1", 0.0)
    assert not leases.states(0.0)["pump"]["state"]


def test_longer_than_it_may_be_on_is_refused(leases):
    with pytest.raises(Refused, match="pump may be on for at most 600 s, not 601 s") as caught:
        leases.set("pump", True, 601.0, "c1", 0.0)
    assert caught.value.rule == "guard.max_on"
    assert not leases.states(0.0)["pump"]["state"]


def test_an_unknown_output_is_named_with_those_there_are(leases):
    with pytest.raises(UsageFault, match=r"no output 'valve' \(the outputs are: fan, pump, cooler, heater\)"):
        leases.set("valve", True, None, "c1", 0.0)


def test_renewing_does_not_go_beyond_the_longest_time_without_a_break(leases):
    leases.set("pump", True, 500.0, "c1", 0.0)
    with pytest.raises(Refused, match=r"has been on for 400 s .* 200 s are left, not 300 s"):
        leases.set("pump", True, 300.0, "c2", 400.0)
    assert leases.set("pump", True, 200.0, "c3", 400.0)[0]["left"] == 200.0
    assert leases.set("pump", True, None, "c4", 450.0)[0]["left"] == 150.0
    assert [row.output.name for row in leases.due(600.0)] == ["pump"]


def test_a_renewal_may_shorten(leases):
    leases.set("fan", True, 1000.0, "c1", 0.0)
    leases.set("fan", True, 10.0, "c2", 100.0)
    assert leases.next_end() == 110.0


def test_after_a_break_the_time_begins_anew(leases):
    leases.set("pump", True, 600.0, "c1", 0.0)
    leases.set("pump", False, None, "c2", 500.0)
    assert leases.set("pump", True, 600.0, "c3", 501.0)[0]["left"] == 600.0


def test_off_is_granted_whatever_time_stands_beside_it(leases):
    leases.set("fan", True, None, "c1", 0.0)
    for number, seconds in enumerate((0.0, -5.0, float("nan"), 1e9)):
        result, _ = leases.set("fan", False, seconds, f"off{number}", 1.0)
        assert result == {"name": "fan", "state": False, "left": 0.0, "max_on": 3600.0, "level": 0.0}


def test_a_repeated_call_is_answered_and_not_done_again(leases):
    first, _ = leases.set("fan", True, 60.0, "c1", 0.0)
    leases.end(leases.due(60.0), "lease ended", 60.0)
    again, notes = leases.set("fan", True, 60.0, "c1", 100.0)
    assert again == first
    assert notes == ()
    assert not leases.states(100.0)["fan"]["state"]


def test_what_a_caller_does_to_a_result_does_not_change_the_remembered_one(leases):
    first, _ = leases.set("fan", True, 60.0, "c1", 0.0)
    first["state"] = "spoiled"
    again, _ = leases.set("fan", True, 60.0, "c1", 1.0)
    assert again["state"] is True
    again["state"] = "spoiled"
    assert leases.set("fan", True, 60.0, "c1", 1.0)[0]["state"] is True


def test_a_call_id_for_another_request_is_refused(leases):
    leases.set("fan", True, 60.0, "c1", 0.0)
    with pytest.raises(Refused, match="call c1 was already used"):
        leases.set("fan", False, None, "c1", 1.0)
    assert leases.states(1.0)["fan"]["state"]


def test_a_refused_call_may_be_asked_again(leases):
    with pytest.raises(Refused):
        leases.set("pump", True, 700.0, "c1", 0.0)
    assert leases.set("pump", True, 600.0, "c1", 0.0)[1]


def test_calls_without_an_id_are_each_done(leases):
    assert leases.set("fan", True, 60.0, "", 0.0)[1]
    assert leases.set("fan", True, 60.0, "", 1.0)[1]


def test_memory_for_calls_is_bounded(leases):
    for number in range(3 * CALLS):
        leases.set("fan", bool(number % 2), None, f"c{number}", float(number))
    assert len(leases._seen) == CALLS
    assert leases.set("fan", True, None, f"c{3 * CALLS - 1}", 1000.0)[1] == ()


def test_off_when_off_is_no_transition(leases):
    assert leases.set("fan", False, None, "c1", 0.0)[1] == ()


def test_a_random_walk_never_leaves_an_output_on_without_a_living_lease():
    dice = random.Random(7)
    outputs = (FAN, PUMP, COOLER)
    leases, now, on_since = Table(outputs, 0.0), 0.0, {}
    counts = {"granted": 0, "refused": 0, "ended": 0}
    for number in range(rounds(200_000)):
        now += dice.choice((0.0, 0.001, 1.0, 30.0, 500.0, 5000.0)) * dice.random()
        notes = list(leases.end(leases.due(now), "lease ended", now))
        counts["ended"] += len(notes)
        if dice.randrange(50) == 0:
            notes += leases.end(leases.away(), "heartbeat late", now)
        seconds = dice.choice((None, 1.0, 59.0, 600.0, 601.0, 3600.0, 4000.0, 0.0, -1.0, float("nan"), float("inf")))
        call = dice.choice(("", f"c{number}", f"c{dice.randrange(number + 1)}"))
        try:
            _, made = leases.set(dice.choice(outputs).name, bool(dice.randrange(2)), seconds, call, now)
            notes += made
            counts["granted"] += 1
        except (Refused, UsageFault):
            counts["refused"] += 1
        for name, state in notes:
            if state == leases.rows[name].output.safe:
                on_since.pop(name, None)
            else:
                on_since.setdefault(name, now)
        for name, row in leases.rows.items():
            assert row.safe == (name not in on_since)
            assert (row.end == FOREVER) == row.safe
            if not row.safe:
                assert now < row.end <= on_since[name] + row.output.max_on + 1e-6
                assert now - on_since[name] <= row.output.max_on
    print(counts)
    assert all(counts.values())


def test_one_owner_and_the_other_is_told_how_long(leases):
    leases.set("pump", True, 100.0, "c1", 0.0, "a")
    with pytest.raises(Refused, match="pump is held by A for another 60 s") as caught:
        leases.set("pump", True, 10.0, "c1", 40.0, "b")
    assert caught.value.rule == "guard.held"
    assert leases.set("pump", False, None, "c2", 50.0, "b")[1] == (("pump", False),)
    assert leases.set("pump", True, 10.0, "c3", 60.0, "b")[0]["left"] == 10.0


def test_call_ids_are_each_owners_own(leases):
    leases.set("fan", True, 60.0, "c1", 0.0, "a")
    assert leases.set("pump", True, 60.0, "c1", 0.0, "b")[1]
    with pytest.raises(Refused, match="call c1 was already used"):
        leases.set("pump", True, 60.0, "c1", 0.0, "a")


def test_the_lease_of_an_owner_that_has_gone_is_free_and_keeps_its_beginning(leases):
    leases.set("pump", True, 500.0, "c1", 0.0, "a")
    leases.orphan("a")
    assert leases.next_end() == 500.0
    with pytest.raises(Refused, match="has been on for 400 s"):
        leases.set("pump", True, 300.0, "c1", 400.0, "b")
    assert leases.set("pump", True, 100.0, "c2", 400.0, "b")[0]["left"] == 100.0


def test_a_call_that_failed_is_not_done_again(leases):
    ask = Ask("a", "A", "fan", 1.0, 60.0, "c1")
    leases.remember(ask, "relay 1 did not answer")
    with pytest.raises(HardwareFault, match="relay 1 did not answer"):
        leases.again(ask)


@pytest.mark.parametrize(
    ("output", "state", "level", "found"),
    [
        (FAN, True, None, 1.0),
        (FAN, False, None, 0.0),
        (FAN, True, 1.0, 1.0),
        (FAN, True, 0.5, "has no levels"),
        (HEATER, True, 0.5, 0.5),
        (HEATER, True, None, 1.0),
        (HEATER, False, 0.0, 0.0),
        (HEATER, False, 0.5, "cannot be off at level 0.5"),
        (HEATER, True, 0.0, "cannot be on at level 0"),
        (HEATER, True, 1.01, "no level"),
        (HEATER, True, float("nan"), "no level"),
    ],
)
def test_a_level_is_a_part_of_full_power(output, state, level, found):
    if isinstance(found, float):
        assert asked_level(output, state, level) == found
    else:
        with pytest.raises(UsageFault, match=found):
            asked_level(output, state, level)


def test_a_change_of_level_is_no_break(leases):
    leases.set("heater", True, 50.0, "c1", 0.0, level=0.3)
    assert leases.set("heater", True, None, "c2", 40.0, level=0.6)[0]["left"] == 60.0
    assert leases.states(40.0)["heater"]["level"] == 0.6


def test_what_is_safe_already_keeps_since_when_it_is(leases):
    leases.set("fan", True, 10.0, "c1", 0.0)
    leases.end(leases.away(), "lease ended", 10.0)
    leases.end([leases.rows["fan"]], "safe-all", 50.0)
    assert (leases.states(60.0)["fan"]["since"], leases.states(60.0)["fan"]["why"]) == (10.0, "safe-all")
