"""Starting the board process and seeing it end.

Rules this file keeps:
1. The process is our own interpreter with -I -S, our own library folder (or zip), the arguments and no environment but
   PATH and LD_LIBRARY_PATH (interpreters outside the system's folders need it). No shell.
2. Its end of the socket is handed over as descriptor 3 by the spawn itself: ours stays close-on-exec all the while.
3. It is in a process group of its own, so that Ctrl-C at the terminal does not reach it, and starts with no signal
   blocked or ignored.
4. It is ended by its process id only while it has not been waited for, so the id cannot be another process's.
"""

from __future__ import annotations

import _socket
import _thread
import fcntl
import os
import sys
from time import monotonic, sleep

from edge.faults import HardwareFault
from edge.peripherals.guard import owned
from edge.peripherals.guard.folder import SURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from edge.peripherals.guard.process import main; raise SystemExit(main())"
)
AGENT = 3
ABOVE = 10  # descriptors that are moved in the child are first moved here, out of the way of 0 to 3
LOG_LIMIT = 64 * 1024
SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM, SIGCHLD = 1, 2, 3, 9, 15, 17


def library() -> str:
    """The folder or zip file in which `edge` lies."""
    here = os.path.abspath(__file__)
    for _ in ("guard", "peripherals", "edge", "library"):
        here = os.path.dirname(here)
    return here


def command(
    state: str, speed: float, said: str, socket: str = "", users: tuple[int, ...] = (), why: str = ""
) -> list[str]:
    """The argument list of the guard's process (edge.peripherals.guard.process says what each means).

    HardwareFault when the interpreter or the program cannot be found.
    """
    if not sys.executable:
        raise HardwareFault(
            "the board process cannot be started: this Python does not know its own path (sys.executable is empty)",
            "start it by its full path, such as /usr/bin/python3",
        )
    where = library()
    if not os.path.exists(f"{where}/edge" if os.path.isdir(where) else where):
        raise HardwareFault(
            f"the board process cannot be started: the program {where} is gone or was moved since this run began",
            "start again from where it is now",
        )
    plain = ["-B"] if sys.dont_write_bytecode else []
    listed = ",".join(map(str, users))
    return [sys.executable, *plain, "-I", "-S", "-c", CODE, where, state, repr(speed), said, socket, listed, why]


class Elsewhere:
    """A guard that somebody else started: it is nobody's child here, and never ended from here. `started` is 0."""

    started = 0

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def wait(self, _seconds: float) -> bool:
        """True: there is nothing to wait for."""
        return True

    def kill(self) -> None:
        """Nothing: others may need it."""

    def clean(self) -> bool:
        """True: how it ends is not ours to know."""
        return True

    def crashed(self) -> bool:
        """False: that it is started again is for whoever started it."""
        return False

    def how(self) -> str:
        """What is known of its end."""
        return "ended, or let this agent go"


class Child:
    """A started board process: `pid`, and `started` in clock ticks since boot, which together name it for ever."""

    def __init__(self, pid: int, log: str) -> None:
        self.pid = pid
        self.started = ticks(pid)
        self._log = log
        self._status: int | None = None
        self._lock = _thread.allocate_lock()

    def ended(self) -> bool:
        """True when it has ended; it is waited for then, once."""
        with self._lock:
            if self._status is None:
                try:
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:
                    pid, status = self.pid, 0  # somebody else waited for it: it has ended, how is not known
                self._status = status if pid else None
            return self._status is not None

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` for its end; True when it has ended."""
        until = monotonic() + seconds
        while not self.ended():
            if monotonic() >= until:
                return False
            sleep(0.005)
        return True

    def kill(self) -> None:
        """End it at once and wait for it."""
        with self._lock:
            if self._status is None:
                os.kill(self.pid, SIGKILL)
        self.wait(5.0)

    def clean(self) -> bool:
        """True when it ended as it should, with exit code 0 (or nobody knows how)."""
        return self.ended() and not self._status

    def crashed(self) -> bool:
        """True when it ended by what it could not see to: a signal that nobody handles, an error of its own."""
        status = (self._status or 0) if self.ended() else 0
        return os.WIFSIGNALED(status) or (os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1)

    def how(self) -> str:
        """How it ended, for a sentence: `was killed by signal 9`."""
        if not self.wait(0.5):
            return "closed its connection"
        status = self._status or 0
        if os.WIFSIGNALED(status):
            return f"was killed by signal {os.WTERMSIG(status)}"
        code = os.WEXITSTATUS(status)
        if code > 128:
            return f"ended by signal {code - 128}"
        last = _last_line(self._log) if code else ""
        return f"ended with exit code {code}" + (f" ({last})" if last else "")


def start(state: str, folder: str, speed: float, said: str = "") -> tuple[Child, _socket.socket]:
    """Start the guard's process of a state folder ("" keeps nothing); its log is in `folder`. The child and our end.

    `said`: what it is to own (edge.peripherals.guard.owned.text), "" for the simulated greenhouse.
    """
    words = command(state, speed, said or owned.text(owned.Owned()))
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    log = f"{folder}/board.log" if folder else ""
    opened: list[int] = []
    try:
        opened.append(_moved(_log(log)))
        opened.append(fcntl.fcntl(theirs.fileno(), fcntl.F_DUPFD_CLOEXEC, ABOVE))
        pid = _spawn(words, *opened)
    except OSError as error:
        ours.close()
        with_what = words[0] if opened else f"the log {log}"
        raise HardwareFault(
            f"the board process cannot be started with {with_what}: {error.strerror}", "see that it can be used"
        ) from error
    finally:
        theirs.close()
        for fd in opened:
            os.close(fd)
    return Child(pid, log), ours


def _spawn(words: list[str], log: int, agent: int) -> int:
    actions: list[tuple[Any, ...]] = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, log, 2),
        (os.POSIX_SPAWN_DUP2, agent, AGENT),
    ]
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return os.posix_spawn(
        words[0],
        words,
        environment,
        file_actions=actions,
        setpgroup=0,
        setsigmask=(),
        setsigdef=(SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD),
    )


def _log(path: str) -> int:
    """The log opened for the child's stderr, begun anew when it is long; /dev/null when there is none."""
    if not path:
        return os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | SURE, 0o600)
    if os.fstat(fd).st_size > LOG_LIMIT:
        os.ftruncate(fd, 0)
    return fd


def _moved(fd: int) -> int:
    """The same open file under a descriptor from ABOVE."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, ABOVE)
    os.close(fd)
    return moved


def ticks(pid: int) -> int:
    """When a process started, in clock ticks since boot (field 22 of /proc/PID/stat, proc(5)); 0 when unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return 0
    return int(text[text.rindex(b")") + 2 :].split()[19])


def _last_line(path: str) -> str:
    """The last line of the log, for the sentence about a board that could not start."""
    if not path:
        return ""
    try:
        with open(path, "rb") as file:
            lines = file.read(2 * LOG_LIMIT).decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return lines[-1][:300] if lines else ""
