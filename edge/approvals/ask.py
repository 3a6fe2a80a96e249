"""The operator's side of the approvals socket: every agent of a state folder is asked."""

from __future__ import annotations

import os
import time

from edge.approvals.server import SUFFIX, address, folder_of
from edge.faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Mapping
    from typing import Any

SECONDS = 6.0  # more than a server takes for one exchange with another client and this one
REPLY = 16 * 1024 * 1024  # bytes: a question is shown whole, whatever its length


def questions(state: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The open questions of all agents of `state`, and sentences about agents that did not answer."""
    found, troubles = [], []
    for name, reply in replies(state, {"do": "list"}):
        if reply is None or not reply.get("ok"):
            why = reply.get("error") if reply else "it did not answer"
            troubles.append(f"the agent of process {name.partition('-')[0]} told nothing: {why}")
        else:
            found += [row for row in reply.get("questions", ()) if isinstance(row, dict)]
    return found, troubles


def answer(state: str, message: Mapping[str, Any]) -> str:
    """Give an answer to whichever agent asked: "" when it was taken, else why not."""
    unknown = f"no question is called {message['id']}: fieldhand approvals list shows those that wait"
    for name, reply in replies(state, message):
        if reply is None:
            unknown = f"the agent of process {name.partition('-')[0]} did not answer, so it is not known if it took it"
        elif reply.get("ok"):
            return ""
        elif reply.get("known"):
            return str(reply.get("error"))
    return unknown


def replies(state: str, message: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """What each living agent's socket replies, one after the other; None where there was no reply.

    Who stops listening asks no further agent. Fault when the folder of the sockets cannot be used.
    """
    folder = folder_of(state)
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as error:
        why = (error.strerror or "unknown error").lower()
        raise Fault(f"the folder {folder} cannot be used: {why}", "ask as the user the agent runs as") from error
    try:
        for name in sorted(os.listdir(descriptor)):
            if name.endswith(SUFFIX):
                try:
                    reply = _exchange(address(folder, descriptor, name), message)
                except (FileNotFoundError, ConnectionRefusedError):
                    continue  # what a dead agent left
                except (OSError, ValueError, RecursionError):
                    reply = None
                yield name, reply
    finally:
        os.close(descriptor)


def _exchange(where: str, message: Mapping[str, Any]) -> dict[str, Any] | None:
    import json
    import socket

    until = time.monotonic() + SECONDS
    data = b""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as peer:
        peer.settimeout(SECONDS)
        _connect(peer, where, until)
        peer.sendall(json.dumps(message).encode("ascii") + b"\n")
        while not data.endswith(b"\n") and len(data) <= REPLY:
            peer.settimeout(max(0.001, until - time.monotonic()))
            part = peer.recv(65536)
            if not part:
                break
            data += part
    reply = json.loads(data.decode("ascii"))
    return reply if isinstance(reply, dict) else None


def _connect(peer: socket.socket, where: str, until: float) -> None:
    while True:
        try:
            return peer.connect(where)
        except BlockingIOError:  # more wait than the socket takes at a time (connect(2), EAGAIN)
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
