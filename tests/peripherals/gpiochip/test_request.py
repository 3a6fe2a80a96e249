"""A held line: what is sent to the kernel, and what the wire shows meanwhile."""

from __future__ import annotations

import errno

import pytest

from edge.faults import HardwareFault
from edge.peripherals.gpiochip import uapi
from edge.peripherals.gpiochip.chip import Settings
from edge.peripherals.gpiochip.find import find
from edge.peripherals.gpiochip.model import Model

PATH = "/dev/gpiochip0"
LOOKING = {"open", "GET_CHIPINFO", "GET_LINEINFO", "GET_VALUES"}


@pytest.fixture
def model():
    return Model("pi3")


def hold(model, settings, line=17):
    return find(model).request(line, settings, "fieldhand-pump")


def sent(model, since=0):
    """The calls that could change a line, as they were asked."""
    return [(done.what, done.flags, done.value) for done in model.record[since:] if done.what not in LOOKING]


def levels(model, since=0):
    """The levels of the wire from then on, the first as it was."""
    return [level for _, level in model.changes(PATH, 17)][since:]


@pytest.mark.parametrize("value", [False, True])
@pytest.mark.parametrize("low", [False, True])
def test_an_output_is_had_by_one_call_that_holds_its_value(model, value, low):
    hold(model, Settings("output", value, active_low=low))
    flags = uapi.OUTPUT | (uapi.ACTIVE_LOW if low else 0)
    assert sent(model) == [("GET_LINE", flags, value)]
    assert levels(model) == ([False] if value is low else [False, True])


@pytest.mark.parametrize("value", [False, True])
def test_an_output_that_is_asked_for_again_shows_no_other_level(model, value):
    """The last holder died; this kernel kept the line driven."""
    hold(model, Settings("output", value)).close()
    before = len(model.changes(PATH, 17))
    hold(model, Settings("output", value)).close()
    hold(model, Settings("as-is")).close()
    assert len(model.changes(PATH, 17)) == before
    assert [what for what, _, _ in sent(model)] == ["GET_LINE"] * 3


def test_a_change_is_one_call_on_the_same_descriptor_and_the_wire_stands_still(model):
    held = hold(model, Settings("output", True))
    fd, since = held.fd, len(model.record)
    held.change(Settings("output", bias="down"))
    held.change(Settings("output", drive="source"))
    held.change(Settings("output"))
    assert held.fd == fd
    assert sent(model, since) == [
        ("SET_CONFIG", uapi.OUTPUT | uapi.PULL_DOWN, True),
        ("SET_CONFIG", uapi.OUTPUT | uapi.OPEN_SOURCE, True),
        ("SET_CONFIG", uapi.OUTPUT, True),
    ]
    assert levels(model) == [False, True]


def test_what_was_set_last_is_what_a_change_keeps(model):
    held = hold(model, Settings("output", True))
    held.set(False)
    held.change(Settings("output", bias="up"))
    assert sent(model)[-1][2] is False
    held.change(Settings("output", True))
    held.change(Settings("output"))
    assert sent(model)[-1][2] is True


@pytest.mark.parametrize("level", [False, True])
def test_an_input_that_becomes_an_output_drives_what_it_read(model, level):
    model.pull(PATH, 17, level)
    held = hold(model, Settings("input"))
    before = len(model.changes(PATH, 17))
    held.change(Settings("output"))
    model.pull(PATH, 17, not level)
    assert model.outside(PATH, 17) is level
    assert len(model.changes(PATH, 17)) == before


def test_reading_sends_nothing_that_could_change_a_line(model):
    chip = find(model)
    held = hold(model, Settings("input", edges="both"))
    other = hold(model, Settings("output", True), 18)
    since = len(model.record)
    for offset in range(chip.lines):
        chip.info(offset)
    for one in (held, other):
        one.get()
        one.events()
    chip.offset_of("GPIO17")
    assert {done.what for done in model.record[since:]} <= LOOKING
    assert other.get() is True


def test_setting_is_one_call_and_reads_nothing(model):
    held = hold(model, Settings("output", False))
    since = len(model.record)
    held.set(True)
    assert [(done.what, done.value) for done in model.record[since:]] == [("SET_VALUES", True)]


def test_a_set_that_failed_is_unknown_and_can_be_read_back(model):
    held = hold(model, Settings("output", False))
    model.fail("SET_VALUES", errno.EIO, done=True)
    with pytest.raises(HardwareFault, match="line 17 of pinctrl-bcm2835 could not be set, its state is unknown"):
        held.set(True)
    assert held.get() is True
    model.fail("SET_VALUES", errno.EIO)
    with pytest.raises(HardwareFault, match="its state is unknown"):
        held.set(False)
    assert held.get() is True


def test_a_change_that_failed_leaves_the_settings_as_they_were(model):
    held = hold(model, Settings("output", True))
    model.fail("SET_CONFIG", errno.EIO)
    with pytest.raises(HardwareFault, match="could not be changed"):
        held.change(Settings("input"))
    assert held.settings == Settings("output", True)
    with pytest.raises(HardwareFault):
        held.change(Settings("output", edges="both"))
    assert held.get() is True


def test_a_wire_that_does_not_follow_is_read_as_it_is(model):
    held = hold(model, Settings("output", True))
    model.stick(PATH, 17, False)
    assert held.get() is False


def test_a_chip_that_goes_away_ends_its_lines(model):
    held = hold(model, Settings("input", edges="both"))
    model.unplug(PATH)
    for act in (held.get, held.events, lambda: held.change(Settings("input"))):
        with pytest.raises(HardwareFault, match="the chip is gone") as caught:
            act()
        assert caught.value.errno == errno.ENODEV
    held.close()
    model.plug(PATH)
    assert hold(model, Settings("input")).get() is False


def test_edges_count_on_when_they_were_off_for_a_while(model):
    held = hold(model, Settings("input", edges="both"))
    model.pull(PATH, 17, True)
    held.change(Settings("input"))
    model.pull(PATH, 17, False)
    held.change(Settings("input", edges="rising"))
    model.pull(PATH, 17, True)
    assert [(edge.rising, edge.seqno, edge.lost) for edge in held.events()] == [(True, 1, 0), (True, 2, 0)]


def test_the_numbers_of_edges_may_go_round_and_begin_anew(model):
    held = hold(model, Settings("input", edges="both"))
    inner = model._held[held.fd]
    inner.seqno = held._next = 0xFFFFFFFF
    inner.seqno = 0xFFFFFFFE
    held._next = 0xFFFFFFFF
    model.pull(PATH, 17, True)
    assert [(edge.seqno, edge.lost) for edge in held.events()] == [(0xFFFFFFFF, 0)]
    inner.seqno = 1
    model.pull(PATH, 17, False)
    assert [(edge.seqno, edge.lost) for edge in held.events()] == [(2, 2)]
    inner.seqno = 0
    model.pull(PATH, 17, True)
    assert [(edge.seqno, edge.lost) for edge in held.events()] == [(1, 0)]


def test_a_slow_reader_may_ask_for_more_room(model):
    held = find(model).request(17, Settings("input", edges="both"), "slow", room=64)
    for _ in range(60):
        model.pull(PATH, 17, not model.outside(PATH, 17))
    edges = [edge for _ in range(4) for edge in held.events()]
    assert [edge.seqno for edge in edges] == list(range(1, 61))
    assert not any(edge.lost for edge in edges)


def test_what_was_closed_says_so(model):
    held = hold(model, Settings("output", True))
    held.close()
    for act in (held.get, lambda: held.set(True), lambda: held.change(Settings("input"))):
        with pytest.raises(HardwareFault, match="it was closed"):
            act()


def test_what_others_lost_by_reading_late_is_counted_over_several_calls(model):
    held = hold(model, Settings("input", edges="both"))
    lost = 0
    for burst in (3, 40, 16, 17):
        for _ in range(burst):
            model.pull(PATH, 17, not model.outside(PATH, 17))
        edges = held.events()
        lost += sum(edge.lost for edge in edges)
        assert len(edges) == min(burst, 16)
    assert lost == 24 + 1
    assert edges[-1].seqno == 3 + 40 + 16 + 17
