"""One pin: what touches its line and what does not, what gpiozero's errors say, edges that get lost."""

from __future__ import annotations

import errno
import threading
import warnings

import pytest

from edge.peripherals.gpiochip import uapi
from tests.support.boards import eventually
from tests.support.pins import Bench, gpiozero

pytestmark = pytest.mark.filterwarnings("ignore::gpiozero.PWMSoftwareFallback")


@pytest.fixture
def bench():
    with Bench() as made:
        yield made


class Heard:
    """Whoever hears of edges; gpiozero holds its methods weakly."""

    def __init__(self):
        self.edges = []

    def edge(self, ticks, state):
        self.edges.append((ticks, state))


def test_a_pin_that_was_only_made_or_looked_at_has_not_touched_its_line(bench) -> None:
    pin = bench.factory.pin(17)
    assert (pin.function, pin.pull, pin.frequency, pin.bounce, pin.edges) == ("input", "as-is", None, None, "both")
    assert bench.calls(17) == [] and bench.factory.pin("GPIO17") is pin
    pin.close()
    assert bench.calls(17) == []


def test_reading_takes_the_line_as_it_is_and_leaves_it_on(bench) -> None:
    on = bench.factory.pin(17)
    on.output_with_state(1)
    on.close()
    before = bench.changes(17)
    with gpiozero.GPIODevice(17, pin_factory=bench.factory) as device:
        assert device.value == 1
        assert bench.asked(17).flags & (uapi.INPUT | uapi.OUTPUT) == 0
    assert bench.changes(17) == before


def test_every_change_is_made_on_one_request(bench) -> None:
    pin, heard = bench.factory.pin(17), Heard()
    pin.input_with_pull("up")
    pin.bounce, pin.edges, pin.when_changed = 0.001, "rising", heard.edge
    pin.function = "output"
    pin.state = False
    pin.function = "input"
    pin.when_changed = None
    assert bench.calls(17).count("GET_LINE") == 1
    assert pin.pull == "floating"  # as with gpiozero's own pins after they were an output
    pin.pull = "down"
    assert (pin.function, pin.pull, pin.bounce, pin.edges) == ("input", "down", 0.001, "rising")


def test_an_input_that_becomes_an_output_keeps_its_level(bench) -> None:
    pin = bench.factory.pin(17)
    pin.input_with_pull("up")
    pin.function = "output"
    assert pin.state and bench.changes(17) == [False, True]
    pin.function = "output"
    assert bench.calls(17).count("SET_CONFIG") == 1


def test_edges_go_on_after_the_pin_was_an_output(bench) -> None:
    pin, heard = bench.factory.pin(17), Heard()
    pin.input_with_pull("down")
    pin.when_changed = heard.edge
    pin.function = "output"
    pin.state = True
    pin.state = False
    pin.function = "input"
    bench.pull(17, True)
    eventually(lambda: [state for _, state in heard.edges] == [1])


def test_only_the_wanted_edges_are_told_with_the_time_of_the_kernel(bench) -> None:
    pin, heard = bench.factory.pin(17), Heard()
    pin.function, pin.edges, pin.when_changed = "input", "falling", heard.edge
    assert pin.when_changed == heard.edge
    before = bench.factory.ticks()
    for level in (True, False, True, False):
        bench.pull(17, level)
    eventually(lambda: len(heard.edges) == 2)
    times = [ticks for ticks, _ in heard.edges]
    assert [state for _, state in heard.edges] == [0, 0] and before <= times[0] <= times[1] <= bench.factory.ticks()
    pin.edges = "none"
    assert bench.asked(17).flags & (uapi.RISING | uapi.FALLING) == 0


def test_who_is_gone_is_not_told_and_the_line_is_left_alone_then(bench) -> None:
    pin, heard = bench.factory.pin(17), Heard()
    pin.function, pin.when_changed = "input", heard.edge
    del heard
    bench.pull(17, True)
    eventually(lambda: bench.asked(17).flags & (uapi.RISING | uapi.FALLING) == 0)
    assert pin.when_changed is None


def test_lost_edges_are_said_once(bench) -> None:
    pin, go, slow, told = bench.factory.pin(17), threading.Event(), threading.Event(), []

    def hear(ticks, state):
        told.append(state)
        slow.set()
        go.wait(60)

    pin.function, pin.when_changed = "input", hear
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        bench.pull(17, True)
        assert slow.wait(60)
        for _ in range(2):
            for at in range(40):
                bench.pull(17, bool(at % 2))
        go.set()
        eventually(lambda: len(told) >= 17)
    assert [one.category for one in said] == [gpiozero.PinWarning]
    assert "of GPIO17 came faster" in str(said[0].message)


def test_a_handler_that_fails_is_reported_and_the_next_edge_is_told(bench, monkeypatch) -> None:
    reports, heard = [], Heard()
    monkeypatch.setattr(threading, "excepthook", lambda report: reports.append(report.exc_type))

    def fails(ticks, state):
        heard.edge(ticks, state)
        raise ZeroDivisionError

    pin = bench.factory.pin(17)
    pin.function, pin.when_changed = "input", fails
    for level in (True, False, True):
        bench.pull(17, level)
    eventually(lambda: len(heard.edges) == 3 and len(reports) == 3)
    assert reports == [ZeroDivisionError] * 3


def test_a_handler_may_close_its_own_pin(bench) -> None:
    pin, closed = bench.factory.pin(17), threading.Event()

    def close(ticks, state):
        pin.close()
        closed.set()

    pin.function, pin.when_changed = "input", close
    bench.pull(17, True)
    assert closed.wait(60)
    assert bench.model.holders().get((bench.chip, 17)) is None


@pytest.mark.parametrize(
    ("attribute", "value", "kind", "said"),
    [
        ("function", "alternate", gpiozero.PinInvalidFunction, "input or an output"),
        ("state", 1, gpiozero.PinSetInput, "is no output"),
        ("pull", "sideways", gpiozero.PinInvalidPull, "up or down"),
        ("bounce", -1, gpiozero.PinInvalidBounce, "0 to 4294"),
        ("bounce", 1e9, gpiozero.PinInvalidBounce, "0 to 4294"),
        ("bounce", float("nan"), gpiozero.PinInvalidBounce, "0 to 4294"),
        ("edges", "all", gpiozero.PinInvalidEdges, "none, rising"),
        ("frequency", 50, gpiozero.PinPWMFixedValue, "is no output"),
    ],
)
def test_what_an_input_cannot_do_is_gpiozeros_own_error(bench, attribute, value, kind, said) -> None:
    pin = bench.factory.pin(17)
    pin.function = "input"
    before = bench.calls(17)
    with pytest.raises(kind, match=f"GPIO17.*{said}|{said}.*GPIO17"):
        setattr(pin, attribute, value)
    assert bench.calls(17) == before


def test_an_output_is_neither_pulled_nor_half_on(bench) -> None:
    pin = bench.factory.pin(17)
    with pytest.raises(gpiozero.PinInvalidState, match="0 or 1"):
        pin.output_with_state(0.5)
    pin.output_with_state(0)
    with pytest.raises(gpiozero.PinFixedPull, match="only an input"):
        pin.pull = "up"
    with pytest.raises(gpiozero.PinInvalidState, match="0 or 1"):
        pin.state = 0.5
    pin.frequency = 100
    with pytest.raises(gpiozero.PinInvalidState, match="between 0 and 1"):
        pin.state = 2


@pytest.mark.parametrize("number", [2, 3])
def test_a_resistor_on_the_board_cannot_be_taken_away(bench, number) -> None:
    pin = bench.factory.pin(number)
    pin.function = "input"
    assert pin.pull == "up"
    pin.pull = "up"
    for pull in ("down", "floating"):
        with pytest.raises(gpiozero.PinFixedPull, match="resistor on the board that pulls it up"):
            pin.pull = pull


@pytest.mark.parametrize(("what", "number"), [("SET_VALUES", errno.EIO), ("SET_VALUES", errno.ENODEV)])
def test_a_line_that_fails_is_gpiozeros_error_with_the_sentence(bench, what, number) -> None:
    pin = bench.factory.pin(17)
    pin.output_with_state(0)
    bench.model.fail(what, number, line=17)
    with pytest.raises(gpiozero.PinError, match="line 17 of pinctrl-bcm2835 could not be set"):
        pin.state = 1
    pin.state = 1
    assert bench.level(17)


def test_pulses_that_fail_say_so_at_the_next_setting(bench) -> None:
    pin = bench.factory.pin(17)
    pin.output_with_state(0)
    pin.frequency = 200
    bench.model.fail("SET_VALUES", errno.EIO, after=3, line=17)
    pin.state = 0.5

    def failed():
        try:
            pin.state = 0.5
        except gpiozero.PinError as error:
            return "could not be set" in str(error)

    eventually(failed)
    pin.close()


def test_a_chip_that_is_gone_ends_the_edges_with_a_warning(bench) -> None:
    pin, heard = bench.factory.pin(17), Heard()
    pin.function, pin.when_changed = "input", heard.edge
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        bench.model.unplug("pinctrl-bcm2835")
        eventually(lambda: said)
    assert "GPIO17 gives no edges any more" in str(said[0].message)
    with pytest.raises(gpiozero.PinError):
        _ = pin.state
