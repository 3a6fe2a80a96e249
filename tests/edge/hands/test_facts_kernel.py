"""The kernel's messages."""

from __future__ import annotations

from edge.hands.facts_kernel import lines, parsed, ring
from edge.hands.facts_log import Query

RAW = b"""<6>[    0.000000] Booting Linux on physical CPU 0x0
<5>[    0.000000] Linux version 6.1.21+ (dom@buildbot)
<4>[   12.500000] hwmon hwmon1: Undervoltage detected!
<3>[   20.250000] mmc0: error -110 whilst initialising SD card
second line of it
<30>[   21.000000] systemd[1]: Started something.
<12>without a time
"""


def test_a_message_has_time_and_priority() -> None:
    line = parsed("<30>[   21.500000] systemd[1]: x", 1000.0)
    assert (line.at, line.priority, line.text) == (1021.5, 6, "[   21.500000] systemd[1]: x")
    assert parsed("<3>no time", 1000.0).at is None and parsed("<3>[1.0] x", None).at is None
    assert parsed("no head", 1.0).priority is None and parsed("<x>y", 1.0).text == "<x>y"


def test_filters_and_the_order() -> None:
    assert [line.text[-5:] for line in lines(RAW, Query(2), 0.0)] == ["hing.", " time"]
    loud = lines(RAW, Query(9, priority=3), 0.0)
    assert len(loud) == 1 and "mmc0" in loud[0].text
    assert [line.at for line in lines(RAW, Query(9, text="UNDERVOLTAGE"), 100.0)] == [112.5]
    assert len(lines(RAW, Query(9, since=115.0, until=121.0, text="["), 100.0)) == 2
    assert lines(b"", Query(9), 0.0) == [] and lines(b"\xff\xfe\n", Query(9), 0.0)[0].text == "\ufffd\ufffd"


def test_this_kernel_shows_its_ring_or_says_why_not() -> None:
    raw, why = ring()
    assert (raw and not why) or "CAP_SYSLOG" in why
    assert ring()[0][:100] == raw[:100]  # reading takes nothing out
