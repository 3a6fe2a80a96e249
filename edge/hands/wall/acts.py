"""Forbidden acts, tried by a child behind the wall: what it manages is what the wall does not hold.

Rules:
1. Runs as a program of its own (`main`), with the names of the things to try in its environment: OUT, a folder that
   the wall keeps out of reach, with a file `victim`; KEY, a file only for the agent; AGENT, its pid; SOCKET, a
   listening Unix socket with mode 0777; PORT, a listening port of 127.0.0.1; KNOWN, what the acts are.
2. One line an act: its name and `managed`, `stopped`, `nothing` (no such thing on this board) or `untried`.
3. An act leaves nothing behind and is harmless if it works: devices are opened and closed, the clock is set to what
   it shows, the reboot call only switches Ctrl-Alt-Del off. Those that are harmless only nearly are not tried where the
   filter of system calls is absent, for nothing would stop them.
4. It is Python so that it runs where the agent runs, and imports what -S leaves cheap.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Act = Callable[[], "bool | None"]

DEVICES = ("mem", "gpiochip", "i2c-", "spidev", "mmcblk", "vd", "sd", "nvme", "loop")
PORTS = ("ttyS", "ttyAMA", "ttyUSB", "ttyACM", "ttymxc", "serial")
EPERM, ENOEXEC = 1, 8
# Numbers by machine, in the order of numbers.MACHINES; there are their sources. Here they are what is tried, not
# what is refused: taken from there, a wrong number would be refused and tried in the same place.
CALLS = {
    "reboot": (169, 88, 88, 142),
    "keyctl": (250, 288, 311, 219),
    "init_module": (175, 128, 128, 105),
    "bpf": (321, 357, 386, 280),
    "io_uring_setup": (425, 425, 425, 425),
}
NEWUSER = 0x10000000
LARGE = 5 << 30


def _managed(act: Callable[[], object]) -> bool:
    try:
        act()
    except OSError:
        return False
    return True


def _written(path: str) -> bool:
    """Could a file be made here? It is taken away again."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    os.close(fd)
    os.unlink(path)
    return True


def _opened(names: tuple[str, ...]) -> bool | None:
    """Could one of these device nodes be opened for writing? None when there is none."""
    nodes = [f"/dev/{name}" for name in os.listdir("/dev") if name.startswith(names)]
    flags = os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    managed = [_managed(lambda node=node: os.close(os.open(node, flags))) for node in nodes]  # type: ignore[misc]
    return any(managed) if nodes else None


def write() -> bool:
    """Write outside: by path, through a link, through a hard link, through the root of a process."""
    out = os.environ["OUT"]
    os.symlink(out, "link")
    done = _written(f"{out}/w") or _written(f"/proc/self/root{out}/w") or _written("link/w")
    os.unlink("link")
    if _managed(lambda: os.link(f"{out}/victim", "hard")):
        done = _managed(lambda: os.close(os.open("hard", os.O_WRONLY | os.O_CLOEXEC))) or done
        os.unlink("hard")
    return done


def mode() -> bool:
    """Change the mode or the times of a file outside."""
    victim = os.environ["OUT"] + "/victim"
    return _managed(lambda: os.chmod(victim, 0o600)) or _managed(lambda: os.utime(victim, (1, 1)))


def devices() -> bool | None:
    """Open memory, disks or buses for writing, also by a node made for it."""
    made = _managed(lambda: os.mknod("node", 0o60600, os.makedev(7, 0)))
    found = _opened(DEVICES)
    if made:
        found = _managed(lambda: os.close(os.open("node", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))) or found
        os.unlink("node")
    return found


def ports() -> bool | None:
    """Open a serial port for writing."""
    return _opened(PORTS)


def signal() -> bool:
    """Send the agent a signal (URG, which it ignores)."""
    return _managed(lambda: os.kill(int(os.environ["AGENT"]), 23))


def _read(path: str) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return len(os.read(fd, 16)) > 0
    except OSError:
        return False
    finally:
        os.close(fd)


def environment() -> bool:
    """Read the agent's environment."""
    return _read(f"/proc/{os.environ['AGENT']}/environ")


def key() -> bool | None:
    """Read the agent's key."""
    return _read(os.environ["KEY"])


def memory_of_agent() -> bool:
    """Trace the agent, or open its memory."""
    pid = int(os.environ["AGENT"])
    if _libc().ptrace(_long(0x4206), _long(pid), None, None) == 0:  # PTRACE_SEIZE
        return True
    return _managed(lambda: os.close(os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)))


def unix() -> bool:
    """Connect to a socket of the agent that everybody may connect to."""
    import _socket

    def connect() -> None:
        with_it = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            with_it.connect(os.environ["SOCKET"])
        finally:
            with_it.close()

    return _managed(connect)


def network() -> bool:
    """TCP and UDP to this board itself."""
    import _socket

    place = ("127.0.0.1", int(os.environ["PORT"]))

    def connect() -> None:
        line = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            line.settimeout(1.0)
            line.connect(place)
        finally:
            line.close()

    def send() -> None:
        line = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
        try:
            line.sendto(b"x", place)
        finally:
            line.close()

    return _managed(connect) or _managed(send)


def raw() -> bool:
    """A raw, packet or netlink socket."""
    import _socket

    kinds = ((2, 3, 1), (17, 3, 0), (16, 3, 0))
    return any(_managed(lambda kind=kind: _socket.socket(*kind).close()) for kind in kinds)  # type: ignore[misc]


def users() -> bool:
    """A new user name space, or another one for mounts: in a child of its own."""
    try:
        pid = os.fork()
    except OSError:
        return False  # behind this wall it cannot even have a child
    if not pid:
        managed = [_libc().unshare(flag) == 0 for flag in (NEWUSER, 0x20000)]
        os._exit(0 if any(managed) else 1)
    return os.waitpid(pid, 0)[1] == 0


def mount() -> bool:
    """Mount a file system over the working folder."""
    if _libc().mount(b"none", b".", b"tmpfs", _long(0), None):
        return False
    _libc().umount2(b".", 2)
    return True


def reboot() -> bool:
    """The reboot call, with the command that only switches Ctrl-Alt-Del off."""
    return _call("reboot", 0xFEE1DEAD, 672274793, 0, 0) == 0


def clock() -> bool:
    """Set the clock to what it shows."""
    import time

    return _managed(lambda: time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME)))


def module() -> bool:
    """Load what is no kernel module: only the complaint about that means that it was let through."""
    import ctypes

    text = ctypes.c_char_p(b"not a module")
    return _call("init_module", text, 12, ctypes.c_char_p(b"")) == 0 or ctypes.get_errno() == ENOEXEC


def keys() -> bool:
    """Ask for the session's key ring."""
    return _call("keyctl", 0, -3, 1, 0, 0) >= 0


def rings() -> bool:
    """io_uring, or a BPF map."""
    import ctypes

    room = ctypes.create_string_buffer(256)
    first = _call("io_uring_setup", 1, room)
    words = b"".join(number.to_bytes(4, sys.byteorder) for number in (2, 4, 4, 1))
    second = _call("bpf", 0, ctypes.create_string_buffer(words, 128), 72)
    for fd in (first, second):
        if fd >= 0:
            os.close(fd)
    return first >= 0 or second >= 0


def memory() -> bool | None:
    """Map more memory than the limit; None where a process cannot have so much."""
    import mmap

    if sys.maxsize < 1 << 32:
        return None
    return _managed(lambda: mmap.mmap(-1, LARGE).close())


def size() -> bool:
    """Make a file longer than the limit (sparse; it is taken away again)."""
    import signal as signals

    signals.signal(signals.SIGXFSZ, signals.SIG_IGN)
    fd = os.open("large", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return _managed(lambda: os.ftruncate(fd, LARGE))
    finally:
        os.close(fd)
        os.unlink("large")


def processes() -> bool:
    """Start more processes than the limit, which the caller set low for this."""
    # A user name space counts anew and not everybody in it: some more than the limit are tried.
    most, started = int(os.environ["PROCESSES"]) + 64, []
    try:
        for _ in range(most):
            pid = os.fork()
            if not pid:
                os.read(0, 1)
                os._exit(0)
            started.append(pid)
    except OSError:
        return False
    finally:
        for pid in started:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    return True


ACTS: dict[str, Act] = {
    "user": lambda: None,
    "write": write,
    "mode": mode,
    "devices": devices,
    "ports": ports,
    "signal": signal,
    "environment": environment,
    "memory_of_agent": memory_of_agent,
    "key": key,
    "unix": unix,
    "network": network,
    "raw": raw,
    "users": users,
    "keys": keys,
    "rings": rings,
    "memory": memory,
    "size": size,
    "processes": processes,
    "mount": mount,
    "reboot": reboot,
    "clock": clock,
    "module": module,
}
NEARLY_HARMLESS = ("mount", "reboot", "clock", "module", "processes", "memory_of_agent")


def _libc() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _long(value: int) -> Any:
    import ctypes

    return ctypes.c_long(value)


def _call(name: str, *words: object) -> int:
    import ctypes

    from edge.hands.wall import kernel

    column = ("x86_64", "i386", "arm", "generic").index(kernel.machine())
    given = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    return int(_libc().syscall(ctypes.c_long(CALLS[name][column]), *given))


def filtered() -> bool:
    """Is a filter of system calls around this process (proc_pid_status(5))?"""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        return any(line.split() == ["Seccomp:", "2"] for line in file)


def main() -> int:
    """Try the acts that ACTS names, in the working folder; a line for each, and `user NUMBER` first."""
    told = [f"user {os.geteuid()}"]
    shut = filtered()
    for name in os.environ["ACTS"].split():
        if name in NEARLY_HARMLESS and not shut:
            told.append(f"{name} untried")
            continue
        came = ACTS[name]()
        told.append(f"{name} " + ("nothing" if came is None else "managed" if came else "stopped"))
    os.write(1, ("\n".join(told) + "\n").encode())
    return 0
