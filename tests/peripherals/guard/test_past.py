"""What the record tells a later guard."""

from __future__ import annotations

from edge.call import Output
from edge.peripherals.guard.journal import Journal
from edge.peripherals.guard.past import leavings, rests, since
from edge.peripherals.guard.protocol import Transition
from edge.record import replace


def test_what_was_switched_within_the_hour_of_this_boot_is_counted(tmp_path):
    def written(boot, *rows):
        journal = Journal(str(tmp_path), boot)
        for at, state in rows:
            journal.add(Transition(at, "pump", state, "set"), 0.0)
        journal.close()

    written("old", (9000.0, True), (9010.0, False))
    written("now", (100.0, True), (110.0, False), (5000.0, True), (5001.0, True), (5002.0, False), (5003.0, True))
    pump = Output("pump", "a pump", "x", max_per_hour=3)
    fan = Output("fan", "a fan", "x")
    assert leavings(str(tmp_path), "now", 5010.0, (pump, fan)) == {"pump": [5000.0, 5003.0]}
    assert leavings(str(tmp_path), "now", 3000.0, (pump,)) == {"pump": [100.0, 5000.0, 5003.0]}
    assert leavings(str(tmp_path), "next", 10.0, (pump,)) == {"pump": []}
    assert leavings(str(tmp_path / "absent"), "now", 10.0, (pump,)) == {"pump": []}
    assert leavings(str(tmp_path), "now", 10.0, (fan,)) == {}


def test_since_when_an_output_is_away_is_found_behind_many_lines_of_others(tmp_path):
    journal = Journal(str(tmp_path), "now")
    journal.add(Transition(100.0, "pump", False, "set"), 0.0)
    journal.add(Transition(200.0, "pump", True, "set"), 0.0)
    journal.add(Transition(300.0, "pump", True, "set"), 0.0)
    journal.add(Transition(300.0, "pump", False, "does not obey", kind="fault"), 0.0)
    for number in range(1500):
        journal.add(Transition(float(number), "fan", bool(number % 2), "set"), 0.0)
    journal.close()
    pump, fan = Output("pump", "a pump", "x", on_start="hold"), Output("fan", "a fan", "x")
    assert since(str(tmp_path), "now", (pump, fan)) == {"pump": 200.0}
    assert since(str(tmp_path), "next", (pump,)) == {}
    assert since(str(tmp_path), "now", (replace(pump, safe=True),)) == {}
    assert since(str(tmp_path / "absent"), "now", (pump,)) == {}
    counted = Output("pump", "a pump", "x", max_per_hour=3)
    assert leavings(str(tmp_path), "now", 400.0, (counted,)) == {"pump": [200.0]}


def test_since_when_an_output_rests_is_known_of_this_boot_alone(tmp_path):
    def written(boot, *rows):
        journal = Journal(str(tmp_path), boot)
        for at, state in rows:
            journal.add(Transition(at, "pump", state, "set"), 0.0)
        journal.close()

    pump, fan = Output("pump", "a pump", "x", min_off=60.0), Output("fan", "a fan", "x")
    assert rests(str(tmp_path), "now", (pump, fan)) == {}
    written("old", (9000.0, True), (9010.0, False))
    assert rests(str(tmp_path), "now", (pump, fan)) == {}
    written("now", (100.0, False), (120.0, False))
    assert rests(str(tmp_path), "now", (pump, fan)) == {"pump": 100.0}
    written("now", (200.0, True))
    assert rests(str(tmp_path), "now", (pump, fan)) == {}
    written("now", (210.0, False))
    assert rests(str(tmp_path), "now", (pump, fan)) == {"pump": 210.0}
