"""The filter of system calls behind every wall.

Rules:
1. The machine is that of the process, told by its pointer size; calls of another machine end the process.
2. What is refused is answered by EPERM, which programs can report; clone3 and what is newer than the tables by
   ENOSYS, upon which the C library falls back to calls whose arguments can be seen.
3. Refused whatever the permit says: name spaces, mounts, other processes' memory, modules, clocks, key rings,
   io_uring, bpf, device nodes, raw and foreign sockets, typing into terminals. Refused unless named: sockets of
   inet, unix, netlink, the kernel's log.
4. The limits of limits.py cannot be set, up or down, nor any limit of another process; nor can the agent be
   signalled, where no other wall of the kernel sees to that.
5. A family of sockets is told by the first argument. socketcall(2) hides it in memory and is refused as a whole.
"""

from __future__ import annotations

import ctypes
import os

from edge.hands.wall import bpf, kernel
from edge.hands.wall.numbers import ARCHES, ARM_PRIVATE, LAST, MACHINES, X32, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from edge.hands.wall.bpf import Code

EPERM, ENOSYS = 1, 38
NEVER = (
    "setns",
    "mount",
    "umount",
    "umount2",
    "move_mount",
    "open_tree",
    "open_tree_attr",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "pivot_root",
    "mount_setattr",
    "chroot",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_getfd",
    "kcmp",
    "process_madvise",
    "process_mrelease",
    "move_pages",
    "migrate_pages",
    "bpf",
    "perf_event_open",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "userfaultfd",
    "add_key",
    "request_key",
    "keyctl",
    "create_module",
    "init_module",
    "finit_module",
    "delete_module",
    "get_kernel_syms",
    "query_module",
    "kexec_load",
    "kexec_file_load",
    "reboot",
    "swapon",
    "swapoff",
    "clock_settime",
    "clock_settime64",
    "settimeofday",
    "adjtimex",
    "clock_adjtime",
    "clock_adjtime64",
    "stime",
    "acct",
    "quotactl",
    "quotactl_fd",
    "nfsservctl",
    "open_by_handle_at",
    "iopl",
    "ioperm",
    "vm86",
    "vm86old",
    "modify_ldt",
    "sethostname",
    "setdomainname",
    "fanotify_init",
    "lookup_dcookie",
    "uselib",
    "vhangup",
    "pciconfig_read",
    "pciconfig_write",
    "pciconfig_iobase",
    "socketcall",
    "lsm_set_self_attr",
)
# Name spaces in the flags of clone(2) and unshare(2): mount, cgroup, uts, ipc, user, pid, net; time for unshare only.
SPACES, TIME_SPACE = 0x7E020000, 0x80
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16  # AF_*
STREAM, DATAGRAM = 1, 2
NETLINKS = (0, 4, 15, 16)  # route, socket diagnosis, device events, generic (include/uapi/linux/netlink.h)
# RLIMIT_* of cpu, file size, core, processes, open files, memory and message queues, the same on all machines here
LIMITED = (0, 1, 4, 6, 7, 9, 12)
TERMINAL = (0x5412, 0x541C, 0x541D, 0x5423)  # TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD
DEVICES = (0x2000, 0x6000)  # S_IFCHR, S_IFBLK
TRUNCATES, ACCESS = 0x200, 3  # O_TRUNC, O_ACCMODE
_EVERYBODY = 0xFFFFFFFF  # kill(-1)


def rules(sockets: tuple[str, ...], kernel_log: bool, truncates: bool, agent: int, machine: str) -> Mapping[int, Code]:
    """What happens to which call, by number; all else is allowed.

    `truncates`: this kernel's Landlock knows truncation. `agent`: a process that must not be signalled, 0 for none.
    """
    named: dict[str, Code] = {name: bpf.refuse(EPERM) for name in NEVER}
    named["clone3"] = bpf.refuse(ENOSYS)
    if not kernel_log:
        named["syslog"] = bpf.refuse(EPERM)
    named["clone"] = _bits(0, SPACES)
    named["unshare"] = _bits(0, SPACES | TIME_SPACE)
    named["mknod"], named["mknodat"] = _device(1), _device(2)
    named["ioctl"] = [bpf.load(bpf.low(1)), *bpf.one_of(TERMINAL, bpf.refuse(EPERM), bpf.allow())]
    named["setrlimit"] = [bpf.load(bpf.low(0)), *bpf.one_of(LIMITED, bpf.refuse(EPERM), bpf.allow())]
    named["prlimit64"] = _prlimit()
    named["socket"] = _socket(sockets)
    named["socketpair"] = [bpf.load(bpf.low(0)), *bpf.one_of((UNIX,), bpf.allow(), bpf.refuse(EPERM))]
    if not truncates:
        named.update({"truncate": bpf.refuse(EPERM), "truncate64": bpf.refuse(EPERM), "openat2": bpf.refuse(ENOSYS)})
        named["open"], named["openat"] = _truncating(1), _truncating(2)
    if agent:
        named.update(_signals(agent))
    found = {number(name, machine): code for name, code in named.items()}
    found.pop(-1, None)
    return found


def _bits(argument: int, bits: int) -> Code:
    return [bpf.load(bpf.low(argument)), *bpf.choose(bpf.ANY_BIT, bits, bpf.refuse(EPERM), bpf.allow())]


def _device(argument: int) -> Code:
    kinds = bpf.one_of(DEVICES, bpf.refuse(EPERM), bpf.allow())
    return [bpf.load(bpf.low(argument)), bpf.mask(0xF000), *kinds]


def _truncating(argument: int) -> Code:
    """open(2) for reading that truncates, which Landlock did not see before it knew truncation."""
    cut = bpf.one_of((TRUNCATES,), bpf.refuse(EPERM), bpf.allow())
    return [bpf.load(bpf.low(argument)), bpf.mask(TRUNCATES | ACCESS), *cut]


def _prlimit() -> Code:
    """prlimit64(pid, resource, new, old): reading is free; new limits only for oneself, and not those of the wall."""
    resource = [bpf.load(bpf.low(1)), *bpf.one_of(LIMITED, bpf.refuse(EPERM), bpf.allow())]
    setting = [bpf.load(bpf.low(0)), *bpf.choose(bpf.EQUAL, 0, resource, bpf.refuse(EPERM))]
    upper = [bpf.load(bpf.high(2)), *bpf.choose(bpf.EQUAL, 0, bpf.allow(), list(setting))]
    return [bpf.load(bpf.low(2)), *bpf.choose(bpf.EQUAL, 0, upper, setting)]


def _socket(sockets: tuple[str, ...]) -> Code:
    code = bpf.refuse(EPERM)
    if "netlink" in sockets:
        kind = [bpf.load(bpf.low(2)), *bpf.one_of(NETLINKS, bpf.allow(), bpf.refuse(EPERM))]
        code = bpf.choose(bpf.EQUAL, NETLINK, kind, code)
    if "inet" in sockets:
        kinds = bpf.one_of((STREAM, DATAGRAM), bpf.allow(), bpf.refuse(EPERM))
        kind = [bpf.load(bpf.low(1)), bpf.mask(0xF), *kinds]
        code = bpf.one_of((INET, INET6), kind, code)
    if "unix" in sockets:
        code = bpf.choose(bpf.EQUAL, UNIX, bpf.allow(), code)
    return [bpf.load(bpf.low(0)), *code] if sockets else code


def _signals(agent: int) -> dict[str, Code]:
    """No signal to the agent, to its group, or to everybody."""
    whom = (agent, -agent & _EVERYBODY, -os.getpgid(agent) & _EVERYBODY, _EVERYBODY)
    first = [bpf.load(bpf.low(0)), *bpf.one_of(tuple(dict.fromkeys(whom)), bpf.refuse(EPERM), bpf.allow())]
    names = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open")
    return dict.fromkeys(names, first)


def assembled(table: Mapping[int, Code], machine: str) -> bytes:
    """The filter for a machine from what happens to which call."""
    spans: list[tuple[int, Code]] = []
    edges = {one for call in table for one in (call, call + 1)} | {0, LAST + 1}
    if machine == "arm":
        edges |= set(ARM_PRIVATE)
    for edge in sorted(edges):
        private = machine == "arm" and ARM_PRIVATE[0] <= edge < ARM_PRIVATE[1]
        code = table.get(edge) or (bpf.allow() if edge <= LAST or private else bpf.refuse(ENOSYS))
        if not spans or spans[-1][1] != code:
            spans.append((edge, code))
    calls = [bpf.load(bpf.NUMBER), *bpf.search(spans)]
    if machine == "x86_64":
        calls = [bpf.load(bpf.NUMBER), *bpf.choose(bpf.ABOVE_OR_EQUAL, X32, bpf.refuse(EPERM), calls)]
    arch = ARCHES[MACHINES.index(machine)]
    foreign: Code = [(bpf.RETURN, 0, 0, bpf.KILL)]
    return bpf.packed(bpf.shared([bpf.load(bpf.ARCH), *bpf.choose(bpf.EQUAL, arch, calls, foreign)]))


_made: dict[tuple[object, ...], bytes] = {}


def program(sockets: tuple[str, ...], kernel_log: bool, truncates: bool, agent: int = 0) -> bytes:
    """The filter for this process's machine; made once for each set of wishes."""
    key = (sockets, kernel_log, truncates, agent)
    found = _made.get(key)
    if found is None:
        machine = kernel.machine()
        if machine == "generic" and os.uname().machine not in ("aarch64", "arm64"):
            raise OSError(ENOSYS, f"no table of system calls for {os.uname().machine}")
        if len(_made) > 64:
            _made.clear()
        found = _made[key] = assembled(rules(sockets, kernel_log, truncates, agent, machine), machine)
    return found


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install(code: bytes) -> None:
    """Put the calling thread, and all it starts, behind the filter. Needs no_new_privs. OSError when refused."""
    given = _Program(len(code) // 8, code)
    kernel.prctl(22, 2, ctypes.addressof(given))  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
