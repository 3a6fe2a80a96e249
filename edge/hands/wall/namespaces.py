"""Children in name spaces of their own, the wall where the kernel has no Landlock: the agent's side.

Rules:
1. One keeper (keeper.py) for all calls, started at the first and again when it died. One request at a time.
2. A child is killed through the first process of its name spaces: all of it goes at once, whatever session or group it
   is in. That number stays the child's until `close`.
3. A network name space comes with it unless a socket was granted.
4. A call that only reads looks at the board itself: an empty network, no processes and other mounts would be lies about
   it. It gets name spaces that close everything to changes and nothing more; its processes are ended by their tag.
   notes.py tells what is still not as it is. Without a filter of system calls there is no such call.
"""

from __future__ import annotations

import _socket
import _thread
import marshal
import os
import select
import sys
from time import monotonic

from edge.hands.wall import cgroup, keeper, limits, seccomp, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from edge.hands.wall.confine import Confinement

CODE = "import sys; sys.path.insert(0, sys.argv[1]); from edge.hands.wall.keeper import main; raise SystemExit(main())"
PATIENCE = 20.0  # seconds for a room to be built on the slowest board
SIGKILL = 9
DEFAULT = (1, 2, 3, 13, 15, 17)  # HUP INT QUIT PIPE TERM CHLD: whatever the agent does with them
EPERM, EPIPE, ETIMEDOUT = 1, 32, 110
_lock = _thread.allocate_lock()
_running: list[_Keeper] = []


class Kept:
    """A child in its name spaces: `pid` is their first process; `user` its number, 0 root's, -1 the agent's own.

    The same interface as spawn.Child.
    """

    held = True  # its limits were there before its program

    def __init__(self, pid: int, user: int, tag: int, report: int, alone: bool = True) -> None:
        self.pid = pid
        self._alone = alone  # in a name space of processes
        self.user = user
        self.tag = tag
        self._report = report
        self._heard = b""
        self._status: int | None = None

    def fileno(self) -> int:
        """A descriptor that becomes readable when the command ends."""
        return self._report

    def poll(self) -> int | None:
        """How the command ended, as `subprocess` says it: an exit code, or a negative signal; None while it runs."""
        while self._status is None and select.select([self._report], [], [], 0)[0]:
            part = os.read(self._report, 4096)
            self._heard += part
            words = [line[1:] for line in self._heard.split(b"\n")[:-1] if line.startswith(b"S")]
            if words:
                status = int(words[0])
                self._status = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            elif not part:
                self._status = -SIGKILL  # the first process was killed, and the command with it
        return self._status

    def kill_tree(self) -> int:
        """End all of it at once; how many processes were running."""
        if self._alone:
            running = sum(letter not in ("Z", "X") for letter in tree.members(self.tag).values())
        else:
            running = tree.end(self.tag)[0]
        running = max(running, int(self.poll() is None))
        os.kill(self.pid, SIGKILL)
        return running

    def close(self) -> None:
        """All of it has ended after this; its number may then be another process's."""
        if self._report >= 0:
            with _lock:
                if _running and _running[0].usable():
                    _running[0].reap(self.pid)
            os.close(self._report)
            self._report = -1
            limits.free(self.tag)

    def started(self) -> None:
        """Wait until the program runs; OSError with the reason when it does not."""
        until = monotonic() + PATIENCE
        while b"\n" not in self._heard:
            left = until - monotonic()
            if left <= 0 or not select.select([self._report], [], [], left)[0]:
                raise OSError(ETIMEDOUT, "the name spaces of a child were not ready in time")
            part = os.read(self._report, 4096)
            if not part:
                raise OSError(EPIPE, "the first process of a child's name spaces was ended from outside")
            self._heard += part
        if self._heard.startswith(b"F"):
            why = self._heard[1:].partition(b"\n")[0].decode("utf-8", "replace")
            raise OSError(EPERM, f"the child could not be started in name spaces: {why}")


class _Keeper:
    """The running keeper and our end of its socket."""

    def __init__(self) -> None:
        ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        try:
            self.pid = _spawned(theirs.fileno())
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._link = ours
        self._owner = os.getpid()
        self.alive = True

    def usable(self) -> bool:
        """True when it can be asked, by this process."""
        return self.alive and self._owner == os.getpid()

    def ask(self, request: dict[str, Any], fds: Sequence[int]) -> dict[str, Any]:
        """One request, its answer; OSError when the keeper is gone."""
        data = marshal.dumps(request)
        head = len(data).to_bytes(keeper.HEAD, "little")
        try:
            if fds:
                words = b"".join(fd.to_bytes(4, sys.byteorder) for fd in fds)
                self._link.sendmsg([head], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, words)])
            else:
                self._link.sendall(head)
            self._link.sendall(data)
            length = int.from_bytes(self._received(keeper.HEAD), "little")
            return dict(marshal.loads(self._received(length)))
        except OSError as error:
            self.end()
            raise OSError(error.errno, "the keeper of name spaces ended") from error

    def reap(self, pid: int) -> None:
        """Have it wait for a first process that ended."""
        try:
            self.ask({"reap": pid}, ())
        except OSError:
            # It is gone, and with it all that it started.
            return

    def _received(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            part = self._link.recv(length - len(data))
            if not part:
                raise ConnectionResetError(104, "the keeper closed its end")
            data += part
        return data

    def end(self) -> None:
        """Let it go; it ends all it started. Waited for."""
        if self.alive:
            self.alive = False
            self._link.close()
            if self._owner == os.getpid():
                os.waitpid(self.pid, 0)


def _spawned(theirs: int) -> int:
    """Start the keeper with its end of the socket as descriptor 3."""
    where = os.path.abspath(__file__)
    for _ in ("wall", "hands", "edge", "library"):
        where = os.path.dirname(where)
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    plain = ["-B"] if sys.dont_write_bytecode else []
    words = [sys.executable, *plain, "-I", "-S", "-c", CODE, where]
    # Of so many copies the last lies above what is filled in the child: 0 to 3.
    copies = [os.dup(theirs) for _ in range(keeper.AGENT + 1)]
    try:
        actions: list[tuple[Any, ...]] = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
            (os.POSIX_SPAWN_DUP2, max(copies), keeper.AGENT),
        ]
        return os.posix_spawn(
            words[0], words, environment, file_actions=actions, setpgroup=0, setsigmask=(), setsigdef=DEFAULT
        )
    finally:
        for fd in copies:
            os.close(fd)


def start(plan: Confinement, argv: Sequence[str], stdin: int, stdout: int, stderr: int, umask: int = 0o022) -> Kept:
    """Start `argv` (an absolute path first) as `plan` says; the program runs when this returns.

    OSError when it cannot, with the reason in words.
    """
    reads = only_reads(plan)
    code = _filter(plan, reads)
    look = reads and bool(code)
    if look:
        tree.adopt()  # before there is an orphan
    request = {
        "plan": keeper.packed(plan),
        "argv": list(argv),
        "filter": code,
        "limits": limits.wanted(plan),
        "umask": umask,
        "look": look,
        "group": _group(plan, look),
        "net": not plan.sockets and not look,
        "uid": os.geteuid(),
        "gid": os.getegid(),
    }
    told, tell = os.pipe()
    try:
        answer = _asked(request, (stdin, stdout, stderr, tell))
        if "error" in answer:
            raise OSError(answer["errno"], answer["error"])
        child = Kept(answer["pid"], answer["user"], plan.tag, told, not look)
    except OSError:
        os.close(told)
        raise
    finally:
        os.close(tell)
    try:
        child.started()
    except OSError:
        child.close()
        raise
    return child


def only_reads(plan: Confinement) -> bool:
    """True when the plan lets nothing change but the temporary folder and devices."""
    temporary = dict(plan.environment).get("TMPDIR", "")
    changes = [path for path in plan.writes if path != temporary]
    return all(path.startswith("/dev/") and not os.path.isdir(path) for path in changes)


def _filter(plan: Confinement, reads: bool) -> bytes:
    """The filter for a child; in a name space of processes the agent has no number. b"" without a table."""
    try:
        return seccomp.program(plan.sockets, "syslog" in plan.capabilities, True, os.getpid() if reads else 0)
    except OSError:
        # A machine without a table: name spaces of all kinds then hold what they can.
        return b""


def _group(plan: Confinement, look: bool) -> str:
    """The control group that counts the processes of a child that may stay root; "" for none."""
    if look or os.geteuid() != 0:
        return ""
    found = cgroup.group(plan.limits.processes)
    return found.path if found is not None else ""


def _asked(request: dict[str, Any], fds: Sequence[int]) -> dict[str, Any]:
    with _lock:
        if _running and _running[0].usable():
            try:
                return _running[0].ask(request, fds)
            except OSError:
                # It was ended from outside. What it may have begun with ended with it, so that a second try is safe.
                _running.clear()
        _running[:] = [_Keeper()]
        return _running[0].ask(request, fds)


def end() -> None:
    """End the keeper and all that it started; nothing when there is none. The next start makes another."""
    with _lock:
        for one in _running:
            one.end()
        _running.clear()
