"""The tape in memory: bounded, and plain about what it lost."""

from __future__ import annotations

from edge.tape.unkept import BYTES, RECORDS, Unkept


def test_only_the_last_records_stay_and_the_loss_is_said() -> None:
    tape = Unkept(records=10)
    assert tape.notice == "nothing is kept: this record ends with the process"
    for number in range(1, 26):
        assert tape.append("line", {"text": f"line {number}"}) == number
    assert [row["seq"] for row in tape.search("line", 99)] == list(range(16, 26))
    assert tape.around(15, 1) == [] and len(tape.around(16, 1)) == 2
    assert tape.dropped == 15
    assert tape.notice.endswith("its oldest 15 entries were dropped")


def test_the_bytes_are_bounded_too_but_the_last_record_always_stays() -> None:
    tape = Unkept(size=5000)
    for _ in range(20):
        tape.append("line", {"text": "x" * 1000})
    assert len(tape.search("x", 99)) == 4 and tape.dropped == 16
    tape.append("line", {"text": "y" * 9000})
    assert [row["content"][0] for row in tape.search("", 99)] == ["y"]


def test_the_bounds_are_a_few_megabytes() -> None:
    assert (RECORDS, BYTES) == (2000, 4 << 20)
