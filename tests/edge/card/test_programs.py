from __future__ import annotations

from pathlib import Path

from edge.card.programs import CANNOT, LATE, NONE, run


def test_what_a_program_says_and_how_it_ends() -> None:
    assert run(["sh", "-c", "echo one; echo; echo two >&2; exit 3"], 60) == (3, ["one", "two"])
    assert run(["sh", "-c", "pwd; echo $HOME; cat"], 60, {"PATH": "/usr/bin:/bin", "HOME": "/x"}) == (0, ["/", "/x"])


def test_one_that_cannot_run_or_does_not_end_is_told(tmp_path: Path) -> None:
    assert run(["no-such-program"], 60) == (NONE, ["there is no no-such-program here"])
    assert run([str(tmp_path)], 60)[0] == CANNOT
    assert run(["sleep", "600"], 0.1) == (LATE, ["sleep took longer than 0.1 s"])
