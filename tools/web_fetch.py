"""A web page by GET, as text that can be read: HTML becomes Markdown."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.gate import fields
from edge.text import visible
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.call import Args, Scene
    from edge.tool import Hands

LIMIT = 1 << 20  # bytes of a body that are fetched
TEXT = 8000  # bytes of text with the head
SECONDS = 10.0
ACCEPT = "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5"


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    wrong = fields.wrong(args.get("headers", {}))
    if wrong:
        raise UsageFault(wrong)
    return (Effect("fetch", f"url:{args['url']}", detail="GET"),)


def words(args: Args, scene: Scene) -> str:
    said = f"fetch {visible(args['url'], 8192)}"
    names = [visible(name, 60) for name in args.get("headers", {})]
    return f"{said} with the header fields {', '.join(names)}" if names else said


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools import web_answer

    headers = dict(args.get("headers", {}))
    if not any(name.lower() == "accept" for name in headers):
        headers["Accept"] = ACCEPT
    found = hands.net.request("GET", args["url"], headers, b"", LIMIT, args.get("timeout_seconds", SECONDS))
    kind = visible(found["headers"].get("content-type", "unknown"), 100)
    top = [
        web_answer.status(found),
        f"url: {visible(found['url'], web_answer.LONG)}",
        f"content-type: {kind}",
        *web_answer.notes(found),
    ]
    facts = {"content_type": found["headers"].get("content-type", "")[:200]}
    return web_answer.observed(found, top, TEXT, facts, _absolute(found["url"]), 200 <= found["status"] < 300)


def _absolute(page: str) -> Callable[[str, str], str]:
    """Makes the address of a link whole; "" for one that leads nowhere or stays on the page."""
    from edge.gate import urls

    read = {"": urls.read(page)}  # a page has one base for all its links

    def whole(place: str, base: str) -> str:
        if not place or place.startswith("#"):
            return ""
        if base not in read:
            read[base] = urls.read(base)
        url = urls.read(urls.joined(read[base], place.replace(" ", "%20")))
        return "" if url.kind == "bad" else url.shown

    return whole


TOOL = Tool(
    name="web_fetch",
    about="Fetch a web page, HTML as readable Markdown.",
    schema={
        "type": "object",
        "properties": {
            "url": {"type": "string", "minLength": 1, "maxLength": 8192},
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "timeout_seconds": {"type": "number", "minimum": 0.1, "maximum": 600},
        },
        "required": ["url"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=("url=https://example.com/manual.html",),
)
