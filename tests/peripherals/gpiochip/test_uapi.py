"""Sizes, places and numbers, held against the kernel's header; and packing."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from edge.peripherals.gpiochip import uapi

# What the header says, as C expressions, and what is said here.
FACTS = {
    "sizeof(struct gpiochip_info)": uapi.CHIP_SIZE,
    "sizeof(struct gpio_v2_line_info)": uapi.INFO_SIZE,
    "sizeof(struct gpio_v2_line_request)": uapi.REQUEST_SIZE,
    "sizeof(struct gpio_v2_line_config)": uapi.CONFIG_SIZE,
    "sizeof(struct gpio_v2_line_values)": uapi.VALUES_SIZE,
    "sizeof(struct gpio_v2_line_event)": uapi.EVENT_SIZE,
    "sizeof(struct gpio_v2_line_config_attribute)": uapi.ATTR_SIZE,
    "sizeof(struct gpio_v2_line_attribute)": uapi.INFO_ATTR_SIZE,
    "GPIO_MAX_NAME_SIZE": uapi.NAME,
    "GPIO_V2_LINES_MAX": uapi.MOST,
    "GPIO_V2_LINE_NUM_ATTRS_MAX": uapi.ATTRS,
    "offsetof(struct gpio_v2_line_request, consumer)": uapi.CONSUMER_AT,
    "offsetof(struct gpio_v2_line_request, config)": uapi.CONFIG_AT,
    "offsetof(struct gpio_v2_line_request, num_lines)": uapi.COUNT_AT,
    "offsetof(struct gpio_v2_line_request, event_buffer_size)": uapi.BUFFER_AT,
    "offsetof(struct gpio_v2_line_request, fd)": uapi.FD_AT,
    "offsetof(struct gpio_v2_line_config, num_attrs)": 8,
    "offsetof(struct gpio_v2_line_config, attrs)": uapi.ATTR_AT,
    "offsetof(struct gpio_v2_line_config_attribute, mask)": uapi.MASK_AT,
    "offsetof(struct gpio_v2_line_attribute, values)": 8,
    "offsetof(struct gpio_v2_line_info, consumer)": uapi.NAME,
    "offsetof(struct gpio_v2_line_info, offset)": uapi.OFFSET_AT,
    "offsetof(struct gpio_v2_line_info, num_attrs)": uapi.NUM_AT,
    "offsetof(struct gpio_v2_line_info, flags)": uapi.FLAGS_AT,
    "offsetof(struct gpio_v2_line_info, attrs)": uapi.INFO_ATTR_AT,
    "offsetof(struct gpio_v2_line_event, id)": 8,
    "offsetof(struct gpio_v2_line_event, line_seqno)": 20,
    "GPIO_GET_CHIPINFO_IOCTL": uapi.GET_CHIPINFO,
    "GPIO_V2_GET_LINEINFO_IOCTL": uapi.GET_LINEINFO,
    "GPIO_V2_GET_LINE_IOCTL": uapi.GET_LINE,
    "GPIO_V2_LINE_SET_CONFIG_IOCTL": uapi.SET_CONFIG,
    "GPIO_V2_LINE_GET_VALUES_IOCTL": uapi.GET_VALUES,
    "GPIO_V2_LINE_SET_VALUES_IOCTL": uapi.SET_VALUES,
    "GPIO_V2_LINE_FLAG_USED": uapi.USED,
    "GPIO_V2_LINE_FLAG_ACTIVE_LOW": uapi.ACTIVE_LOW,
    "GPIO_V2_LINE_FLAG_INPUT": uapi.INPUT,
    "GPIO_V2_LINE_FLAG_OUTPUT": uapi.OUTPUT,
    "GPIO_V2_LINE_FLAG_EDGE_RISING": uapi.RISING,
    "GPIO_V2_LINE_FLAG_EDGE_FALLING": uapi.FALLING,
    "GPIO_V2_LINE_FLAG_OPEN_DRAIN": uapi.OPEN_DRAIN,
    "GPIO_V2_LINE_FLAG_OPEN_SOURCE": uapi.OPEN_SOURCE,
    "GPIO_V2_LINE_FLAG_BIAS_PULL_UP": uapi.PULL_UP,
    "GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN": uapi.PULL_DOWN,
    "GPIO_V2_LINE_FLAG_BIAS_DISABLED": uapi.BIAS_OFF,
    "GPIO_V2_LINE_ATTR_ID_FLAGS": uapi.FLAGS,
    "GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES": uapi.VALUES,
    "GPIO_V2_LINE_ATTR_ID_DEBOUNCE": uapi.DEBOUNCE,
    "GPIO_V2_LINE_EVENT_RISING_EDGE": uapi.RISING_EDGE,
    "GPIO_V2_LINE_EVENT_FALLING_EDGE": uapi.FALLING_EDGE,
}
# The same for machines without a compiler or the header.
NUMBERS = {
    "GPIO_GET_CHIPINFO_IOCTL": 0x8044B401,
    "GPIO_V2_GET_LINEINFO_IOCTL": 0xC100B405,
    "GPIO_V2_GET_LINE_IOCTL": 0xC250B407,
    "GPIO_V2_LINE_SET_CONFIG_IOCTL": 0xC110B40D,
    "GPIO_V2_LINE_GET_VALUES_IOCTL": 0xC010B40E,
    "GPIO_V2_LINE_SET_VALUES_IOCTL": 0xC010B40F,
}


def test_the_numbers_are_those_of_the_kernels_documents():
    assert {name: FACTS[name] for name in NUMBERS} == NUMBERS


@pytest.mark.parametrize("bits", ["", "-m32"])
def test_sizes_places_and_numbers_are_those_of_the_kernels_header(tmp_path, bits):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    asserts = [f'_Static_assert(({fact}) == {said}ull, "{fact}");' for fact, said in FACTS.items()]
    (tmp_path / "facts.c").write_text("\n".join(["#include <linux/gpio.h>", "#include <stddef.h>", *asserts, ""]))
    # The kernel's headers stand where the compiler's usual target has them; for these structs they are the same.
    multiarch = subprocess.run([compiler, "-print-multiarch"], capture_output=True, text=True, timeout=60, check=False)
    also = ["-idirafter", f"/usr/include/{multiarch.stdout.strip()}"]
    command = [compiler, "-fsyntax-only", *also, *filter(None, [bits]), "facts.c"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    if "linux/gpio.h" in made.stderr or "-m32" in made.stderr or "asm/" in made.stderr:
        pytest.skip(f"no header or no such target here: {made.stderr.splitlines()[0]}")
    assert made.returncode == 0, made.stderr


def test_an_outputs_value_stands_in_its_config():
    data = uapi.config(uapi.OUTPUT, True, 0.0)
    assert len(data) == uapi.CONFIG_SIZE
    assert uapi.get(data, 0, 8) == uapi.OUTPUT
    assert (uapi.get(data, 8, 4), uapi.get(data, uapi.ATTR_AT, 4)) == (1, uapi.VALUES)
    assert (uapi.get(data, uapi.ATTR_AT + 8, 8), uapi.get(data, uapi.ATTR_AT + uapi.MASK_AT, 8)) == (1, 1)


def test_an_output_that_is_off_says_so_too():
    data = uapi.config(uapi.OUTPUT, False, 0.0)
    assert (uapi.get(data, 8, 4), uapi.get(data, uapi.ATTR_AT + 8, 8)) == (1, 0)


@pytest.mark.parametrize(("seconds", "micro"), [(0.005, 5000), (1e-9, 1), (uapi.LONGEST, 0xFFFFFFFF)])
def test_debounce_is_in_microseconds_and_never_rounded_to_none(seconds, micro):
    data = uapi.config(uapi.INPUT, None, seconds)
    assert (uapi.get(data, uapi.ATTR_AT, 4), uapi.get(data, uapi.ATTR_AT + 8, 4)) == (uapi.DEBOUNCE, micro)


def test_no_debounce_is_no_attribute():
    assert uapi.get(uapi.config(uapi.INPUT, None, 0.0), 8, 4) == 0


@pytest.mark.parametrize("consumer", ["fieldhand pump", "x" * 100, "ü" * 31, ""])
def test_a_consumer_fits_and_stays_text(consumer):
    data = uapi.request(3, consumer, uapi.config(uapi.INPUT, None, 0.0))
    assert len(data) == uapi.REQUEST_SIZE
    said = uapi.text(data, uapi.CONSUMER_AT)
    assert consumer.startswith(said)
    assert len(said.encode()) <= uapi.NAME - 1
    assert (uapi.get(data, 0, 4), uapi.get(data, uapi.COUNT_AT, 4)) == (3, 1)


@pytest.mark.parametrize("words", [uapi.BIAS, uapi.EDGES, uapi.DRIVE], ids=["bias", "edges", "drive"])
def test_every_word_comes_back_from_its_flags(words):
    for said, flag in words.items():
        assert uapi.word(words, flag | uapi.USED | uapi.INPUT) == said
