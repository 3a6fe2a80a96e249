"""The form of the audit log: one record, one line, chained to the line before and keyed.

    {"seq":7,"boot":"1f0c33d2","mono":12.345678,"wall":1700000000.123,"kind":"intent",...,"prev":"<64>","mac":"<64>"}

Rules:
1. `prev` is the SHA-256 of the whole line before (without newline), 64 zeros for the first.
2. `mac` is HMAC-SHA256 with the key of this record over LABEL, `prev` and the body (all bytes before `,"prev"`),
   each behind its length in 8 bytes: nothing can be shifted from one part to the next. The bytes of the file are
   what counts: to check a line nothing is encoded anew.
3. Each record has its own key: that of the next is SHA-256(NEXT, key). A key tells nothing of those before it.
4. A text of more than VALUE bytes stands as {"clip", "bytes", "sha256"}; the digest is of the redacted text, so that
   it cannot be used to try passwords. A record of more than RECORD bytes keeps each large field like that.
5. A receipt is the first 100 bits of the mac of a success, in base 32: nobody who cannot read the log can guess one.
"""

from __future__ import annotations

from edge.compact import apart, encoders
from edge.faults import TapeFault
from edge.text import clip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

KINDS = frozenset(
    (
        *("open", "call", "intent", "outcome", "stop", "resume", "approval"),
        *("rotate", "begin", "key", "alarm", "note", "close"),
    )
)
RESERVED = frozenset(("seq", "boot", "mono", "wall", "kind", "prev", "mac"))
LABEL = b"fieldhand audit record 1"
NEXT = b"fieldhand audit key 1"
FIRST = "0" * 64
VALUE = 2048
RECORD = 1 << 16
LINE = 1 << 20  # no line that is longer is a record
DEPTH = 24
_TAIL = len(',"prev":"","mac":""}') + 128
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_HEX = frozenset(b"0123456789abcdef")
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_HEAD = len(LABEL).to_bytes(8, "big") + LABEL + (64).to_bytes(8, "big")


def encode(
    seq: int, boot: str, mono: float, wall: float, kind: str, inner: str, prev: str, key: bytes
) -> tuple[bytes, str]:
    """One line with its newline, and its mac. `inner` comes from `fields_text`."""
    body = (  # the % operator takes half the time of format
        b'{"seq":%d,"boot":"%s","mono":%.6f,"wall":%.3f,"kind":"%s"%s'
        % (seq, boot.encode(), mono, wall, kind.encode(), inner.encode("utf-8", "backslashreplace"))
    )
    mac = mac_of(key, prev.encode(), body)
    return b'%s,"prev":"%s","mac":"%s"}\n' % (body, prev.encode(), mac.encode()), mac


def mac_of(key: bytes, prev: bytes, body: bytes) -> str:
    """The mac of a record (rule 2), 64 hex digits."""
    # RFC 2104; the hmac module would load OpenSSL first, which costs a third of an interpreter's start.
    block = key.ljust(64, b"\0")
    inner = _sha256(block.translate(_INNER) + _HEAD + prev + len(body).to_bytes(8, "big") + body).digest()
    mac: str = _sha256(block.translate(_OUTER) + inner).hexdigest()
    return mac


def ratchet(key: bytes, steps: int = 1) -> bytes:
    """The key `steps` records later."""
    for _ in range(steps):
        key = _sha256(NEXT + key).digest()
    return key


def digest_of(line: bytes) -> str:
    """What the next record says of this line (without newline)."""
    digest: str = _sha256(line).hexdigest()
    return digest


def split(line: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Body, prev and mac of a line without newline; None when it has not that form."""
    body, tail = line[:-_TAIL], line[-_TAIL:]
    prev, mac = tail[9:73], tail[82:146]
    if tail[:9] != b',"prev":"' or tail[73:82] != b'","mac":"' or tail[146:] != b'"}':
        return None
    return (body, prev, mac) if body[:7] == b'{"seq":' and _HEX.issuperset(prev + mac) else None


def number(body: bytes) -> int:
    """The seq of a body; 0 when it has none."""
    digits = body[7 : body.find(b",", 7, 30)]
    return int(digits) if digits.isdigit() and len(digits) < 18 else 0


def decode(line: bytes) -> dict[str, Any] | None:
    """The record of a line without newline, whether or not it belongs to the chain; None when it is none."""
    import json

    if split(line) is None:
        return None
    try:
        record = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    well = isinstance(record.get("kind"), str) and isinstance(record.get("boot"), str)
    well = well and type(record["seq"]) is int and _is_number(record.get("mono")) and _is_number(record.get("wall"))
    return record if well else None


def _is_number(value: object) -> bool:
    return type(value) is float or type(value) is int


def receipt_of(mac: str) -> str:
    """The receipt of a success whose record has this mac."""
    letters = _LETTERS
    found = ["r-"]
    for at in (0, 5, 10, 15, 20):  # five hex digits are four letters: small numbers are quick
        bits = int(mac[at : at + 5], 16)
        found.append(letters[bits >> 15] + letters[bits >> 10 & 31] + letters[bits >> 5 & 31] + letters[bits & 31])
    return "".join(found)


def mac_start(receipt: str) -> str:
    """The 25 hex digits that the mac of a receipt's record begins with; "" when it has not the form of one."""
    letters = receipt.lower()
    if len(letters) != 22 or letters[:2] != "r-" or not set(letters[2:]) <= set(_LETTERS):
        return ""
    bits = 0
    for letter in letters[2:]:
        bits = bits << 5 | _LETTERS.index(letter)
    return f"{bits:025x}"


def claimed(text: str) -> tuple[str, ...]:
    """The words of a text that look like receipts, each once, in lower case. Pure; O(n)."""
    if "r-" not in text and "R-" not in text:
        return ()
    import re

    found = re.findall(r"(?<![\w-])[rR]-[A-Za-z0-9]{16,40}(?![\w-])", text)
    return tuple(dict.fromkeys(word.lower() for word in found))


def fields_text(kind: str, fields: Mapping[str, Any], redact: Callable[[str], str]) -> str:
    """The members of a record's own fields as JSON, redacted and clipped: `,"a":1` or nothing.

    TapeFault when `kind` is none, or a field is what JSON cannot hold.
    """
    if kind not in KINDS:
        raise TapeFault(f"{kind!r} is not a kind of audit record")
    try:
        if not RESERVED.isdisjoint(fields):
            fields = apart(fields, RESERVED)
        inner = _inner(fields)
        if _harmless(inner) and redact(inner) == inner:
            return inner
        inner = _inner({name: _clean(value, redact, 1) for name, value in fields.items()})
        if len(inner) > RECORD // 2 and len(inner.encode("utf-8", "backslashreplace")) > RECORD:
            inner = _inner({name: _small(value, redact) for name, value in list(fields.items())[:64]})
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise TapeFault(f"a {kind} record of the audit holds what cannot be kept: {error}") from error
    return inner


def _harmless(inner: str) -> bool:
    """True when nothing in this JSON text is too long or too deep, and each text stands in it as it is.

    Then one look for secrets serves for all: no value has another neighbour than a quotation mark or a comma.
    """
    plain = len(inner) <= VALUE and "\\" not in inner and inner.isascii()
    return plain and inner.count("{") + inner.count("[") <= DEPTH


def _inner(fields: Mapping[str, Any]) -> str:
    text = "".join(_parts(fields, 0))
    return "," + text[1:-1] if len(text) > 2 else ""


def _clean(value: Any, redact: Callable[[str], str], depth: int) -> Any:
    """`value` with its texts redacted and clipped, and nothing inside more than DEPTH others."""
    if isinstance(value, str):
        return _clipped(redact(value))
    if hasattr(value, "items"):
        if depth > DEPTH:
            return f"[nested deeper than {DEPTH}]"
        return {redact(key): _named(key, value[key], redact, depth + 1) for key in value}
    if isinstance(value, (list, tuple)):
        return [_clean(part, redact, depth + 1) for part in value] if depth <= DEPTH else f"[deeper than {DEPTH}]"
    return value


def _named(key: str, value: Any, redact: Callable[[str], str], depth: int) -> Any:
    """A value whose name may tell that it is a secret: `password=...`."""
    cleaned = _clean(value, redact, depth)
    if isinstance(value, str) and cleaned == value and len(key) < 64:
        pair = f'{key}="{value}"'
        return value if redact(pair) == pair else "[redacted]"
    return cleaned


def _clipped(text: str) -> Any:
    if len(text) <= VALUE // 4:
        return text
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) <= VALUE:
        return text
    return {"clip": clip(text, VALUE), "bytes": len(raw), "sha256": digest_of(raw)}


def _small(value: Any, redact: Callable[[str], str]) -> Any:
    """A field of a record that is too long: what is large stands as clipped JSON text."""
    cleaned = _clean(value, redact, 1)
    text = "".join(_parts(cleaned, 0))
    if len(text) <= VALUE // 4:
        return cleaned
    clipped = _clipped(text)
    return cleaned if clipped is text else clipped


def _first_parts(fields: Any, level: int) -> tuple[str, ...]:
    """Make the encoder at the first record and take its place."""
    global _parts
    _parts, _ = encoders()
    return _parts(fields, level)


def _first_sha256(data: bytes) -> Any:
    """The same for SHA-256."""
    from edge.sha import sha256

    global _sha256
    _sha256 = sha256()
    return _sha256(data)


_parts: Callable[[Any, int], tuple[str, ...]] = _first_parts
_sha256: Callable[[bytes], Any] = _first_sha256
