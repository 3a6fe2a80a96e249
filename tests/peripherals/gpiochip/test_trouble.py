"""Sentences for the kernel's refusals."""

from __future__ import annotations

import errno
import os

import pytest

from edge.faults import HardwareFault
from edge.peripherals.gpiochip import trouble
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model

PATH = "/dev/gpiochip0"


@pytest.mark.parametrize(
    ("number", "doing", "said"),
    [
        (errno.EACCES, "open", "permission denied.*gpio USER"),
        (errno.EPERM, "open", "permission denied.*gpio USER"),
        (errno.ENOENT, "open", "the chip is gone"),
        (errno.ENODEV, "line", "the chip is gone"),
        (errno.EPERM, "line", "held as an input"),
        (errno.ENOTTY, "chip", r"does not know this request.*5\.10"),
        (errno.EINVAL, "info", r"does not know this request.*5\.10"),
        (errno.EIO, "line", r"Input/output error \(error 5\).*dmesg"),
        (errno.EMFILE, "open", "Too many open files.*ulimit"),
        (errno.EBADF, "line", "it was closed"),
        (0, "line", "error 0"),
    ],
)
def test_every_number_is_a_sentence_with_a_fix_and_keeps_its_number(number, doing, said):
    with pytest.raises(HardwareFault, match=said) as caught:
        raise trouble.fault(OSError(number, os.strerror(number)), "it did not work", doing)
    assert caught.value.errno == number
    assert caught.value.fix


@pytest.mark.parametrize(
    ("consumer", "said"),
    [("w1", "1-wire"), ("spi0 CS0", "SPI"), ("sysfs", "unexport"), ("lg", "gpiozero"), ("other", "end the program")],
)
def test_what_to_do_about_a_holder_depends_on_who_it_is(consumer, said):
    chip = Chip(Model(), PATH)
    chip.request(17, Settings("input"), consumer)
    with pytest.raises(HardwareFault, match=rf'GPIO17 \(line 17 of pinctrl-bcm2835\) is held by "{consumer}".*{said}'):
        chip.request(17, Settings("input"), "fieldhand")


def test_a_holder_that_cannot_be_asked_for_is_still_a_holder():
    model = Model()
    chip = Chip(model, PATH)
    chip.request(17, Settings("input"), "x")
    model.fail("GET_LINEINFO", errno.EIO)
    with pytest.raises(HardwareFault, match="line 17 of pinctrl-bcm2835 is held"):
        chip.request(17, Settings("input"), "fieldhand")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings("output", edges="both"), "edges are for inputs"),
        (Settings("output", debounce=0.1), "debounce is for inputs"),
        (Settings("input", drive="drain"), "open drain and open source are for outputs"),
        (Settings("as-is", bias="up"), "a bias needs a direction"),
        (Settings("input", bias="up"), ""),
    ],
    ids=str,
)
def test_a_contradiction_is_told_in_words(settings, said):
    assert trouble.contradiction(settings) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.EINVAL, "finds it invalid"), (524, "no such bias"), (errno.EPERM, "kernel keeps it"), (errno.EIO, "dmesg")],
)
def test_a_refused_request_names_the_line(number, said):
    model = Model()
    model.fail("GET_LINE", number)
    with pytest.raises(HardwareFault, match=rf"GPIO17 \(line 17 of pinctrl-bcm2835\).*{said}"):
        Chip(model, PATH).request(17, Settings("input"), "fieldhand")
