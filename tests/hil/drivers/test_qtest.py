"""QEMU's test socket: numbers there and back, refusals and its end as sentences."""

from __future__ import annotations

import pytest

from edge.faults import HardwareFault
from tests.support.qtests import served


def test_a_register_is_written_and_read_and_interrupts_between_are_no_answers() -> None:
    with served({}) as qtest:
        qtest.write(0x2020001C, 1 << 31)
        qtest.write(0x20200034, 7)
        assert (qtest.read(0x2020001C), qtest.read(0x20200034), qtest.read(4)) == (1 << 31, 7, 0)


def test_a_refusal_is_a_sentence() -> None:
    with served({}) as qtest, pytest.raises(HardwareFault, match=r"refused 'sing': FAIL Unknown command"):
        qtest.ask("sing")


def test_what_is_no_number_is_a_sentence() -> None:
    with served({}) as qtest:
        assert qtest.ask("odd") == ["pear"]
        qtest.ask = lambda command: ["pear"]  # type: ignore[method-assign]
        with pytest.raises(HardwareFault, match="read no number at 0x10: pear"):
            qtest.read(0x10)


def test_the_end_of_qemu_is_a_sentence() -> None:
    with served({}) as qtest, pytest.raises(HardwareFault, match="QEMU ended"):
        qtest.ask("bye")
