"""The hand that starts a shell behind the wall, and ends everything it started.

Rules:
1. The text that was judged is one argument of `/bin/sh -c`, byte for byte. Standard input is empty.
2. When the call ends, in whatever way, nothing it started goes on: not in a new session, not in the background.
3. Each stream is kept up to a bound; what is more is read, counted and thrown away. Pipes that something else holds
   open are read for a short while more, not until their end.
4. A deadline is kept by one thread that never waits longer than LOOK for anything.
5. Without the wall that the policy requires nothing starts.
"""

from __future__ import annotations

import errno
import os
import select
import time

from edge.faults import Refused, ToolFault
from edge.hands.wall import environment, level, limits, mask, spawn, tree
from edge.hands.wall.plan import plan, wants_temporary
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.hands import Holder
    from edge.hands.wall.confine import Confinement
    from edge.hands.wall.level import Level
    from edge.hands.wall.namespaces import Kept
    from edge.hands.wall.spawn import Child

KEPT = 1 << 20  # bytes of each stream
LOOK = 0.05  # seconds between two looks at whether the call has to end
_BLOCK = 65536
_GONE = 2.0  # seconds for a killed shell to be gone
_DRAIN = 0.25  # seconds for what is still in the pipes after the end
_STRONG = ("landlock", "namespaces")


class Run:
    """Starts shells inside the permit of one call."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def shell(self, text: str, seconds: float) -> Mapping[str, Any]:
        """Run `text` by /bin/sh for at most `seconds` (and the permit's).

        `code` (None when it was ended by a signal) `signal stdout stderr cut ended seconds wall killed said notes`.
        `cut` counts bytes that were not kept; `ended` is exit, deadline or stopped; `killed` counts processes that
        were still running; `said` are sentences about what the wall closes, which explain a failure; `notes` what a
        reader must know of any output (notes.py). Refused when the policy requires a wall that this machine
        does not have; ToolFault when the shell cannot be started.
        """
        self._holder.grant("run", "shell", "sh")
        if "\0" in text:
            raise ToolFault("a command cannot hold a NUL")
        world, permit = self._holder.world, self._holder.permit
        last = self._holder.begun + permit.seconds  # to find a wall for the first time is of the call's time
        found = self._level()
        temporary = _temporary() if wants_temporary(permit) else ""
        standing: tuple[str, ...] = ()
        try:
            made, said = plan(permit, world, found.name, temporary, found.alone)
            standing = made.standing
            made = replace(made, alone=made.alone and found.alone)
            left = min(seconds, last - time.monotonic())
            if left <= 0:
                raise ToolFault("its time was over before the wall stood, so it was not started")
            ran = self._run(made, text, left)
            notes = _notes(made, said, text, ran["stdout"] + ran["stderr"])
            return {**ran, "said": list(said), "notes": list(notes)}
        finally:
            mask.let_go(standing)
            if temporary:
                environment.remove(temporary)

    def _level(self) -> Level:
        world = self._holder.world
        scene = world.scene
        found = level.find(world.sandbox, state=scene.state, roots=tuple(root.path for root in scene.roots))
        if world.sandbox == "require" and found.name not in _STRONG:
            raise Refused(
                f"the policy requires a wall around programs, and there is none here: {'; '.join(found.reasons)}",
                "wall.required",
                "`fieldhand doctor` shows each claim; `sandbox = prefer` would run with what there is",
            )
        return found

    def _run(self, made: Confinement, text: str, seconds: float) -> dict[str, Any]:
        begin = time.monotonic()
        watch = _Watch(_started(made, text))
        try:
            self._holder.world.child(watch.child.pid, tree.stat(watch.child.pid)[2], watch.child.tag)
            ended = watch.until(begin + seconds, self._holder)
        finally:
            killed = watch.end()
        took = round(time.monotonic() - begin, 3)
        return {**watch.result(), "ended": ended, "killed": killed, "seconds": took, "wall": made.level}


def _notes(made: Confinement, said: tuple[str, ...], text: str, output: str) -> tuple[str, ...]:
    """What was not as it is for the child, or not held."""
    if made.level == "landlock" and not said:
        return ()
    from edge.hands.wall import namespaces
    from edge.hands.wall.notes import copies, notes

    copied = copies(said, text)
    if made.level == "landlock":
        return copied
    return (*copied, *notes(made.level, namespaces.only_reads(made), os.geteuid() == 0, text, output))


def _temporary() -> str:
    try:
        return environment.temporary()
    except OSError as error:
        raise ToolFault(f"no folder for temporary files can be made: {error.strerror}") from error


def _started(made: Confinement, text: str) -> tuple[Child | Kept, list[int]]:
    """The shell, and the ends of its two pipes to read from. ToolFault when it does not start."""
    reads: list[int] = []
    writes: list[int] = []
    tag = 0
    try:
        tag = limits.tag()
        for _ in range(2):
            read, write = os.pipe2(os.O_CLOEXEC)
            reads.append(read)
            writes.append(write)
            os.set_blocking(read, False)
        writes.append(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC))
        argv = ("/bin/sh", "-c", text)
        return spawn.start(replace(made, tag=tag), argv, writes[2], writes[0], writes[1]), reads
    except (OSError, ToolFault) as error:
        limits.free(tag)
        for fd in reads:
            os.close(fd)
        raise error if isinstance(error, ToolFault) else _fault(error, made.level) from error
    finally:
        for fd in writes:
            os.close(fd)


def _fault(error: OSError, level: str) -> ToolFault:
    why = error.strerror or str(error)
    if error.errno == errno.E2BIG:
        return ToolFault("the command is too long for this system", "put it into a file and run that")
    what = f" ({error.filename})" if error.filename else ""
    return ToolFault(f"the shell cannot be started behind the wall ({level}): {why.lower()}{what}")


class _Kept:
    """What is kept of a stream: its head, its tail, and how much was between them."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail = bytearray()
        self.cut = 0

    def add(self, block: bytes) -> None:
        room = KEPT - KEPT // 4 - len(self.head)
        if room > 0:
            self.head += block[:room]
            block = block[room:]
        self.tail += block
        over = len(self.tail) - KEPT // 4
        if over > 0:
            self.cut += over
            del self.tail[:over]

    def text(self) -> str:
        between = b"\n[%d bytes left out]\n" % self.cut if self.cut else b""
        return (self.head + between + self.tail).decode("utf-8", "replace")


class _Watch:
    """One running shell, its pipes and its end."""

    def __init__(self, started: tuple[Child | Kept, list[int]]) -> None:
        self.child, pipes = started
        self.code: int | None = None
        self.kept = (_Kept(), _Kept())
        self.open = dict(zip(pipes, self.kept))
        self.poll = select.poll()
        for fd in pipes:
            self.poll.register(fd, select.POLLIN)
        self.handle = self.child.fileno()
        if self.handle >= 0:
            self.poll.register(self.handle, select.POLLIN)

    def until(self, deadline: float, holder: Holder) -> str:
        """Read until the shell ends, its time is over, or it is told to end: which of them."""
        while True:
            if holder.ending():
                return "stopped"
            left = deadline - time.monotonic()
            if left <= 0:
                return "deadline"
            self._turn(min(left, LOOK))
            if self.child.poll() is not None:
                return "exit"

    def _turn(self, seconds: float) -> bool:
        """Wait for something and read it; False when there was nothing."""
        if self.handle < 0 and (not self.open or seconds > 0.01):
            seconds = min(seconds, 0.01)  # nothing tells of the end of the shell
        found = self.poll.poll(max(0, round(seconds * 1000)))
        for fd, _ in found:
            if fd in self.open:
                self._read(fd)
        return bool(found)

    def _read(self, fd: int) -> None:
        try:
            block = os.read(fd, _BLOCK)
        except BlockingIOError:
            return
        if block:
            self.open[fd].add(block)
        else:
            self._close(fd)

    def _close(self, fd: int) -> None:
        self.poll.unregister(fd)
        self.open.pop(fd)
        os.close(fd)

    def end(self) -> int:
        """End every process of the call, read what is left in the pipes, close all: how many were still running."""
        try:
            if self.handle >= 0:
                self.poll.unregister(self.handle)
            killed = self.child.kill_tree()
            until = time.monotonic() + _DRAIN
            while self.open and time.monotonic() < until:
                self._turn(0.02)
            self.code = self._code()
            return killed
        finally:
            for fd in list(self.open):
                self._close(fd)
            self.child.close()

    def _code(self) -> int | None:
        """How the shell ended, which the kernel may tell a moment after the end; None when it does not go."""
        until = time.monotonic() + _GONE
        while (code := self.child.poll()) is None and time.monotonic() < until:
            time.sleep(0.002)
        return code

    def result(self) -> dict[str, Any]:
        code = self.code
        name = _signal_name(-code) if code is not None and code < 0 else ""
        out, err = self.kept
        return {
            "code": code if code is not None and code >= 0 else None,
            "signal": name,
            "stdout": out.text(),
            "stderr": err.text(),
            "cut": out.cut + err.cut,
        }


def _signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
