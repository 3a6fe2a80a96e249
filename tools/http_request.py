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
    from typing import Any

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
    asked = Effect("fetch" if method in READING else "send", f"url:{args['url']}", detail=method)
    if "save_to" not in args:
        return (asked,)
    if method == "HEAD":
        raise UsageFault("a HEAD request has nothing to save", "method=GET brings it")
    if any(name.lower() in ("range", "if-range") for name in args.get("headers", {})):
        raise UsageFault("save_to sets Range itself, to go on where the last try ended", "leave it out of headers")
    return (asked, Effect("write", f"file:{args['save_to']}"))


def words(args: Args, scene: Scene) -> str:
    said = f"{args.get('method', 'GET')} {visible(args['url'], 8192)}"
    names = [visible(name, 60) for name in args.get("headers", {})]
    if names:
        said += f" with the header fields {', '.join(names)}"
    if args.get("body"):
        said += f", sending {len(_body(args))} bytes"
    if "save_to" in args:
        said += f", saving the answer to {visible(args['save_to'], 4096)}"
    return said


def _body(args: Args) -> bytes:
    body: str = args.get("body", "")
    return body.encode("utf-8", "replace")


def run(args: Args, hands: Hands) -> Observation:
    from edge.tools import web_answer

    asked = (args.get("method", "GET"), args["url"], args.get("headers", {}), _body(args))
    seconds = args.get("timeout_seconds", 0)
    if "save_to" in args:
        return _saved(hands.net.save(*asked, args["save_to"], seconds))
    found = hands.net.request(*asked, LIMIT, seconds)
    top = [web_answer.status(found), *web_answer.notes(found), *_shown(found["headers"])]
    return web_answer.observed(found, top, TEXT, {}, None, found["status"] < 400)


def _saved(found: Mapping[str, Any]) -> Observation:
    from edge.tools import web_answer

    saved = found["saved"]
    top = [web_answer.status(found), *web_answer.notes(found), *_shown(found["headers"])]
    if saved is None:
        top.append("[nothing was saved]")
        return web_answer.observed(found, top, TEXT, {"saved": None}, None, False)
    said = f"{saved['bytes']:,} bytes saved to {saved['path']} ({saved['was']})"
    if saved["resumed"]:
        said += f", {saved['resumed']:,} of them were there from an earlier try"
    packing = f"[saved as it came: packed as {visible(found['packed'], 40)}]"
    top += [
        said,
        f"sha256 {saved['sha256'] or 'not computed: there was no time left'}",
        *[packing] * bool(found["packed"]),
    ]
    facts = {name: found[name] for name in ("status", "url", "via")}
    return Observation(True, "\n".join(top), {**facts, "saved": dict(saved)}, untrusted=True)


def _shown(headers: Mapping[str, str]) -> list[str]:
    return [f"{name}: {visible(headers[name], 300)}" for name in SHOWN if name in headers]


TOOL = Tool(
    name="http_request",
    about="Make one HTTP request, GET if no method; save_to downloads to a file, again to resume.",
    schema={
        "type": "object",
        "properties": {
            "method": {"type": "string", "enum": list(METHODS)},
            "url": {"type": "string", "minLength": 1, "maxLength": 8192},
            "headers": {"type": "object", "additionalProperties": {"type": "string"}},
            "body": {"type": "string", "maxLength": 1048576},
            "save_to": {"type": "string", "minLength": 1},
            "timeout_seconds": {"type": "number", "minimum": 0.1, "maximum": 600},
        },
        "required": ["url"],
        "additionalProperties": False,
    },
    effects=effects,
    run=run,
    words=words,
    examples=(
        "url=https://example.com/status.json",
        "url=https://example.com/update.bin save_to=update.bin",
        """method=POST url=https://example.com/report headers='{"Content-Type": "text/plain"}' body='pump on'""",
    ),
)
