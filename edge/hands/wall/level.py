"""Which wall this machine has, found by what a child behind it cannot do.

Rules:
1. Nothing is believed from a version or a file: a throw-away child behind each wall, the best first, tries forbidden
   acts; a wall that lets one through that it has to stop is not that wall.
2. Each level that was not reached leaves a sentence of why, with what to do.
3. Found at first use and kept for the life of the process.
4. At first use the agent itself is closed: no other process of its user can read its memory or environment
   (PR_SET_DUMPABLE, prctl(2)).
"""

from __future__ import annotations

import os

from edge.hands.wall import environment, identity, kernel, landlock, trial
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ORDER = ("landlock", "namespaces", "seccomp")
# What the child tries; what each level has to stop of it.
FILES = ("write", "key")
CALLS = ("unix", "network", "users", "keys")
QUICK = (*FILES, "environment", *CALLS)
MUST = {"landlock": (*FILES, "environment", *CALLS), "namespaces": (*FILES, "environment", *CALLS), "seccomp": CALLS}
GET_LANDLOCK = (
    "a kernel from 5.13 with CONFIG_SECURITY_LANDLOCK, started with landlock in `lsm=`; Raspberry Pi OS has none"
)
GET_SPACES = "let users make user name spaces: kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0"
GET_FILTER = "a kernel built with CONFIG_SECCOMP_FILTER"
GET_USER = "run the agent as root, with its workspace on ext4 or another file system with idmapped mounts"
_found: dict[tuple[str, str, tuple[str, ...]], Level] = {}
_shielded = False


class Level(Record):
    """What holds a child here. `name`: landlock, namespaces, seccomp, off. `alone`: it runs under a user of its own.

    `reasons`: why nothing better is there, each a sentence with what to do in brackets.
    """

    name: str
    alone: bool = False
    reasons: tuple[str, ...] = ()


def find(told: str = "prefer", at_most: str = "landlock", state: str = "", roots: Sequence[str] = ()) -> Level:
    """The best level reached here that is not better than `at_most`. Never raises for a wall that is not there.

    `told` is what the policy wants (require, prefer, off): off is off; whether what was found is enough for require is
    the caller's question. `state` is the agent's folder, `roots` the folders in which a child may write.
    """
    shield()
    if told == "off":
        return Level("off", False, ("the policy says sandbox = off",))
    key = (at_most, state, tuple(roots))
    if key not in _found:
        _found[key] = _looked_for(at_most, state, roots)
    return _found[key]


def shield() -> None:
    """Close the agent's memory and environment to other processes of its user. Once; nothing where it cannot be."""
    global _shielded
    if not _shielded:
        try:
            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        except OSError:
            return
        _shielded = True


def _looked_for(at_most: str, state: str, roots: Sequence[str]) -> Level:
    reasons: list[str] = []
    for name in ORDER[ORDER.index(at_most) :]:
        why, user = tried(name, state)
        if not why:
            mine = same_user(roots, state)
            if not mine and user == os.geteuid():
                mine = f"children run as root without capabilities, though nothing speaks against it ({GET_USER})"
            return Level(name, not mine, (*reasons, *([mine] if mine else [])))
        reasons.append(why)
    return Level("off", False, tuple(reasons))


def tried(name: str, state: str) -> tuple[str, int]:
    """Why a level is not there ("" when it is), and the user of its child."""
    if name == "landlock" and not landlock.version():
        return f"this kernel has no Landlock ({GET_LANDLOCK})", 0
    fix = {"landlock": GET_LANDLOCK, "namespaces": GET_SPACES, "seccomp": GET_FILTER}[name]
    try:
        found = trial.attempt(name, QUICK, state)
    except OSError as error:
        return f"{name} cannot hold a child: {error.strerror or error} ({fix})", 0
    managed = [act for act in MUST[name] if found[act] != "stopped"]
    if managed:
        return f"{name} does not hold: a child managed {', '.join(managed)} ({fix})", 0
    return "", int(found["user"])


def same_user(roots: Sequence[str], state: str = "") -> str:
    """Why children are the agent's own user, "" when they need not be."""
    if os.geteuid() != 0:
        only = "only root can give them another, and this version has no set-up for anybody else"
        return f"children run as the agent's own user: {only} ({GET_USER})"
    user = identity.number(state)
    unknown = identity.unknown(user)
    for why in (unknown, *(identity.possible(root, user) for root in roots or (environment.base(),))):
        if why:
            return f"children run as root without capabilities: {why} ({GET_USER})"
    return ""
