"""From a board that is off to the prompt of the agent, and back: a table of what each step does.

Rules:
1. `to` goes step by step up and, where there is a step for it, down; else it takes the power away and begins again.
2. A step that fails leaves the board in no known state: the next `to` takes the power away first.
3. An emulation that stands still is started once more, and the board's `notes` tell of it.
4. A board whose power cannot be switched is taken as it is found: at a login, or in a shell.
"""

from __future__ import annotations

from collections.abc import Callable

from edge.faults import HardwareFault, UsageFault
from hil.console import Silence
from hil.drivers.stall import Stalled
from hil.protocols import Bench

OFF, BOOTLOADER, SHELL, AGENT, LOST = "off", "bootloader", "shell", "agent", "lost"
ORDER = (OFF, BOOTLOADER, SHELL, AGENT)
# Whatever comes first: where the device tree names another port than the last one, U-Boot begins with its script.
BANNER = r"U-Boot 20\d\d|Hit any key|Fieldhand: slot|Starting kernel"
LOGIN = r"login: "
AGENT_PROMPT = r"fieldhand> "
SECONDS = 900.0  # for the slowest start on a loaded machine
_FOUND = 10.0
_PRESSES = 10


class Strategy:
    """One board's way. `status` is where it is."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.status = OFF if bench.board.switched else LOST

    def to(self, wanted: str) -> None:
        """Bring the board there; HardwareFault when it does not come."""
        if wanted not in ORDER:
            raise UsageFault(f"there is no way to {wanted!r}", "one of " + ", ".join(ORDER))
        try:
            self._go(wanted)
        except Stalled as stalled:
            self._bench.notes.append(f"{stalled.sentence}; it was started once more")
            self._go(wanted)

    def lost(self) -> None:
        """Where the board is is not known any more."""
        self.status = LOST

    def _go(self, wanted: str) -> None:
        while self.status != wanted:
            next_, step = self._step(wanted)
            self.status = LOST
            step(self)
            self.status = next_

    def _step(self, wanted: str) -> tuple[str, Callable[[Strategy], None]]:
        if self.status == LOST:
            return (OFF, Strategy.off) if self._bench.board.switched else (SHELL, Strategy.find)
        if ORDER.index(wanted) > ORDER.index(self.status):
            return UP[self.status]
        return DOWN.get(self.status, (OFF, Strategy.off))

    def off(self) -> None:
        self._bench.cut()

    def start(self) -> None:
        self._bench.power_on()
        self._bench.wait(BANNER, SECONDS)

    def log_in(self) -> None:
        self._bench.wait(LOGIN, SECONDS)
        self._as_root()

    def enter(self) -> None:
        """As an operator does: the login of a person lands at the agent's prompt."""
        login, console = self._bench.board.login, self._bench.console
        console.line("exit")
        console.login(login.operator, login.operator_password, AGENT_PROMPT, SECONDS)

    def ended(self) -> None:
        """The agent at the prompt has ended, whoever ended it: its console is at a login again."""
        self.status = LOST
        self._again()
        self.status = SHELL

    def leave(self) -> None:
        """A key may be lost while a line editor sets the terminal: it is pressed again."""
        for left in reversed(range(_PRESSES)):
            self._bench.console.send("\x04")
            try:
                self._bench.wait(LOGIN, SECONDS / _PRESSES)
                break
            except Silence:
                if not left:
                    raise
        self._as_root()

    def _again(self) -> None:
        self._bench.wait(LOGIN, SECONDS)
        self._as_root()

    def find(self) -> None:
        """Rule 4."""
        console, login = self._bench.console, self._bench.board.login
        console.line("")
        try:
            found = console.expect(f"{LOGIN}|{login.prompt}", _FOUND)
        except Silence as silence:
            raise HardwareFault(
                f"{self._bench.board.name} is neither at a login nor in a shell: {silence.seen[-200:]!r}",
                "bring it there by hand, or give its file a [switch]",
            ) from silence
        if found[0].startswith("login"):
            self._as_root()

    def _as_root(self) -> None:
        """A shell in which the kernel's messages do not come between the lines."""
        login, console = self._bench.board.login, self._bench.console
        console.line(login.user)
        console.expect(r"Password: ", SECONDS)
        console.line(login.password)
        console.expect(login.prompt, SECONDS)
        console.run("dmesg -n 1")


UP: dict[str, tuple[str, Callable[[Strategy], None]]] = {
    OFF: (BOOTLOADER, Strategy.start),
    BOOTLOADER: (SHELL, Strategy.log_in),
    SHELL: (AGENT, Strategy.enter),
}
DOWN: dict[str, tuple[str, Callable[[Strategy], None]]] = {AGENT: (SHELL, Strategy.leave)}
