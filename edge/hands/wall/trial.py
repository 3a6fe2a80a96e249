"""A child behind a wall that tries what the wall forbids (acts.py), started and heard by the agent.

Rules:
1. The child gets a plan as a shell that may write gets one: the places of the system, its own working folder, no
   socket. What it must not reach is made for this and goes with it: a folder, a file, two listening sockets.
2. It runs by the same start as every other child, so what holds it holds them.
3. It has a deadline, and what is left of it is killed.
"""

from __future__ import annotations

import os
import select
import sys
import time

from edge.gate.paths import READABLE
from edge.hands.wall import identity, limits, spawn
from edge.hands.wall.confine import Confinement, Limits
from edge.hands.wall.plan import PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

CODE = "import sys; sys.path.insert(0, sys.argv[1]); from edge.hands.wall.acts import main; raise SystemExit(main())"
PATIENCE = 30.0  # seconds
KEY = b"nobody needs this key\n"


class Scenery:
    """What the child must not reach, in a new folder; `close` takes it all away."""

    def __init__(self, key: str = "") -> None:
        import _socket
        import tempfile

        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="fieldhand-wall-"))
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
        from edge.hands.wall.environment import remove

        self.local.close()
        self.port.close()
        remove(self.folder)


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
        limits=Limits(),
        level=level,
        user=identity.number(state),
        tag=limits.tag(),
    )


def attempt(level: str, acts: Sequence[str], state: str = "", key: str = "") -> dict[str, str]:
    """What became of each act on a level: managed, stopped, nothing, untried; and `user`, a number.

    `state` is the agent's folder and `key` the file in it to try. OSError when the child does not start or does not
    answer.
    """
    scenery = Scenery(key)
    try:
        names = {**scenery.names(), "ACTS": " ".join(acts), "PROCESSES": str(Limits().processes)}
        told = _heard(plan_for(scenery, level, state, names))
    finally:
        scenery.close()
    found = dict(line.split(" ", 1) for line in told.splitlines() if " " in line)
    missing = [name for name in acts if name not in found]
    if missing:
        raise OSError(5, f"the child that tries the wall did not say what became of: {', '.join(missing)}")
    return found


def _heard(plan: Confinement) -> str:
    """Start the child and hear it to its end."""
    program, needs = interpreter()
    pipes = [*os.pipe(), *os.pipe()]
    quiet = os.open("/dev/null", os.O_WRONLY | os.O_CLOEXEC)
    try:
        argv = [program, "-B", "-I", "-S", "-c", CODE, needs[-1]]
        child = spawn.start(plan, argv, pipes[0], pipes[3], quiet)
        os.close(pipes[3])
        pipes[3] = -1
        try:
            return _to_the_end(pipes[2]).decode("ascii", "replace")
        finally:
            end(child)
    except OSError:
        limits.free(plan.tag)
        raise
    finally:
        for fd in (*pipes, quiet):
            if fd >= 0:
                os.close(fd)


def _to_the_end(fd: int) -> bytes:
    until, data = time.monotonic() + PATIENCE, b""
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([fd], [], [], left)[0]:
            return data
        part = os.read(fd, 65536)
        if not part:
            return data
        data += part


def end(child: Any) -> None:
    """End a child with all it started, and let it go."""
    child.kill_tree()
    until = time.monotonic() + 2.0
    while child.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    child.close()
