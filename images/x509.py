"""As much of a certificate as an image needs to know: the name that OpenSSL finds it by, and until when it holds.

Rules:
1. The folder of certificates is searched by the hash of the subject: SHA-1 over the canonical name, its first four
   bytes read little endian, as eight hex digits (openssl-rehash(1), X509_NAME_hash(3)).
2. Canonical: each relative name is a SET of its pairs; text becomes UTF8String, without blanks at its ends, with one
   blank where there were several, ASCII letters in lower case; what is no text stays (OpenSSL's x_name.c says so).
3. What is no certificate is a CardFault.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import hashlib
import re
from collections.abc import Iterator

from edge.faults import CardFault

BEGIN, END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"
SEQUENCE, SET, UTF8, UTC_TIME, VERSION = 0x30, 0x31, 0x0C, 0x17, 0xA0
# PrintableString, T61String, IA5String, VisibleString: one byte per letter.
_LATIN = (0x13, 0x14, 0x16, 0x1A)
_TEXTS = {UTF8: "utf-8", 0x1E: "utf-16-be", 0x1C: "utf-32-be", **dict.fromkeys(_LATIN, "latin-1")}
Item = tuple[int, bytes]


def certificates(pem: bytes) -> list[bytes]:
    """The certificates of a PEM text, as DER, in its order."""
    found = []
    for part in pem.split(BEGIN)[1:]:
        body, end, _ = part.partition(END)
        if not end:
            raise CardFault("a certificate has no end")
        try:
            found.append(base64.b64decode(b"".join(body.split()), validate=True))
        except binascii.Error as fault:
            raise CardFault(f"a certificate is no base64: {fault}") from fault
    return found


def subject_hash(der: bytes) -> str:
    """The eight hex digits that OpenSSL looks a certificate up by."""
    names = b"".join(_tlv(SET, b"".join(map(_pair, _items(content)))) for _, content in _items(_fields(der)[4][1]))
    return f"{int.from_bytes(hashlib.sha1(names).digest()[:4], 'little'):08x}"


def not_after(der: bytes) -> datetime.datetime:
    """The end of its life."""
    tag, content = _items(_fields(der)[3][1])[1]
    form = "%y%m%d%H%M%SZ" if tag == UTC_TIME else "%Y%m%d%H%M%SZ"
    try:
        found = datetime.datetime.strptime(content.decode("ascii", "replace"), form)
    except ValueError as fault:
        raise CardFault(f"a certificate has no date of its end: {content!r}") from fault
    return found.replace(tzinfo=datetime.timezone.utc)


def _fields(der: bytes) -> list[Item]:
    """Serial, algorithm, issuer, validity, subject ... of a certificate; an index of 0 is the serial number."""
    outer = _items(der)
    inner = _items(outer[0][1]) if outer and outer[0][0] == SEQUENCE else []
    fields = _items(inner[0][1]) if inner and inner[0][0] == SEQUENCE else []
    if fields and fields[0][0] == VERSION:
        fields = fields[1:]
    if len(fields) < 5 or len(_items(fields[3][1])) != 2:
        raise CardFault("what should be a certificate is none")
    return fields


def _items(data: bytes) -> list[Item]:
    return list(_walk(data))


def _walk(data: bytes) -> Iterator[Item]:
    """The tag and content of each element, definite lengths only (X.690, DER)."""
    place = 0
    while place < len(data):
        head = data[place : place + 2]
        size = head[1] if len(head) == 2 else 0x80
        place += 2
        if size & 0x80:
            count = size & 0x7F
            if not 1 <= count <= 4:
                raise CardFault("a certificate is damaged")
            size = int.from_bytes(data[place : place + count], "big")
            place += count
        if place + size > len(data):
            raise CardFault("a certificate is cut off")
        yield head[0], data[place : place + size]
        place += size


def _pair(item: Item) -> bytes:
    """A pair of kind and value in canonical form."""
    parts = _items(item[1])
    if len(parts) != 2:
        raise CardFault("a name in a certificate is damaged")
    (kind_tag, kind), (tag, value) = parts
    if tag in _TEXTS:
        text = value.decode(_TEXTS[tag], "replace").encode("utf-8")
        value, tag = re.sub(rb"[ \t\n\v\f\r]+", b" ", text.strip(b" \t\n\v\f\r")).lower(), UTF8
    return _tlv(SEQUENCE, _tlv(kind_tag, kind) + _tlv(tag, value))


def _tlv(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(octets))) + octets + content
