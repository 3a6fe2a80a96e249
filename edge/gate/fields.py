"""The fields of a request that a caller may set, and which of them are credentials. Pure.

Rules:
1. A field cannot hold what would begin another line, and its name is a token (RFC 9110 section 5.6.2).
2. What says where a request goes, how long it is and how the connection is used is not the caller's: a body has one
   length, and the host is the one that was judged. Nor is what has a server take it for another method or path.
3. A credential is known by its name or by how its value begins. It never goes to another origin than it was given for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 50  # fields
LONGEST = 8192  # bytes of one field
# RFC 9110 section 7.6.1, RFC 9112 section 6; Upgrade and Expect change what follows the head.
RESERVED = frozenset(
    (
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "upgrade",
        "expect",
        "http2-settings",
        # What common frameworks obey in place of the request line: it would make a GET a DELETE behind the gate's back.
        *("x-http-method-override", "x-http-method", "x-method-override", "x-original-method"),
        *("x-original-url", "x-rewrite-url", "x-original-uri", "x-forwarded-uri", "x-forwarded-host", "x-host"),
    )
)
_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")
_SECRET_NAMES = ("auth", "cookie", "token", "key", "secret", "session", "passw", "credential", "signature", "sid")
_SECRET_STARTS = ("bearer ", "basic ", "digest ", "token ", "negotiate ", "aws4-", "apikey ")


def wrong(headers: Mapping[str, str]) -> str:
    """What is wrong with a caller's fields, as a sentence; "" when they can be sent."""
    if len(headers) > MOST:
        return f"a request takes at most {MOST} header fields"
    seen = set()
    for name, value in headers.items():
        folded = name.lower()
        if not folded or not _TOKEN.issuperset(folded):
            return f"{name[:60]!a} is no name of a header field"
        if folded.replace("_", "-") in RESERVED:  # CGI and its heirs make one of both (RFC 3875 section 4.1.18)
            return f"the header field {name} is set by Fieldhand, not by the caller"
        if folded in seen:
            return f"the header field {name} is given twice"
        seen.add(folded)
        if not isinstance(value, str):
            return f"the header field {name} must be text"
        if len(value) > LONGEST:
            return f"the header field {name} is longer than {LONGEST} characters"
        if any((letter < " " and letter != "\t") or letter == "\x7f" or letter > "\xff" for letter in value):
            return f"the header field {name} holds control characters or letters beyond Latin-1"
    return ""


def is_credential(name: str, value: str) -> bool:
    """True when a field may be what proves who is asking."""
    folded = name.lower()
    return any(part in folded for part in _SECRET_NAMES) or value.lower().lstrip().startswith(_SECRET_STARTS)


def without_credentials(headers: Mapping[str, str]) -> dict[str, str]:
    """The fields that may go to another origin."""
    return {name: value for name, value in headers.items() if not is_credential(name, value)}
