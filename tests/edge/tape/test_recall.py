"""Finding messages on a damaged tape: what was hit is not found, all else is, and no number misleads."""

from __future__ import annotations

from edge.tape.journal import Tape
from tests.support.tape_disks import QuickDisk


def test_a_damaged_record_hides_no_other_message(tmp_path) -> None:
    tape = Tape.create(str(tmp_path), "hurt", QuickDisk())
    for number in range(1, 10):
        tape.append("line", {"text": f"line {number}"})
    with open(tape.path, "r+b") as file:
        file.seek(sum(map(len, file.readlines()[:6])))
        file.write(b'{"seq":1')  # the digit of record 7
    assert [row["seq"] for row in tape.search("line", 20)] == [1, 2, 3, 4, 5, 6, 8, 9]
    assert [row["seq"] for row in tape.around(5, 1)] == [4, 5, 6]
    assert [row["seq"] for row in tape.around(4, 1)] == [3, 4, 5]
    assert tape.around(7, 1) == []
    tape.close()
