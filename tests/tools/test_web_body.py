"""The body of an answer: which letters it holds, and how much of it is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edge.tools.web_body import clipped, told

WORD = "K\u00e4se \u20ac5"


def no_place(place: str, base: str) -> str:
    return ""


def shown(body: bytes, kind: str = "", packed: str = "", limit: int = 8000, page: bool = False) -> str:
    found: dict[str, Any] = {"body": body, "headers": {"content-type": kind} if kind else {}, "packed": packed}
    return told(found, limit, no_place if page else None).text


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (WORD.encode(), ""),
        (WORD.encode(), "text/plain; charset=UTF-8"),
        (WORD.encode("cp1252"), "text/plain;charset=windows-1252"),
        (WORD.encode("cp1252"), "text/plain; charset=ISO-8859-1"),
        (WORD.encode("iso8859-15"), 'text/plain; format=flowed; charset="iso-8859-15"'),
        (b"\xef\xbb\xbf" + WORD.encode(), "text/plain; charset=iso-8859-1"),
        (b"\xff\xfe" + WORD.encode("utf-16-le"), ""),
        (b"\xfe\xff" + WORD.encode("utf-16-be"), "text/html"),
        (WORD.encode("utf-16-le"), "text/plain; charset=utf-16"),
        (WORD.encode(), "text/plain; charset=no-such-thing"),
        (WORD.encode("cp1252"), "text/html"),
    ],
)
def test_the_letters_are_those_that_were_meant(body: bytes, kind: str) -> None:
    assert shown(body, kind) == WORD


@pytest.mark.parametrize(
    "head",
    ["<meta charset=koi8-r>", "<META CHARSET='koi8-r'/>", '<?xml version="1.0" encoding="KOI8-R"?>',
     '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'],
)  # fmt: skip
def test_a_page_may_say_itself_how_it_is_encoded(head: str) -> None:
    assert shown(f"{head}\u041d\u0430\u0441\u043e\u0441".encode("koi8-r"), "text/html").endswith(
        "\u041d\u0430\u0441\u043e\u0441"
    )


def test_letters_of_other_scripts() -> None:
    for codec, label in (("gb18030", "gb2312"), ("cp932", "Shift_JIS"), ("big5hkscs", "big5"), ("euc_jp", "EUC-JP")):
        assert shown("日本".encode(codec), f"text/plain; charset={label}") == "日本"
    assert shown("펌프".encode("cp949"), "text/html; charset=euc-kr", page=True) == "펌프"


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png", "[16 bytes of image/png, which is no text]"),
        (bytes(range(128, 256)), "", "[128 bytes of an unknown kind, which is no text]"),
        (b"", "text/html", ""),
    ],
)
def test_what_is_no_text_is_told(body: bytes, kind: str, said: str) -> None:
    assert shown(body, kind) == said


def test_a_packing_that_is_not_unpacked_is_told() -> None:
    assert shown(b"\x1b\x00", "text/html", "br") == "[2 bytes packed as br, which is not unpacked here]"


def test_json_is_clipped_by_structure_and_text_by_its_ends() -> None:
    value = json.dumps([{"name": "pump", "state": "on"}] * 2000)
    short = shown(value.encode(), "application/problem+json")
    first, _, rest = short.partition("\n")
    assert first == f"[JSON of {len(value):,} characters, shortened by its structure]"
    assert len(short) <= 8000 and json.loads(rest)[0] == {"name": "pump", "state": "on"}
    lines = shown(b"first\n" + b"line\n" * 9000 + b"last", "text/plain")
    assert lines.startswith("first\n") and lines.endswith("last") and "bytes cut ...]" in lines
    assert clipped("{ no json " * 2000, "", 4000).count("bytes cut") == 1


def test_the_whole_is_there_when_something_was_left_out_and_only_then() -> None:
    long = told({"body": b"x" * 9000, "headers": {}, "packed": ""}, 8000)
    assert long.whole == "x" * 9000
    assert told({"body": b"x", "headers": {}, "packed": ""}, 8000).whole == ""
    page = told({"body": b"<p>y" * 9000, "headers": {"content-type": "text/html"}, "packed": ""}, 8000, no_place)
    assert page.whole == "y\n\n" * 8999 + "y" and len(page.text) <= 8000


def test_html_stays_source_unless_markdown_is_wanted() -> None:
    assert shown(b"<p>x</p>", "text/html") == "<p>x</p>"
    assert shown(b"<p>x</p>", "text/html", page=True) == "x"
    assert shown(b"<!DOCTYPE HTML><p>x</p>", page=True) == "x"
    assert shown(b"<p>x</p>", "text/markdown", page=True) == "<p>x</p>"
