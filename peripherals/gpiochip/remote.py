"""The model that runs in a process of its own: its chips behind the seam, and its wires for who looks from outside.

Rules this file keeps:
1. A packet is a request, a packet is its answer: a Unix socket of the kind SOCK_SEQPACKET keeps them whole. The first
   packet of a connection says what it is: CHIPS or OUTSIDE.
2. The descriptors of chips and lines are real ones, handed over by the server (SCM_RIGHTS, unix(7)): edges arrive
   there. The server tells them apart by numbers of its own.
3. A server that is gone is a chip that is gone: ENODEV.
4. What a connection requested is released when the connection ends, as the kernel does when a process ends.
5. A connection is its process's own: the child of a fork, which a kernel would let use its parent's lines, has no chip
   any more (ENODEV). Their requests and answers would mix.
"""

from __future__ import annotations

import _socket
import _thread
import errno
import posix as os
from sys import byteorder

from edge.faults import HardwareFault
from edge.peripherals.guard import line as json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHIPS, OUTSIDE = b"chips 1", b"outside 1"
LONGEST = 107  # bytes of a socket's address
PACKET = 64 * 1024
# Requests of a chips connection: one letter, a number of 4 bytes (a handle, or 0), then what belongs to it.
LIST, OPEN, IOCTL, CLOSE, READ = b"l", b"o", b"i", b"c", b"r"
DONE = (0).to_bytes(4, byteorder)


class Remote:
    """The seam of a running model. HardwareFault when nobody answers at the socket."""

    def __init__(self, path: str) -> None:
        self._socket = connect(path, CHIPS)
        self._process = os.getpid()
        self._handles: dict[int, int] = {}
        self._lock = _thread.allocate_lock()

    def chips(self) -> tuple[str, ...]:
        return tuple(self._ask(LIST)[0].decode().split())

    def open(self, path: str) -> int:
        handle, fd = self._ask(OPEN, data=path.encode())
        self._handles[fd] = int.from_bytes(handle, byteorder)
        return fd

    def ioctl(self, fd: int, request: int, data: bytearray) -> None:
        answer, given = self._ask(IOCTL, fd, request.to_bytes(4, byteorder) + data)
        if given >= 0:  # a line: its number there goes before the answer, its descriptor here into it
            self._handles[given] = int.from_bytes(answer[:4], byteorder)
            answer = answer[4:-4] + given.to_bytes(4, byteorder)
        data[:] = answer

    def read(self, fd: int, size: int) -> bytes:
        self._ask(READ, fd)
        data = os.read(fd, size)
        if not data and size:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        return data

    def close(self, fd: int) -> None:
        try:
            self._ask(CLOSE, fd)
        except OSError as error:
            if error.errno != errno.ENODEV:
                raise
        self._handles.pop(fd, None)
        os.close(fd)

    def end(self) -> None:
        """End the connection; every line that was requested over it is released."""
        self._socket.close()
        while self._handles:
            os.close(self._handles.popitem()[0])

    def _ask(self, what: bytes, fd: int = -1, data: bytes = b"") -> tuple[bytes, int]:
        """The answer and the descriptor that came with it, -1 for none; OSError with the model's number."""
        handle = 0 if fd < 0 else self._handles.get(fd, 0)
        if fd >= 0 and not handle:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        if os.getpid() != self._process:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        with self._lock:
            try:
                self._socket.send(what + handle.to_bytes(4, byteorder) + data)
                answer, extra, flags, _ = self._socket.recvmsg(PACKET, _socket.CMSG_SPACE(4), _socket.MSG_CMSG_CLOEXEC)
            except OSError as error:
                raise OSError(errno.ENODEV, os.strerror(errno.ENODEV)) from error
        number = int.from_bytes(answer[:4], byteorder) if answer else errno.ENODEV
        if flags & _socket.MSG_CTRUNC:
            number = errno.EMFILE  # a descriptor came and there was no room for it
        if number:
            raise OSError(number, os.strerror(number))
        return answer[4:], int.from_bytes(extra[0][2][:4], byteorder) if extra else -1


class Outside:
    """Whoever looks at the wires of a running model and pulls at them: tests, and developers without a board.

    `chip`: a path, kernel name or label, `line`: a name or an offset. Levels are those of the wire, true is high.
    HardwareFault when nobody answers, ValueError when the model has no such line.
    """

    def __init__(self, path: str) -> None:
        self._socket = connect(path, OUTSIDE)

    def level(self, chip: str, line: str | int) -> bool:
        """The level of a wire now."""
        return bool(self._ask("level", chip, line))

    def pull(self, chip: str, line: str | int, level: bool | None) -> None:
        """Put a level on a wire; None lets go."""
        self._ask("pull", chip, line, level)

    def stick(self, chip: str, line: str | int, level: bool | None) -> None:
        """Hold a wire at a level whatever drives it; None mends it."""
        self._ask("stick", chip, line, level)

    def wait(self, chip: str, line: str | int, level: bool, seconds: float) -> int:
        """Wait until a wire has a level: when it came to have it, in nanoseconds of the system's monotonic clock.

        HardwareFault when it has not within `seconds`.
        """
        stamp = self._ask("wait", chip, line, level, seconds)
        if stamp is None:
            high = "high" if level else "low"
            raise HardwareFault(f"the wire {line} of {chip} was not {high} within {seconds} s", "see what drives it")
        return int(stamp)

    def changes(self, chip: str, line: str | int) -> list[tuple[int, bool]]:
        """The level at the start and each change since: nanoseconds of the monotonic clock, level."""
        return [(stamp, level) for stamp, level in self._ask("changes", chip, line)]

    def record(self) -> list[dict[str, Any]]:
        """Every call in order, as `wires.Done` has them, by name of field."""
        found: list[dict[str, Any]] = []
        while True:
            more = self._ask("record", len(found))
            if not more:
                return found
            found += more

    def holders(self) -> dict[tuple[str, int], str]:
        """(chip path, offset) -> consumer, of all lines that somebody holds."""
        return {(path, offset): consumer for path, offset, consumer in self._ask("holders")}

    def fail(
        self, what: str, number: int, after: int = 0, times: int = 1, line: int | None = None, done: bool = False
    ) -> None:
        """As `Model.fail`."""
        self._ask("fail", what, number, after, times, line, done)

    def mend(self) -> None:
        """Forget the faults."""
        self._ask("mend")

    def unplug(self, chip: str) -> None:
        """Take a chip away."""
        self._ask("unplug", chip)

    def plug(self, chip: str) -> None:
        """Bring it back, as at power-on."""
        self._ask("plug", chip)

    def close(self) -> None:
        self._socket.close()

    def _ask(self, what: str, *said: object) -> Any:
        try:
            self._socket.send(json.write([what, *said]).encode())
            answer = self._socket.recv(PACKET)
        except OSError as error:
            raise HardwareFault(
                f"the model of the chips does not answer: {error.strerror}", "start it again"
            ) from error
        if not answer:
            raise HardwareFault("the model of the chips has ended", "start it again")
        good, value = json.read(answer.decode())
        if not good:
            raise ValueError(value)
        return value


def connect(path: str, kind: bytes) -> _socket.socket:
    """A connection of that kind; HardwareFault when nobody answers at the socket."""
    there = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET | _socket.SOCK_CLOEXEC)
    try:
        with Address(path) as address:
            there.connect(address)
        there.send(kind)
        answer = there.recv(len(DONE))
    except OSError as error:
        there.close()
        raise HardwareFault(
            f"no model of GPIO chips answers at {path}: {error.strerror}",
            "start it: python -m edge.peripherals.gpiochip.server SOCKET",
        ) from error
    if answer != DONE:
        there.close()
        raise HardwareFault(f"what answers at {path} is no model of GPIO chips", "see what listens there")
    return there


class Address:
    """A socket's address for as long as a `with` lasts, through its folder's descriptor when the path is too long."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._folder = -1

    def __enter__(self) -> str:
        if len(self._path.encode("utf-8", "surrogateescape")) <= LONGEST:
            return self._path
        folder, _, name = self._path.rpartition("/")
        self._folder = os.open(folder or "/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return f"/proc/self/fd/{self._folder}/{name}"

    def __exit__(self, *_exc: object) -> None:
        if self._folder >= 0:
            os.close(self._folder)
