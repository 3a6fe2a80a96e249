"""What the wall holds on this machine, claim by claim, each from a forbidden act that a child just tried.

Rules:
1. A claim is `enforced` only when the act was tried now and did not work. What was not tried is not enforced.
2. What cannot be tried because nothing of the kind is there says so, and is not counted as held.
3. Each claim that does not hold says why and what to do.
"""

from __future__ import annotations

import os

from edge.hands.wall import level as levels
from edge.hands.wall import trial
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.hands.wall.level import Level

# act -> what is claimed, what it is when it does not hold
WORDS = {
    "write": (
        "files outside",
        "files outside the opened folders cannot be changed",
        "what this user may change, a child may change",
    ),
    "mode": (
        "modes outside",
        "mode and times of files outside cannot be changed",
        "those of files that belong to this user",
    ),
    "devices": (
        "devices",
        "memory, disks, GPIO and buses cannot be opened",
        "nodes that this user may open can be opened",
    ),
    "ports": ("serial ports", "serial ports cannot be opened", "ports that this user may open can be opened"),
    "signal": ("signals", "the agent cannot be signalled", "the agent can be signalled"),
    "environment": ("environment", "the agent's environment cannot be read", "the agent's environment is readable"),
    "memory_of_agent": ("tracing", "the agent cannot be traced nor its memory read", "the agent can be traced"),
    "key": ("key", "the agent's key cannot be read", "same uid: key readable"),
    "unix": ("local sockets", "no local socket can be connected to", "sockets of the guard can be connected to"),
    "network": ("network", "no TCP and no UDP unless a permit holds it", "the network is open"),
    "raw": ("raw sockets", "no raw, packet or netlink socket", "raw sockets can be made"),
    "users": ("name spaces", "no new user or mount name space", "name spaces can be made"),
    "keys": ("key rings", "the kernel's key rings are closed", "the kernel's key rings are open"),
    "rings": ("io_uring, bpf", "neither io_uring nor bpf", "io_uring or bpf can be used"),
    "memory": ("memory limit", "memory is limited", "memory is not limited"),
    "size": ("file size limit", "the size of a file is limited", "the size of a file is not limited"),
    "processes": ("process limit", "the number of processes is limited", "the number of processes is not limited"),
    "mount": ("mounts", "nothing can be mounted", "file systems can be mounted"),
    "reboot": ("reboot", "the reboot call is refused", "the reboot call is let through"),
    "clock": ("clock", "the clock cannot be set", "the clock can be set"),
    "module": ("kernel modules", "no kernel module can be loaded", "kernel modules can be loaded"),
}
ENDS = "ends"
SECONDS = 120.0  # for all acts; a slow board that is busy besides needs more than half a minute
LOWER = ("write", "mode", "devices", "ports", "signal", "environment", "key")  # what the level seccomp leaves to rights


class Claim(Record):
    """One thing that the wall is there for. `act` is the name of the act of acts.py that was tried, or ENDS."""

    what: str
    act: str
    enforced: bool
    sentence: str
    fix: str = ""
    absent: bool = False


def claims(level: Level, state: str = "", key: str = "") -> tuple[Claim, ...]:
    """Every claim on a level, from acts tried now. `state` is the agent's folder, `key` its key file (absolute) if any.

    OSError when the child that tries them cannot be started; nothing is enforced then.
    """
    found = trial.attempt(level.name, tuple(WORDS), state, key, SECONDS)
    same = int(found["user"]) == os.geteuid()
    made = [_claim(act, found[act], level, same) for act in WORDS]
    return (*made, _ends(level, state))


def _claim(act: str, came: str, level: Level, same: bool) -> Claim:
    what, holds, else_ = WORDS[act]
    if came == "stopped":
        return Claim(what, act, True, holds)
    if came == "nothing":
        return Claim(what, act, False, "nothing of the kind is on this board, so it was not tried", absent=True)
    fix = _fix(act, level, same)
    if came == "untried":
        return Claim(what, act, False, "no filter of system calls, so it was not even tried", fix)
    return Claim(what, act, False, f"not held: {else_}", fix)


def _fix(act: str, level: Level, same: bool) -> str:
    if act == "mode" and level.name == "landlock":
        return levels.GET_USER
    if act == "processes" and same and os.geteuid() == 0:
        return f"{levels.GET_USER}, or mount the pids controller of cgroups"
    if level.name == "off":
        return "write sandbox = 'prefer'" if not level.reasons else levels.GET_FILTER
    if level.name == "seccomp" and act in LOWER:
        return f"{levels.GET_LANDLOCK}; or {levels.GET_SPACES}"
    return levels.GET_FILTER


def _ends(level: Level, state: str) -> Claim:
    """Start what wants to outlive its call, end the call, look whether anything is left."""
    if trial.ends(level.name, state):
        return Claim("ends", ENDS, True, "what a call left running ends with it, also in sessions of its own")
    return Claim(
        "ends",
        ENDS,
        False,
        "not held: a process in a session of its own outlived its call",
        "see `fieldhand doctor --debug`",
    )
