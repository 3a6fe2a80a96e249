"""Where the files that a shell text names really are: what the gate judged was their names.

Rules:
1. A name of the text that leads elsewhere over a link is judged again by what it leads to. It goes on when that is
   allowed, or is the same to the gate as what was named; else it is refused, with the rule of what it leads to. So a
   link to a key is a key, and nobody's yes to a harmless name opens it.
2. Removing, renaming or listing a link is an act on the link itself. Where the wall is strong, such a name only loses
   its grant: the link can go, what it leads to stays shut.
3. The wall opens what was named a moment later. As long as shells run in the background, which may change meanwhile
   where a name leads, no name in a root that may be read as a whole has a grant of its own: what is closed in it stays
   closed, and what it leads to is opened by no name of this text.
4. The kernel's own links to a process, and to its streams, mean another thing in the child than here: they are left
   to their names, which the gate knows.
5. Where a whole root is granted for writing, a name in it has no grant of its own: the wall would put that one file
   into the child's view, and what is put there can be neither removed nor renamed.
"""

from __future__ import annotations

import os

from edge.call import Effect
from edge.faults import Refused
from edge.gate.paths import inside
from edge.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from edge.call import Decision, Grant, Permit
    from edge.hands import Holder

_STREAMS = ("/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr")
_VERBS = ("list", "read", "write")


def look(holder: Holder, strong: Callable[[], bool]) -> Permit:
    """The permit without what needs no grant or must have none (rules 2, 3 and 5).

    Refused when a name leads to what the gate would not give it. `strong()`: the wall holds children to the permit;
    asked only when that matters, as a wall that was never looked for takes its time to be found.
    """
    lost: list[Grant] = []
    for grant, full, real in _led(holder):
        found = _judged(holder, grant, full, real)
        if found is None:
            continue
        own = f"{os.path.realpath(os.path.dirname(full))}/{os.path.basename(full)}"
        if grant.verb != "read" and os.path.islink(full) and _judged(holder, grant, full, own) is None and strong():
            lost.append(grant)
            continue
        raise Refused(f"{full} leads to {real}: {found.sentence}", found.rule, "ask for it by its own name")
    permit = holder.permit
    whole = {grant.root for grant in permit.grants if (grant.verb, grant.path, grant.deep) == ("write", ".", True)}
    lost += [one for one in permit.grants if one.verb == "write" and one.root in whole and one.path != "."]
    shells = holder.world.lasting()
    if shells is not None and shells.running():
        readable = {
            grant.root for grant in permit.grants if (grant.verb, grant.path, grant.deep) == ("read", ".", True)
        }
        lost += [one for one in permit.grants if one.verb != "write" and one.root in readable and one.path != "."]
    return replace(permit, grants=tuple([grant for grant in permit.grants if grant not in lost])) if lost else permit


def _judged(holder: Holder, grant: Grant, full: str, real: str) -> Decision | None:
    """The decision that keeps the grant of `full` from being one of `real`; None when none does."""
    judge, call = holder.world.judge, holder.call
    found = judge(call, Effect(grant.verb, f"file:{real}", grant.deep))
    if found.verdict == "allow":
        return None
    same = found.verdict == "ask" and found.rule == judge(call, Effect(grant.verb, f"file:{full}", grant.deep)).rule
    return None if same else found


def _led(holder: Holder) -> Iterator[tuple[Grant, str, str]]:
    """Each file that was granted by its name and is another one in fact: its absolute path, and where that leads."""
    folders = {root.name: root.path for root in holder.world.scene.roots}
    folders["system"] = "/"
    for grant in holder.permit.grants:
        if grant.verb not in _VERBS or grant.root not in folders or grant.path == ".":
            continue
        full = f"{folders[grant.root].rstrip('/')}/{grant.path}"
        if any(inside(full, stream) for stream in _STREAMS):
            continue
        real = os.path.realpath(full)
        if real != full and not inside(real, "/proc"):
            yield grant, full, real
