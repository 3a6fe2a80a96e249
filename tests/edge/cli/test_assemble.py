"""How a turn that ended without an answer is told: with where its record is, or that nothing is kept any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge.cli.assemble import failure
from edge.faults import BudgetFault, Fault, TapeFault
from edge.parts import Ending
from edge.tape.journal import Tape

SPENT = BudgetFault("too many steps", "ask for less")
LOST = TapeFault("the tape t cannot be written: No space left on device", "make room")


@pytest.mark.parametrize(
    ("fault", "failed", "told"),
    [
        (SPENT, "", "too many steps (ask for less); the record is tape {name}"),
        (LOST, LOST.sentence, f"{LOST}; nothing more is kept"),
        (SPENT, LOST.sentence, f"too many steps (ask for less); nothing more is kept: {LOST.sentence}"),
    ],
)
def test_a_failed_tape_is_not_said_to_hold_the_record(tmp_path: Path, fault: Fault, failed: str, told: str) -> None:
    tape = Tape.create(str(tmp_path))
    assert failure(Ending(5, "", fault), tape, failed) == told.format(name=tape.name)
    tape.close()
