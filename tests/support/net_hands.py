"""The hand on the network with a permit made for one test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from edge.call import Call, Decision, Effect, Grant, Observation, Permit, Scene
from edge.gate import urls
from edge.hands import Hands, Holder
from edge.hands.net import READING, Net
from edge.hands.world import World
from edge.schema import fit
from edge.tool import Tool
from tests.support.one_call import world as plain_world

Judge = Callable[[Effect], Decision]


def allowing(root: str = "host") -> Judge:
    """A gate that allows every redirect, as a public host or as one that the operator listed."""

    def judge(effect: Effect) -> Decision:
        grant = Grant(effect.verb, root, urls.read(effect.on.partition(":")[2]).origin)
        return Decision("allow", "low", "test.allow", "allowed", Permit("c1", (grant,)))

    return judge


def world(folder: Path, names: Any = None, judge: Judge | None = None, proxy: str = "") -> World:
    made = plain_world(folder)
    made.resolve = names
    made.proxy = proxy
    if judge is not None:
        made.judge = lambda call, effect: judge(effect)
    return made


def permit(method: str, url: str, root: str = "host", seconds: float = 10.0) -> Permit:
    verb = "fetch" if method in READING else "send"
    return Permit("c1", (Grant(verb, root, urls.read(url).origin),), seconds=seconds)


def ask(
    here: World,
    url: str,
    method: str = "GET",
    root: str = "host",
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    limit: int = 1 << 20,
    seconds: float = 10.0,
    allowed: tuple[str, ...] = (),
) -> Mapping[str, Any]:
    """One request whose first host was granted under `root`."""
    holder = Holder(permit(method, url, root, seconds), Call("http_request", {}, "c1"), here)
    return Net(holder, allowed).request(method, url, headers or {}, body, limit)


def hands(here: World, method: str, url: str, root: str = "host") -> Hands:
    return Hands(permit(method, url, root), Call("http_request", {}, "c1"), here)


def carry(tool: Tool, folder: Path, args: dict[str, Any], **given: Any) -> Observation:
    """One call of a web tool inside a permit for the first host, listed as internal."""
    checked = fit(args, tool.schema)[0]
    tool.effects(checked, Scene("/", ""))
    return tool.run(checked, hands(world(folder, **given), checked.get("method", "GET"), checked["url"], "internal"))
