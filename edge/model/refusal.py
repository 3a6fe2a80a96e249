"""What an answer that is no reply means: one sentence from status and body, and what to do. Pure.

Rules:
1. The sentence names endpoint and status, and holds at most QUOTED characters of what the server said, as plain text:
   no tags, no control characters, one line.
2. The key is never in it, not even where the server quotes it back.
"""

from __future__ import annotations

from edge.faults import ModelFault
from edge.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

QUOTED = 200
READ = 4096  # characters of a body that are looked at

MEANINGS = {
    400: "did not understand the request",
    401: "wants another key",
    402: "wants to be paid",
    403: "does not allow this",
    404: "has no such model or path",
    405: "takes no chat completions there",
    408: "waited too long for the request",
    413: "finds the conversation too long",
    422: "did not understand the request",
    429: "has had too many requests",
    503: "is not ready",
}
FIXES = {
    401: "check the key: key_env or key_file in the settings",
    403: "check what the key may do",
    404: "check base_url (it mostly ends in /v1) and the model's name",
    405: "check base_url (it mostly ends in /v1)",
    413: "begin a new conversation",
}


def refused(status: int, body: bytes, endpoint: str, key: str, asked: str = "") -> ModelFault:
    """The fault for an answer with this status. `asked` is what Retry-After said, in words, or ""."""
    said = quoted(body, key)
    if 300 <= status < 400:
        what, fix = "sends elsewhere, which is not followed", "put the right address into base_url"
    else:
        what = MEANINGS.get(status, "failed" if status >= 500 else "refused the request")
        fix = _fix(status, said.lower())
    more = f": {said}" if said else ""
    return ModelFault(f"{endpoint} {what} (status {status}{asked}){more}", fix, endpoint)


def _fix(status: int, said: str) -> str:
    if status in (400, 422, 500):
        if any(word in said for word in ("response_format", "json_schema", "grammar")):
            return 'this server takes no JSON schema for replies; set mode = "native" in [model]'
        if "max_completion_tokens" in said:
            return "this model takes max_completion_tokens only, which is not offered; use another model"
        if "tool" in said or "jinja" in said:
            return 'this server or model takes no tools; set mode = "json" in [model]'
        if "context" in said and ("length" in said or "size" in said or "exceed" in said):
            return "begin a new conversation, or use a model with a larger window"
    if "model" in said and ("not found" in said or "does not exist" in said):
        return FIXES[404]
    return FIXES.get(status, "")


def hopeless(body: bytes) -> bool:
    """True when a 429 will not go away by waiting: the account is used up."""
    return b"insufficient_quota" in body[:READ]


def quoted(body: bytes, key: str) -> str:
    """What the server said, in one clipped line (rules 1 and 2)."""
    if key:
        body = body.replace(key.encode(), b"[key]")
    text = body[:READ].decode("utf-8", "replace")
    said = _message(text)
    if said is None:
        said = _without_tags(text)
    if key:  # where the body had spelled it with escapes
        said = said.replace(key, "[key]")
    said = " ".join(plain(said).split())
    return said if len(said) <= QUOTED else said[: QUOTED - 3] + "..."


def _message(text: str) -> str | None:
    """The message of a JSON error in one of the usual shapes, None when it is no JSON."""
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return told(value) or ""


def told(value: Any) -> str:
    """The words of an error value: {"error": {"message"}}, {"error": text}, {"message"}, {"detail"}."""
    for _ in range(3):
        if not isinstance(value, dict):
            break
        value = value.get("error") or value.get("message") or value.get("detail") or ""
    return value if isinstance(value, str) else str(value)


def _without_tags(text: str) -> str:
    """HTML as text: scripts, styles and tags away."""
    import re

    text = re.sub(r"(?is)<(script|style|head)\b.*?(</\1\s*>|\Z)", " ", text)
    return re.sub(r"(?s)<[!/?a-zA-Z][^>]*(>|\Z)", " ", text)
