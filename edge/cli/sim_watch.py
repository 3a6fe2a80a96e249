"""`fieldhand sim watch`: a board as it goes on, in a second terminal.

Rules this file keeps:
1. On a terminal the picture is drawn once a second, and only the lines that changed, by plain ANSI cursor movement (CUP
   and EL of ECMA-48), which a serial terminal, `screen` and a slow line take. No other screen buffer, no colours.
2. q, Ctrl-D and Ctrl-C end it; any other key draws everything anew, for a line that lost bytes. Ctrl-Z is such a key:
   not every shell of a small system gives a terminal back its echo when a program is stopped.
3. The terminal is left as it was found, whatever ends it, SIGTERM and SIGHUP too, the picture above the prompt.
4. Elsewhere (a pipe, a file) it prints a picture whenever something happened, never for a value alone.
5. A board that has gone is said and waited for; nothing is started and nothing changed.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os
import sys

from edge.cli.sim_frame import fit, lines, news
from edge.faults import HardwareFault, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TextIO

    Look = Callable[[], Mapping[str, Any]]

EVERY = 1.0  # s between two pictures
WIDTH, HEIGHT = 80, 24  # of a terminal that does not say
ENDS = b"qQ\x03\x04"


def watch(words: list[str], look: Look, out: TextIO) -> int:
    """Show the board that `look` gives until somebody ends it; 0. `--once`: one picture. UsageFault, OutputFault.

    `look` raises HardwareFault when there is no board or it does not answer.
    """
    rest = [word for word in words if word not in ("--once", "once")]
    if rest:
        raise UsageFault(f"sim watch takes no {rest[0][:40]!r}", "sim watch, or sim watch --once")
    if len(rest) != len(words):
        out.write("\n".join(lines(look(), size()[0])) + "\n")
        return 0
    try:
        return _live(look, out) if out.isatty() else _told(look, out)
    except KeyboardInterrupt:
        return 0


def _told(look: Look, out: TextIO) -> int:
    """A picture whenever something happened, until the other side or the operator ends it."""
    from time import sleep

    before: object = None
    while True:
        try:
            board = look()
            now, picture = news(board), lines(board, 10_000)
        except HardwareFault as fault:
            now, picture = fault.sentence, fit([str(fault)], 10_000, 0)
        if now != before:
            out.write("\n".join(picture) + "\n\n")
        before = now
        sleep(EVERY)


def _live(look: Look, out: TextIO) -> int:
    """The picture on a terminal."""
    for number in (_signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, _ended)
    keys = Keys()
    screen = Screen(out)
    try:
        while True:
            width, height = size()
            screen.show(_picture(look, width - 1, height - 1), (width, height))
            typed = keys.wait(EVERY)
            if any(key in ENDS for key in typed):
                return 0
            if typed:
                screen.forget()
    finally:
        keys.close()
        screen.leave()


def _ended(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _picture(look: Look, width: int, height: int) -> list[str]:
    """What there is to see now; the reason where there is nothing."""
    try:
        found = lines(look(), width, height - 1)
    except HardwareFault as fault:
        found = fit([fault.sentence, fault.fix, "", "waiting for it"], width, height - 1)
    return [*found, "q ends"] if height > 4 else found


class Screen:
    """Lines at the top of a terminal; what is there already is not written again."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._shown: list[str] = []
        self._size = (0, 0)

    def show(self, picture: list[str], size: tuple[int, int]) -> None:
        """Draw what changed, in one write. OutputFault."""
        text = ""
        if size != self._size:
            text, self._shown, self._size = "\x1b[H\x1b[2J", [], size
        for number in range(max(len(picture), len(self._shown))):
            line = picture[number] if number < len(picture) else ""
            if number >= len(self._shown) or line != self._shown[number]:
                text += f"\x1b[{number + 1};1H{line}\x1b[K"
        self._shown = picture
        if text:
            self._out.write(text + f"\x1b[{len(picture) + 1};1H")

    def forget(self) -> None:
        """Draw everything the next time."""
        self._size = (0, 0)

    def leave(self) -> None:
        """Put the cursor below the picture."""
        if self._shown and self._out.isatty():
            self._out.write(f"\x1b[{len(self._shown) + 1};1H\x1b[J")


class Keys:
    """Single keys of the terminal at stdin, without echo; where stdin is none, only the time goes by."""

    def __init__(self) -> None:
        import termios

        self.fd = -1
        self._before: list[Any] = []
        try:
            fd = sys.stdin.fileno()
            self._before = termios.tcgetattr(fd)
        except (AttributeError, OSError, ValueError, termios.error):
            return
        self.fd = fd
        quiet = list(self._before)
        quiet[3] &= ~(termios.ICANON | termios.ECHO)
        quiet[6] = list(quiet[6])
        quiet[6][termios.VSUSP] = b"\0"  # none (_POSIX_VDISABLE)
        termios.tcsetattr(fd, termios.TCSADRAIN, quiet)

    def wait(self, seconds: float) -> bytes:
        """The keys that came first within that time, b"" when none did; the end of the input is Ctrl-D."""
        from select import select
        from time import sleep

        if self.fd < 0:
            sleep(seconds)
            return b""
        if not select([self.fd], [], [], seconds)[0]:
            return b""
        return os.read(self.fd, 64) or b"\x04"

    def close(self) -> None:
        """Give the terminal back as it was."""
        import termios

        if self.fd >= 0:
            try:
                termios.tcsetattr(self.fd, termios.TCSADRAIN, self._before)
            except termios.error:
                self._before = []  # the terminal has gone: nothing is left to give back
            self.fd = -1


def look_for(state: str, socket: str = "") -> Look:
    """What to look with: the simulated board of a state folder, or with the `socket` of a service a real one.

    A real board's guard is the one that an agent of this state folder started, or the service.
    """
    if not state and not socket:
        raise HardwareFault("there is no state folder to find a board in", "name one with --state DIR")

    def look() -> Mapping[str, Any]:
        if socket:
            return _real(state, socket)
        from edge.cli import sim

        return sim.look(state)

    return look


def _real(state: str, socket: str) -> Mapping[str, Any]:
    """What the guard of real lines shows, with its last transitions where they can be read. HardwareFault: none."""
    from edge.cli.sim import TRANSITIONS
    from edge.peripherals.guard import door, journal
    from edge.peripherals.guard.folder import path_of

    asked = {"do": "show"}
    found = door.ask_in(path_of(state, "lines"), asked, 2.0) if state else None
    found = found or door.ask(socket, asked, 2.0)
    if found is None:
        raise HardwareFault(f"no guard of real lines listens at {socket}", "fieldhand guard run starts one")
    try:
        transitions = journal.last(str(found.get("folder") or ""), TRANSITIONS) if found.get("folder") else []
    except OSError:
        transitions = []  # the record belongs to another user
    return {**found, "running": True, "transitions": transitions}


def size() -> tuple[int, int]:
    """Columns and lines of the terminal; the usual ones where it does not say, as on a serial line."""
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return WIDTH, HEIGHT
    return (found.columns or WIDTH), (found.lines or HEIGHT)
