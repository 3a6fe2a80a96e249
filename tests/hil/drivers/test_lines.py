"""GPIO lines over the registers of the SoC: levels, directions, and a model that is not the one we know."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from edge.faults import HardwareFault, UsageFault
from hil.drivers.lines import Lines
from tests.support.qtests import served

BASE = 0x3F000000
FUNCTION, SET, CLEAR, LEVEL = (BASE + 0x200000 + at for at in (0x00, 0x1C, 0x28, 0x34))


def model(registers: dict[int, int]) -> Callable[[int, int], None]:
    """What QEMU 10.0 does with a write: one level for each line, set and cleared by bits."""

    def write(address: int, value: int) -> None:
        for bank in (0, 4):
            level = registers.get(LEVEL + bank, 0)
            if address == SET + bank:
                registers[LEVEL + bank] = level | value
            elif address == CLEAR + bank:
                registers[LEVEL + bank] = level & ~value

    return write


@pytest.fixture
def registers() -> dict[int, int]:
    """Line 27 is an output, all others are inputs."""
    return {FUNCTION + 2 * 4: 1 << 7 * 3}


@pytest.fixture
def lines(registers: dict[int, int]) -> Iterator[Lines]:
    with served(registers, model(registers)) as qtest:
        yield Lines(qtest, BASE)


@pytest.mark.parametrize("line", [0, 17, 31, 32, 53])
def test_one_line_follows_and_no_other(lines: Lines, registers: dict[int, int], line: int) -> None:
    lines.set(line, 1)
    assert [one for one in range(54) if lines.level(one)] == [line]
    lines.release(line)
    assert not any(lines.level(one) for one in range(54))


def test_a_line_that_the_board_drives_is_seen_and_not_set(lines: Lines, registers: dict[int, int]) -> None:
    registers[LEVEL] = 1 << 27
    assert lines.level(27) == 1 and lines.driven(27) and not lines.driven(17)
    with pytest.raises(HardwareFault, match="line 27 is an output of the board"):
        lines.set(27, 0)
    assert lines.level(27) == 1


def test_all_lines_are_seen_at_once(lines: Lines, registers: dict[int, int]) -> None:
    registers[FUNCTION + 1 * 4] = 4 << 4 * 3
    registers[LEVEL], registers[LEVEL + 4] = 1 << 27 | 1 << 14, 1 << 21
    seen = lines.seen()
    assert list(seen) == list(range(54))
    assert {line: one for line, one in seen.items() if one != ("in", 0)} == {
        14: ("other", 1),
        27: ("out", 1),
        53: ("in", 1),
    }
    assert all(lines.level(line) == level for line, (_, level) in seen.items())


@pytest.mark.parametrize("line", [-1, 54])
def test_a_line_that_is_not_there_is_told(lines: Lines, line: int) -> None:
    with pytest.raises(UsageFault, match=rf"no line {line} \(its lines are 0 to 53\)"):
        lines.set(line, 1)


def test_the_model_is_tried_and_left_as_it_was(lines: Lines, registers: dict[int, int]) -> None:
    registers[LEVEL] = 0b1011
    lines.check()
    assert registers[LEVEL] == 0b1011


def test_a_model_whose_inputs_cannot_be_set_fails_loudly() -> None:
    said = r"line 0 was set to 1, then 0, and showed 0, then 0.*QEMU 10.0"
    with served({}, lambda address, value: None) as qtest, pytest.raises(HardwareFault, match=said):
        Lines(qtest, BASE).check()


def test_a_model_whose_levels_stick_fails_loudly(registers: dict[int, int]) -> None:
    def write(address: int, value: int) -> None:
        if address == SET:
            registers[LEVEL] = registers.get(LEVEL, 0) | value

    with served(registers, write) as qtest, pytest.raises(HardwareFault, match="showed 1, then 1"):
        Lines(qtest, BASE).check()


def test_a_board_without_a_free_input_cannot_be_tried() -> None:
    taken = dict.fromkeys((LEVEL, LEVEL + 4), 0xFFFFFFFF)
    with served(taken) as qtest, pytest.raises(HardwareFault, match="no line of the board is a low input"):
        Lines(qtest, BASE).check()
