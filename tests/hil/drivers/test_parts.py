"""Parts on a bus: their words for QEMU, values in their units, names and values that are none."""

from __future__ import annotations

from typing import Any

import pytest

from edge.faults import HardwareFault, UsageFault
from hil.drivers.parts import Parts, devices
from hil.resources import Part

FITTED = {"t0": Part("tmp105", 1, 0x48), "cpu": Part("emc1413", 1, 0x4C)}


class Asked:
    """A monitor that keeps properties, and refuses what a TMP105 does."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], int] = {}

    def ask(self, command: str, path: str, property: str, value: int = 0) -> Any:
        if command == "qom-get":
            return self.kept[path, property]
        if not -128000 <= value <= 128000:
            raise HardwareFault("QEMU refused qom-set: value out of range")
        if "cpu" in path:
            value = value // 1000 % 256 * 1000  # whole degrees without a sign, as QEMU 10.0 has them
        self.kept[path, property] = value
        return {}


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def parts(asked: Asked) -> Parts:
    return Parts(asked, FITTED)  # type: ignore[arg-type]


def test_the_words_for_qemu_name_bus_and_address() -> None:
    assert devices(FITTED) == [
        *("-device", "tmp105,id=t0,bus=i2c-bus.1,address=0x48"),
        *("-device", "emc1413,id=cpu,bus=i2c-bus.1,address=0x4c"),
    ]
    with pytest.raises(UsageFault, match="t9 is a 'bme999', which is not known here"):
        devices({"t9": Part("bme999", 1, 1)})


def test_a_value_is_set_in_the_steps_of_the_model(parts: Parts, asked: Asked) -> None:
    parts.set("t0", -10.25)
    parts.set("cpu", 61.5, "temperature2")
    assert asked.kept == {
        ("/machine/peripheral/t0", "temperature"): -10250,
        ("/machine/peripheral/cpu", "temperature2"): 61000,
    }
    assert parts.value("t0") == -10.25


def test_a_value_beyond_the_part_is_a_sentence(parts: Parts) -> None:
    with pytest.raises(HardwareFault, match="t0 cannot measure 300: QEMU refused qom-set: value out of range"):
        parts.set("t0", 300)


def test_a_value_that_the_model_keeps_as_another_is_a_sentence(parts: Parts) -> None:
    with pytest.raises(HardwareFault, match=r"cpu cannot measure -10.25: QEMU keeps it as 245"):
        parts.set("cpu", -10.25, "temperature0")


@pytest.mark.parametrize(
    ("name", "quantity", "said"),
    [
        ("t1", "", r"no part 't1' \(it has t0, cpu\)"),
        ("t0", "humidity", r"t0 measures no 'humidity' \(name one of temperature\)"),
        ("cpu", "", r"cpu measures several things \(name one of temperature0, temperature1, temperature2\)"),
    ],
)
def test_what_is_not_there_is_told(parts: Parts, name: str, quantity: str, said: str) -> None:
    with pytest.raises(UsageFault, match=said):
        parts.set(name, 1.0, quantity)


def test_a_part_of_qemu_cannot_be_made_to_fail(parts: Parts) -> None:
    parts.mode("t0", "ok")
    with pytest.raises(UsageFault, match="t0 cannot be made 'nak'"):
        parts.mode("t0", "nak")
    with pytest.raises(UsageFault, match="no part 't7'"):
        parts.mode("t7", "ok")
    for word in ("31,5", "nan", ""):
        with pytest.raises(UsageFault, match=f"'{word}' is no number and no mode of a part"):
            parts.mode("t0", word)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_value_is_refused_before_qemu_is_asked(parts: Parts, value: float) -> None:
    with pytest.raises(HardwareFault, match="t0 cannot measure"):
        parts.set("t0", value)
