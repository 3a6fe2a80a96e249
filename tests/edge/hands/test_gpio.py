"""Lines are looked at and watched, never changed: what the kernel is asked, in order, over the chip model."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Gpio, Grant, Permit, Scene
from edge.faults import HardwareFault, Refused, ToolFault
from edge.hands import Hands, Holder
from edge.hands.gpio import CONSUMER, MOST, Header, Lines
from edge.hands.world import World
from edge.peripherals.gpiochip.chip import Chip, Settings
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.wires import Done
from edge.tape.unkept import Unkept
from tests.support.boards import eventually
from tests.support.chips import ChipServer
from tests.support.lined import CHIP, board, world


def hands(here: Any, *names: str, seconds: float = 30.0) -> Hands:
    grants = tuple([Grant("sense", "line", name) for name in names])
    return Hands(Permit("c1", grants, (), seconds), Call("gpio_read", {}, "c1"), here)


def asked(model: Model) -> list[Done]:
    """What the kernel was asked of lines since the chip was found."""
    return [one for one in model.record if one.what not in ("open", "GET_CHIPINFO")]


@contextmanager
def other(model: Model, offset: int, settings: Settings, consumer: str) -> Iterator[None]:
    """Somebody else holds a line."""
    chip = Chip(model, model.chips()[0])
    request = chip.request(offset, settings, consumer)
    try:
        yield
    finally:
        request.close()
        chip.close()


@pytest.mark.parametrize("level", [True, False])
def test_a_free_input_tells_its_level_and_stays_what_it_is(level: bool, tmp_path: Path) -> None:
    model = Model("pi3")
    model.pull(CHIP, "GPIO24", level)
    here = world(tmp_path, model)
    found = hands(here, "GPIO24").lines.look("GPIO24")
    assert (found["value"], found["direction"], found["used"], found["offset"]) == (level, "input", False, 24)
    assert [one.what for one in asked(model) if one.line == 24][-3:] == ["GET_LINEINFO", "GET_LINE", "GET_VALUES"]
    assert model.holders().get((model.chips()[0], 24)) is None


def test_reading_never_asks_for_a_direction_and_never_sets_anything(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    names = [f"GPIO{number}" for number in range(2, 28)]
    before = [model.changes(CHIP, name) for name in names]
    held = hands(here, *names)
    for name in names * 2:
        held.lines.look(name)
    kinds = {one.what for one in asked(model)}
    assert kinds == {"GET_LINEINFO", "GET_LINE", "GET_VALUES"}
    requests = [one for one in asked(model) if one.what == "GET_LINE"]
    assert requests and all(one.flags == 0 for one in requests)
    assert [model.changes(CHIP, name) for name in names] == before


def test_a_line_that_somebody_holds_is_told_with_its_holder_and_not_asked(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    with other(model, 23, Settings("output", True), "pump driver"):
        found = hands(here, "GPIO23").lines.look("GPIO23")
        assert model.outside(CHIP, "GPIO23") is True
    assert (found["value"], found["direction"], found["holder"]) == (None, "output", 'held by "pump driver"')
    assert not found["own"]
    for consumer, own in (("fieldhand:door", True), (CONSUMER, False), ("fieldhand wire", False)):
        with other(model, 23, Settings("input"), consumer):
            assert hands(here, "GPIO23").lines.look("GPIO23")["own"] is own
    assert sum(one.what == "GET_LINE" and one.line == 23 for one in asked(model)) == 4  # the others' own


def test_a_free_output_keeps_driving_and_is_not_asked_for_its_value(tmp_path: Path) -> None:
    model = Model("pi3", release="keep")
    here = world(tmp_path, model)
    with other(model, 24, Settings("output", True), "gone"):
        pass
    found = hands(here, "GPIO24").lines.look("GPIO24")
    assert (found["value"], found["direction"], found["used"]) == (None, "output", False)
    assert model.outside(CHIP, "GPIO24") is True and len(model.changes(CHIP, "GPIO24")) == 2


def test_without_a_grant_nothing_is_asked_at_all(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    before = len(model.record)
    for act in (lambda held: held.look("GPIO24"), lambda held: held.watch("GPIO24", 1, "both", 0)):
        with pytest.raises(Refused, match="holds no sense of line:GPIO24"):
            act(hands(here, "GPIO25").lines)
    assert len(model.record) == before


def test_the_chip_is_found_by_its_label_once_and_anew_after_it_failed(tmp_path: Path) -> None:
    model = Model("pi5")
    here = world(tmp_path, model, Gpio())
    held = hands(here, "GPIO24")
    opened = sum(one.what == "open" for one in model.record)
    for _ in range(3):
        assert held.lines.look("GPIO24")["chip"] == "pinctrl-rp1"
    assert sum(one.what == "open" for one in model.record) == opened
    model.fail("GET_LINEINFO", errno.ENODEV)
    first = here.header()
    with pytest.raises(HardwareFault):
        held.lines.look("GPIO24")
    assert here._header is None and first.chip._fd == -1
    here._header = Header(Gpio(), model)
    assert held.lines.look("GPIO24")["value"] is False


def test_when_the_chip_is_gone_no_other_one_is_taken_for_it(tmp_path: Path) -> None:
    server = ChipServer(tmp_path, "pi3")
    try:
        outside = server.outside()
        here = World(Scene("/", "", gpio=Gpio(server.chips, lines=("BT_ON",))), Unkept(), board)
        assert hands(here, "GPIO24").lines.look("GPIO24")["chip"] == "pinctrl-bcm2835"
        outside.unplug("pinctrl-bcm2835")
        for name in ("GPIO24", "BT_ON", "BT_ON"):
            with pytest.raises(HardwareFault, match=r"the chip is gone|no GPIO chip has the label pinctrl-bcm2835"):
                hands(here, name).lines.look(name)
        outside.plug("pinctrl-bcm2835")
        assert hands(here, "GPIO24").lines.look("GPIO24")["chip"] == "pinctrl-bcm2835"
        here.close()
    finally:
        server.close()


def test_the_chip_is_let_go_with_the_world_and_a_line_that_was_taken_meanwhile_is_told(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    chip = here.header().chip
    model.fail("GET_LINE", errno.EBUSY)
    with pytest.raises(HardwareFault, match=r"GPIO24|line 24"):
        hands(here, "GPIO24").lines.look("GPIO24")
    assert chip._fd == -1  # it is found anew next time
    here._header = Header(Gpio(), model)
    chip = here.header().chip
    here.close()
    assert chip._fd == -1 and here._header is None


def test_a_line_without_a_name_is_looked_at_only_when_the_settings_name_it(tmp_path: Path) -> None:
    model = Model("generic")
    here = world(tmp_path, model, Gpio(lines=("3",)))
    assert hands(here, "3").lines.look("3")["offset"] == 3
    with pytest.raises(HardwareFault):
        hands(here, "GPIO4").lines.look("GPIO4")


def test_a_board_without_lines_has_none(tmp_path: Path) -> None:
    with pytest.raises(HardwareFault, match="gives no lines"):
        Header(None)
    with pytest.raises(HardwareFault, match="no GPIO chip"):
        Header(Gpio(), Model(()))


class Toggler(threading.Thread):
    """Moves a line from outside once it is watched."""

    def __init__(self, model: Model, name: str, times: int, pause: float = 0.0) -> None:
        super().__init__()
        self.model, self.name_, self.times, self.pause = model, name, times, pause

    def run(self) -> None:
        path, offset = self.model.chips()[0], int(self.name_[4:])
        eventually(lambda: (path, offset) in self.model.holders(), pause=0.001)
        looked = ("GET_VALUES", offset)  # the level before; what comes from then on is counted
        eventually(lambda: looked in [(one.what, one.line) for one in list(self.model.record)], pause=0.001)
        for number in range(self.times):
            self.model.pull(CHIP, self.name_, number % 2 == 0)
            time.sleep(self.pause)


LONG = 2.0  # seconds in which another thread gets to pull a line a few times, on a busy machine too


def watched(model: Model, folder: Path, times: int, pause: float, seconds: float, edges: str = "both") -> Any:
    here = world(folder, model)
    toggler = Toggler(model, "GPIO24", times, pause)
    toggler.start()
    try:
        return hands(here, "GPIO24").lines.watch("GPIO24", seconds, edges, 0.0)
    finally:
        toggler.join()


def test_edges_are_counted_with_their_moments_and_the_level_before_and_after(tmp_path: Path) -> None:
    model = Model("pi3")
    found = watched(model, tmp_path, 5, 0.005, LONG)
    assert (found["count"], found["rising"], found["falling"], found["lost"]) == (5, 3, 2, 0)
    assert (found["before"], found["after"], found["why"]) == (False, True, "")
    assert [rising for rising, _ in found["edges"]] == [True, False, True, False, True]
    moments = [at for _, at in found["edges"]]
    assert moments == sorted(moments) and moments[0] >= 0 and moments[-1] == found["last"] <= found["seconds"]
    assert found["seconds"] >= LONG and model.holders().get((model.chips()[0], 24)) is None
    (request,) = [one for one in asked(model) if one.what == "GET_LINE"]
    assert request.line == 24 and not {one.what for one in asked(model)} & {"SET_CONFIG", "SET_VALUES"}


def test_only_the_wanted_edges_are_heard(tmp_path: Path) -> None:
    found = watched(Model("pi3"), tmp_path, 4, 0.005, LONG, "falling")
    assert (found["rising"], found["falling"]) == (0, 2)


def test_a_flood_is_counted_and_what_the_kernel_dropped_is_told(tmp_path: Path) -> None:
    model = Model("pi3")
    found = watched(model, tmp_path, 400, 0.0, 0.6)
    assert len(found["edges"]) <= MOST and found["count"] + found["lost"] <= 400
    assert found["lost"] > 0 or found["count"] == 400


def test_a_burst_that_comes_between_two_looks_is_not_lost(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    pulled: list[int] = []

    class Bursting(Holder):
        """All of it comes before anything is fetched."""

        def ending(self) -> bool:
            if not pulled:
                pulled.extend(range(500))
                for number in pulled:
                    model.pull(CHIP, "GPIO24", number % 2 == 0)
            return False

    permit = Permit("c1", (Grant("sense", "line", "GPIO24"),), (), 30.0)
    found = Lines(Bursting(permit, Call("gpio_watch", {}, "c1"), here)).watch("GPIO24", 0.3, "both", 0.0)
    assert (found["count"], found["lost"], len(found["edges"])) == (500, 0, MOST)


def test_a_watch_ends_at_once_when_the_call_is_cut_and_early_at_its_deadline(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    held = hands(here, "GPIO24", seconds=60.0)
    timer = threading.Timer(0.2, here.cut)
    timer.start()
    found = held.lines.watch("GPIO24", 50.0, "both", 0.0)
    assert found["why"] == "it was cut" and found["seconds"] < 20
    short = hands(here, "GPIO24", seconds=0.8).lines.watch("GPIO24", 50.0, "both", 0.0)
    assert "0.8 s" in short["why"] and short["seconds"] < 20


def test_what_would_have_to_be_changed_to_be_watched_is_not(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    held = pytest.raises(ToolFault, match='held by "somebody"')
    with other(model, 24, Settings("output", True), "somebody"), held:
        hands(here, "GPIO24").lines.watch("GPIO24", 1, "both", 0)
    with pytest.raises(ToolFault, match="is an output"):
        hands(here, "GPIO24").lines.watch("GPIO24", 1, "both", 0)
    assert model.outside(CHIP, "GPIO24") is True


def test_a_failure_in_the_middle_lets_the_line_go(tmp_path: Path) -> None:
    model = Model("pi3")
    here = world(tmp_path, model)
    model.fail("GET_VALUES", errno.EIO)
    with pytest.raises(HardwareFault):
        hands(here, "GPIO24").lines.look("GPIO24")
    assert model.holders().get((model.chips()[0], 24)) is None
