"""What a person sees of a long piece of work: on a terminal, in a file, and when nobody can be told."""

from __future__ import annotations

import io

import pytest

from images.progress import Progress, amount, far, span


class Clock:
    """Time that stands until it is told to go on."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_file_gets_plain_lines_and_not_too_many() -> None:
    out, clock = io.StringIO(), Clock()
    progress = Progress(out, clock=clock)
    with progress.step("copy"):
        for second in range(60):
            clock.now += 1
            progress.at(second, 60, "files")
    lines = out.getvalue().splitlines()
    assert lines[0] == "copy ..." and lines[-1].split() == ["copy", "60.0", "s"]
    assert len(lines) == 6 and "\r" not in out.getvalue() and "left" in lines[1]
    assert progress.times == [("copy", 60.0)]


def test_a_terminal_gets_one_line_that_is_wiped_at_the_end() -> None:
    out, clock = io.StringIO(), Clock()
    progress = Progress(out, live=True, clock=clock)
    with progress.step("copy"):
        for tenth in range(40):
            clock.now += 0.05
            progress.at(tenth * 1_000_000, 40_000_000)
    shown = out.getvalue().split("\r")
    assert 10 < len(shown) < 30 and "MB/s" in shown[-2]
    assert shown[-1].startswith("\x1b[K") and shown[-1].split() == ["\x1b[Kcopy", "2.0", "s"]


def test_a_step_that_fails_leaves_its_fault_and_no_time() -> None:
    out = io.StringIO()
    progress = Progress(out, live=True)
    with pytest.raises(KeyError), progress.step("copy"):
        raise KeyError
    assert out.getvalue().endswith("\r\x1b[K") and progress.times == []


def test_what_runs_may_name_its_own_steps() -> None:
    clock = Clock()
    progress = Progress(None, clock=clock)
    with progress.phases() as told:
        for name in ("unpack", "unpack", "compile"):
            told(name, 1, 2)
            clock.now += 2
    assert progress.times == [("unpack", 4.0), ("compile", 2.0)]


def test_nobody_to_tell_is_no_fault() -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    progress = Progress(Full(), live=False)
    with progress.step("copy"):
        progress.note("something")
    assert progress.out is None and len(progress.times) == 1


def test_amounts_rates_and_times_are_those_of_a_person() -> None:
    assert [amount(0), amount(1_500), amount(190_000_000), amount(3, "files")] == [
        "0 B",
        "1.5 kB",
        "190.0 MB",
        "3 files",
    ]
    assert [span(0.4), span(42), span(185), span(3_720)] == ["0 s", "42 s", "3 min 05 s", "1 h 02 min"]
    line = far("write", 50_000_000, 100_000_000, "B", 10)
    assert "50 %" in line and "50.0 MB of 100.0 MB" in line and "5.0 MB/s" in line and "10 s left" in line
    assert "left" not in far("write", 0, 100, "B", 10) and "%" not in far("write", 5, 0, "B", 0)
