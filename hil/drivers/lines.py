"""The GPIO lines of the BCM2835 family, set and seen from outside through QEMU's test socket.

Rules:
1. QEMU's model (10.0.2) keeps one level for each line, whoever sets it, and lets GPSET and GPCLR set that of an input
   too: what a wire does to a real board. That is a detail of the model, so `check` proves it before a line is used.
2. A line that the board drives is not set from here: a wire would short it.
3. The model has no pull resistors: a line that is let go is low.
"""

from __future__ import annotations

from edge.faults import HardwareFault, UsageFault
from hil.drivers.qtest import QTest

GPIO = 0x200000  # behind the beginning of the registers
LINES = 54
# BCM2835 ARM Peripherals, 6.1; the function of a line is three bits of a register for ten lines
_FUNCTION, _SET, _CLEAR, _LEVEL = 0x00, 0x1C, 0x28, 0x34
_INPUT, _OUTPUT = 0, 1
_WAYS = {_INPUT: "in", _OUTPUT: "out"}


class Lines:
    """By the number that the SoC gives them, which is also their offset on the board's GPIO chip."""

    def __init__(self, qtest: QTest, registers: int) -> None:
        self._qtest, self._base = qtest, registers + GPIO

    def set(self, line: int, level: int) -> None:
        """Hold a line high (1) or low (0); HardwareFault when the board drives it."""
        if self._function(line) == _OUTPUT:
            raise HardwareFault(f"line {line} is an output of the board", "set lines that the board reads")
        self._put(line, level)

    def release(self, line: int) -> None:
        """Let a line go (rule 3)."""
        self.set(line, 0)

    def level(self, line: int) -> int:
        """What a meter would show: 1 or 0."""
        return self._qtest.read(self._place(_LEVEL, line)) >> line % 32 & 1

    def driven(self, line: int) -> bool:
        """Whether the board drives it."""
        return self._function(line) == _OUTPUT

    def seen(self) -> dict[int, tuple[str, int]]:
        """Every line with its way and its level, read a register at a time."""
        ways = [self._qtest.read(self._base + _FUNCTION + at * 4) for at in range(-(-LINES // 10))]
        levels = [self._qtest.read(self._base + _LEVEL + at * 4) for at in range(-(-LINES // 32))]
        return {
            line: (
                _WAYS.get(ways[line // 10] >> line % 10 * 3 & 7, "other"),
                levels[line // 32] >> line % 32 & 1,
            )
            for line in range(LINES)
        }

    def check(self) -> None:
        """Rule 1, on the first input that is low, which is low again afterwards."""
        for line in range(LINES):
            if self._function(line) == _INPUT and not self.level(line):
                break
        else:
            raise HardwareFault("no line of the board is a low input, so its lines cannot be tried")
        seen = []
        for level in (1, 0):
            self._put(line, level)
            seen.append(self.level(line))
        if seen != [1, 0]:
            raise HardwareFault(
                f"line {line} was set to 1, then 0, and showed {seen[0]}, then {seen[1]}: this QEMU models GPIO anew",
                "take QEMU 10.0, or bring hil/drivers/lines.py up to this one",
            )

    def _put(self, line: int, level: int) -> None:
        self._qtest.write(self._place(_SET if level else _CLEAR, line), 1 << line % 32)

    def _function(self, line: int) -> int:
        if not 0 <= line < LINES:
            raise UsageFault(f"the board has no line {line}", f"its lines are 0 to {LINES - 1}")
        return self._qtest.read(self._base + _FUNCTION + line // 10 * 4) >> line % 10 * 3 & 7

    def _place(self, register: int, line: int) -> int:
        return self._base + register + line // 32 * 4
