"""The addresses of a name: asked of the operating system, or of a script.

Rules:
1. A look-up is asked once; whoever connects uses the answer and never asks again.
2. The C library's look-up has no time limit and cannot be ended from outside. It runs in a thread of its own, which
   costs a third of a millisecond where a process costs twenty; a thread that is too late is left behind, and ends when
   the C library gives up (resolv.conf(5): some seconds a server). At most HANGING look-ups run at a time.
3. An answer is plain text: a dotted quad, or IPv6 with `%number` where the address has a scope.
4. ToolFault, in a sentence, when a name has no address or time is up.
"""

from __future__ import annotations

import _thread
import socket
import time

from edge.faults import ToolFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol
else:
    Protocol = object

HANGING = 8  # look-ups
LOOK = 0.05  # seconds between two looks at whether to go on


class Resolver(Protocol):
    """Finds addresses. `deadline` is a time.monotonic(); `ending` says that the call was told to end."""

    def addresses(self, host: str, deadline: float, ending: Callable[[], bool]) -> tuple[str, ...]: ...


class System:
    """The resolver of the operating system. `look` is the C library's call."""

    def __init__(self, look: Callable[..., Any] = socket.getaddrinfo) -> None:
        self._look = look
        self._lock = _thread.allocate_lock()
        self._hanging = 0

    def addresses(self, host: str, deadline: float, ending: Callable[[], bool]) -> tuple[str, ...]:
        """All addresses of `host`, each once, in the order in which they are to be tried."""
        with self._lock:
            if self._hanging >= HANGING:
                raise ToolFault(
                    f"{host} was not looked up: {HANGING} earlier look-ups still hang", "check the DNS server"
                )
            self._hanging += 1
        found: list[Any] = []
        waiting = _thread.allocate_lock()
        waiting.acquire()
        _thread.start_new_thread(self._work, (host, found, waiting))
        while not waiting.acquire(timeout=LOOK):
            in_time(host, deadline, ending)
        if isinstance(found[0], OSError):
            raise ToolFault(f"{host} has no address ({_why(found[0])})", "check the name, and the network") from found[
                0
            ]
        return tuple(dict.fromkeys(_written(where) for _, _, _, _, where in found[0]))

    def _work(self, host: str, found: list[Any], waiting: Any) -> None:
        try:
            # As bytes a name is looked up as it is, without the codec for international names.
            found.append(self._look(host.encode("ascii"), None, type=socket.SOCK_STREAM))
        except OSError as error:
            found.append(error)
        finally:
            with self._lock:
                self._hanging -= 1
            waiting.release()


def _written(where: Any) -> str:
    """The text of a socket address; the scope of IPv6 behind a percent sign."""
    text: str = where[0].partition("%")[0]
    return f"{text}%{where[3]}" if len(where) > 3 and where[3] else text


def _why(error: OSError) -> str:
    if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
        return "no DNS server answered"
    return str(error.strerror or error).lower()


def in_time(host: str, deadline: float, ending: Callable[[], bool]) -> None:
    """ToolFault when the look-up of `host` has to end."""
    if ending():
        raise ToolFault(f"the look-up of {host} was ended")
    if time.monotonic() >= deadline:
        raise ToolFault(f"{host} was not found in time: the look-up of its address still hangs", "check the DNS server")


class Scripted:
    """Names from a table: for each look-up of a name the next of its answers, the last one for ever.

    `asked` holds every name that was looked up. `slow` names hang until the deadline.
    """

    def __init__(self, names: Mapping[str, Sequence[Sequence[str]]], slow: Sequence[str] = ()) -> None:
        self._names = {name: list(answers) for name, answers in names.items()}
        self._slow = frozenset(slow)
        self.asked: list[str] = []

    def addresses(self, host: str, deadline: float, ending: Callable[[], bool]) -> tuple[str, ...]:
        self.asked.append(host)
        while host in self._slow:
            in_time(host, deadline, ending)
            time.sleep(min(LOOK, max(0.0, deadline - time.monotonic())))
        answers = self._names.get(host)
        if not answers:
            raise ToolFault(f"{host} has no address (it stands in no table)", "check the name, and the network")
        return tuple(dict.fromkeys(answers.pop(0) if len(answers) > 1 else answers[0]))
