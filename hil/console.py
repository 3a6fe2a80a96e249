"""The serial console of an emulated board: wait for a text, send a line, log in, run a command and have its output.

Rules:
1. A wait has a deadline and ends with what was seen instead. All that came is kept: the transcript is shown when
   something failed.
2. What is compared has no carriage returns and no escape sequences; the transcript has all.
3. A text that was waited for is used up: the next wait looks behind it.
"""

from __future__ import annotations

import codecs
import re
import select
import socket
import time
from collections.abc import Callable
from pathlib import Path

from edge.faults import HardwareFault

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[78=>c])|[\r\x00]")
_BEGUN = re.compile(r"\x1b(?:\[[0-9;?]*)?$")
_TAIL = 4000
_LOOK = 0.2


class Silence(HardwareFault):
    """What was waited for did not come; `missed` is it, `seen` the end of what came."""

    def __init__(self, missed: str, seconds: float, seen: str) -> None:
        super().__init__(f"{missed!r} did not come within {seconds:g} s; the console ends with:\n{seen}")
        self.missed, self.seen = missed, seen


class Console:
    """One serial line. Closed by `close`; a board that ends closes it too."""

    send_seconds = 60.0

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._link.setblocking(False)
        self._raw = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""  # the beginning of an escape sequence whose end did not come yet
        self._text = ""
        self._marks = 0
        self.open = True

    @property
    def transcript(self) -> str:
        """All that came, as it came."""
        return self._raw.decode("utf-8", "replace")

    def seen(self) -> str:
        """What came and was not yet used up, cleaned."""
        return self._text

    def pump(self, seconds: float) -> bool:
        """Take in what comes within so many seconds; False when the line is closed."""
        ready, _, _ = select.select([self._link], [], [], seconds) if self.open else ([], [], [])
        if ready:
            try:
                data = self._link.recv(65536)
            except OSError:
                data = b""
            self._take(data)
            self.open = bool(data)
        return self.open

    def expect(self, pattern: str, seconds: float = 300.0) -> re.Match[str]:
        """The match of a regular expression in what comes; Silence when the time is over or the line is closed."""
        wanted = re.compile(pattern)
        end = time.monotonic() + seconds
        while True:
            found = wanted.search(self._text)
            if found:
                self._text = self._text[found.end() :]
                return found
            if time.monotonic() > end or not self.open:
                raise Silence(pattern, seconds, self._text[-_TAIL:])
            self.pump(_LOOK)

    def quiet(self, seconds: float) -> str:
        """What comes until nothing came for so long."""
        before = -1
        while before != len(self._raw) and self.open:
            before = len(self._raw)
            end = time.monotonic() + seconds
            while time.monotonic() < end and before == len(self._raw) and self.pump(_LOOK):
                pass
        return self.seen()

    def send(self, text: str) -> None:
        """Bytes to the board, as typed. HardwareFault when it takes them no more."""
        self._link.settimeout(self.send_seconds)
        try:
            self._link.sendall(text.encode())
        except OSError as error:
            raise HardwareFault(f"the board took no more than a part of {text[:40]!r}: {error}") from error
        finally:
            self._link.setblocking(False)

    def line(self, text: str) -> None:
        """A line and Enter."""
        self.send(text + "\r")

    def login(self, user: str, password: str, prompt: str, seconds: float = 300.0) -> None:
        """Log in at a `login:`; Silence when the prompt does not come."""
        self.expect(r"login: ", seconds)
        self.line(user)
        self.expect(r"Password: ", seconds)
        self.line(password)
        self.expect(prompt, seconds)

    def run(self, command: str, seconds: float = 300.0) -> tuple[int, str]:
        """Exit code and output of a command in a shell of the board. The marks around it are not what was typed."""
        self._marks += 1
        name = f"{self._marks}-{int(time.monotonic() * 1000) % 100000}"
        self.line(f'echo B\'\'EGIN-{name}; {command}; echo "E""ND-{name} $?"')
        self.expect(rf"BEGIN-{name}\n", seconds)
        found = self.expect(rf"(?s)(.*?)END-{name} (\d+)\n", seconds)
        return int(found[2]), found[1]

    def close(self) -> None:
        self.open = False
        self._link.close()

    def _take(self, data: bytes) -> None:
        self._raw += data
        text = self._held + self._decoder.decode(data)
        begun = _BEGUN.search(text)
        self._held = text[begun.start() :] if begun else ""
        self._text += _ESCAPES.sub("", text[: len(text) - len(self._held)])


def connected(path: Path, seconds: float, alive: Callable[[], bool] = lambda: True) -> socket.socket:
    """A connection to the socket at `path` as soon as it is there; HardwareFault when it does not come, or at once when
    who should open it is not alive any more."""
    end = time.monotonic() + seconds
    while True:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.connect(str(path))
            return link
        except OSError as error:
            link.close()
            if not alive():
                raise HardwareFault(f"QEMU ended and opened no socket {path.name}") from error
            if time.monotonic() > end:
                raise HardwareFault(f"QEMU opened no socket {path.name} within {seconds:g} s") from error
        time.sleep(_LOOK)
