"""An emulation that stands still, and why: the one-shot timer of raspi0 was set in the past.

What was seen on a loaded host: the processor idle, the system timer's counter far beyond the compare register that the
kernel waits on, no match pending. The kernel wrote the compare value after its time had passed; the counter comes
there again in 71 minutes. `-icount` keeps the guest's time from running on while the host is busy.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from edge.faults import HardwareFault
from hil.console import Console, Silence
from hil.drivers.qmp import Monitor

# BCM2835 ARM Peripherals, 12.1: control, counter low and high, four compare registers; the kernel waits on the last
_WORDS = 7
_CONTROL, _LOW, _COMPARE = 0, 1, 6
_MATCH = 1 << 3
_HALF = 1 << 31
QUIET = 20.0  # seconds without a letter, then it is looked at


class Stalled(HardwareFault):
    """The emulation stands still: the board will not come up however long one waits."""


def wait(console: Console, pattern: str, seconds: float, stands: Callable[[], str]) -> None:
    """Wait for a text: Silence when it does not come, Stalled when nothing comes and `stands` says why."""
    end = time.monotonic() + seconds
    while True:
        before = len(console.transcript)
        try:
            console.expect(pattern, min(QUIET, max(0.0, end - time.monotonic())))
            return
        except Silence as silence:
            if time.monotonic() > end or not console.open:
                raise Silence(pattern, seconds, silence.seen) from silence
        reason = stands() if len(console.transcript) == before else ""
        if reason:
            raise Stalled(f"the emulation stands still: {reason}")


def timer(monitor: Monitor, address: int) -> list[int]:
    """The registers of the system timer."""
    text = monitor.ask("human-monitor-command", **{"command-line": f"xp /{_WORDS}wx {address:#x}"})
    words = [int(word, 16) for word in re.findall(r"0x([0-9a-f]{8})\b", str(text))]
    if len(words) != _WORDS:
        raise HardwareFault(f"QEMU's monitor shows no timer at {address:#x}: {text!r}")
    return words


def why(first: list[int], second: list[int]) -> str:
    """Why a board stands whose timer was read twice, seconds apart; "" when it does not. Before a kernel runs nothing
    waits for the timer, and its compare register is 0."""
    late = (second[_LOW] - second[_COMPARE]) % (1 << 32)
    same = first[_COMPARE] == second[_COMPARE] and first[_LOW] != second[_LOW]
    passed = all(0 < (words[_LOW] - words[_COMPARE]) % (1 << 32) < _HALF for words in (first, second))
    if not (same and passed) or not second[_COMPARE] or second[_CONTROL] & _MATCH:
        return ""
    return (
        f"the one-shot timer was set to {second[_COMPARE]:#010x} when that had passed (the counter is at "
        f"{second[_LOW]:#010x}, {late / 1e6:.1f} s later): the next tick is 71 minutes away"
    )
