"""The first process of a child's name spaces, and what it does until the command runs.

Rules:
1. It builds the room with all rights inside the name spaces, starts the command, lets its own rights go, takes in
   orphans and waits. When the command ends it says how and ends; the kernel then ends whatever is left.
2. It is killed by the kernel when its parent, the keeper, dies.
3. The command takes its limits itself, then its user, then gives up its capabilities, then takes no_new_privs and the
   filter of system calls; then the program starts. What fails on the way is said, and nothing starts.
4. Every module was loaded before: in the room there may be no Python to load from.
5. On the report pipe stand lines: `R` when the program started, `F why` when not, at its end `S status` (of wait).
"""

from __future__ import annotations

import os
import resource
import signal

from edge.hands.wall import kernel, look, room, seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from edge.hands.wall.confine import Confinement

RESET = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT)
USERSPACE = -1  # as `user`: the one of the agent, in a user name space


def run(plan: Confinement, user: int, request: dict[str, Any], fds: list[int]) -> NoReturn:
    """Be the first process. `user`: the command's own (> 0), 0 for root's, USERSPACE."""
    report = fds[3]
    try:
        if user == USERSPACE:
            _map_self(request["uid"], request["gid"])
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        _tell("/proc/self/oom_score_adj", "1000")  # when memory runs out, the child goes first
        if request["group"] and user <= 0:
            _tell(request["group"] + "/cgroup.procs", "0")  # root is bound by no limit of a user
        os.umask(0)
        if request["look"]:
            look.build(plan)
        else:
            room.build(plan, max(user, 0))
        told, tell = os.pipe()
        pid = os.fork()
        if not pid:
            _command(plan, user, request, fds, tell)
        for fd in (*fds[:3], tell):
            os.close(fd)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        kernel.hold()
        why = os.read(told, 4096)
        os.write(report, b"F" + why + b"\n" if why else b"R\n")
        os.write(report, b"S%d\n" % _waited(pid))
    except (OSError, ValueError) as error:
        _say(report, f"F{_sentence(error)}\n")
    finally:
        # Whatever happens here never becomes the keeper's: this is a copy of it.
        os._exit(0)


def _sentence(error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return str(error).replace("\n", " ")
    where = f" at {error.filename}" if error.filename else ""
    return f"{(error.strerror or 'unknown error').lower()}{where}".replace(room.OLD, "").replace("\n", " ")


def _say(fd: int, text: str) -> None:
    try:
        os.write(fd, text.encode("utf-8", "replace")[:4000])
    except OSError:
        # Nobody listens: the agent is gone, and so is this process in a moment. Or the kernel does not want to.
        return


def _map_self(uid: int, gid: int) -> None:
    """In a new user name space: be who one was (user_namespaces(7)). OSError where that is barred."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        fd = os.open(f"/proc/self/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)


def _tell(path: str, text: str) -> None:
    """Write a word to the kernel; nothing where it may not be."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    _say(fd, text)
    os.close(fd)


def _waited(command: int) -> int:
    """Take in whoever ends, until the command does; its status."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == command:
            return status


def _command(plan: Confinement, user: int, request: dict[str, Any], fds: list[int], tell: int) -> NoReturn:
    """Become the command; `tell` closes when its program runs."""
    try:
        os.setsid()
        for number, fd in enumerate(fds[:3]):
            os.dup2(fd, number)
        for what, most in request["limits"]:
            _limit(what, most)
        kept = [kernel.CAPABILITIES[name] for name in plan.capabilities if user >= 0]
        kernel.bound(kept)
        if user > 0:
            kernel.prctl(kernel.PR_SET_KEEPCAPS, 1)
            kernel.become(user, user)
        kernel.hold(kept)
        # Where no name space of processes ends it with the first process, this does.
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.chdir(plan.cwd)
        os.umask(request["umask"])
        for one in RESET:
            signal.signal(one, signal.SIG_DFL)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        if request["filter"]:
            seccomp.install(request["filter"])
        os.execve(request["argv"][0], request["argv"], dict(plan.environment))
    except (OSError, ValueError) as error:
        _say(tell, _sentence(error))
    finally:
        os._exit(127)


def _limit(what: int, most: int) -> None:
    """A hard limit, never above the one there is."""
    own = resource.getrlimit(what)[1]
    if own != resource.RLIM_INFINITY:
        most = min(most, own)
    resource.setrlimit(what, (most, most))
