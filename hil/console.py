"""The serial console of a board: wait for a text, send a line, log in, run a command and have its output.

Rules:
1. A wait has a deadline and ends with what was seen instead. All that came is kept: the transcript is shown when
   something failed.
2. What is compared has no carriage returns and no escape sequences; the transcript has all.
3. A text that was waited for is used up: the next wait looks behind it.
4. A board that starts again answers no command that was typed before: who waits for one is told at the first words of
   the start, and not at the deadline.
"""

from __future__ import annotations

import codecs
import re
import time

from edge.faults import HardwareFault
from hil.drivers.link import Link

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[78=>c])|[\r\x00]")
# U-Boot's first line, and what boot script and initramfs of our images say of the slot (boot.cmd and init of images/
# board): a lab bench has no U-Boot. A kernel's first lines would do as well, but dmesg shows those at any time.
_STARTS = re.compile(r"U-Boot 20\d\d\.\d\d\S* \(|Fieldhand: slot [ab] (?:on \S+ )?\(good [01],")
_BEGUN = re.compile(r"\x1b(?:\[[0-9;?]*)?$")
_TAIL = 4000
_LOOK = 0.2


class Silence(HardwareFault):
    """What was waited for did not come; `missed` is it, `seen` the end of what came."""

    def __init__(self, missed: str, seconds: float, seen: str) -> None:
        super().__init__(f"{missed!r} did not come within {seconds:g} s; the console ends with:\n{seen}")
        self.missed, self.seen = missed, seen


class Restarted(HardwareFault):
    """The board started again by itself, while somebody waited for what `doing` would say."""

    def __init__(self, doing: str, seen: str) -> None:
        super().__init__(f"the board started again while {doing!r} was waited for; the console ends with:\n{seen}")
        self.doing, self.seen = doing, seen


class Console:
    """One serial line. Closed by `close`; a board that ends closes it too."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._raw = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""  # the beginning of an escape sequence whose end did not come yet
        self._text = ""
        self._old = 0  # how much of it came before something was typed: no answer to that
        self._marks = 0

    @property
    def open(self) -> bool:
        """Whether the board's end is there."""
        return self._link.open

    @property
    def link(self) -> Link:
        """The line itself, for who shows what comes as it comes: what is taken there is not kept here."""
        return self._link

    @property
    def transcript(self) -> str:
        """All that came, as it came."""
        return self._raw.decode("utf-8", "replace")

    def seen(self) -> str:
        """What came and was not yet used up, cleaned."""
        return self._text

    def pump(self, seconds: float) -> bool:
        """Take in what comes within so many seconds; False when the line is closed."""
        self._take(self._link.take(seconds))
        return self.open

    def expect(self, pattern: str, seconds: float = 300.0, doing: str = "") -> re.Match[str]:
        """The match of a regular expression in what comes; Silence when the time is over or the line is closed.

        doing: what was typed that would say it; then Restarted when the board starts again.
        """
        wanted = re.compile(pattern)
        end = time.monotonic() + seconds
        while True:
            found = wanted.search(self._text)
            if found:
                self._text = self._text[found.end() :]
                self._old = max(0, self._old - found.end())
                return found
            if doing and _STARTS.search(self._text, self._old):
                raise Restarted(doing, self._text[-_TAIL:])
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
        self._old = len(self._text)
        self._link.give(text.encode())

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
        """Exit code and output of a command in a shell of the board; Silence, Restarted. The marks around it are not
        what was typed."""
        self._marks += 1
        name = f"{self._marks}-{int(time.monotonic() * 1000) % 100000}"
        self.line(f'echo B\'\'EGIN-{name}; {command}; echo "E""ND-{name} $?"')
        self.expect(rf"BEGIN-{name}\n", seconds, command)
        found = self.expect(rf"(?s)(.*?)END-{name} (\d+)\n", seconds, command)
        return int(found[2]), found[1]

    def close(self) -> None:
        self._link.close()

    def back(self, link: Link) -> None:
        """At the line again, after `close`: what came before stays in the transcript."""
        self._link = link

    def _take(self, data: bytes) -> None:
        self._raw += data
        text = self._held + self._decoder.decode(data)
        begun = _BEGUN.search(text)
        self._held = text[begun.start() :] if begun else ""
        self._text += _ESCAPES.sub("", text[: len(text) - len(self._held)])
