"""sensor_read and sensor_list: quantities with their unit, contacts with the word for their state."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.call import Reading
from edge.peripherals.gpiochip.model import Model
from edge.tools.line_text import reading, state
from tests.support.lined import board, world
from tests.support.one_call import carry


@pytest.mark.parametrize(("value", "word"), [(0.0, "closed"), (1.0, "open")])
def test_a_contact_is_told_by_its_word(value: float, word: str, tmp_path: Path) -> None:
    guard = board()
    guard.plant.circuit.open = value  # type: ignore[attr-defined]
    found = carry("sensor_read", {"name": "door"}, world(tmp_path, Model("pi3"), guard=guard))
    assert found.text.startswith(f"door {word} ({value:.0f}) (ok, ") and found.data is not None
    assert (found.data["value"], found.data["state"]) == (value, word)


def test_a_quantity_has_a_unit_and_no_word(tmp_path: Path) -> None:
    found = carry("sensor_read", {"name": "temperature"}, world(tmp_path, Model("pi3")))
    assert " C (ok, " in found.text and found.data is not None and "state" not in found.data


def test_the_list_says_what_the_two_values_of_a_contact_mean(tmp_path: Path) -> None:
    found = carry("sensor_list", {}, world(tmp_path, Model("pi3")))
    assert "door: greenhouse door, closed (0) or open (1)" in found.text.splitlines() and found.data is not None
    assert found.data["sensors"][-1]["states"] == ["closed", "open"] and "states" not in found.data["sensors"][0]


@pytest.mark.parametrize(
    ("value", "states", "said"),
    [
        (0.0, ("closed", "open"), "closed"),
        (1.0, ("closed", "open"), "open"),
        (0.5, ("closed", "open"), ""),
        (None, ("closed", "open"), ""),
        (1.0, (), ""),
        (2.0, ("closed", "open"), ""),
    ],
)
def test_only_the_two_values_of_a_contact_have_a_word(value: float | None, states: tuple[str, ...], said: str) -> None:
    assert state(value, states) == said


def test_no_value_is_told_with_its_quality_and_source() -> None:
    none = Reading("door", None, "", "fault", 0.0, "GPIO27")
    assert reading(none, ("closed", "open")) == "door gave no value (fault, source GPIO27)"
    plain = Reading("raw", 1.0, "", "ok", 0.25, "GPIO27")
    assert reading(plain) == "raw 1 (ok, 0.2 s old, source GPIO27)"
