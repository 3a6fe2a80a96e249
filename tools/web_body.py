"""The body of an answer of a web server as text for a model.

Rules:
1. How it is encoded is said by, in this order: a byte order mark, the field Content-Type, the page itself in its
   first SNIFFED bytes (HTML standard section 13.2.3, XML section 4.3.3), else UTF-8; a page that is none is
   Windows-1252.
2. What is no text is said to be none, with its kind and size.
3. A long answer is clipped: JSON by its structure, all else to its head and tail.
"""

from __future__ import annotations

from edge.record import Record
from edge.text import clip, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

SNIFFED = 1024  # bytes
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
# The labels of the WHATWG encoding standard that are met, in the names that Python has for what they mean.
_CODECS = {
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    **dict.fromkeys(("us-ascii", "ascii", "iso-8859-1", "latin1", "l1", "windows-1252", "cp1252"), "cp1252"),
    **dict.fromkeys(("utf-16", "utf-16le", "unicode"), "utf-16-le"),
    "utf-16be": "utf-16-be",
    **{f"iso-8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **dict.fromkeys(("latin2", "l2"), "iso8859-2"),
    "latin-9": "iso8859-15",
    **{f"windows-125{part}": f"cp125{part}" for part in (0, 1, 3, 4, 5, 6, 7, 8)},
    "iso-8859-9": "cp1254",
    "windows-874": "cp874",
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "x-gbk"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs"), "big5hkscs"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "windows-31j", "x-sjis"), "cp932"),
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
}


class Told(Record):
    """`text`: what is shown; `whole`: all of it when something was left out of `text`, else ""; `title`: of a page."""

    text: str
    whole: str = ""
    title: str = ""
    cut: bool = False


def told(found: Mapping[str, Any], limit: int, absolute: Callable[[str, str], str] | None = None) -> Told:
    """The body of an answer (`body headers packed`) in at most `limit` bytes; `absolute` makes a page Markdown."""
    raw: bytes = found["body"]
    label = found["headers"].get("content-type", "")
    kind = label.partition(";")[0].strip().lower()
    if found["packed"]:
        return Told(f"[{len(raw)} bytes packed as {visible(found['packed'], 40)}, which is not unpacked here]")
    html = _is_page(kind, raw)
    text = decoded(raw, label, html)
    if text is None:
        return Told(f"[{len(raw)} bytes of {visible(label, 60) or 'an unknown kind'}, which is no text]")
    title, cut = "", False
    if html and absolute is not None:
        from edge.tools.web_page import page

        made = page(text, absolute)
        title, text, cut = made.title, made.text, made.cut
    short = clipped(text, kind, limit)
    return Told(short, text if short != text else "", title, cut)


def clipped(text: str, kind: str, limit: int) -> str:
    """`text` in at most `limit` bytes: JSON by its structure, all else by head and tail."""
    if len(text) * 4 <= limit or len(text.encode("utf-8", "surrogatepass")) <= limit:
        return text
    if kind.endswith("json") or text.lstrip()[:1] in ("{", "["):
        from edge.tools.web_json import shaped

        short = shaped(text, limit - 100)
        if short:
            return f"[JSON of {len(text):,} characters, shortened by its structure]\n{short}"
    return clip(text, limit)


def decoded(raw: bytes, label: str, html: bool) -> str | None:
    """The text of a body (rule 1); None when it is none (rule 2)."""
    wide = b"\0" in raw or any(word in label.lower() for word in ("text", "json", "xml"))
    for mark, codec in _MARKS:
        if raw.startswith(mark) and (wide or codec == "utf-8"):
            return _text(raw[len(mark) :], codec)
    codec = _CODECS.get(_parameter(label), "")
    if not codec:
        codec = _CODECS.get(_declared(raw[:SNIFFED]), "")
        codec = "utf-8" if codec.startswith("utf-16") else codec  # a declaration that could be read is none
    if not codec and html:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            codec = "utf-8" if error.start >= len(raw) - 4 else "cp1252"
    return _text(raw, codec or "utf-8")


def _text(raw: bytes, codec: str) -> str | None:
    try:
        text = raw.decode(codec, "replace")
    except LookupError:  # a Python that was built without it
        text = raw.decode("utf-8", "replace")
    return None if "\0" in text or text.count("\ufffd") * 10 > len(text) else text


def _parameter(label: str) -> str:
    """The charset that a field Content-Type names, in lower case."""
    for part in label.lower().split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip() == "charset":
            return value.strip(" \t\"'")
    return ""


def _declared(head: bytes) -> str:
    """The charset that a page or an XML text declares in its beginning, in lower case."""
    text = head.decode("latin-1").lower()
    found = ""
    if text.lstrip().startswith("<?xml"):
        found = text.partition("?>")[0].partition("encoding")[2].lstrip(" =")
        found = found[1:].partition(found[:1])[0] if found[:1] in ("'", '"') else ""
    if not found and "<meta" in text:
        after = text.partition("<meta")[2].partition("charset")[2].lstrip(" =\"'")
        ends = min((at for at in map(after.find, "\"'; />") if at >= 0), default=len(after))
        found = after[:ends]
    return found


def _is_page(kind: str, raw: bytes) -> bool:
    if kind in ("text/html", "application/xhtml+xml"):
        return True
    start = raw[:SNIFFED].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return not kind and start.startswith((b"<!doctype html", b"<html"))
