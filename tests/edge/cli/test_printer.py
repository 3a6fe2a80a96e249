"""Stderr written by a thread of its own: nobody waits for a console that nobody reads."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios

from edge.cli import printer as module
from edge.cli.printer import Printer
from tests.support.boards import eventually


def drained(descriptor: int) -> bytes:
    os.set_blocking(descriptor, False)
    seen = b""
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except BlockingIOError:
            return seen
        if not piece:
            return seen
        seen += piece


def test_lines_come_out_whole_and_in_order() -> None:
    read, write = os.pipe()
    printer = Printer(write)
    for number in range(500):
        printer.say(f"line {number}")
    assert printer.flush()
    assert drained(read) == b"".join(b"line %d\n" % number for number in range(500))


def test_a_stuck_console_holds_nobody_up_and_what_was_dropped_is_counted() -> None:
    read, write = os.pipe()
    printer = Printer(write)
    for _ in range(module.LINES + 300):
        printer.say("x" * 400)  # would stand still here
    assert not printer.flush()
    eventually(lambda: drained(read) is not None and not printer._waiting)
    drained(read)
    printer.say("after")
    assert printer.flush()
    assert b"lines are not shown: nobody read them" in drained(read)


def test_a_console_that_is_gone_is_nobody_to_tell() -> None:
    read, write = os.pipe()
    os.close(read)
    printer = Printer(write)
    printer.say("into the void")
    printer.say("again")
    assert printer.flush()


def test_a_closed_stderr_is_nobody_to_tell() -> None:
    printer = Printer(-1)
    printer.say("into the void")
    assert printer.flush() and not printer.tty


def test_what_the_encoding_lacks_is_written_out() -> None:
    read, write = os.pipe()
    printer = Printer(write, "ascii")
    printer.say("33 \u00b0C")
    assert printer.flush() and drained(read) == b"33 \\xb0C\n"


def written(printer: Printer, master: int, mark: str) -> str:
    """All that comes until `mark` does, without a `flush`."""
    seen = bytearray()

    def more() -> bool:
        seen.extend(drained(master))
        return mark.encode() in seen

    eventually(more)
    eventually(lambda: not printer._waiting)
    return seen.decode()


def test_the_progress_line_is_wiped_by_what_follows_and_never_goes_into_a_pipe() -> None:
    master, slave = pty.openpty()
    printer = Printer(slave)
    printer.spin("  ... waiting (2 s)")
    shown = written(printer, master, "waiting (2 s)")
    printer.spin("  ... waiting (2 s)")
    printer.say("done")
    shown += written(printer, master, "done")
    assert shown.count("waiting (2 s)") == 1
    assert shown.split("waiting (2 s)")[1].lstrip(" ").startswith("\r" + " " * 78 + "\rdone")
    read, write = os.pipe()
    piped = Printer(write)
    piped.spin("  ... waiting (2 s)")
    piped.say("done")
    assert piped.flush() and drained(read) == b"done\n"


def test_no_progress_line_stands_where_an_answer_is_written() -> None:
    master, slave = pty.openpty()
    printer = Printer(slave)
    printer.spin("  ... bash (2 s)")
    assert printer.flush()
    os.write(slave, b"hi\n")
    assert drained(master).decode().endswith("\r" + " " * 78 + "\rhi\r\n")


def test_a_progress_line_never_takes_two_rows() -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    printer = Printer(slave)
    printer.spin("x" * 70)
    assert printer.flush()
    assert drained(master).decode() == "\r" + "x" * 39 + "\r" + " " * 39 + "\r"


def test_what_is_told_while_a_question_stands_waits_for_its_end() -> None:
    master, slave = pty.openpty()
    printer = Printer(slave)
    printer.ask("? write a\n  Allow it? ")
    printer.say("a shell has ended")
    printer.spin("  ... grep (2 s)")
    eventually(lambda: not printer._waiting)
    assert drained(master).decode() == "? write a\r\n  Allow it? "
    printer.answered()
    printer.say("after")
    assert printer.flush()
    assert drained(master).decode() == "a shell has ended\r\nafter\r\n"


def test_what_cannot_wait_is_told_and_the_question_stands_again_behind_it() -> None:
    master, slave = pty.openpty()
    printer = Printer(slave)
    printer.ask("? write a\n  Allow it? ")
    printer.say("board: fan off", now=True)
    assert printer.flush()
    assert drained(master).decode() == "? write a\r\n  Allow it? \r\nboard: fan off\r\n  Allow it? "


def test_no_question_keeps_anything_for_ever() -> None:
    read, write = os.pipe()
    printer = Printer(write)
    printer.ask("Allow it? ")
    eventually(lambda: not printer._waiting)
    for number in range(module.LINES + 5):
        printer.say(f"line {number}")
    assert printer.flush()
    shown = drained(read).decode()
    assert shown.startswith("Allow it? (5 lines are not shown: nobody read them)\nline 0\nline 1\n")
    assert len(shown.splitlines()) == module.LINES + 1
    printer.say("after")
    assert printer.flush() and drained(read) == b"after\n"
