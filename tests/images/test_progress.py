"""What a person sees of a long piece of work: on a terminal, in a file, and when nobody can be told."""

from __future__ import annotations

import fcntl
import io
import os
import struct
import termios

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


@pytest.mark.parametrize("width", [79, 60, 39, 30, 20, 10, 3])
def test_a_narrow_terminal_gets_what_matters_most(width: int) -> None:
    line = far("reading back", 123_000_000, 189_800_000, "B", 60, width)
    assert "64 %" in line and (len(line) <= width or line.strip() == "64 %")
    assert ("[#" in line) == (width >= 79) and ("left" in line) == (width >= 30)
    assert "files" in far("x" * 50, 3, 0, "files", 0, width)


def test_the_width_is_that_of_the_terminal_that_is_drawn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output may be a file, and COLUMNS somebody else's."""
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "screen")
    with os.fdopen(follower, "w") as out:
        clock = Clock()
        progress = Progress(out, clock=clock)
        with progress.step("reading back"):
            for _ in range(5):
                clock.now += 20
                progress.at(123_000_000, 189_800_000)
        told = ""
        while not told.endswith(" s\r\n"):
            told += os.read(leader, 65536).decode()
    os.close(leader)
    drawn = [line.partition("\x1b")[0] for line in told.split("\r")]
    assert progress.live and any("64 %" in line for line in drawn)
    assert max(len(line.rstrip()) for line in drawn) < 40


@pytest.mark.parametrize("term", ["dumb", "", None])
def test_a_terminal_that_cannot_draw_gets_plain_lines(monkeypatch: pytest.MonkeyPatch, term: str | None) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    assert Progress(Terminal()).live
    monkeypatch.setenv("TERM", term) if term is not None else monkeypatch.delenv("TERM")
    out = Terminal()
    with Progress(out).step("copy"):
        pass
    assert "\x1b" not in out.getvalue() and "\r" not in out.getvalue()


def test_a_note_is_no_command_to_a_terminal() -> None:
    out = io.StringIO()
    Progress(out).note("key \x1b]0;x\x07\x9b2J\nsecond line")
    assert out.getvalue() == "key \\x1b]0;x\\x07\\x9b2J\nsecond line\n"
