"""A child behind a wall that tries what the wall forbids (acts.py), started and heard by the agent.

Rules:
1. The child gets a plan as a shell that may write gets one: the places of the system, its own working folder, no
   socket. What it must not reach is made for this and goes with it: a folder, a file, two listening sockets.
2. It runs by the same start as every other child, so what holds it holds them.
3. It has a deadline, and what is left of it is killed.
"""

from __future__ import annotations

import os
import resource
import select
import sys
import time

from edge.gate.paths import READABLE
from edge.hands.wall import environment, identity, limits, spawn
from edge.hands.wall.confine import Confinement
from edge.hands.wall.plan import PROGRAMS
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from edge.hands.wall.namespaces import Kept
    from edge.hands.wall.spawn import Child

CODE = "import sys; sys.path.insert(0, sys.argv[1]); from edge.hands.wall.acts import main; raise SystemExit(main())"
# Leaves two processes running in sessions of their own, one of them without a living parent; they hold stdout open.
LINGER = """
import os, time
for twice in (False, True):
    if not os.fork():
        os.setsid()
        if not twice or not os.fork():
            os.write(1, b"x")
            time.sleep(60)
        os._exit(0)
time.sleep(60)
"""
PATIENCE = 30.0  # seconds
KEY = b"nobody needs this key\n"


class Scenery:
    """What the child must not reach, in a new folder; `close` takes it all away."""

    def __init__(self, key: str = "") -> None:
        import _socket

        self.folder = environment.temporary()
        os.chmod(self.folder, 0o755)
        self.inside, self.outside = f"{self.folder}/in", f"{self.folder}/out"
        for path in (self.inside, self.outside, f"{self.folder}/own"):
            os.mkdir(path, 0o700)
        self.key = key or f"{self.folder}/own/audit.key"
        for path in (f"{self.outside}/victim", f"{self.folder}/own/audit.key"):
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            os.write(fd, KEY)
            os.close(fd)
        self.local = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        self.local.bind(f"{self.folder}/socket")
        os.chmod(f"{self.folder}/socket", 0o777)
        self.local.listen(4)
        self.port = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        self.port.bind(("127.0.0.1", 0))
        self.port.listen(4)

    def names(self) -> dict[str, str]:
        """What the acts have to know, as environment."""
        return {
            "OUT": self.outside,
            "KEY": self.key,
            "AGENT": str(os.getpid()),
            "SOCKET": f"{self.folder}/socket",
            "PORT": str(self.port.getsockname()[1]),
        }

    def close(self) -> None:
        """Take it away."""
        self.local.close()
        self.port.close()
        environment.remove(self.folder)


def interpreter() -> tuple[str, tuple[str, ...]]:
    """The running Python without links, and the folders it needs, with that of this program."""
    program = os.path.realpath(sys.executable)
    where = os.path.abspath(__file__)
    for _ in ("wall", "hands", "edge", "library"):
        where = os.path.dirname(where)
    needs = (sys.base_prefix, sys.base_exec_prefix, os.path.dirname(os.path.dirname(program)), where)
    return program, tuple(dict.fromkeys(os.path.realpath(path) for path in needs if path))


def plan_for(scenery: Scenery, level: str, state: str, names: dict[str, str]) -> Confinement:
    """The plan of a child that may write in its folder and nowhere else."""
    program, needs = interpreter()
    library = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    reads = [path for path in (*PROGRAMS, *READABLE, *needs) if path != "/" and os.path.exists(path)]
    return Confinement(
        cwd=scenery.inside,
        reads=tuple(dict.fromkeys(reads)),
        lists=("/dev",),
        writes=(scenery.inside,),
        hidden=tuple(path for path in (f"{scenery.folder}/own", state, scenery.key) if path),
        environment=tuple({"PATH": os.path.dirname(program), **library, **names}.items()),
        level=level,
        user=identity.number(state),
        tag=limits.tag(),
    )


def attempt(
    level: str, acts: Sequence[str], state: str = "", key: str = "", seconds: float = PATIENCE
) -> dict[str, str]:
    """What became of each act on a level: managed, stopped, nothing, untried; and `user`, a number.

    `state` is the agent's folder and `key` the file in it to try. OSError when the child does not start, does not
    answer, or is not done in time (ETIMEDOUT).
    """
    scenery = Scenery(key)
    try:
        made = plan_for(scenery, level, state, {**scenery.names(), "ACTS": " ".join(acts)})
        most = dict(limits.wanted(made))[resource.RLIMIT_NPROC]
        told = _heard(replace(made, environment=(*made.environment, ("PROCESSES", str(most)))), seconds)
    finally:
        scenery.close()
    found = dict(line.split(" ", 1) for line in told.splitlines() if " " in line)
    missing = [name for name in acts if name not in found]
    if missing:
        raise OSError(5, f"the child that tries the wall did not say what became of: {', '.join(missing)}")
    return found


def ends(level: str, state: str = "") -> bool:
    """Does all that a child leaves running end with it on a level? OSError when the child does not start."""
    scenery = Scenery()
    try:
        with_it = _Started(plan_for(scenery, level, state, {}), ["-c", LINGER])
        try:
            with_it.heard(2)
            with_it.end()
            # The pipe comes to its end when nobody holds it any more: no process of the child is left.
            return with_it.heard(0, 2.0)[1]
        finally:
            with_it.close()
    finally:
        scenery.close()


def _heard(plan: Confinement, seconds: float) -> str:
    """Start the child that tries the acts and hear it to its end; OSError when that does not come in time."""
    child = _Started(plan, ["-c", CODE, interpreter()[1][-1]])
    try:
        said, whole = child.heard(0, seconds)
        if not whole:
            raise OSError(110, f"the child that tries the wall was not done within {seconds:.0f} s: this board is busy")
        return said.decode("ascii", "replace")
    finally:
        child.end()
        child.close()


class _Started:
    """A child that runs Python behind a wall, with a pipe from it; its standard input never comes to an end."""

    def __init__(self, plan: Confinement, words: Sequence[str]) -> None:
        self._pipes = [*os.pipe(), *os.pipe()]
        quiet = os.open("/dev/null", os.O_WRONLY | os.O_CLOEXEC)
        try:
            argv = [interpreter()[0], "-B", "-I", "-S", *words]
            self._child = spawn.start(plan, argv, self._pipes[0], self._pipes[3], quiet)
        except OSError:
            limits.free(plan.tag)
            os.close(self._pipes.pop())
            self.close()
            raise
        finally:
            os.close(quiet)
        os.close(self._pipes.pop())

    def heard(self, enough: int, seconds: float = PATIENCE) -> tuple[bytes, bool]:
        """What it writes, at least `enough` bytes (0: to the end); and whether the end was reached, in time."""
        until, data = time.monotonic() + seconds, b""
        while not enough or len(data) < enough:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._pipes[2]], [], [], left)[0]:
                return data, False
            part = os.read(self._pipes[2], 65536)
            if not part:
                return data, True
            data += part
        return data, False

    def end(self) -> None:
        """End it with all it started."""
        end(self._child)

    def close(self) -> None:
        """Let the pipes go."""
        for fd in self._pipes:
            os.close(fd)
        self._pipes = []


def end(child: Child | Kept) -> None:
    """End a child with all it started, and let it go."""
    child.kill_tree()
    until = time.monotonic() + 2.0
    while child.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    child.close()
