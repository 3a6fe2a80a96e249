"""`sim watch` on a terminal of its own, in a pipe, and once; the board goes and comes back meanwhile."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from edge.cli.board import choose
from edge.cli.sim_frame import lines
from edge.cli.sim_watch import Screen, look_for, watch
from edge.config import Settings
from edge.faults import HardwareFault, OutputFault, UsageFault
from edge.peripherals.guard.client import Board
from edge.record import replace
from tests.support.boards import ROOT, eventually

SLOWLY = 1e-3


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "s")


def command(state, *words):
    return [sys.executable, "-m", "edge", "--board", "sim", "--state", state, "sim", "watch", *words]


class Terminal:
    """A terminal with `sim watch` in it: what was written so far, and the lines that a person sees."""

    def __init__(self, state, columns=80, rows=24):
        self.leader, follower = pty.openpty()
        self.size(columns, rows)
        self.before = termios.tcgetattr(follower)
        self.process = subprocess.Popen(
            command(state), stdin=follower, stdout=follower, stderr=follower, cwd=ROOT, start_new_session=True
        )
        self.follower = follower
        self.written = ""

    def size(self, columns, rows):
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        while select.select([self.leader], [], [], 0)[0]:
            self.written += os.read(self.leader, 65536).decode()
        return self.written

    def seen(self):
        """The screen, of the two movements that are used."""
        screen = {}
        for piece in re.split(r"(?=\x1b\[\d*;?\d*[H])", self.read()):
            at = re.match(r"\x1b\[(\d*);?\d*H(.*)", piece, re.S)
            if at:
                text = at.group(2)
                if "\x1b[2J" in text:
                    screen.clear()
                if "\x1b[K" in text:
                    screen[int(at.group(1))] = text.partition("\x1b[K")[0]
        return "\n".join(screen[number] for number in sorted(screen))

    def shows(self, text):
        """What is seen once `text` is; a key makes it look at once."""
        return eventually(lambda: self.type(b" ") or (text in self.seen() and self.seen()), pause=0.1)

    def type(self, text):
        os.write(self.leader, text)

    def ends(self):
        code = eventually(lambda: self.read() is not None and self.process.poll() is not None and [self.process.poll()])
        return code[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.leader)
        os.close(self.follower)


def test_it_shows_a_board_that_comes_goes_and_comes_back(state):
    with Terminal(state) as terminal:
        terminal.shows("no board is running")
        board = Board.start(state, SLOWLY)
        terminal.shows(f"(pid {board.pid})")
        board.set("fan", True, 600.0, "c1")
        terminal.shows("fan on: set")
        terminal.shows("  fan            on ")
        board.close()
        terminal.shows("no board is running")
        board = Board.start(state, SLOWLY)
        terminal.shows(f"(pid {board.pid})")
        board.close()
        terminal.type(b"q")
        assert terminal.ends() == 0
        assert termios.tcgetattr(terminal.follower) == terminal.before


def test_only_what_changed_is_written_and_any_key_writes_all_anew(state):
    with Terminal(state) as terminal:
        eventually(lambda: "q ends\x1b[K" in terminal.read() and terminal.read().endswith("H"))
        wrote = len(terminal.read())
        time.sleep(1.2)  # one more picture at least, of a board that stands still
        assert len(terminal.read()) == wrote
        terminal.type(b"x")
        eventually(lambda: terminal.read().count("\x1b[2J") == 2)
        assert "\x1b[?" not in terminal.read()  # no other screen, no hidden cursor
        terminal.size(40, 10)
        eventually(lambda: terminal.read().count("\x1b[2J") == 3)
        assert all(len(line) < 40 for line in terminal.seen().splitlines())
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.ends() == 0
        assert termios.tcgetattr(terminal.follower) == terminal.before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(state, number):
    with Terminal(state) as terminal:
        terminal.shows("q ends")
        terminal.type(b"\x1a")
        eventually(lambda: terminal.read().count("\x1b[2J") > 1)
        terminal.process.send_signal(number)
        assert terminal.ends() == 128 + number
        assert termios.tcgetattr(terminal.follower) == terminal.before


def test_a_terminal_that_does_not_know_its_size_gets_24_lines_of_80(state):
    with Terminal(state, 0, 0) as terminal:
        shown = terminal.shows("q ends")
        assert len(shown.splitlines()) < 24
        assert all(len(line) < 80 for line in shown.splitlines())
        terminal.type(b"\x04")
        assert terminal.ends() == 0


def test_in_a_pipe_it_prints_a_picture_when_something_happens(state):
    board = Board.start(state, 60.0)
    process = subprocess.Popen(command(state), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=ROOT)
    os.set_blocking(process.stdout.fileno(), False)
    read = [b""]

    def pictures(count, board=board):
        if board is not None:
            assert board.beat()
        read[0] += process.stdout.read() or b""
        return len(re.findall(rb"simulated \(pid|no board", read[0])) >= count

    try:
        eventually(lambda: pictures(1))
        for _ in range(12):  # the air warms and cools all the while: that alone is no picture
            board.beat()
            time.sleep(0.1)
        assert pictures(1) and not pictures(2)
        board.set("fan", True, 600.0, "c1")
        eventually(lambda: pictures(2))
        board.close()
        eventually(lambda: pictures(3, None))
        assert b"\x1b" not in read[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    finally:
        board.close()
        process.kill()
        process.wait()
        process.stdout.close()


def test_once_prints_one_picture(state):
    board = Board.start(state, SLOWLY)
    ran = subprocess.run(command(state, "--once"), cwd=ROOT, capture_output=True, text=True)
    board.close()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"greenhouse, simulated (pid {board.pid})  day 1 15:00")
    assert "\x1b" not in ran.stdout
    assert ran.stdout.count("temperature") == 1


def test_a_reader_that_goes_away_is_an_output_fault(state):
    class Gone(io.StringIO):
        def write(self, _text):
            raise OutputFault("the answer could not be written to stdout: broken pipe")

    with pytest.raises(OutputFault):
        watch([], look_for(state), Gone())


def test_without_a_service_a_real_board_is_said_to_be_absent(state):
    look = look_for(state, state + "/none.sock")
    with pytest.raises(HardwareFault, match="no guard of real lines listens at"):
        look()
    with pytest.raises(HardwareFault, match="no state folder"):
        look_for("")


def test_what_it_does_not_know_is_usage(state):
    with pytest.raises(UsageFault, match="sim watch takes no 'often'"):
        watch(["often"], look_for(state), io.StringIO())


def test_a_line_that_goes_is_cleared():
    out = io.StringIO()
    screen = Screen(out)
    screen.show(["a", "b", "c"], (80, 24))
    out.seek(0)
    out.truncate()
    screen.show(["a", "x"], (80, 24))
    assert out.getvalue() == "\x1b[2;1Hx\x1b[K\x1b[3;1H\x1b[K\x1b[3;1H"


def test_a_guard_of_real_lines_is_watched_in_the_same_way(state, tmp_path):
    chips = str(tmp_path / "chips")
    file = tmp_path / "board.toml"
    file.write_text(
        f'[gpio]\nchips = "model:{chips}"\n[outputs.pump]\nline = "GPIO17"\n'
        '[inputs.door]\nline = "GPIO6"\nbias = "up"\nstates = ["closed", "open"]\n'
    )
    model = subprocess.Popen([sys.executable, "-m", "edge.peripherals.gpiochip.server", chips], cwd=ROOT)
    try:
        eventually(lambda: os.path.exists(chips))
        declared = choose(replace(Settings(), board=str(file)))
        board = Board.start(state, run="run-9", owned=declared.owned)
        board.set("pump", True, 600.0, "c1")
        look = look_for(state, declared.socket + ".none")
        eventually(lambda: "pump on: set" in "\n".join(lines(look(), 79, 23)))
        shown = look()
        board.close()
        picture = "\n".join(lines(shown, 79, 23))
        assert picture.startswith(f"guard of real lines (pid {board.pid})\nagents: run-9\n")
        assert re.search(r"  pump +on +\d+:\d\d left +by run-9\n", picture)
        assert "  door           open" in picture
        assert re.search(r"  \d+ s ago  pump on: set", picture)
    finally:
        model.terminate()
        model.wait()
