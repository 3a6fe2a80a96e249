"""An answer of a web server as an observation: what both tools for the web say of it in the same words."""

from __future__ import annotations

from edge.call import Observation
from edge.text import visible
from edge.tools import web_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

LONG = 1000  # characters of an address in what is told of an answer
FACTS = ("status", "url", "hops", "cut", "via")


def status(found: Mapping[str, Any]) -> str:
    """`200 OK`; the reason is the server's word."""
    return f"{found['status']} {visible(found['reason'], 80)}".rstrip()


def notes(found: Mapping[str, Any]) -> list[str]:
    """What a reader must know of how the answer came."""
    said = []
    if found["hops"]:
        said.append(f"[from {visible(found['url'], LONG)}, {len(found['hops'])} redirects on]")
    if found["via"]:
        said.append(f"[through the proxy {found['via']}, which looked up the name]")
    if found["cut"]:
        said.append(f"[the body goes on: it was cut after {len(found['body'])} bytes]")
    return said


def observed(
    found: Mapping[str, Any],
    top: list[str],
    limit: int,
    more: Mapping[str, Any],
    absolute: Callable[[str, str], str] | None,
    ok: bool,
) -> Observation:
    """The lines of `top`, then the body in what is left of `limit` bytes; `more` joins the facts.

    With `absolute` (makes the address of a link whole) a page becomes Markdown.
    """
    head = "\n".join(top)
    body = web_body.told(found, max(1000, limit - len(head.encode("utf-8", "replace")) - 150), absolute)
    if body.title:
        head += f"\ntitle: {visible(body.title, 100)}"
    if body.cut:
        head += "\n[the page goes on: its end was not read]"
    text = f"{head}\n\n{body.text}" if body.text else head
    whole = f"{head}\n\n{body.whole}" if body.whole else ""
    facts = {name: found[name] for name in FACTS}
    facts["hops"] = [visible(hop, LONG) for hop in found["hops"]]
    return Observation(ok, text, {**facts, **more, "bytes": len(found["body"])}, untrusted=True, whole=whole)
