"""A file of the operator's from a URL: whole or not at all, gone on with where a fetch before it ended.

The hand on the network does it (edge/hands/net.py): TLS, redirects but never to plain http, one deadline, bounds, room
that stays free on the card. What the operator named may be a host of the local network; what comes is only a file.
"""

from __future__ import annotations

import os

from edge.faults import CardFault, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.call import Call, Decision, Effect
    from edge.hands.world import World

    Tell = Callable[[int, int], object]

SECONDS = 3600.0
NAME = "fetched.update"


def fetch(url: str, folder: str, tell: Tell) -> str:
    """The path of what stands at `url`, in `folder`, which is made. CardFault in words.

    `tell` hears how many bytes came, and 0, for how many come is not known.
    """
    from edge.call import Call, Grant, Permit
    from edge.gate import urls
    from edge.hands import Holder
    from edge.hands.net import Net

    made = urls.read(url)
    if made.kind == "bad":
        raise CardFault(f"{url[:200]} {made.why}", "https://HOST/NAME.update, or a file")
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        grants = (Grant("fetch", "internal", made.origin), Grant("write", "update", NAME))
        holder = Holder(Permit("update", grants, seconds=SECONDS), Call("update", {}, "update"), _world(folder, tell))
        found = Net(holder).save("GET", url, {}, b"", NAME)
    except Fault as fault:
        raise CardFault(f"the update could not be fetched: {fault.sentence}", fault.fix) from fault
    except OSError as error:
        why = (error.strerror or "unknown error").lower()
        raise CardFault(f"the update could not be fetched into {folder}: {why}") from error
    if found["saved"] is None:
        raise CardFault(f"{made.host} answered {found['status']} {found['reason']}", "correct the URL")
    return f"{folder}/{NAME}"


def _world(folder: str, tell: Tell) -> World:
    """A world with one root, the folder; it has no board, and a redirect to any host is followed."""
    from edge.call import Root, Scene
    from edge.hands.world import World
    from edge.tape.unkept import Unkept

    world = World(Scene(folder, "", (Root("update", folder),)), Unkept(), _no_board)
    world.judge = _follow
    world.stopping = Watch(folder, tell)
    return world


def _no_board() -> Any:
    raise CardFault("a fetch needs no board")


def _follow(_call: Call, effect: Effect) -> Decision:
    """A redirect: what comes from there is judged by its signature."""
    from edge.call import Decision, Grant, Permit
    from edge.gate import urls

    origin = urls.read(effect.on.partition(":")[2]).origin
    grant = Grant(effect.verb, "internal", origin)
    return Decision("allow", "low", "update.redirect", "the operator named where it begins", Permit("update", (grant,)))


class Watch:
    """What the hands ask while they wait, whether to end: never; and it looks how much has come."""

    def __init__(self, folder: str, tell: Tell) -> None:
        self._folder = folder
        self._tell = tell

    def __call__(self) -> bool:
        try:
            sizes = [entry.stat().st_size for entry in os.scandir(self._folder) if entry.name.startswith(".incoming-")]
        except OSError:
            sizes = []
        if sizes:
            self._tell(max(sizes), 0)
        return False
