"""One emulated board: QEMU's process with a card in it, its console and the sockets it is reached by from outside.

Rules:
1. `power_on` starts it, `cut` takes the power away (SIGKILL: nothing is flushed, nobody is told). A card that was in it
   can be put in again, or looked into while it is off. Every end of the object is a cut, and so is that of this
   process, even by SIGKILL (hil/drivers/tied.py; of the thread that switched it on, to be exact).
2. A reset that the board makes itself starts it over within the same process; `resets` counts them.
3. The words that the model needs, and those of a test, come to the kernel by cmdline.txt on p1, as on a real board.
4. The board has no network unless it was asked for.
5. `boot` waits for a text with a deadline. Where the emulation itself stood still (hil/drivers/stall.py) there is one
   more try, and `notes` tells of it.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import tempfile
from binascii import crc32
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from edge.card import layout
from edge.faults import CardFault, HardwareFault
from hil import card as cards
from hil import protocols
from hil.console import Console
from hil.drivers.lines import Lines
from hil.drivers.link import Link, connected
from hil.drivers.parts import Parts, devices
from hil.drivers.port import Port
from hil.drivers.qmp import Monitor
from hil.drivers.qtest import QTest
from hil.drivers.stall import Stalled, timer, wait, why
from hil.drivers.tied import tied
from hil.resources import Board, Emulator

QEMU = "qemu-system-aarch64"
ABSENT = (f"{QEMU} is not on this machine", "as root .ci/qemu installs it; elsewhere qemu-system-arm, version 10")
START_SECONDS = 120.0
LOGIN = r"login: "
OLDEST = 10
HANDED_ON = ("PATH", "LD_LIBRARY_PATH")
SOCKETS = ("console", "port", "monitor", "qtest")
_BETWEEN = 2.0  # seconds between two looks at the timer
TEXT = 0x8000  # CONFIG_TEXT_BASE of the 32-bit U-Boots
# QEMU puts -bios to TEXT and starts at 0, where it finds zeros (which do nothing) the first time and a kernel's
# leavings after a reset: `b 0x8000` is written there at each start.
_JUMP = "loader,addr=0x0,data=0xea001ffe,data-len=4"


class Wires:
    """What is open to a board that runs: `console`, `port`, `monitor`, `qtest`."""

    def __init__(self, folder: Path, alive: Callable[[], bool]) -> None:
        with ExitStack() as undo:
            ends = {}
            for name in SOCKETS:
                ends[name] = connected(folder / name, START_SECONDS, alive)
                undo.callback(ends[name].close)
            self.console, self.port = Console(Link(ends["console"])), Port(Link(ends["port"]))
            self.monitor, self.qtest = Monitor(ends["monitor"]), QTest(ends["qtest"])
            undo.pop_all()

    def close(self) -> None:
        """Closed with all that still came over the console in its transcript: QEMU has ended."""
        while self.console.pump(0.1):
            pass
        for one in (self.console, self.port, self.monitor, self.qtest):
            one.close()


class Machine:
    """A board with a card. `words` are added to the kernel's command line, `more` to QEMU's; `drive` is how QEMU takes
    the card, "" as the plain file it is. Use it as a context."""

    def __init__(
        self, board: Board, card: Path, words: tuple[str, ...] = (), more: tuple[str, ...] = (), drive: str = ""
    ) -> None:
        self.board, self.card = board, card
        self._emulator = board.emulated()
        self._more, self._drive = more, drive
        self.notes: list[str] = []
        self._folder = Path(tempfile.mkdtemp(prefix="hil-"))
        self._child: subprocess.Popen[bytes] | None = None
        self._wires: Wires | None = None
        self._lines: Lines | None = None
        self._past = ""
        with ExitStack() as undo:
            undo.callback(shutil.rmtree, self._folder, ignore_errors=True)
            try:
                self._prepare(words)
            except CardFault as fault:
                told = f"{board.name} does not start from {card}: {fault.sentence}"
                raise CardFault(told, f"a card for it is made from an image of {board.product}") from fault
            undo.pop_all()

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.cut()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def wires(self) -> Wires:
        """What is open to the board that runs; HardwareFault when it is off."""
        if self._wires is None:
            raise HardwareFault(f"{self.board.name} is off")
        return self._wires

    @property
    def console(self) -> Console:
        return self.wires.console

    @property
    def port(self) -> Port:
        return self.wires.port

    @property
    def monitor(self) -> Monitor:
        return self.wires.monitor

    @property
    def lines(self) -> protocols.Lines:
        """The GPIO lines of the board that runs, tried once before they are used."""
        if self._lines is None:
            self._lines = Lines(self.wires.qtest, self._emulator.registers)
            self._lines.check()
        return self._lines

    @property
    def parts(self) -> protocols.Parts:
        return Parts(self.monitor, self.board.parts)

    @property
    def transcript(self) -> str:
        """All that came over the console since the object was made."""
        return self._past + (self._wires.console.transcript if self._wires else "")

    def power_on(self) -> None:
        """Start the board. HardwareFault when QEMU does not come up."""
        if shutil.which(QEMU) is None:
            raise HardwareFault(*ABSENT)
        self.cut()
        for name in SOCKETS:
            (self._folder / name).unlink(missing_ok=True)
        handed = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
        with (self._folder / "errors").open("wb") as errors:
            self._child = child = subprocess.Popen(
                tied([*self._command(), *self._more]),
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                env={**handed, "TMPDIR": str(self._folder)},
            )
        try:
            self._wires = Wires(self._folder, lambda: child.poll() is None)
        except HardwareFault as error:
            self.cut()
            raise HardwareFault(f"QEMU did not start {self.board.name}: {self._errors() or error}") from error

    def cut(self) -> None:
        """Take the power away."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        if self._wires is not None:
            self._wires.close()
            self._past = self.transcript
        self._child = self._wires = self._lines = None

    def leave(self) -> None:
        """Take the laptop off the console's line: the board is not told, and what it says meanwhile is lost."""
        self.console.close()

    def back(self) -> None:
        """Be at the console's line again."""
        self.console.back(Link(connected(self._folder / "console", START_SECONDS)))

    @property
    def resets(self) -> int:
        """How often the board started over by itself since the power came on."""
        return self.monitor.count("RESET")

    def boot(self, wanted: str = LOGIN, seconds: float = 900.0) -> None:
        """Power on and wait for a text; once more when the emulation stood still, which is noted. Silence otherwise."""
        self.power_on()
        try:
            self.wait(wanted, seconds)
        except Stalled as stalled:
            self.notes.append(f"{stalled.sentence}; it was started once more")
            self.power_on()
            self.wait(wanted, seconds)

    def wait(self, pattern: str, seconds: float = 900.0) -> None:
        """Wait for a text on the console: Silence when it does not come, Stalled when it cannot come any more."""
        wait(self.console, pattern, seconds, self._stands)

    def _stands(self) -> str:
        """Why the emulation stands, "" when it does not or the board has a timer that does not do that."""
        if not self._emulator.timer:
            return ""
        first = timer(self.monitor, self._emulator.timer)
        self.console.pump(_BETWEEN)
        return why(first, timer(self.monitor, self._emulator.timer))

    def _prepare(self, words: tuple[str, ...]) -> None:
        """What the firmware would load, and the words for the kernel on the card."""
        emulator, card, folder = self._emulator, self.card, self._folder
        uboot = cards.get(card, layout.CONFIG, emulator.uboot)
        (folder / "uboot").write_bytes(wrapped(uboot) if emulator.way == "wrapped" else uboot)
        if emulator.way != "bios":
            (folder / "tree").write_bytes(cards.get(card, layout.SLOT_A, f"dtb/{emulator.tree}"))
        told = cards.get(card, layout.CONFIG, "cmdline.txt").decode("ascii", "replace").split()
        line = " ".join(dict.fromkeys((*told, *emulator.words, *words)))
        cards.put(card, layout.CONFIG, "cmdline.txt", line.encode() + b"\n")

    def _command(self) -> list[str]:
        """QEMU's command line."""
        return command(self.board, self._drive or plain(self.card), self._folder)

    def _errors(self) -> str:
        return (self._folder / "errors").read_text("utf-8", "replace").strip()


def version() -> str:
    """What QEMU says of itself; HardwareFault where it is not here, or too old for the boards."""
    try:
        told = subprocess.run([QEMU, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout
    except OSError as error:
        raise HardwareFault(*ABSENT) from error
    said = told.decode("utf-8", "replace").partition("\n")[0]
    found = re.search(r"version (\d+)\.", said)
    if found is None or int(found[1]) < OLDEST:
        raise HardwareFault(f"{said or QEMU} is too old: boards need version {OLDEST}", "as root .ci/qemu installs it")
    return said


def plain(card: Path) -> str:
    """A card as the plain file it is, as -drive takes it."""
    return f"file={card},if=sd,format=raw"


def command(board: Board, drive: str, folder: Path) -> list[str]:
    """QEMU's command line for a board with a boot loader. `drive`: the card, as -drive takes it. `folder` holds uboot
    and tree and gets the SOCKETS."""
    emulator = board.emulated()
    if emulator.way == "bios":
        loaded = ["-bios", str(folder / "uboot"), "-device", _JUMP]
    else:
        loaded = ["-kernel", str(folder / "uboot"), "-dtb", str(folder / "tree")]
    return [*started(emulator), *loaded, "-drive", drive, *wired(emulator, folder), *devices(board.parts)]


def started(emulator: Emulator) -> list[str]:
    """The words that every command line begins with."""
    return [QEMU, "-M", emulator.machine, *emulator.accel, "-display", "none", "-nodefaults"]


def wired(emulator: Emulator, folder: Path) -> list[str]:
    """Its SOCKETS. QEMU waits for who looks at the console: nothing of the start is missed."""
    first, second = ("console", "port") if emulator.console < emulator.port else ("port", "console")
    return [
        *("-chardev", f"socket,id=console,path={folder}/console,server=on,wait=on"),
        *("-chardev", f"socket,id=port,path={folder}/port,server=on,wait=off"),
        *("-serial", f"chardev:{first}", "-serial", f"chardev:{second}"),
        *("-qmp", f"unix:{folder}/monitor,server=on,wait=off"),
        *("-qtest", f"unix:{folder}/qtest,server=on,wait=off", "-qtest-log", "none"),
    ]


def wrapped(uboot: bytes) -> bytes:
    """A 32-bit U-Boot in the legacy form of a kernel (include/image.h of U-Boot), to be loaded and entered at TEXT."""
    words = [0, len(uboot), TEXT, TEXT, crc32(uboot)]
    kinds = bytes((5, 2, 2, 0)) + b"u-boot".ljust(32, b"\0")  # Linux, ARM, kernel, not compressed
    head = struct.pack(">I", 0x27051956) + struct.pack(">6I", 0, *words) + kinds
    return head[:4] + struct.pack(">I", crc32(head)) + head[8:] + uboot
