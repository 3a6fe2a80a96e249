"""The control socket that only a simulated board has: `<state>/sim/control`, to see and set its world.

Rules this file keeps:
1. It moves the greenhouse and the parts, never an output: outputs belong to the guard and its agent.
2. One connection is one request (`{"do":"show"}` or `{"do":"set","name":...,"value":...}`) and one reply, in the
   frames of the guard's protocol. At most PEERS at a time, each for at most SECONDS; the board never waits for one.
3. The socket is 0600 in a folder that is 0700, and the peer's user (SO_PEERCRED) must be the board's own or root.
4. A path too long for a socket address (107 bytes) is reached through the folder's descriptor.
"""

from __future__ import annotations

import _socket
import os
import sys
from time import monotonic

from edge.faults import HardwareFault
from edge.peripherals.guard import protocol
from edge.peripherals.guard.protocol import Splitter
from edge.peripherals.guard.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

NAME = "control"
LONGEST = 107
PEERS = 4
SECONDS = 2.0
_UCRED = 12  # bytes of struct ucred: pid, uid, gid (unix(7))


class Server:
    """The listening end, served from the board's poll loop. OSError when the socket cannot be made.

    `answer` gets the decoded request and gives the reply's fields.
    """

    def __init__(self, folder: str, answer: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        self.path = f"{folder}/{NAME}"
        self.wires: dict[int, tuple[Wire, float]] = {}
        self._answer = answer
        self._folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        if os.path.lexists(self.path):
            os.unlink(self.path)  # the folder's lock is ours, so this is what a dead board left
        before = os.umask(0o177)
        try:
            self.socket.bind(_address(self.path, self._folder))
        finally:
            os.umask(before)
        self.socket.listen(4 * PEERS)
        self.socket.setblocking(False)

    def accept(self) -> int:
        """Take one connection: its descriptor, or -1 when there is none to take or it is not allowed."""
        try:
            accepted = self.socket._accept()  # type: ignore[attr-defined]
        except OSError:
            return -1
        fd: int = accepted[0]
        peer = _socket.socket(fileno=fd)
        if len(self.wires) >= PEERS or not _own(peer):
            peer.close()
            return -1
        self.wires[fd] = (Wire(peer), monotonic() + SECONDS)
        return fd

    def serve(self, fd: int) -> bool:
        """Read and answer; False when the connection is over and was closed."""
        wire, _ = self.wires[fd]
        frames = wire.receive()
        for frame in frames or ():
            wire.send(self._reply(frame))
        if frames == [] or (wire.waiting and not wire.gone):
            return True
        self.drop(fd)
        return False

    def flush(self, fd: int) -> bool:
        """Send what is held; False when that was all and the connection was closed."""
        self.wires[fd][0].flush()
        if self.wires[fd][0].waiting:
            return True
        self.drop(fd)
        return False

    def late(self, real: float) -> list[int]:
        """The connections whose time is over."""
        return [fd for fd, (_, end) in self.wires.items() if real >= end]

    def drop(self, fd: int) -> None:
        self.wires.pop(fd)[0].close()

    def close(self) -> None:
        """Close everything and take the socket away."""
        for fd in tuple(self.wires):
            self.drop(fd)
        self.socket.close()
        os.close(self._folder)
        if os.path.lexists(self.path):
            os.unlink(self.path)

    def _reply(self, frame: bytes | None) -> Mapping[str, Any]:
        from edge.faults import Fault, UsageFault

        try:
            return protocol.answer(1, self._answer(protocol.decode(frame)))
        except Fault as fault:
            return protocol.refusal(1, fault)
        except ValueError as error:
            return protocol.refusal(1, UsageFault(f"the board got a damaged request: {error}"))


def ask(folder: str, message: Mapping[str, Any], seconds: float = 5.0) -> dict[str, Any] | None:
    """One request to the board that runs in `folder`: its reply's fields, or None when no board runs there.

    The fault that the board replied with, or HardwareFault when it does not answer within `seconds`.
    """
    try:
        data = _exchange(folder, protocol.encode(message), seconds)
        if data is None:
            return None
        reply = protocol.decode(data)
    except (OSError, ValueError) as error:
        if isinstance(error, HardwareFault):
            raise
        raise HardwareFault(
            f"the simulated board in {folder} did not answer: {error}", "try again; the board may be starting or ending"
        ) from error
    if reply.get("ok") is not True:
        raise protocol.fault(reply)
    return reply


def _exchange(folder: str, request: bytes, seconds: float) -> bytes | None:
    """The reply's frame; None when nobody listens."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    try:
        peer.settimeout(seconds)
        try:
            peer.connect(_address(f"{folder}/{NAME}", descriptor))
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        peer.sendall(request)
        return _frame(peer)
    finally:
        peer.close()
        os.close(descriptor)


def _frame(peer: _socket.socket) -> bytes:
    splitter = Splitter()
    while True:
        data = peer.recv(protocol.LIMIT)
        if not data:
            raise ValueError("the connection ended before a reply")
        for frame in splitter.feed(data):
            if frame is None:
                raise ValueError("the reply is too long")
            return frame


def _own(peer: _socket.socket) -> bool:
    """True when the other side runs as the same user as the board, or as root."""
    credentials = peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _UCRED)
    uid = int.from_bytes(credentials[4:8], sys.byteorder)
    return uid in (os.geteuid(), 0)


def _address(path: str, folder: int) -> str:
    return path if len(os.fsencode(path)) <= LONGEST else f"/proc/self/fd/{folder}/{NAME}"

