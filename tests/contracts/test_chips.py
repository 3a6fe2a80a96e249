"""One suite over every way to GPIO chips: the model in this process, the model as a process, and a kernel's chip.

A kernel's chip is used where FIELDHAND_GPIO_CHIP says so: `PATH OFFSET`, a line that nothing is wired to (gpio-sim).
"""

from __future__ import annotations

import errno
import os
import select
import time

import pytest

from edge.faults import HardwareFault
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.find import find
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.seam import Kernel
from tests.support.boards import eventually
from tests.support.chips import ChipServer

ON = Settings("output", True)
OFF = Settings("output", False)
HEAR = Settings("input", edges="both")


class InProcess:
    """The model in this process."""

    path, line = "/dev/gpiochip0", 17

    def __init__(self, _folder):
        self.seam = self.wires = Model("pi3")

    def level(self):
        return self.wires.outside(self.path, self.line)

    def pull(self, level):
        self.wires.pull(self.path, self.line, level)

    def asked(self):
        return [done.what for done in self.wires.record]

    def close(self):
        pass


class Process(InProcess):
    """The model as a process of its own."""

    def __init__(self, folder):
        self.server = ChipServer(folder)
        self.seam = self.server.remote()
        self.wires = self.server.outside()

    def level(self):
        return self.wires.level(self.path, self.line)

    def asked(self):
        return [done["what"] for done in self.wires.record()]

    def close(self):
        self.server.close()


class Real:
    """A chip of this kernel; its wire is gpio-sim's, under sysfs."""

    def __init__(self, _folder):
        said = os.environ.get("FIELDHAND_GPIO_CHIP", "")
        if not said:
            pytest.skip("FIELDHAND_GPIO_CHIP names no chip of this kernel")
        self.path, line = said.split()
        self.line = int(line)
        self.seam = Kernel(os.path.dirname(self.path))
        name = os.path.basename(self.path)
        self._sysfs = f"/sys/bus/gpio/devices/{name}/../sim_gpio{line}"

    def level(self):
        with open(f"{self._sysfs}/value") as file:
            return file.read().strip() == "1"

    def pull(self, level):
        with open(f"{self._sysfs}/pull", "w") as file:
            file.write("pull-up" if level else "pull-down")

    def asked(self):
        return None

    def close(self):
        pass


@pytest.fixture(params=[InProcess, Process, Real])
def way(request, tmp_path):
    made = request.param(tmp_path)
    yield made
    made.close()


@pytest.fixture
def chip(way):
    made = Chip(way.seam, way.path)
    yield made
    made.close()


def ready(request, seconds=0.0):
    poll = select.poll()
    poll.register(request.fd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def heard(request, count):
    """That many edges, as they come."""
    found = []
    while len(found) < count:
        assert ready(request, 60.0)
        found += request.events()
    return found


def test_a_chip_is_found_among_the_nodes_and_says_how_many_lines_it_has(way, chip):
    assert way.path in way.seam.chips()
    assert chip.lines > way.line
    assert chip.name == os.path.basename(way.path)


def test_looking_at_a_line_takes_and_changes_nothing(way, chip):
    before = chip.info(way.line)
    assert before == chip.info(way.line)
    assert before.offset == way.line
    assert not before.used
    assert set(way.asked() or ["GET_LINEINFO"]) <= {"open", "GET_CHIPINFO", "GET_LINEINFO"}


@pytest.mark.parametrize("value", [False, True])
def test_an_output_has_its_value_from_the_first_moment_and_reads_back(way, chip, value):
    held = chip.request(way.line, Settings("output", value), "fieldhand-test")
    assert held.get() is value
    assert way.level() is value
    held.close()


def test_active_low_turns_the_wire_round_and_not_what_is_read_back(way, chip):
    held = chip.request(way.line, Settings("output", True, active_low=True), "fieldhand-test")
    assert held.get() is True
    assert way.level() is False
    held.set(False)
    assert held.get() is False
    assert way.level() is True
    held.close()


def test_a_held_line_says_who_holds_it_and_as_what(way, chip):
    held = chip.request(way.line, Settings("output", True, active_low=True), "fieldhand-test")
    info = chip.info(way.line)
    assert (info.used, info.consumer, info.direction, info.active_low) == (True, "fieldhand-test", "output", True)
    held.close()
    assert not chip.info(way.line).used


def test_a_second_holder_is_refused_with_the_name_of_the_first(way, chip):
    held = chip.request(way.line, OFF, "fieldhand-test")
    other = Chip(way.seam, way.path)
    with pytest.raises(HardwareFault, match='held by "fieldhand-test"') as caught:
        other.request(way.line, OFF, "another")
    assert caught.value.errno == errno.EBUSY
    other.close()
    held.close()
    chip.request(way.line, OFF, "another").close()


def test_a_line_stays_held_when_its_chip_is_closed(way):
    chip = Chip(way.seam, way.path)
    held = chip.request(way.line, ON, "fieldhand-test")
    chip.close()
    assert held.get() is True
    held.close()


def test_an_output_keeps_its_value_when_it_is_changed_in_place(way, chip):
    held = chip.request(way.line, ON, "fieldhand-test")
    held.change(Settings("output", drive="source"))
    assert held.get() is True
    assert chip.info(way.line).drive == "source"
    held.change(Settings("output", False))
    assert held.get() is False
    held.close()


def test_a_line_turns_from_input_to_output_and_back_on_one_descriptor(way, chip):
    held = chip.request(way.line, Settings("input"), "fieldhand-test")
    fd = held.fd
    held.change(ON)
    assert (held.fd, way.level()) == (fd, True)
    held.change(Settings("input"))
    assert chip.info(way.line).direction == "input"
    held.close()


def test_an_input_follows_its_wire(way, chip):
    held = chip.request(way.line, Settings("input"), "fieldhand-test")
    for level in (True, False, True):
        way.pull(level)
        assert held.get() is level
    held.close()


def test_setting_an_input_is_refused(way, chip):
    held = chip.request(way.line, Settings("input"), "fieldhand-test")
    with pytest.raises(HardwareFault, match="held as an input"):
        held.set(True)
    held.close()


def test_edges_come_in_order_with_times_and_numbers(way, chip):
    way.pull(False)
    held = chip.request(way.line, HEAR, "fieldhand-test")
    assert held.events() == []
    assert not ready(held)
    for level in (True, False, True):
        way.pull(level)
    edges = heard(held, 3)
    assert [edge.rising for edge in edges] == [True, False, True]
    assert [(edge.seqno, edge.lost) for edge in edges] == [(1, 0), (2, 0), (3, 0)]
    assert edges[0].ns <= edges[1].ns <= edges[2].ns
    held.close()


@pytest.mark.parametrize(("edges", "rising"), [("rising", True), ("falling", False)])
def test_only_the_edges_that_were_asked_for_come(way, chip, edges, rising):
    way.pull(False)
    held = chip.request(way.line, Settings("input", edges=edges), "fieldhand-test")
    for level in (True, False, True, False):
        way.pull(level)
    assert [edge.rising for edge in heard(held, 2)] == [rising] * 2
    held.close()


def test_edges_nobody_read_are_dropped_from_the_oldest_and_missed_by_number(way, chip):
    way.pull(False)
    held = chip.request(way.line, HEAR, "fieldhand-test")
    for index in range(20):
        way.pull(index % 2 == 0)
    edges = heard(held, 16)
    assert [edge.seqno for edge in edges] == list(range(5, 21))
    assert [edge.lost for edge in edges] == [4] + [0] * 15
    held.close()


def bounced(way, period):
    """Let the wire bounce and end high; False when this machine took so long over it that it was no bouncing."""
    slowest, last = 0.0, time.monotonic()
    for level in (True, False) * 5 + (True,):
        way.pull(level)
        now = time.monotonic()
        slowest, last = max(slowest, now - last), now
    return slowest < period / 2


def test_debounce_lets_only_a_level_through_that_stays(way, chip):
    period = 0.1
    held = chip.request(way.line, Settings("input", edges="both", debounce=period), "fieldhand-test")
    assert chip.info(way.line).debounce == period
    for _ in range(100):
        way.pull(False)
        eventually(lambda: not held.get())
        held.events()
        if bounced(way, period):
            break
    assert [edge.rising for edge in heard(held, 1)] == [True]
    assert held.get() is True
    assert held.events() == []
    held.close()


@pytest.mark.parametrize(
    "settings",
    [
        Settings("output", edges="both"),
        Settings("output", debounce=0.1),
        Settings("input", drive="drain"),
        Settings("as-is", bias="up"),
        Settings("as-is", edges="rising"),
    ],
    ids=str,
)
def test_what_contradicts_itself_is_refused_and_leaves_the_line_free(way, chip, settings):
    with pytest.raises(HardwareFault, match="cannot be held like this") as caught:
        chip.request(way.line, settings, "fieldhand-test")
    assert caught.value.errno == errno.EINVAL
    assert not chip.info(way.line).used


def test_as_is_changes_nothing_at_the_wire(way, chip):
    held = chip.request(way.line, Settings("input"), "fieldhand-test")
    held.close()
    held = chip.request(way.line, Settings("as-is"), "fieldhand-test")
    assert chip.info(way.line).direction == "input"
    held.close()


def test_a_line_that_is_not_there_is_told_with_those_that_are(way, chip):
    with pytest.raises(HardwareFault, match=f"0 to {chip.lines - 1}"):
        chip.info(chip.lines)
    with pytest.raises(HardwareFault, match="has no line"):
        chip.offset_of("no such line")
    assert chip.offset_of(str(way.line)) == way.line


def test_the_chip_is_found_by_its_label(way, chip):
    found = find(way.seam, chip.label)
    assert found.path == way.path
    found.close()


def test_a_number_that_is_no_request_is_refused(way):
    fd = way.seam.open(way.path)
    with pytest.raises(OSError) as caught:
        way.seam.ioctl(fd, 0xC010B4FF, bytearray(16))
    assert caught.value.errno in (errno.EINVAL, errno.ENOTTY)
    way.seam.close(fd)


def test_what_is_not_there_cannot_be_opened(way):
    with pytest.raises(HardwareFault, match="the chip is gone"):
        Chip(way.seam, way.path + "99")
