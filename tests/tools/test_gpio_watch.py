"""gpio_watch: edges of an input for a time, in words; what is held or wired is not watched."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from edge.call import Observation
from edge.faults import UsageFault
from edge.peripherals.gpiochip.model import Model
from edge.registry import find
from tests.support.boards import eventually
from tests.support.lined import CHIP, world
from tests.support.one_call import carry, judge


def watch(folder: Path, model: Model, moves: int, **args: Any) -> Observation:
    """A watch of GPIO24 while it is moved so often from outside."""

    def move() -> None:
        eventually(lambda: (model.chips()[0], 24) in model.holders(), pause=0.001)
        time.sleep(0.05)
        for number in range(moves):
            model.pull(CHIP, "GPIO24", number % 2 == 0)
            time.sleep(0.004)

    thread = threading.Thread(target=move)
    thread.start()
    try:
        return carry("gpio_watch", {"line": "24", **args}, world(folder, model), "readonly")
    finally:
        thread.join()


def test_edges_are_told_one_by_one_with_their_moments(tmp_path: Path) -> None:
    found = watch(tmp_path, Model("pi3"), 3, seconds=0.4)
    first, second = found.text.splitlines()
    assert first == "GPIO24 (physical pin 18): 3 edges (2 rising, 1 falling) in 0.4 s; low before, high after"
    assert second.count(" s rising") == 2 and second.count(" s falling") == 1
    assert found.data is not None and [row["edge"] for row in found.data["edges"]] == ["rising", "falling", "rising"]


def test_a_bounce_that_is_shorter_than_the_debounce_is_no_edge(tmp_path: Path) -> None:
    found = watch(tmp_path, Model("pi3"), 5, seconds=0.5, debounce_ms=100)
    assert found.data is not None and found.data["count"] == 1 and "1 edge (1 rising, 0 falling)" in found.text


def test_silence_is_an_answer(tmp_path: Path) -> None:
    found = carry("gpio_watch", {"line": "24", "seconds": 0.1, "edges": "falling"}, world(tmp_path, Model("pi3")))
    assert found.text == "GPIO24 (physical pin 18): 0 falling edges in 0.1 s; low before, low after"


def test_more_edges_than_are_shown_are_counted(tmp_path: Path) -> None:
    tool = find("gpio_watch")

    class Lines:
        def watch(self, *_: Any) -> Any:
            edges = [(at % 2 == 0, at / 1000) for at in range(100)]
            told = {"edges": edges, "count": 250, "rising": 125, "falling": 125, "lost": 7, "last": 9.5}
            return {"line": "GPIO24", **told, "before": False, "after": False, "seconds": 10.0, "why": "it was cut"}

    class Held:
        lines, scene = Lines(), world(tmp_path, Model("pi3")).scene

    lines = tool.run({"line": "24", "seconds": 20}, Held()).text.splitlines()  # type: ignore[arg-type]
    assert lines[0].endswith("low after; it ended early: it was cut") and lines[1].startswith("7 more edges were lost")
    assert lines[2].count(",") == 99 and lines[3] == "150 later ones are counted only, the last at 9.5000 s"


@pytest.mark.parametrize(
    ("line", "thing"), [("door", "the contact door"), ("GPIO27", "the contact door"), ("17", "the output pump")]
)
def test_what_the_guard_holds_hands_out_no_edges(line: str, thing: str, tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=thing) as caught:
        judge("gpio_watch", {"line": line, "seconds": 1}, world(tmp_path, Model("pi3")))
    assert "tells its state" in caught.value.fix


def test_only_lines_that_may_be_read_are_watched(tmp_path: Path) -> None:
    here = world(tmp_path, Model("pi3"))
    assert judge("gpio_watch", {"line": "GPIO14", "seconds": 1}, here, "full")[1].verdict == "deny"
    assert judge("gpio_watch", {"line": "GPIO24", "seconds": 1}, here, "readonly")[1].verdict == "allow"
    words = find("gpio_watch").words({"line": "24", "seconds": 90}, here.scene)
    assert words == "watch the line GPIO24 (physical pin 18) for edges, 1 min 30 s long"
