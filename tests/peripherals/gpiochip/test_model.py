"""The model as a kernel, a wire and a bench: what it refuses, remembers and lets one do to it."""

from __future__ import annotations

import _thread
import errno
import random
import select

import pytest

from edge.peripherals.gpiochip import uapi
from edge.peripherals.gpiochip.chip import Settings
from edge.peripherals.gpiochip.find import find
from edge.peripherals.gpiochip.model import KEPT, Model
from edge.peripherals.gpiochip.stock import Line, Stock
from tests.support import descriptors
from tests.support.boards import eventually, rounds

PATH = "/dev/gpiochip0"
BOTH = uapi.INPUT | uapi.OUTPUT
EDGE = uapi.RISING
BIASES = uapi.PULL_UP | uapi.PULL_DOWN


def hold(model, settings, line=17):
    return find(model).request(line, settings, "fieldhand")


def free(model):
    """True when nobody holds a line of the first chip."""
    return not [path for path, _ in model.holders() if path == PATH]


def refused(model, data, request=uapi.GET_LINE):
    """The errno with which a packed request to the chip is refused."""
    fd = model.open(PATH)
    with pytest.raises(OSError) as caught:
        model.ioctl(fd, request, data)
    model.close(fd)
    assert free(model)
    return caught.value.errno


@pytest.mark.parametrize(
    "flags",
    [
        BOTH,
        uapi.OUTPUT | EDGE,
        EDGE,
        uapi.INPUT | uapi.OPEN_DRAIN,
        uapi.OUTPUT | uapi.OPEN_DRAIN | uapi.OPEN_SOURCE,
        uapi.PULL_UP,
        uapi.INPUT | BIASES,
        uapi.INPUT | BIASES | uapi.BIAS_OFF,
        uapi.USED | uapi.INPUT,
        1 << 11 | uapi.INPUT,
        1 << 63 | uapi.INPUT,
    ],
)
def test_flags_that_contradict_each_other_or_are_unknown_are_invalid(flags):
    assert refused(Model(), uapi.request(17, "x", uapi.config(flags, None, 0.0))) == errno.EINVAL


def changed(at, size, value):
    data = uapi.request(17, "x", uapi.config(uapi.INPUT, None, 0.0))
    uapi.put(data, at, size, value)
    return data


@pytest.mark.parametrize(
    ("data", "number"),
    [
        (changed(0, 4, 54), errno.EINVAL),
        (changed(uapi.COUNT_AT, 4, 0), errno.EINVAL),
        (changed(uapi.COUNT_AT, 4, 65), errno.EINVAL),
        (changed(uapi.COUNT_AT, 4, 2), errno.EOPNOTSUPP),
        (changed(uapi.BUFFER_AT + 4, 4, 1), errno.EINVAL),
        (changed(uapi.CONFIG_AT + 8, 4, 11), errno.EINVAL),
        (changed(uapi.CONFIG_AT + 12, 4, 1), errno.EINVAL),
        (uapi.request(17, "x", uapi.config(uapi.OUTPUT, None, 0.1)), errno.EINVAL),
    ],
)
def test_a_request_that_is_not_whole_is_refused_and_holds_nothing(data, number):
    assert refused(Model(), data) == number


def test_lines_calls_of_lines_and_chips_are_not_mixed_up():
    model = Model()
    for request, size in ((uapi.SET_VALUES, 16), (uapi.SET_CONFIG, 272), (0xC010B4FF, 16)):
        assert refused(model, bytearray(size), request) == errno.EINVAL
    held = hold(model, Settings("input"))
    for request, data in ((uapi.GET_LINE, bytearray(592)), (uapi.GET_VALUES, bytearray(16))):
        with pytest.raises(OSError) as caught:
            model.ioctl(held.fd, request, data)
        assert caught.value.errno == errno.EINVAL
    with pytest.raises(OSError) as caught:
        model.ioctl(99999, uapi.GET_VALUES, bytearray(16))
    assert caught.value.errno == errno.EBADF


def test_no_bytes_make_it_raise_anything_but_an_oserror():
    rng = random.Random(20)
    model = Model("pi5")
    fd = model.open("/dev/gpiochip13")
    accepted = 0
    for _ in range(rounds(20_000)):
        request = rng.choice((uapi.GET_CHIPINFO, uapi.GET_LINEINFO, uapi.GET_LINE, rng.getrandbits(32)))
        data = bytearray(request >> 16 & 0x3FFF)
        if request == uapi.GET_LINE:
            data = uapi.request(rng.randrange(56), "fuzz", uapi.config(rng.getrandbits(11), None, 0.0))
        for _ in range(rng.choice((0, 0, 1, 3))):
            if data:
                data[rng.randrange(len(data))] = rng.choice((0, 1, 2, 0xFF, rng.randrange(256)))
        try:
            model.ioctl(fd, request, data)
        except OSError as error:
            assert error.errno in (errno.EINVAL, errno.EBUSY, errno.EOPNOTSUPP)
        else:
            accepted += 1
            if request == uapi.GET_LINE:
                model.close(uapi.get(data, uapi.FD_AT, 4))
    assert accepted
    assert all(offset in (32, 34, 44) for _, offset in model.holders())


@pytest.mark.parametrize(("release", "level"), [("keep", True), ("input", False)])
def test_what_a_released_output_does_is_the_kernels_own(release, level):
    model = Model("pi3", release)
    hold(model, Settings("output", True)).close()
    assert model.outside(PATH, 17) is level
    assert free(model)


def test_there_is_no_third_way_to_release():
    with pytest.raises(ValueError, match="keep or input"):
        Model(release="float")


@pytest.mark.parametrize(
    ("settings", "pull", "level"),
    [
        (Settings("input", bias="up"), None, True),
        (Settings("input", bias="up"), False, False),
        (Settings("input", bias="down"), None, False),
        (Settings("input", bias="down"), True, True),
        (Settings("input", bias="off"), None, False),
        (Settings("output", True), False, True),
        (Settings("output", True, drive="drain"), None, False),
        (Settings("output", True, drive="drain"), True, True),
        (Settings("output", False, drive="drain"), True, False),
        (Settings("output", False, drive="source"), True, True),
    ],
    ids=str,
)
def test_a_wire_follows_the_strongest_that_acts_on_it(settings, pull, level):
    model = Model()
    held = hold(model, settings)
    model.pull(PATH, 17, pull)
    assert model.outside(PATH, 17) is level
    assert held.get() is level


def test_pulls_at_power_on_are_the_boards():
    model = Model()
    assert [model.outside(PATH, f"GPIO{number}") for number in (4, 8)] == [True, True]
    assert [model.outside(PATH, number) for number in (9, 27)] == [False, False]


def test_a_chip_without_pulls_takes_a_bias_and_does_not_have_it():
    model = Model("generic")
    held = hold(model, Settings("input", bias="up"), 3)
    assert find(model).info(3).bias == "up"
    assert held.get() is False


def test_every_call_is_on_record_with_what_came_of_it():
    model = Model()
    held = hold(model, Settings("output", True, active_low=True))
    with pytest.raises(OSError):
        hold(model, Settings("input"))
    held.set(False)
    told = [(done.what, done.line, done.flags, done.value, done.error) for done in model.record]
    assert ("GET_LINE", 17, uapi.OUTPUT | uapi.ACTIVE_LOW, True, 0) in told
    assert ("GET_LINE", 17, uapi.INPUT, None, errno.EBUSY) in told
    assert told[-1] == ("SET_VALUES", 17, 0, False, 0)


def test_the_record_does_not_grow_for_ever():
    model = Model()
    held = hold(model, Settings("output", True))
    for _ in range(2 * KEPT + 1):
        held.set(True)
    assert KEPT <= len(model.record) <= 2 * KEPT


def test_a_listener_may_act_on_the_wires():
    """As an echo answers a trigger."""
    model = Model()
    heard = []

    def echo(path, line, level, stamp):
        heard.append((path, line, level))
        assert stamp > 0
        if line == 17:
            model.pull(PATH, 18, level)

    model.listen(echo)
    trigger, answer = hold(model, Settings("output", False)), hold(model, Settings("input", edges="both"), 18)
    trigger.set(True)
    trigger.set(False)
    assert [edge.rising for edge in answer.events()] == [True, False]
    assert heard == [(PATH, 17, True), (PATH, 18, True), (PATH, 17, False), (PATH, 18, False)]


def test_a_descriptor_hangs_up_when_its_chip_goes():
    model = Model()
    held = hold(model, Settings("input", edges="both"))
    poll = select.poll()
    poll.register(held.fd, select.POLLIN)
    assert poll.poll(0) == []
    model.unplug(PATH)
    assert poll.poll(60_000)[0][1] & select.POLLHUP
    assert model.chips() == ("/dev/gpiochip1",)


def test_nothing_stays_open_behind_a_line():
    model = Model()
    hold(model, Settings("input")).close()
    before = descriptors.count()
    for _ in range(20):
        chip = find(model)
        held = chip.request(17, Settings("input", edges="both"), "x")
        for level in (True, False) * 20:
            model.pull(PATH, 17, level)
        held.close()
        chip.close()
    assert descriptors.count() == before


def test_a_debounced_line_reads_as_it_was_until_the_level_stays():
    model = Model()
    held = hold(model, Settings("input", debounce=3600.0))
    model.pull(PATH, 17, True)
    assert held.get() is False
    held.change(Settings("input", edges="both", debounce=0.001))
    assert held.get() is True
    model.pull(PATH, 17, False)
    eventually(lambda: not held.get())
    assert [edge.rising for edge in held.events()] == [False]


def test_threads_may_use_it_at_once():
    model = Model()
    held = [hold(model, Settings("output", False), line) for line in range(10, 14)]
    ended = []

    def run(one):
        for index in range(300):
            one.set(index % 2 == 0)
        ended.append(one.offset)

    for one in held:
        _thread.start_new_thread(run, (one,))
    eventually(lambda: len(ended) == len(held))
    assert all(len(model.changes(PATH, line)) == 301 for line in range(10, 14))


def test_wires_are_told_by_every_name_of_chip_and_line():
    model = Model((Stock("gpiochip3", "label", (Line("A"), Line("B"))),))
    for chip in ("/dev/gpiochip3", "gpiochip3", "label"):
        for line in ("B", "1", 1):
            model.pull(chip, line, True)
            assert model.outside(chip, line) is True
            model.pull(chip, line, None)
    for chip, line in (("x", "A"), ("label", "C"), ("label", 2)):
        with pytest.raises(KeyError, match=r"no chip|no line"):
            model.outside(chip, line)
