"""One HTTP request to one host: status, some header fields, the body."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.gate import fields
from edge.text import visible
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from edge.call import Args, Scene
    from edge.tool import Hands

READING = ("GET", "HEAD")
METHODS = (*READING, "POST", "PUT", "PATCH", "DELETE")
LIMIT = 1 << 20  # bytes of a body that are fetched
TEXT = 8000  # bytes of text with the head
SHOWN = ("content-type", "content-length", "location", "last-modified", "etag", "retry-after", "allow")


def effects(args: Args, scene: Scene) -> tuple[Effect, ...]:
    method = args.get("method", "GET")
    wrong = fields.wrong(args.get("headers", {}))
    if wrong:
        raise UsageFault(wrong)
    if args.get("body") and method in READING:
        raise UsageFault(f"a {method} request has no body", "method=POST sends one")
    return (Effect("fetch" if method in READING else "send", f"url:{args['url']}", detail=method),)


def words(args: Args, scene: Scene) -> str:
    said = f"{args.get('method', 'GET')} {visible(args['url'], 8192)}"
    names = [visible(name, 60) for name in args.get("headers", {})]
    if names:
        said += f" with the header fields {', '.join(names)}"
    if args.get("body"):
        said += f", sending {len(_body(args))} bytes"
    return said


def _body(args: Args) -> bytes:
    body: str = args.get("body", "")
    return body.encode("utf-8", "replace")


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools import web_answer

    method = args.get("method", "GET")
    found = hands.net.request(
        method, args["url"], args.get("headers", {}), _body(args), LIMIT, args.get("timeout_seconds", 0)
    )
    top = [web_answer.status(found), *web_answer.notes(found), *_shown(found["headers"])]
    return web_answer.observed(found, top, TEXT, {}, None, found["status"] < 400)


def _shown(headers: Mapping[str, str]) -> list[str]:
    return [f"{name}: {visible(headers[name], 300)}" for name in SHOWN if name in headers]


TOOL = Tool(
    name="http_request",
    about="Make one HTTP request: GET and HEAD read, other methods send.",
    schema={
        "type": "object",
        "properties": {
            "method": {"type": "string", "enum": list(METHODS), "description": "GET if absent"},
            "url": {"type": "string", "minLength": 1, "maxLength": 8192, "description": "http:// or https://"},
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "body": {"type": "string", "maxLength": 1048576},
            "timeout_seconds": {"type": "number", "minimum": 1, "maximum": 600},
        },
        "required": ["url"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=(
        "url=https://example.com/status.json",
        """method=POST url=https://example.com/report headers='{"Content-Type": "text/plain"}' body='pump on'""",
    ),
)
