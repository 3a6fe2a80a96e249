"""What the kernel says of its clock."""

from __future__ import annotations

import sys

import pytest

from edge.hands.facts_clock import decoded, kernel_clock


def timex(long: int, most: int, status: int) -> bytes:
    """modes, offset, freq, maxerror, esterror, status, as linux/timex.h lays them out."""
    head = (0).to_bytes(long, sys.byteorder)  # the int and what aligns the first long
    longs = b"".join(value.to_bytes(long, sys.byteorder) for value in (1, 2, most, 4))
    return head + longs + status.to_bytes(4, sys.byteorder) + bytes(400)


@pytest.mark.parametrize("long", [4, 8])
def test_both_widths(long: int) -> None:
    assert decoded(timex(long, 250_000, 0x2001), long, 0) == {"synchronised": True, "most_wrong_seconds": 0.25}
    assert decoded(timex(long, 16_000_000, 0x40), long, 5) == {"synchronised": False}
    assert decoded(timex(long, 1, 0x40), long, 0) == {"synchronised": False}
    assert decoded(timex(long, 1, 0), long, 5) == {"synchronised": False}


def test_this_kernel_answers() -> None:
    found = kernel_clock()
    assert found == {} or isinstance(found["synchronised"], bool)
