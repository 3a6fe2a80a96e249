"""A model of GPIO chips in this process: the double of a kernel behind the seam, with real descriptors.

Rules this file keeps:
1. It refuses what the kernel refuses, with the kernel's numbers: EBUSY for a held line, EINVAL for an offset that is
   not there and for flags that contradict each other, EPERM for setting an input, ENODEV for a chip that is gone.
2. It remembers what the kernel remembers: the direction last asked for stays in a line's info after the release,
   whatever the wire does; a request as-is sees what the hardware does.
3. A released output keeps driving (`keep`, Raspberry Pi kernels) or becomes an input (`input`, mainline).
4. A line holds 16 events nobody read, or as many as were asked for; older ones are dropped and their numbers missing.
5. Levels outside (`outside`, `pull`) are those of the wire: true is high. What nothing drives or pulls reads low.
6. Requests are for one line; a kernel takes up to 64 (EOPNOTSUPP here).
7. Every call is safe from any thread. Who listens is called after the change, with nothing locked.
"""

from __future__ import annotations

import _thread
import errno
import os
from time import monotonic, sleep

from edge.peripherals.gpiochip import uapi, wires
from edge.peripherals.gpiochip.faults import ANYWHERE, Fault, Faults
from edge.peripherals.gpiochip.stock import board
from edge.peripherals.gpiochip.wires import BIASES, CALLS, DIRECTIONS, Chip, Config, Done, Held, Line, asked, refuse
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.peripherals.gpiochip.stock import Stock

    Listener = Callable[[str, int, bool, int], None]

KEPT = 20_000  # calls that are remembered
ROOM, MOST_ROOM = 16, 1024  # events that a request holds, and the most it can ask for


class Model:
    """Chips in this process. `chips`: a board by its name, or its chips. It is a seam, and the hand at the wires.

    `record`: every call in order, the last KEPT. `chip` of the methods: a path, kernel name or label, `line`: a name
    or an offset; KeyError for what is not there.
    """

    def __init__(self, chips: str | tuple[Stock, ...] = "pi3", release: str = "keep") -> None:
        self._open: dict[int, tuple[Chip, int]] = {}
        self._held: dict[int, Held] = {}
        if release not in ("keep", "input"):
            raise ValueError(f"{release!r} is no way to release a line: keep or input")
        self.release = release
        self.record: list[Done] = []
        self._chips = [Chip(stock) for stock in (board(chips) if isinstance(chips, str) else chips)]
        self._faults = Faults()
        self._listeners: list[Listener] = []
        self._news: list[tuple[str, int, bool, int]] = []
        self._lock = _thread.allocate_lock()

    # --- the seam ---

    def chips(self) -> tuple[str, ...]:
        with self._lock:
            paths = [chip.path for chip in self._chips if not chip.gone]
        return tuple(sorted(paths, key=lambda path: (len(path), path)))

    def open(self, path: str) -> int:
        with self._lock:
            found = [chip for chip in self._chips if chip.path == path and not chip.gone]
            number = self._faults.next("open", -1) or (0 if found else errno.ENOENT)
            self._note(Done("open", path, error=number))
            refuse(number)
            fd, other = os.pipe2(os.O_CLOEXEC)
            self._open[fd] = found[0], other
            return fd

    def ioctl(self, fd: int, request: int, data: bytearray) -> None:
        with self._lock:
            what = CALLS.get(request, hex(request))
            known = self._open.get(fd)
            held = self._held.get(fd)
            chip = known[0] if known else held.chip if held else None
            if chip is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            done = asked(what, chip.path, held.offset if held else -1, data)
            number = self._faults.next(what, done.line)
            acts = number < 0 or not number
            try:
                if acts:
                    refuse(errno.ENODEV if chip.gone or (held and held.writer < 0) else 0)
                    self._do(what, chip, held, data)
                refuse(abs(number))
            except OSError as error:
                self._note(replace(done, error=error.errno or errno.EIO))
                raise
            self._note(done)
        self._announce()

    def read(self, fd: int, size: int) -> bytes:
        self.ready(fd)
        return os.read(fd, size - size % uapi.EVENT_SIZE)

    def ready(self, fd: int) -> None:
        """Nothing, or OSError when a line cannot be read: its chip is gone, or a script wants it."""
        with self._lock:
            held = self._held.get(fd)
            gone = errno.ENODEV if held is None or held.writer < 0 else 0
            refuse(abs(self._faults.next("read", held.offset if held else -1)) or gone)

    def close(self, fd: int) -> None:
        with self._lock:
            if fd in self._open:
                os.close(self._open.pop(fd)[1])
            elif fd in self._held:
                self._let_go(self._held.pop(fd))
            os.close(fd)
        self._announce()

    def __del__(self) -> None:
        """What a program left open goes with its kernel: the descriptors are real ones of this process."""
        for fd, (_, other) in self._open.items():
            os.close(other)
            os.close(fd)
        for fd, held in self._held.items():
            if held.writer >= 0:
                held.end()
            os.close(fd)

    # --- the hand at the wires ---

    def outside(self, chip: str, line: str | int) -> bool:
        """The level of a wire: true is high."""
        with self._lock:
            return self._line(chip, line)[1].level

    def changes(self, chip: str, line: str | int) -> list[tuple[int, bool]]:
        """The level at the start and each change since: nanoseconds of the monotonic clock, level; the last HISTORY."""
        with self._lock:
            return list(self._line(chip, line)[1].history)

    def pull(self, chip: str, line: str | int, level: bool | None) -> None:
        """Put a level on a wire from outside; None lets go. A driven output is stronger."""
        with self._lock:
            found, wire = self._line(chip, line)
            wire.pull = level
            self._refresh(found, wire)
        self._announce()

    def stick(self, chip: str, line: str | int, level: bool | None) -> None:
        """Hold a wire at a level whatever drives it, as a short circuit does; None mends it."""
        with self._lock:
            found, wire = self._line(chip, line)
            wire.stuck = level
            self._refresh(found, wire)
        self._announce()

    def holders(self) -> dict[tuple[str, int], str]:
        """(chip path, offset) -> consumer, of all lines that a request or the kernel holds."""
        with self._lock:
            return {
                (chip.path, offset): line.consumer
                for chip in self._chips
                for offset, line in enumerate(chip.lines)
                if line.consumer and not chip.gone
            }

    def fail(
        self, what: str, number: int, after: int = 0, times: int = 1, line: int | None = None, done: bool = False
    ) -> None:
        """Let calls fail with an errno: `what` is open, read or an ioctl's name (SET_VALUES), `line` an offset.

        `after` so many that go well, `times` in all (-1 for ever). `done`: it takes place and fails all the same.
        """
        with self._lock:
            anywhere = ANYWHERE if line is None else line
            self._faults.ask(Fault(what, -number if done else number, after, times, anywhere))

    def mend(self) -> None:
        """Forget every fault that `fail` asked for."""
        with self._lock:
            self._faults.clear()

    def unplug(self, chip: str) -> None:
        """Take a chip away: its descriptors hang up and answer ENODEV for ever."""
        with self._lock:
            found = self._chip(chip)
            found.gone = True
            for held in self._held.values():
                if held.chip is found and held.writer >= 0:
                    held.end()

    def plug(self, chip: str) -> None:
        """Bring back a chip that was taken away, as it is at power-on."""
        with self._lock:
            found = self._chip(chip)
            if found.gone:
                self._chips[self._chips.index(found)] = Chip(found.stock)

    def listen(self, listener: Listener) -> None:
        """Call `listener(chip path, offset, level, nanoseconds)` after each change of a wire."""
        self._listeners.append(listener)

    # --- within ---

    def _do(self, what: str, chip: Chip, held: Held | None, data: bytearray) -> None:
        """Do an ioctl of a chip or of a held line."""
        if held is None and what == "GET_CHIPINFO":
            wires.told_chip(chip, data)
        elif held is None and what == "GET_LINEINFO":
            wires.told_line(chip, data)
        elif held is None and what == "GET_LINE":
            self._request(chip, data)
        elif held is not None and what == "SET_CONFIG":
            self._configure(held, Config(data))
        elif held is not None and what == "GET_VALUES":
            refuse(0 if uapi.get(data, 8, 8) & 1 else errno.EINVAL)
            level = held.settled if held.debounce else held.line.level
            uapi.put(data, 0, 8, int(level != bool(held.line.flags & uapi.ACTIVE_LOW)))
        elif held is not None and what == "SET_VALUES":
            refuse(0 if uapi.get(data, 8, 8) & 1 else errno.EINVAL)
            refuse(0 if held.line.shown_output else errno.EPERM)
            self._drive(held.chip, held.line, bool(uapi.get(data, 0, 8) & 1))
        else:
            refuse(errno.EINVAL)

    def _request(self, chip: Chip, data: bytearray) -> None:
        count, config = uapi.get(data, uapi.COUNT_AT, 4), Config(data, uapi.CONFIG_AT)
        refuse(0 if 0 < count <= uapi.MOST and not any(data[uapi.BUFFER_AT + 4 : uapi.FD_AT]) else errno.EINVAL)
        config.check()
        refuse(errno.EOPNOTSUPP if count > 1 else 0)
        offset = uapi.get(data, 0, 4)
        refuse(errno.EINVAL if offset >= len(chip.lines) else 0)
        line = chip.lines[offset]
        refuse(errno.EBUSY if line.consumer else 0)
        line.shown_output = line.driving
        refuse(errno.ENXIO if config.flags & uapi.EDGES["both"] and not chip.stock.interrupts else 0)
        held = Held(chip, offset, min(uapi.get(data, uapi.BUFFER_AT, 4) or ROOM, MOST_ROOM))
        line.consumer, line.held = uapi.text(data, uapi.CONSUMER_AT) or "?", held
        line.flags = config.flags & uapi.ACTIVE_LOW
        self._held[held.fd] = held
        self._set_up(held, config)
        uapi.put(data, uapi.FD_AT, 4, held.fd)

    def _configure(self, held: Held, config: Config) -> None:
        config.check()
        wanted = config.flags & uapi.EDGES["both"]
        refuse(errno.ENXIO if wanted and not held.chip.stock.interrupts else 0)
        if config.flags & DIRECTIONS:
            self._set_up(held, config)

    def _set_up(self, held: Held, config: Config) -> None:
        """Make the line what the config says; without a direction it stays what it is."""
        line = held.line
        if not config.flags & DIRECTIONS:
            return
        if config.flags & BIASES and held.chip.stock.pulls:
            line.bias = uapi.word(uapi.BIAS, config.flags)
        held.turn += 1
        line.flags = config.flags & ~DIRECTIONS
        line.shown_output = line.driving = bool(config.flags & uapi.OUTPUT)
        held.debounce = config.debounce
        if line.driving:
            self._drive(held.chip, line, bool(config.value))
            return
        # What its own turning round does to the wire is no edge.
        self._refresh(held.chip, line, quiet=True)
        held.settled = line.level

    def _drive(self, chip: Chip, line: Line, value: bool) -> None:
        line.driven = value != bool(line.flags & uapi.ACTIVE_LOW)
        self._refresh(chip, line)

    def _refresh(self, chip: Chip, line: Line, quiet: bool = False) -> None:
        """Let the wire follow what acts on it, and tell who waits for its edges."""
        if not line.follow():
            return
        stamp, level = line.history[-1]
        self._news.append((chip.path, chip.lines.index(line), level, stamp))
        held = line.held
        if held is None or quiet or line.driving:
            return
        if held.debounce:
            held.due = monotonic() + held.debounce
            if held.settling != held.turn:
                held.settling = held.turn
                _thread.start_new_thread(self._settle, (held, held.turn))
        else:
            held.hear(level)

    def _settle(self, held: Held, turn: int) -> None:
        """What the kernel does when a debounced line was still for long enough. One thread sees to all its changes."""
        rest = held.debounce
        while rest > 0.0:
            sleep(rest)
            with self._lock:
                if held.turn != turn or held.line.held is not held or held.writer < 0:
                    return
                rest = held.due - monotonic()
                if rest > 0.0:
                    continue
                held.settling = -1
                if held.settled != held.line.level:
                    held.settled = held.line.level
                    held.hear(held.settled)

    def _let_go(self, held: Held) -> None:
        """Release a line, as the kernel at hand does it."""
        if held.writer >= 0:
            held.end()
        line = held.line
        line.held, line.consumer, line.flags = None, "", 0
        line.driving = line.driving and self.release == "keep"
        self._refresh(held.chip, line)

    def _announce(self) -> None:
        while self._news:
            with self._lock:
                news, self._news = self._news, []
            for one in news:
                for listener in tuple(self._listeners):
                    listener(*one)

    def _note(self, done: Done) -> None:
        self.record.append(done)
        if len(self.record) > 2 * KEPT:
            del self.record[:-KEPT]

    def _chip(self, said: str) -> Chip:
        for chip in self._chips:
            if said in (chip.path, chip.stock.name, chip.stock.label):
                return chip
        raise KeyError(f"the model has no chip {said}")

    def _line(self, chip: str, line: str | int) -> tuple[Chip, Line]:
        found = self._chip(chip)
        if (isinstance(line, int) or line.isdigit()) and int(line) < len(found.lines):
            return found, found.lines[int(line)]
        for one in found.lines:
            if one.name and one.name == line:
                return found, one
        raise KeyError(f"{found.stock.label} has no line {line}")
