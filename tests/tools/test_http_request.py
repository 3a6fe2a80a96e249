"""http_request as the model meets it, over loopback."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.call import Call, Decision, Observation, Scene
from edge.faults import Refused, ToolFault, UsageFault
from edge.gate.decide import decide
from edge.gate.policy import PRESETS, Policy, State
from edge.hands import Hands
from edge.hands.net_resolve import Scripted
from edge.schema import fit
from edge.tools.http_request import METHODS, READING, TOOL
from tests.support import net_hands
from tests.support.net_hands import allowing, hands, world
from tests.support.webserver import Web, drips, leads, raw, says

SCENE = Scene("/", "")


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as made:
        yield made


def carry(folder: Path, args: dict[str, Any], **given: Any) -> Observation:
    return net_hands.carry(TOOL, folder, args, **given)


@pytest.mark.parametrize("method", METHODS)
def test_its_one_effect_reads_or_sends_and_names_the_method(method: str) -> None:
    (effect,) = TOOL.effects({"method": method, "url": "https://example.com/"}, SCENE)
    reads = method in ("GET", "HEAD")
    assert (effect.verb, effect.on, effect.detail) == ("fetch" if reads else "send", "url:https://example.com/", method)
    assert effect.observes == reads
    assert TOOL.effects({"url": "http://x.de/"}, SCENE)[0].detail == "GET"


@pytest.mark.parametrize(
    "args",
    [{"method": "get"}, {"method": "TRACE"}, {"method": "CONNECT"}, {"url": ""}, {"body": ["x"]}, {"headers": "a"},
     {"timeout_seconds": 0}, {"timeout_seconds": 601}, {"follow": True}, {"url": "x" * 9000}],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_usage(args: dict[str, Any]) -> None:
    with pytest.raises(UsageFault):
        fit({"url": "http://x.de/", **args}, TOOL.schema)


@pytest.mark.parametrize(
    "headers", [{"Host": "b"}, {"X": "a\r\nHost: b"}, {"Content-Length": "1"}, {"Transfer-Encoding": "x"}, {"TE": "x"},
                {"Connection": "close"}, {"a b": "c"}, {"X": "a\nb"}, {"X": 5}, {"Upgrade": "h2c"}, {"Expect": "100"}]
)  # fmt: skip
def test_fields_that_are_not_the_callers_are_usage_before_anybody_is_asked(headers: dict[str, Any]) -> None:
    args = fit({"url": "http://x.de/", "headers": headers}, TOOL.schema)[0]
    with pytest.raises(UsageFault, match="header field"):
        TOOL.effects(args, SCENE)


def test_six_methods_two_of_which_read() -> None:
    assert TOOL.schema["properties"]["method"]["enum"] == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
    assert [
        method for method in METHODS if TOOL.effects({"method": method, "url": "http://x.de/"}, SCENE)[0].observes
    ] == [*("GET", "HEAD")]


def test_a_reading_request_has_no_body() -> None:
    for method in ("GET", "HEAD"):
        with pytest.raises(UsageFault, match=f"a {method} request has no body"):
            TOOL.effects({"url": "http://x.de/", "method": method, "body": "x"}, SCENE)


def test_the_words_show_method_whole_url_field_names_and_size_but_no_value() -> None:
    args = {"method": "POST", "url": "https://x.de/" + "a" * 900 + "?b=\x1b[2J", "body": "K\xe4se",
            "headers": {"Authorization": "Bearer s3cret", "X-B": "c"}}  # fmt: skip
    said = TOOL.words(args, SCENE)
    assert said.startswith("POST https://x.de/" + "a" * 900 + "?b=\\x1b[2J with the header fields Authorization, X-B")
    assert said.endswith(", sending 5 bytes") and "s3cret" not in said
    assert TOOL.words({"url": "http://x.de/"}, SCENE) == "GET http://x.de/"


def test_the_result_is_status_some_fields_and_the_body_and_is_not_trusted(web: Web, tmp_path: Path) -> None:
    body = json.dumps({"t": 21.5, "name": "K\xe4se"}, ensure_ascii=False).encode()
    web.on["/s"] = says(body, Content_Type="application/json", Set_Cookie="sid=s3cret", ETag='"7"')
    found = carry(tmp_path, {"url": web.url("/s")})
    assert found.ok and found.untrusted
    head, _, text = found.text.partition("\n\n")
    assert head.split("\n")[0] == "200 OK" and "content-type: application/json" in head and 'etag: "7"' in head
    assert "s3cret" not in found.text and json.loads(text) == {"t": 21.5, "name": "K\xe4se"}
    assert found.data == {"status": 200, "url": web.url("/s"), "hops": [], "cut": False, "via": "", "bytes": len(body)}


def test_a_body_and_fields_are_sent(web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(b"", "201 Created", Location="/new/1")
    args = {"method": "PUT", "url": web.url(), "headers": {"Content-Type": "text/plain"}, "body": "K\xe4se"}
    found = carry(tmp_path, args)
    assert found.ok and found.text.splitlines() == ["201 Created", "content-length: 0", "location: /new/1"]
    assert web.seen[0].body == "K\xe4se".encode() and web.seen[0].headers["content-type"] == "text/plain"


def test_an_error_answer_is_shown_and_is_no_success(web: Web, tmp_path: Path) -> None:
    found = carry(tmp_path, {"url": web.url("/none")})
    assert not found.ok and found.text.startswith("404 Not Found") and found.text.endswith("nothing here")


def test_a_long_body_is_clipped_and_says_so(web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(b"first\n" + b"x" * (3 << 20) + b"\nlast", Content_Type="text/plain")
    found = carry(tmp_path, {"url": web.url()})
    assert found.data is not None and found.data["cut"] and found.data["bytes"] == 1 << 20
    assert len(found.text) < 8200 and "[the body goes on: it was cut after 1048576 bytes]" in found.text
    assert "bytes cut ...]" in found.text and "first\n" in found.text


@pytest.mark.parametrize(
    ("body", "fields", "said"),
    [
        (b"\x89PNG\r\n\0\0\0" + bytes(99), {"Content_Type": "image/png"}, "[108 bytes of image/png, which is no text]"),
        (b"\xff\xfe\xfd\xfc" * 9, {}, "[36 bytes of an unknown kind, which is no text]"),
        (b"K\xe4se", {"Content_Type": "text/plain; charset=ISO-8859-1"}, "K\xe4se"),
        (b"a long text with one odd \xe4 byte", {"Content_Type": "text/plain"}, "a long text with one odd \ufffd byte"),
        (b"\x0b\x02", {"Content_Encoding": "br"}, "[2 bytes packed as br, which is not unpacked here]"),
        (b"plain", {"Content_Type": "text/plain; charset=rot13"}, "plain"),
    ],
)
def test_what_is_no_text_is_told(body: bytes, fields: dict[str, str], said: str, web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(body, **fields)
    assert carry(tmp_path, {"url": web.url()}).text.partition("\n\n")[2] == said


def test_redirects_and_the_proxy_stand_in_the_text(web: Web, tmp_path: Path) -> None:
    web.on["/a"] = leads("/b")
    web.on["/b"] = says(b"there")
    found = carry(tmp_path, {"url": web.url("/a")}, judge=lambda effect: allowing("internal")(effect))
    assert f"[from {web.url('/b')}, 1 redirects on]" in found.text and found.text.endswith("there")
    web.on["http://outside.example/"] = says(b"by proxy")
    here = world(tmp_path, proxy=web.url())
    seen = TOOL.run({"url": "http://outside.example/"}, hands(here, "GET", "http://outside.example/"))
    assert f"[through the proxy 127.0.0.1:{web.port}, which looked up the name]" in seen.text


def test_timeout_seconds_end_a_drip(web: Web, tmp_path: Path) -> None:
    web.on["/"] = drips(b"HTTP/1.1 200 OK\r\n\r\n", b"x", 0.1)
    begun = time.monotonic()
    with pytest.raises(ToolFault, match="within 1 s"):
        carry(tmp_path, {"url": web.url(), "timeout_seconds": 1})
    assert time.monotonic() - begun < 30


def test_without_a_grant_nothing_is_sent(web: Web, tmp_path: Path) -> None:
    here = hands(world(tmp_path), "GET", "https://example.com/")
    with pytest.raises(Refused):
        TOOL.run({"url": web.url(), "method": "POST", "body": "x"}, here)
    assert web.connections == 0


def test_terminal_escapes_of_a_server_do_not_stand_in_the_head(web: Web, tmp_path: Path) -> None:
    web.on["/"] = raw(b"HTTP/1.1 200 O\x1b[2JK\r\nContent-Type: a\x1b]0;x\x07b\r\nContent-Length: 2\r\n\r\nhi")
    head = carry(tmp_path, {"url": web.url()}).text.partition("\n\n")[0]
    assert "\x1b" not in head and "\x07" not in head


# --- with the gate itself ---


def gated(folder: Path, args: dict[str, Any], policy: Policy, names: Any = None) -> tuple[Decision, Any]:
    """What the gate says, and how to run the call inside the permit it made (an `ask` taken as answered with yes)."""
    here = world(folder, names)
    here.judge = lambda call, effect: decide(call, (effect,), policy, State(), here.scene)
    call = Call("http_request", fit(args, TOOL.schema)[0], "c1")
    decision = decide(call, TOOL.effects(call.args, here.scene), policy, State(), here.scene)
    assert decision.permit is not None, decision.sentence
    granted = decision.permit
    return decision, lambda: TOOL.run(call.args, Hands(granted, call, here))


def test_a_host_that_the_operator_listed_as_internal_is_reached_by_its_grant(web: Web, tmp_path: Path) -> None:
    web.on["/a"] = leads("/b")
    web.on["/b"] = says(b"model")
    decision, run = gated(tmp_path, {"url": web.url("/a")}, Policy(internal_hosts=("127.0.0.1",)))
    assert decision.verdict == "allow" and run().text.endswith("model")


def test_the_gate_denies_an_internal_host_that_is_not_listed(web: Web, tmp_path: Path) -> None:
    for preset in PRESETS:
        for method in METHODS:
            call = Call("http_request", {"url": web.url(), "method": method}, "c1")
            effects = TOOL.effects(call.args, SCENE)
            assert decide(call, effects, Policy(preset), State(), SCENE).verdict == "deny"


def test_a_name_that_the_gate_let_pass_and_that_leads_inside_is_refused(web: Web, tmp_path: Path) -> None:
    names = Scripted({"outside.example": [("127.0.0.1",)]})
    args = {"url": web.url(host="outside.example")}
    decision, run = gated(tmp_path, args, Policy(hosts=("outside.example",)), names)
    assert decision.verdict == "allow"
    with pytest.raises(Refused) as refused:
        run()
    assert refused.value.rule == "net.internal" and web.connections == 0


def test_a_redirect_from_a_listed_host_to_one_that_is_not_is_refused_by_the_gate(web: Web, tmp_path: Path) -> None:
    with Web("127.0.0.2") as other:
        for place in (other.url(), "http://somewhere.example/", "http://169.254.169.254/latest/"):
            web.on["/"] = leads(place)
            _, run = gated(tmp_path, {"url": web.url()}, Policy(internal_hosts=("127.0.0.1",)), Scripted({}))
            with pytest.raises(Refused, match=r"127\.0\.0\.1 leads on to"):
                run()
        assert other.connections == 0


def test_readonly_reads_from_listed_hosts_and_sends_nowhere() -> None:
    policy = Policy("readonly", hosts=("example.com",), internal_hosts=("nas.lan",))
    for url in ("https://example.com/", "http://nas.lan/"):
        for method in METHODS:
            call = Call("http_request", {"url": url, "method": method}, "c1")
            verdict = decide(call, TOOL.effects(call.args, SCENE), policy, State(), SCENE).verdict
            assert verdict == ("allow" if method in READING else "deny"), (url, method)
