"""What gpiozero is told of a board: names of pins, header, lines without a name, boards with and without a revision."""

from __future__ import annotations

import pytest

from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.stock import Line, Stock
from tests.support.pins import Bench, FieldhandFactory, gpiozero


def tree(folder, **files):
    """A root whose device tree says this."""
    where = folder / "proc" / "device-tree"
    (where / "system").mkdir(parents=True)
    for name, data in files.items():
        (where / name.replace("revision", "system/linux,revision")).write_bytes(data)
    return str(folder)


def listed(*names, label="chip"):
    lines = tuple([Line(name) for name in names])
    return FieldhandFactory(Model((Stock("gpiochip0", label, lines),)), reserved=(), root="/nowhere")


def offsets(factory):
    return {name: factory.offset(factory.pin(name).info.name) for name in ("GPIO0", "GPIO1", "GPIO2", "GPIO3")}


def test_a_revision_code_is_what_gpiozero_knows_of_it(tmp_path) -> None:
    root = tree(tmp_path, revision=(0xC03111).to_bytes(4, "big"), model=b"Raspberry Pi 4 Model B Rev 1.1\0")
    with Bench("pi3", root=root) as bench:
        info = bench.factory.board_info
        assert (info.model, info.memory) == ("4B", 4096) and "J14" in info.headers
        assert bench.factory.pin("BOARD40").info.name == "GPIO21"


def test_an_overvolted_old_board_has_its_own_header(tmp_path) -> None:
    with Bench("pi-zero", root=tree(tmp_path, revision=(0x1000002).to_bytes(4, "big"))) as bench:
        assert bench.factory.pin("P1:3").info.name == "GPIO0"


def test_a_raspberry_pi_with_a_mainline_tree_has_the_header_of_its_model(tmp_path) -> None:
    root = tree(tmp_path, compatible=b"raspberrypi,3-model-b\0brcm,bcm2837\0", model=b"Raspberry Pi 3 Model B\0")
    with Bench("pi3-mainline", root=root) as bench:
        assert bench.factory.board_info.description == "Raspberry Pi 3 Model B"
        for name in (4, "GPIO4", "BCM4", "BOARD7", "J8:7", "WPI7"):
            assert bench.factory.pin(name).info.name == "GPIO4"
        pins = bench.factory.board_info.headers["J8"].pins
        assert len(pins) == 40 and pins[3].pull == "up" and pins[39].name == "GND" and pins[7].pull == ""
        assert "GPIO21" in f"{bench.factory.board_info:mono full}"


def test_a_module_without_a_header_has_its_lines_but_not_the_boards(tmp_path) -> None:
    root = tree(tmp_path, compatible=b"raspberrypi,3-compute-module\0brcm,bcm2837\0")
    with Bench("pi3-mainline", root=root) as bench:
        assert bench.factory.pin("SDA1").info.name == "GPIO2"
        with pytest.raises(gpiozero.PinInvalidPin):
            bench.factory.pin("SD_CLK_R")


def test_lines_are_called_by_their_names_and_numbers() -> None:
    factory = listed("PA0", "", "GPIO7", "PB3")
    assert [factory.offset(factory.pin(name).info.name) for name in ("PA0", 0, "GPIO0", 1, "GPIO7", 7, "PB3", 3)] == [
        *(0, 0, 0, 1, 2, 2, 3, 3)
    ]
    with pytest.raises(gpiozero.PinInvalidPin):
        factory.pin("GPIO2")
    assert "PA0" not in factory.board_info.description and f"{factory.board_info:mono full}"
    factory.close()


def test_a_line_that_is_named_as_anothers_number_is_that_number() -> None:
    factory = listed("GPIO3", "GPIO2", "GPIO1", "GPIO0")
    assert offsets(factory) == {"GPIO0": 3, "GPIO1": 2, "GPIO2": 1, "GPIO3": 0}
    factory.close()
    factory = listed("X", "GPIO0", "GPIO3", "Y")
    assert offsets(listed("A", "B", "C", "D")) == {"GPIO0": 0, "GPIO1": 1, "GPIO2": 2, "GPIO3": 3}
    names = {name: factory.pin(name).info.name for name in ("X", "GPIO0", "GPIO3", "Y")}
    assert names["GPIO0"] == "GPIO0" and names["GPIO3"] == "GPIO3" and len(set(names.values())) == 4
    assert [factory.offset(name) for name in names.values()] == [0, 1, 2, 3]
    factory.close()


def test_two_lines_with_one_name_are_two_pins() -> None:
    factory = listed("GPIO1", "GPIO1", "")
    assert sorted(factory.offset(name) for name in factory._offsets) == [0, 1, 2]
    factory.close()


def test_a_module_without_a_header_offers_no_line_of_the_board_by_a_name_of_the_header(tmp_path) -> None:
    root = tree(tmp_path, compatible=b"raspberrypi,3-compute-module\0brcm,bcm2837\0")
    with Bench("pi3", root=root) as bench:
        found = {pin.name for pin in bench.factory.board_info.headers["pinctrl-bcm2835"].pins.values()}
        assert found == {f"GPIO{number}" for number in range(28)}
        with pytest.raises(gpiozero.PinInvalidPin):
            bench.factory.pin("TXD0")
