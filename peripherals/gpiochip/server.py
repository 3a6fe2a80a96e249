"""The model of GPIO chips as a process: `python -m edge.peripherals.gpiochip.server SOCKET [options]`.

    --board NAME            pi-zero, pi3 (the default), pi3-mainline, pi5, generic
    --release keep|input    what a released output does: keeps driving (the default), or becomes an input
    --until-idle            end when the last connection ends; without it a signal ends the process

Rules this file keeps:
1. One thread, one poll loop: the calls of all connections have one order, which is that of the record.
2. A connection that ends releases what it requested, at once, whoever else is served.
3. It never waits for a connection: one that does not take its answer is ended.
4. The socket is its user's alone (0600). One that a dead server left behind is replaced, one that answers is not.
"""

from __future__ import annotations

import _socket
import errno
import os
import select
import sys
from time import monotonic

from edge.faults import Fault, HardwareFault, UsageFault
from edge.peripherals.gpiochip import remote, uapi
from edge.peripherals.gpiochip.model import Model
from edge.peripherals.gpiochip.remote import CHIPS, DONE, OUTSIDE, PACKET, Address
from edge.peripherals.guard import line as json
from edge.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PAGE = 100  # calls of the record in one answer
CHANGES = 500  # changes of a wire in one answer
USAGE = "python -m edge.peripherals.gpiochip.server SOCKET [--board NAME] [--release keep|input] [--until-idle]"


class Peer:
    """A connection: what it holds (number -> descriptor of the model), or whether it looks from outside."""

    def __init__(self, socket: _socket.socket) -> None:
        self.socket = socket
        self.kind = b""
        self.handles: dict[int, int] = {}
        self.last = 0
        self.waiting: tuple[str, str | int, bool, float] | None = None

    def hold(self, fd: int) -> bytes:
        """A new number for a descriptor of the model."""
        self.last += 1
        self.handles[self.last] = fd
        return self.last.to_bytes(4, sys.byteorder)


class Server:
    """The model at a socket. HardwareFault when the socket cannot be had."""

    def __init__(self, path: str, model: Model) -> None:
        self.path = path
        self.model = model
        self.peers: dict[int, Peer] = {}
        self.served = False
        self._poll = select.poll()
        self._socket = _listening(path)
        self._poll.register(self._socket.fileno(), select.POLLIN)

    def run(self, until_idle: bool = False) -> None:
        """Serve until the last connection has ended, or for ever."""
        while not (until_idle and self.served and not self.peers):
            for fd, what in self._poll.poll(self._pause()):
                if fd == self._socket.fileno():
                    self._accept()
                elif what & select.POLLIN:
                    self._heard(self.peers[fd])
                else:
                    self._drop(self.peers[fd])
            for peer in tuple(self.peers.values()):
                self._waited(peer)

    def close(self) -> None:
        """Take the socket away and release everything."""
        for peer in tuple(self.peers.values()):
            self._drop(peer)
        self._socket.close()
        if os.path.lexists(self.path):
            os.unlink(self.path)

    def _accept(self) -> None:
        accepted = self._socket._accept()  # type: ignore[attr-defined]
        peer = Peer(_socket.socket(fileno=accepted[0]))
        peer.socket.setblocking(False)
        self.peers[accepted[0]] = peer
        self.served = True
        self._poll.register(accepted[0], select.POLLIN)

    def _drop(self, peer: Peer) -> None:
        for fd in peer.handles.values():
            self.model.close(fd)
        self._poll.unregister(peer.socket.fileno())
        del self.peers[peer.socket.fileno()]
        peer.socket.close()

    def _heard(self, peer: Peer) -> None:
        try:
            packet = peer.socket.recv(PACKET)
        except OSError:
            packet = b""
        if not packet:
            self._drop(peer)
        elif not peer.kind:
            peer.kind = packet if packet in (CHIPS, OUTSIDE) else b"?"
            self._send(peer, DONE if peer.kind != b"?" else b"?")
        elif peer.kind == CHIPS:
            self._called(peer, packet)
        else:
            self._looked(peer, packet)

    def _called(self, peer: Peer, packet: bytes) -> None:
        """Answer a call of the seam."""
        what, number, rest = packet[:1], int.from_bytes(packet[1:5], sys.byteorder), packet[5:]
        try:
            answer, fd = self._call(peer, what, number, rest)
        except OSError as error:
            self._send(peer, (error.errno or errno.EIO).to_bytes(4, sys.byteorder))
        else:
            self._send(peer, DONE + answer, fd)

    def _call(self, peer: Peer, what: bytes, number: int, rest: bytes) -> tuple[bytes, int]:
        """The answer to a call, and a descriptor to hand over, -1 for none; OSError as the model raises it."""
        if what == remote.LIST:
            return "\n".join(self.model.chips()).encode(), -1
        if what == remote.OPEN:
            fd = self.model.open(rest.decode("utf-8", "replace"))
            return peer.hold(fd), fd
        held = peer.handles.get(number, -1)
        if held < 0:
            raise OSError(errno.EBADF, "no such descriptor")
        if what == remote.IOCTL:
            return self._ioctl(peer, held, rest)
        if what == remote.CLOSE:
            self.model.close(peer.handles.pop(number))
        elif what == remote.READ:
            self.model.ready(held)
        else:
            raise OSError(errno.EINVAL, "no such call")
        return b"", -1

    def _ioctl(self, peer: Peer, held: int, rest: bytes) -> tuple[bytes, int]:
        request, data = int.from_bytes(rest[:4], sys.byteorder), bytearray(rest[4:])
        if len(data) != request >> 16 & 0x3FFF:
            raise OSError(errno.EFAULT, "not as long as its request says")
        self.model.ioctl(held, request, data)
        if request != uapi.GET_LINE:
            return bytes(data), -1
        fd = uapi.get(data, uapi.FD_AT, 4)
        return peer.hold(fd) + data, fd

    def _looked(self, peer: Peer, packet: bytes) -> None:
        """Answer who looks from outside; a wait is answered when it is over."""
        try:
            what, *said = json.read(packet.decode("utf-8", "replace"))
            if what == "wait":
                chip, line, level, seconds = said
                self.model.outside(chip, line)
                peer.waiting = chip, line, level, monotonic() + seconds
                return
            answer = [True, self._answer(what, said)]
        except (ValueError, TypeError, KeyError) as error:
            answer = [False, str(error.args[0] if error.args else error)]
        self._send(peer, json.write(answer).encode())

    def _answer(self, what: str, said: list[Any]) -> Any:
        model = self.model
        if what == "record":
            return [as_dict(done) for done in model.record[said[0] : said[0] + PAGE]]
        if what == "holders":
            return [[path, offset, consumer] for (path, offset), consumer in model.holders().items()]
        if what == "changes":
            return model.changes(*said)[-CHANGES:]
        acts: dict[str, Any] = {"level": model.outside, "pull": model.pull, "stick": model.stick, "fail": model.fail}
        acts.update(mend=model.mend, unplug=model.unplug, plug=model.plug)
        if what not in acts:
            raise ValueError(f"the model knows no {what[:40]!r}")
        return acts[what](*said)

    def _waited(self, peer: Peer) -> None:
        """Answer a wait that is over: with when the wire came to its level, or with nothing."""
        if peer.waiting is None:
            return
        chip, line, level, until = peer.waiting
        stamp, now = self.model.changes(chip, line)[-1]
        if now != level and monotonic() < until:
            return
        peer.waiting = None
        self._send(peer, json.write([True, stamp if now == level else None]).encode())

    def _pause(self) -> int | None:
        """Milliseconds until the first wait is over."""
        ends = [peer.waiting[3] for peer in self.peers.values() if peer.waiting]
        return max(0, int((min(ends) - monotonic()) * 1000.0) + 1) if ends else None

    def _send(self, peer: Peer, packet: bytes, fd: int = -1) -> None:
        rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, fd.to_bytes(4, sys.byteorder))] if fd >= 0 else []
        try:
            peer.socket.sendmsg([packet], rights)
        except OSError:
            self._drop(peer)


def _listening(path: str) -> _socket.socket:
    """A listening socket at the path."""
    there = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET | _socket.SOCK_CLOEXEC)
    before = os.umask(0o177)
    try:
        with Address(path) as address:
            if os.path.lexists(path) and not _answers(path):
                os.unlink(path)
            there.bind(address)
    except OSError as error:
        there.close()
        raise HardwareFault(f"the socket {path} cannot be had: {error.strerror}", "use another path") from error
    finally:
        os.umask(before)
    there.listen(16)
    return there


def _answers(path: str) -> bool:
    """True when the path is no socket, or somebody listens there."""
    from stat import S_ISSOCK

    if not S_ISSOCK(os.lstat(path).st_mode):
        return True  # connecting to a plain file is refused just as connecting to a dead socket is
    there = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET | _socket.SOCK_CLOEXEC)
    try:
        with Address(path) as address:
            there.connect(address)
    except ConnectionRefusedError:
        return False
    except OSError:
        return True
    finally:
        there.close()
    return True


def options(words: list[str]) -> tuple[str, str, str, bool]:
    """Socket, board, release, until idle; UsageFault when the words say something else."""
    rest, board, release, idle = list(words), "pi3", "keep", False
    paths = []
    while rest:
        word = rest.pop(0)
        if word == "--until-idle":
            idle = True
        elif word in ("--board", "--release") and rest:
            board, release = (rest.pop(0), release) if word == "--board" else (board, rest.pop(0))
        else:
            paths.append(word)
    if len(paths) != 1 or paths[0].startswith("-"):
        raise UsageFault("one socket is wanted", USAGE)
    return paths[0], board, release, idle


def main(words: list[str]) -> int:
    """Run the model; the exit code."""
    try:
        path, board, release, idle = options(words)
        try:
            model = Model(board, release)
        except ValueError as error:
            raise UsageFault(str(error), USAGE) from error
        server = Server(path, model)
    except Fault as fault:
        os.write(2, f"{fault}\n".encode())
        return fault.code
    try:
        server.run(idle)
    finally:
        server.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
