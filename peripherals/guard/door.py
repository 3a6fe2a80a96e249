"""The guard's listening socket: who may come in, and how others find it and ask.

Rules this file keeps:
1. Who comes is known by the kernel (SO_PEERCRED, unix(7)): the guard's own user, root, or a user it was told
   (`--users`). Everybody else is shown out before a byte is read. What a tool starts has no AF_UNIX sockets unless its
   permit holds them, and runs as another user where the wall gives it one: it is nobody who may come in.
2. The socket is 0600 in a folder that is 0700; 0666 only where other users were named, and then rule 1 alone decides.
3. A path too long for a socket address (107 bytes) is reached through its folder's descriptor.
4. One frame `{"do":...}` and one reply is all that `ask` does. An agent says hello and stays (edge.peripherals.guard.
   client).
5. What lies at the path when the door is made is what a dead guard left, or it is somebody alive: then the door is not
   made.
"""

from __future__ import annotations

import _socket
import posix as os
import sys

from edge.faults import HardwareFault
from edge.peripherals.guard import protocol
from edge.peripherals.guard.folder import SOCKET, asked_at, encoded
from edge.peripherals.guard.protocol import Splitter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = SOCKET
SERVICE = "/run/fieldhand/guard.sock"
LONGEST = 107
BACKLOG = 16
PIECE = 12 * 1024  # characters of a description in one reply: with every quote escaped it still fits a frame
MOST = 16  # pieces
_UCRED = 12  # bytes of struct ucred: pid, uid, gid (unix(7))


class Door:
    """The listening end. OSError when the socket cannot be made, HardwareFault when somebody else listens there."""

    def __init__(self, path: str, users: tuple[int, ...] = ()) -> None:
        self.path = path
        self._users = (os.geteuid(), 0, *users)
        where, self._name = _split(path)
        self._folder = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        made = False
        try:
            self._bind(0o111 if users else 0o177)
            made = True
        finally:
            if not made:
                self.socket.close()
                os.close(self._folder)
        self.socket.setblocking(False)

    def accept(self) -> tuple[_socket.socket, int] | None:
        """Take one connection: its socket and the peer's user; None when there is none or it is not allowed."""
        try:
            fd, _ = self.socket._accept()  # type: ignore[attr-defined]
        except OSError:
            return None
        peer = _socket.socket(fileno=fd)
        _, uid = credentials(peer)
        if uid not in self._users:
            peer.close()
            return None
        return peer, uid

    def close(self) -> None:
        """Close it and take it away."""
        self.socket.close()
        try:
            self._remove()
        except OSError:
            return  # its folder takes no change: the next door there begins anew
        finally:
            os.close(self._folder)

    def _remove(self) -> None:
        try:
            os.unlink(self._name, dir_fd=self._folder)
        except FileNotFoundError:
            return  # it is gone

    def _bind(self, mask: int) -> None:
        other = connect(self.path, 0.5)
        if other is not None:
            other.close()
            raise HardwareFault(f"another guard listens at {self.path}", "end that one, or use --socket PATH")
        self._remove()
        before = os.umask(mask)
        try:
            self.socket.bind(_address(self.path, self._folder))
        finally:
            os.umask(before)
        self.socket.listen(BACKLOG)


def credentials(peer: _socket.socket) -> tuple[int, int]:
    """The process and the user of the other side, as the kernel saw them when it connected."""
    told = peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _UCRED)
    return int.from_bytes(told[:4], sys.byteorder), int.from_bytes(told[4:8], sys.byteorder)


def connect(path: str, seconds: float) -> _socket.socket | None:
    """A connection to the guard at `path`, None when nobody listens there. OSError."""
    try:
        folder = os.open(_split(path)[0], os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    connected = False
    try:
        # Nobody waits in a connect that must not block: a full queue would be an error at once (unix(7), EAGAIN).
        peer.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDTIMEO, _timeval(seconds))
        peer.connect(_address(path, folder))
        peer.settimeout(seconds)
        connected = True
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    finally:
        os.close(folder)
        if not connected:
            peer.close()
    return peer


def ask(path: str, message: Mapping[str, Any], seconds: float = 5.0) -> dict[str, Any] | None:
    """One request to the guard at `path`: its reply's fields, or None when nobody listens there.

    The fault that the guard replied with, or HardwareFault when it does not answer within `seconds`.
    """
    try:
        reply = _once(path, message, seconds)
    except EOFError as error:
        raise mute(path, error) from error
    if reply is not None and reply.get("ok") is not True:
        raise protocol.fault(reply)
    return reply


def ask_in(where: str, message: Mapping[str, Any], seconds: float = 5.0) -> dict[str, Any] | None:
    """`ask` of the guard that holds the folder `where`, wherever it listens; None when none does."""
    path = asked_at(where)
    return ask(path, message, seconds) if path else None


def description(path: str, seconds: float = 5.0) -> str | None:
    """What the guard at `path` was told to own, as edge.peripherals.guard.owned writes it.

    None: nobody listens, or it is ending. HardwareFault: it does not answer.
    """
    said = ""
    for _ in range(MOST):
        try:
            reply = _once(path, {"do": "owned", "at": len(said)}, seconds)
        except EOFError:
            return None
        if reply is None:
            return None
        said += str(reply.get("text", ""))
        if len(said) >= int(reply.get("size", 0)):
            return said
    raise HardwareFault(f"the guard at {path} does not say what it owns", "end it and start again")


def piece(said: str, at: object) -> dict[str, Any]:
    """The reply of a guard to a question for its description from character `at`."""
    begin = at if type(at) is int and 0 <= at <= len(said) else 0
    return {"text": said[begin : begin + PIECE], "size": len(said)}


def _once(path: str, message: Mapping[str, Any], seconds: float) -> dict[str, Any] | None:
    """The reply to one request; None: nobody listens. EOFError: it ended before it replied. HardwareFault."""
    try:
        peer = connect(path, seconds)
        if peer is None:
            return None
        try:
            peer.sendall(protocol.encode(message))
            return _reply(peer)
        finally:
            peer.close()
    except ConnectionError as error:
        raise EOFError("the connection ended before a reply") from error
    except (OSError, ValueError) as error:
        raise mute(path, error) from error


def _reply(peer: _socket.socket) -> dict[str, Any]:
    splitter = Splitter(protocol.REPLY)
    while True:
        data = peer.recv(protocol.REPLY)
        if not data:
            raise EOFError("the connection ended before a reply")
        for frame in splitter.feed(data):
            return protocol.decode(frame)


def mute(path: str, error: Exception) -> HardwareFault:
    """The fault of a guard that could not be asked."""
    fix = "try again; it may be starting or ending"
    if isinstance(error, PermissionError):
        fix = "ask as its user or as root, or start it with --users NAME"
    return HardwareFault(f"the guard at {path} did not answer: {getattr(error, 'strerror', None) or error}", fix)


def _address(path: str, folder: int) -> str:
    return path if len(encoded(path)) <= LONGEST else f"/proc/self/fd/{folder}/{_split(path)[1]}"


def _timeval(seconds: float) -> bytes:
    """A struct timeval of this machine (socket(7), SO_SNDTIMEO): two longs."""
    size = 8 if sys.maxsize > 1 << 32 else 4
    whole = int(seconds)
    return b"".join([part.to_bytes(size, sys.byteorder) for part in (whole, int((seconds - whole) * 1e6))])


def _split(path: str) -> tuple[str, str]:
    """The folder of a path and its last name."""
    where, _, name = path.rpartition("/")
    return where or ("/" if path[:1] == "/" else "."), name
