from __future__ import annotations

from edge.peripherals.sim.declare import OUTPUTS, PARTS, SENSORS
from edge.peripherals.sim.default import RANGES


def test_names_are_unique_and_every_thing_has_a_label_and_words():
    things = [*SENSORS, *OUTPUTS]
    assert len({thing.name for thing in things}) == len(things)
    assert all(thing.label and thing.where and thing.words for thing in things)


def test_no_word_means_two_things():
    words = [word for thing in (*SENSORS, *OUTPUTS) for word in thing.words]
    assert len(set(words)) == len(words)


def test_every_sensor_can_show_what_may_be_set():
    for part in PARTS:
        low, high = RANGES[part.sensor.name]
        assert part.low <= low < high <= part.high


def test_every_output_starts_off_and_may_not_stay_on():
    assert all(not output.safe and 0 < output.max_on <= 3600 for output in OUTPUTS)
