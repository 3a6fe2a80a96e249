"""One HTTP request to one host: status, some header fields, the body."""

from __future__ import annotations

from edge.call import Effect, Observation
from edge.faults import UsageFault
from edge.gate import fields
from edge.text import clip, visible
from edge.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.call import Args, Scene
    from edge.tool import Hands

READING = ("GET", "HEAD")
METHODS = (*READING, "POST", "PUT", "PATCH", "DELETE")
LIMIT = 1 << 20  # bytes of a body that are fetched
TEXT = 8000  # bytes of text with the head
SHOWN = ("content-type", "content-length", "location", "last-modified", "etag", "retry-after", "allow")
CHARSETS = ("utf-8", "us-ascii", "iso-8859-1", "iso-8859-15", "windows-1252", "utf-16")


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
    method = args.get("method", "GET")
    found = hands.net.request(
        method, args["url"], args.get("headers", {}), _body(args), LIMIT, args.get("timeout_seconds", 0)
    )
    status = f"{found['status']} {visible(found['reason'], 80)}".rstrip()
    top = "\n".join([status, *_notes(found), *_shown(found["headers"])])
    body = _text(found)
    text = f"{top}\n\n{clip(body, max(1000, TEXT - len(top)))}" if body else top
    facts = {name: found[name] for name in ("status", "url", "hops", "cut", "via")}
    return Observation(found["status"] < 400, text, {**facts, "bytes": len(found["body"])}, untrusted=True)


def _notes(found: Mapping[str, Any]) -> list[str]:
    """What a reader must know of how the answer came."""
    notes = []
    if found["hops"]:
        notes.append(f"[from {found['url']}, {len(found['hops'])} redirects on]")
    if found["via"]:
        notes.append(f"[through the proxy {found['via']}, which looked up the name]")
    if found["cut"]:
        notes.append(f"[the body goes on: it was cut after {len(found['body'])} bytes]")
    return notes


def _shown(headers: Mapping[str, str]) -> list[str]:
    return [f"{name}: {visible(headers[name], 300)}" for name in SHOWN if name in headers]


def _text(found: Mapping[str, Any]) -> str:
    """The body as text, or the sentence that it is none."""
    raw: bytes = found["body"]
    kind = found["headers"].get("content-type", "")
    if found["packed"]:
        return f"[{len(raw)} bytes packed as {visible(found['packed'], 40)}, which is not unpacked here]"
    charset = kind.lower().rpartition("charset=")[2].strip(" \"'")
    text = raw.decode(charset if charset in CHARSETS else "utf-8", "replace")
    if "\0" in text or text.count("\ufffd") * 10 > len(text):
        return f"[{len(raw)} bytes of {visible(kind, 60) or 'an unknown kind'}, which is no text]"
    return text


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
