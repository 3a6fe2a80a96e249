"""How a reply is framed: heads without the mail parser of http.client, lengths and sizes that are beyond doubt.

Rules:
1. `quick` reads only what is beyond doubt: HTTP/1.1, a final status, each field once, on one line, printable ASCII. Of
   everything else it takes nothing away, and http.client reads it.
2. What it says is what http.client would say; a test compares the two over mutated heads. The mail parser is two
   thirds of the cost of an exchange.
3. A length or a size of a chunk that is not a plain number is wrong at once (RFC 9112, 6.3 and 7.1). http.client takes
   a negative size, and takes a wrong length for none: both wait for what never comes. What is wrong is not quoted: a
   server may quote the key.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader
    from typing import Any

    Head = tuple[int, str, dict[str, str], bool, "int | None", bool]

MOST = 100  # fields, as http.client
MOST_DIGITS = 16  # of the size of a chunk
STARTS = ("2", "3", "4", "5")  # of a final status


def quick(reader: BufferedReader) -> Head | None:
    """Take the head of a reply off `reader`; None, and nothing is taken, when that is for http.client to do.

    (status, reason, fields, chunked, length, will_close) as in HTTPResponse; `length` is None when it is not known.
    """
    data = reader.peek(1)
    end = data.find(b"\r\n\r\n")
    found = parsed(data[:end]) if end > 0 else None
    if found is None:
        return None
    status, reason, fields = found
    chunked = fields.get("transfer-encoding", "").lower() == "chunked"
    length = None if chunked else _length(fields.get("content-length"))
    if status in (204, 304):
        length = 0
    reader.read(end + 4)
    will_close = "close" in fields.get("connection", "").lower() or (length is None and not chunked)
    return status, reason, fields, chunked, length, will_close


def parsed(head: bytes) -> tuple[int, str, dict[str, str]] | None:
    """(status, reason, fields by lower-case name) of a head less its last line end; None when not plain (rule 1)."""
    if not head.isascii():
        return None
    first, *lines = head.decode("ascii").split("\r\n")
    if first[:9] != "HTTP/1.1 " or first[9:10] not in STARTS or not first[10:12].isdigit() or len(first) < 12:
        return None
    if first[12:13] not in ("", " ") or not first.isprintable():
        return None
    if len(lines) > MOST:
        return None
    fields: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        key = name.lower()
        if not colon or not key.replace("-", "").isalnum() or key in fields or not value.isprintable():
            return None
        fields[key] = value.strip(" ")
    return int(first[9:12]), first[13:].strip(), fields


def unclear(response: Any) -> str:
    """What is wrong with the framing in a head that was read, in words; "" when nothing is (rule 3)."""
    fields = response.headers
    coding = fields.get("transfer-encoding")
    if coding is not None:
        return "" if response.chunked else "its Transfer-Encoding is not chunked"
    length = fields.get("content-length")
    if length is not None and not (length.isascii() and length.strip(" \t").isdigit()):
        return "its Content-Length is not a number"
    return ""


def chunk_size(line: bytes) -> int:
    """The size that a chunk begins with; -1 when it is not a plain number (rule 3)."""
    digits = line.partition(b";")[0].strip()
    if not 0 < len(digits) <= MOST_DIGITS or digits.strip(b"0123456789abcdefABCDEF"):
        return -1
    return int(digits, 16)


def _length(value: str | None) -> int | None:
    """Content-Length as http.client takes it: what is no number, or less than none, counts as not given."""
    try:
        length = int(value or "")
    except ValueError:
        return None
    return length if length >= 0 else None
