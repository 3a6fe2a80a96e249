"""The socket at which an agent's question waits: `<state>/approvals/PID-xxxx.sock`, served by a thread of its own.

Rules:
1. It is opened with the first question and never holds up the loop: the thread shares nothing with it but the queue.
2. The folder is 0700 and must be this user's alone; the socket is 0600 before anybody can connect.
3. A peer is this user or root (SO_PEERCRED) and does not descend from the agent (edge.approvals.peers).
4. One connection is one JSON line, at most REQUEST bytes within SECONDS, and one JSON line back:
   `{"do":"list"}`, `{"do":"approve","id":...}`, `{"do":"deny","id":...,"text":...}`.
   A reply is `{"ok":true,...}` or `{"ok":false,"known":...,"error":sentence}`.
5. A path too long for a socket address (107 bytes, unix(7)) is reached through the folder's descriptor.
6. What dead agents left in the folder is taken away by the next one.
"""

from __future__ import annotations

import os
import time

from edge.approvals.peers import credentials, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
    from typing import Any

    from edge.approvals.queue import Queue

FOLDER = "approvals"
SUFFIX = ".sock"
LONGEST = 107
REQUEST = 64 * 1024
SECONDS = 2.0
PARTING = 1.0  # seconds that the end of a run waits for a reply that is on its way
BACKLOG = 64
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


def folder_of(state: str) -> str:
    """The folder of the sockets of a state folder."""
    return f"{state.rstrip('/')}/{FOLDER}"


def address(folder: str, descriptor: int, name: str) -> str:
    """A socket's address, through the open folder where the path itself is too long."""
    path = f"{folder}/{name}"
    return path if len(os.fsencode(path)) <= LONGEST else f"/proc/self/fd/{descriptor}/{name}"


class Server:
    """The listening end. OSError when it cannot be made."""

    def __init__(self, state: str, queue: Queue) -> None:
        import _thread
        import socket

        self.folder = folder_of(state)
        self.name = f"{os.getpid()}-{os.urandom(2).hex()}{SUFFIX}"
        self._queue = queue
        self._over = self._answering = False
        os.makedirs(self.folder, 0o700, exist_ok=True)
        self._descriptor = os.open(self.folder, _FOLDER_FLAGS)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            _ours(self._descriptor)
            _sweep(self._descriptor)
            self._socket.bind(address(self.folder, self._descriptor, self.name))
            os.chmod(self.name, 0o600, dir_fd=self._descriptor)
            self._socket.listen(BACKLOG)
        except OSError:
            self._gone()
            raise
        _thread.start_new_thread(self._serve, ())

    def close(self) -> None:
        """Take the socket away; the thread ends at its next look."""
        import socket

        until = time.monotonic() + PARTING
        while self._answering and time.monotonic() < until:
            time.sleep(0.005)  # whose answer ended the run is told that it counted
        if not self._over:
            self._over = True
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread out of accept
            self._gone()

    def _gone(self) -> None:
        self._socket.close()
        _away(self.name, self._descriptor)
        os.close(self._descriptor)

    def _serve(self) -> None:
        while not self._over:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                # Closed, or out of descriptors: in that case later connections find room again.
                time.sleep(0.1)
                continue
            with peer:
                try:
                    self._exchange(peer)
                except OSError:
                    continue  # the peer went away or was too slow; its answer, if taken, counts

    def _exchange(self, peer: socket.socket) -> None:
        import json

        pid, uid = credentials(peer)
        why = refusal(pid, uid, os.getpid())
        line = _line(peer)  # also of who is refused: what is left unread would take the reply away with it
        reply: Mapping[str, Any] = {"ok": False, "known": True, "error": why}
        self._answering = not why
        try:
            if not why:
                reply = self._answer(line, f"operator by approvals, uid {uid}")
            peer.settimeout(SECONDS)
            peer.sendall(json.dumps(reply, ensure_ascii=True, default=str).encode("ascii") + b"\n")
        finally:
            self._answering = False

    def _answer(self, line: bytes, by: str) -> Mapping[str, Any]:
        """The reply to one request."""
        import json

        try:
            asked = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            asked = None
        do = asked.get("do") if isinstance(asked, dict) else None
        if do == "list":
            return {"ok": True, "questions": self._queue.rows()}
        name, text = (asked.get("id"), asked.get("text", "")) if do in ("approve", "deny") else (None, None)
        if not isinstance(name, str) or not isinstance(text, str):
            return {"ok": False, "known": False, "error": "the request cannot be understood"}
        said = self._queue.answer(name[:64], do == "approve", text, by)
        return {"ok": said.ok, "known": said.known, "error": said.sentence}


def _line(peer: socket.socket) -> bytes:
    """One line within SECONDS; what is longer than REQUEST or ends early comes as it is and is no request."""
    until = time.monotonic() + SECONDS
    data = b""
    while b"\n" not in data and len(data) <= REQUEST:
        peer.settimeout(max(0.001, until - time.monotonic()))
        part = peer.recv(65536)
        if not part:
            break
        data += part
    return data.partition(b"\n")[0] if len(data) <= REQUEST else b""


def _ours(folder: int) -> None:
    """OSError unless the folder belongs to this user alone."""
    status = os.fstat(folder)
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PermissionError(1, "the folder of the approvals socket can be used by others")


def _sweep(folder: int) -> None:
    """Take away the sockets of processes that are gone."""
    for name in os.listdir(folder):
        pid = name.partition("-")[0]
        if name.endswith(SUFFIX) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            _away(name, folder)


def _away(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return  # it was never there, or another agent tidied up
