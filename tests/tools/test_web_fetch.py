"""web_fetch as the model meets it, over loopback."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Observation, Scene
from edge.dialects import meant
from edge.faults import Refused, ToolFault, UsageFault
from edge.gate.decide import decide
from edge.gate.policy import Policy, State
from edge.schema import fit
from edge.tools.web_fetch import TOOL
from tests.support import net_hands
from tests.support.net_hands import allowing
from tests.support.webserver import Web, drips, leads, says

SCENE = Scene("/", "")
PAGE = b"<!doctype html><title>Pump</title><h1>Manual</h1><p>See <a href='part?n=2'>part 2</a>."


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as made:
        yield made


def carry(folder: Path, args: dict[str, Any], **given: Any) -> Observation:
    return net_hands.carry(TOOL, folder, args, **given)


def test_a_page_comes_as_markdown_with_final_url_status_and_kind(web: Web, tmp_path: Path) -> None:
    web.on["/old"] = leads("/doc/manual.html")
    web.on["/doc/manual.html"] = says(PAGE, Content_Type="text/html; charset=utf-8")
    found = carry(tmp_path, {"url": web.url("/old")}, judge=allowing("internal"))
    final = web.url("/doc/manual.html")
    assert found.ok and found.untrusted and found.whole == ""
    assert found.text == (
        f"200 OK\nurl: {final}\ncontent-type: text/html; charset=utf-8\n[from {final}, 1 redirects on]\ntitle: Pump"
        f"\n\n# Manual\n\nSee [part 2]({web.url('/doc/part?n=2')})."
    )
    assert found.data is not None
    assert (found.data["status"], found.data["url"], found.data["content_type"], found.data["bytes"]) == (
        200,
        final,
        "text/html; charset=utf-8",
        len(PAGE),
    )


def test_markdown_is_asked_for_unless_the_caller_asks_for_something_else(web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(b"# as it is", Content_Type="text/markdown")
    assert carry(tmp_path, {"url": web.url()}).text.endswith("\n\n# as it is")
    carry(tmp_path, {"url": web.url(), "headers": {"accept": "application/json", "X-A": "b"}})
    first, second = web.seen
    assert first.headers["accept"].startswith("text/markdown") and first.method == "GET"
    assert second.headers["accept"] == "application/json" and second.headers["x-a"] == "b"


@pytest.mark.parametrize("status", ["404 Not Found", "500 Oh", "304 Not Modified", "300 Many"])
def test_a_status_that_is_no_success_is_an_error_that_keeps_the_body(web: Web, tmp_path: Path, status: str) -> None:
    body = b"" if status.startswith("304") else b"<p>gone to <b>the attic</b>"
    web.on["/"] = says(body, status, Content_Type="text/html")
    found = carry(tmp_path, {"url": web.url()})
    assert not found.ok and found.text.startswith(status + "\n")
    assert found.text.endswith("gone to the attic") or not body


def test_a_long_page_is_clipped_and_the_whole_of_it_is_kept(web: Web, tmp_path: Path) -> None:
    body = "".join(f"<h2>Part {number}</h2><p>{'word ' * 50}" for number in range(400))
    web.on["/"] = says(gzip.compress(body.encode()), Content_Type="text/html", Content_Encoding="gzip")
    found = carry(tmp_path, {"url": web.url()})
    assert len(found.text.encode()) <= 8192 and "bytes cut ...]" in found.text
    assert "## Part 0\n" in found.text and found.whole.count("## Part ") == 400


def test_a_page_beyond_the_limit_is_cut_and_says_so(web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(b"<p>x" * (1 << 19), Content_Type="text/html")
    found = carry(tmp_path, {"url": web.url()})
    assert found.data is not None and found.data["cut"] and found.data["bytes"] == 1 << 20
    assert "[the body goes on: it was cut after 1048576 bytes]" in found.text
    assert "[the page goes on: its end was not read]" in found.text and len(found.whole) < 4 << 20


def test_no_redirect_and_no_link_makes_the_result_long(web: Web, tmp_path: Path) -> None:
    far = "/" + "x" * 7000
    for number in range(5):
        web.on[f"{far}{number}"] = leads(f"{far}{number + 1}")
    web.on[f"{far}5"] = says(f"<base href='{far}/'>".encode() + b"<p><a href=y>y</a>" * 5000, Content_Type="text/html")
    found = carry(tmp_path, {"url": web.url(f"{far}0")}, judge=allowing("internal"))
    assert found.data is not None and len(found.data["hops"]) == 5
    assert len(json.dumps(found.data)) < 16_000 and len(found.text.encode()) <= 8192


def test_it_never_hangs(web: Web, tmp_path: Path) -> None:
    web.on["/"] = drips(b"HTTP/1.1 200 OK\r\n\r\n", b".", 0.05)
    begun = time.monotonic()
    with pytest.raises(ToolFault, match="within 1 s"):
        carry(tmp_path, {"url": web.url(), "timeout_seconds": 1})
    assert time.monotonic() - begun < 30


def test_a_redirect_that_the_gate_does_not_allow_is_refused(web: Web, tmp_path: Path) -> None:
    web.on["/"] = leads("http://169.254.169.254/latest/")
    with pytest.raises(Refused, match=r"127\.0\.0\.1 leads on to"):
        carry(tmp_path, {"url": web.url()})


@pytest.mark.parametrize(
    "args", [{}, {"url": ""}, {"url": ["x"]}, {"url": "x", "timeout_seconds": 0}, {"url": "x", "method": "POST"},
             {"url": "x", "headers": []}]
)  # fmt: skip
def test_arguments_that_do_not_fit_are_usage(args: dict[str, Any]) -> None:
    with pytest.raises(UsageFault):
        fit(args, TOOL.schema)


def test_fields_that_are_not_the_callers_are_usage() -> None:
    with pytest.raises(UsageFault, match="header field"):
        TOOL.effects({"url": "http://x.de/", "headers": {"Host": "b"}}, SCENE)


def test_it_only_reads_so_that_readonly_has_it_for_listed_hosts() -> None:
    (effect,) = TOOL.effects({"url": "https://example.com/"}, SCENE)
    assert effect.observes and effect.on == "url:https://example.com/" and effect.detail == "GET"
    policy = Policy("readonly", hosts=("example.com",))
    for url, verdict in (
        ("https://example.com/", "allow"),
        ("https://other.org/", "deny"),
        ("http://10.0.0.1/", "deny"),
    ):
        call = Call("web_fetch", {"url": url}, "c1")
        assert decide(call, TOOL.effects(call.args, SCENE), policy, State(), SCENE).verdict == verdict


def test_the_words_show_the_whole_url_and_names_of_fields() -> None:
    args = {"url": "https://x.de/\x1b[2J", "headers": {"Authorization": "Bearer s3cret"}}
    said = TOOL.words(args, SCENE)
    assert said == "fetch https://x.de/\\x1b[2J with the header fields Authorization"


def test_the_whole_of_it_has_ten_seconds_unless_told_and_a_pages_name_for_them_is_understood(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from edge.hands.net import Net

    real, asked = Net.request, []

    def listening(self: Net, *args: Any) -> Any:
        asked.append(args[-1])
        return real(self, *args)

    monkeypatch.setattr(Net, "request", listening)
    web.on["/"] = says(b"x")
    for given in ({}, {"timeout": 2.5}, {"timeout_seconds": 0.5}):
        args = meant("web.fetch", {"url": web.url(), **given}, {"web_fetch": TOOL.schema})[1]
        carry(tmp_path, args)
    assert asked == [10.0, 2.5, 0.5]
    web.on["/"] = drips(b"HTTP/1.1 200 OK\r\n\r\n", b".", 0.05)  # each piece in time, the whole of it never
    with pytest.raises(ToolFault, match=r"within 0\.5 s"):
        carry(tmp_path, meant("web.fetch", {"url": web.url(), "timeout": 0.5}, {"web_fetch": TOOL.schema})[1])
