"""The hand on the network: what is reached, what is refused, where redirects lead. All over loopback."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.call import Call, Decision
from edge.faults import Refused, ToolFault
from edge.hands import Holder
from edge.hands.net import REDIRECTS, Net
from edge.hands.net_resolve import Scripted
from tests.support.boards import eventually
from tests.support.net_hands import Judge, allowing, ask, hands, permit, world
from tests.support.webserver import Web, leads, raw, says

LISTED = "internal"


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as made:
        yield made


# --- plain exchanges ---


def test_an_answer_comes_whole_with_status_fields_and_body(web: Web, tmp_path: Path) -> None:
    web.on["/a"] = says(b"21.5", Content_Type="text/plain", X_Two="1")
    found = ask(world(tmp_path), web.url("/a?b=c#d"), root=LISTED)
    assert (found["status"], found["reason"], found["body"], found["cut"]) == (200, "OK", b"21.5", False)
    assert found["headers"]["content-type"] == "text/plain" and found["hops"] == [] and found["via"] == ""
    assert found["url"] == web.url("/a?b=c")
    (seen,) = web.seen
    assert (seen.method, seen.path) == ("GET", "/a?b=c") and seen.headers["host"] == f"127.0.0.1:{web.port}"
    assert seen.headers["accept-encoding"] == "identity" and seen.headers["connection"] == "close"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_body_is_sent_whole_and_the_caller_sets_fields(method: str, web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(b"")
    body = bytes(range(256)) * 2000
    fields = {"Content-Type": "application/octet-stream", "user-agent": "probe"}
    ask(world(tmp_path), web.url(), method, LISTED, fields, body)
    (seen,) = web.seen
    assert seen.method == method and seen.body == body and seen.headers["content-length"] == str(len(body))
    assert seen.headers["user-agent"] == "probe" and seen.headers["content-type"] == "application/octet-stream"


def test_a_head_request_has_no_body_whatever_the_length_says(web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(b"x" * 5000)
    found = ask(world(tmp_path), web.url(), "HEAD", LISTED)
    assert found["status"] == 200 and found["body"] == b"" and found["headers"]["content-length"] == "5000"


def test_error_answers_are_answers(web: Web, tmp_path: Path) -> None:
    assert ask(world(tmp_path), web.url("/none"), root=LISTED)["status"] == 404


def test_ipv6_is_spoken(tmp_path: Path) -> None:
    with Web("::1") as web:
        web.on["/"] = says(b"six")
        assert ask(world(tmp_path), web.url(), root=LISTED)["body"] == b"six"
        assert web.seen[0].headers["host"] == f"[::1]:{web.port}"


# --- grants ---


def test_without_the_grant_of_that_verb_and_origin_nothing_is_sent(web: Web, tmp_path: Path) -> None:
    here = world(tmp_path)
    with pytest.raises(Refused) as refused:
        hands(here, "GET", web.url(), LISTED).net.request("POST", web.url(), {}, b"x", 100)
    assert refused.value.rule == "hands.no-grant"
    with pytest.raises(Refused):
        hands(here, "GET", "http://127.0.0.1:1/", LISTED).net.request("GET", web.url(), {}, b"", 100)
    assert web.connections == 0


def test_an_internal_address_is_refused_unless_listed_and_the_setting_is_named(web: Web, tmp_path: Path) -> None:
    for url in (web.url(), f"http://[::1]:{web.port}/", f"http://localhost:{web.port}/",
                f"http://[::ffff:127.0.0.1]:{web.port}/", f"http://[::ffff:7f00:1]:{web.port}/"):  # fmt: skip
        with pytest.raises(Refused) as refused:
            ask(world(tmp_path), url)
        assert refused.value.rule == "net.internal" and "internal_hosts" in refused.value.fix
    assert web.connections == 0


def test_a_listed_name_may_lead_inside(web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(b"model")
    names = Scripted({"models.lan": [("127.0.0.1",)]})
    found = ask(world(tmp_path, names), web.url(host="models.lan"), root=LISTED)
    assert found["body"] == b"model" and web.seen[0].headers["host"] == f"models.lan:{web.port}"


@pytest.mark.parametrize(
    "url",
    ["http://me:secret@127.0.0.1/", "ftp://127.0.0.1/", "http://127.1/", "http://b.com\\@127.0.0.1/", "http:///x"],
)
def test_a_url_that_cannot_be_read_is_a_sentence(url: str, tmp_path: Path) -> None:
    with pytest.raises(ToolFault) as fault:
        ask(world(tmp_path), url, root=LISTED)
    assert "secret" not in str(fault.value) and len(str(fault.value)) > 20


@pytest.mark.parametrize(
    "fields",
    [{"Host": "x"}, {"X": "a\r\nHost: b"}, {"Content-Length": "5"}, {"transfer-encoding": "chunked"}, {"a b": "c"}],
)
def test_fields_that_are_not_the_callers_are_not_sent(fields: dict[str, str], web: Web, tmp_path: Path) -> None:
    with pytest.raises(ToolFault, match=r"header field|name of a"):
        ask(world(tmp_path), web.url(), root=LISTED, headers=fields)
    with pytest.raises(ToolFault, match="has no body"):
        ask(world(tmp_path), web.url(), root=LISTED, body=b"x")
    with pytest.raises(ToolFault, match="no method"):
        ask(world(tmp_path), web.url(), "TRACE", root=LISTED)
    assert web.connections == 0


# --- names ---


@pytest.mark.parametrize(
    "answers",
    [("127.0.0.1",), ("8.8.8.8", "127.0.0.1"), ("127.0.0.1", "8.8.8.8"), ("::ffff:127.0.0.1",), ("::1",),
     ("fe80::1%2",), ("8.8.8.8", "64:ff9b::7f00:1"), ("2002:7f00:1::",), ("169.254.169.254",),
     ("100.100.100.200",), ("0.0.0.0",), ("10.0.0.1", "2606:4700:4700::1111")],
)  # fmt: skip
def test_a_name_with_one_internal_answer_is_refused_before_anything_is_sent(
    answers: tuple[str, ...], web: Web, tmp_path: Path
) -> None:
    names = Scripted({"mixed.example": [answers]})
    with pytest.raises(Refused) as refused:
        ask(world(tmp_path, names), web.url(host="mixed.example"))
    assert refused.value.rule == "net.internal" and "mixed.example" in str(refused.value)
    assert web.connections == 0


def test_a_name_that_answers_otherwise_the_second_time_is_asked_once(tmp_path: Path) -> None:
    with Web("127.0.0.2") as outside, Web("127.0.0.1", outside.port) as inside:
        outside.on["/"] = says(b"outside")
        inside.on["/"] = says(b"inside")
        names = Scripted({"rebind.example": [("127.0.0.2",), ("127.0.0.1",)]})
        found = ask(world(tmp_path, names), outside.url(host="rebind.example"), allowed=("127.0.0.2",))
        assert found["body"] == b"outside" and names.asked == ["rebind.example"]
        assert outside.seen[0].headers["host"] == f"rebind.example:{outside.port}"
        assert inside.connections == 0


def test_a_redirect_to_the_same_name_is_judged_by_its_new_answer(tmp_path: Path) -> None:
    with Web("127.0.0.2") as outside, Web("127.0.0.1", outside.port) as inside:
        outside.on["/"] = leads("/again")
        names = Scripted({"rebind.example": [("127.0.0.2",), ("127.0.0.1",)]})
        with pytest.raises(Refused) as refused:
            here = world(tmp_path, names, allowing())
            ask(here, outside.url(host="rebind.example"), allowed=("127.0.0.2",))
        assert refused.value.rule == "net.internal" and inside.connections == 0


def test_the_next_address_of_a_name_is_tried_while_none_is_connected(web: Web, tmp_path: Path) -> None:
    web.on["/"] = says(b"second")
    names = Scripted({"two.example": [("127.0.0.9", "127.0.0.1")]})
    found = ask(world(tmp_path, names), web.url(host="two.example"), "POST", LISTED, body=b"once")
    assert found["body"] == b"second" and len(web.seen) == 1


def test_a_broken_exchange_is_not_sent_again(web: Web, tmp_path: Path) -> None:
    web.on["/"] = raw(b"")
    names = Scripted({"two.example": [("127.0.0.1", "127.0.0.1")]})
    for method in ("POST", "GET"):
        web.seen.clear()
        with pytest.raises(ToolFault, match=r"two\.example broke off before any answer"):
            ask(world(tmp_path, names), web.url(host="two.example"), method, LISTED)
        assert len(web.seen) == 1


def test_an_unknown_name_and_a_deaf_port_are_sentences(web: Web, tmp_path: Path) -> None:
    with pytest.raises(ToolFault, match=r"nowhere\.example has no address"):
        ask(world(tmp_path, Scripted({})), "http://nowhere.example/")
    with Web() as gone:
        port = gone.port
    with pytest.raises(ToolFault, match=f"nothing listens at 127.0.0.1:{port}"):
        ask(world(tmp_path), f"http://127.0.0.1:{port}/", root=LISTED)


# --- redirects ---


def test_a_redirect_is_followed_when_the_gate_allows_it(web: Web, tmp_path: Path) -> None:
    web.on["/a"] = leads("b?x=1")
    web.on["/b"] = leads(web.url("/c"), 308)
    web.on["/c"] = says(b"there")
    asked = []

    def judge(effect):
        asked.append((effect.verb, effect.on, effect.detail))
        return allowing(LISTED)(effect)

    found = ask(world(tmp_path, judge=judge), web.url("/a"), root=LISTED)
    assert found["body"] == b"there" and found["url"] == web.url("/c")
    assert found["hops"] == [web.url("/a"), web.url("/b?x=1")]
    assert asked == [("fetch", f"url:{web.url('/b?x=1')}", "GET"), ("fetch", f"url:{web.url('/c')}", "GET")]


def saying(verdict: str) -> Judge:
    return lambda effect: Decision(verdict, "medium", "fetch.unlisted", "it is not listed")


@pytest.mark.parametrize("verdict", ["ask", "deny"])
def test_a_redirect_elsewhere_that_the_gate_does_not_allow_outright_is_refused(
    verdict: str, web: Web, tmp_path: Path
) -> None:
    with Web("127.0.0.2") as other:
        web.on["/a"] = leads(other.url("/b"))
        with pytest.raises(
            Refused, match=r"127\.0\.0\.1 leads on to http://127\.0\.0\.2.*/b: it is not listed"
        ) as refused:
            ask(world(tmp_path, judge=saying(verdict)), web.url("/a"), root=LISTED)
        assert refused.value.rule == "fetch.unlisted" and other.connections == 0


def test_a_redirect_inside_what_was_approved_asks_nobody_again_but_a_denial_ends_it(web: Web, tmp_path: Path) -> None:
    web.on["/a"] = leads("/b")
    web.on["/b"] = says(b"there")
    assert ask(world(tmp_path, judge=saying("ask")), web.url("/a"), root=LISTED)["body"] == b"there"
    with pytest.raises(Refused, match="it is not listed"):
        ask(world(tmp_path, judge=saying("deny")), web.url("/a"), root=LISTED)
    web.on["/c"] = leads("/b", 303)
    assert ask(world(tmp_path, judge=saying("ask")), web.url("/c"), "POST", LISTED, body=b"x")["body"] == b"there"


def test_what_was_approved_for_reading_is_not_approved_for_sending(web: Web, tmp_path: Path) -> None:
    only_fetch = permit("GET", web.url(), LISTED)
    holder = Holder(only_fetch, Call("http_request", {}, "c1"), world(tmp_path, judge=allowing(LISTED)))
    with pytest.raises(Refused) as refused:
        Net(holder).request("POST", web.url(), {}, b"x", 100)
    assert refused.value.rule == "hands.no-grant" and web.connections == 0


def test_without_a_gate_no_redirect_is_followed(web: Web, tmp_path: Path) -> None:
    web.on["/a"] = leads("/b")
    with pytest.raises(Refused) as refused:
        ask(world(tmp_path), web.url("/a"), root=LISTED)
    assert refused.value.rule == "hands.no-gate" and len(web.seen) == 1


def _inner(port: int) -> list[str]:
    return [
        f"http://127.0.0.1:{port}/",
        f"http://localhost:{port}/",
        f"http://[::1]:{port}/",
        f"http://[::ffff:127.0.0.1]:{port}/",
        f"http://[64:ff9b::7f00:1]:{port}/",
        f"//127.0.0.1:{port}/",
        f"http://inside.example:{port}/",
        "http://169.254.169.254/latest/meta-data/",
        "http://metadata.google.internal/",
    ]


@pytest.mark.parametrize("which", range(9))
def test_a_redirect_to_an_internal_place_is_refused_even_if_the_gate_lets_it_pass(which: int, tmp_path: Path) -> None:
    names = Scripted({"outside.example": [("127.0.0.2",)], "inside.example": [("127.0.0.1",)]})
    with Web("127.0.0.2") as outside, Web() as inside:
        outside.on["/"] = leads(_inner(inside.port)[which])
        with pytest.raises(Refused) as refused:
            ask(world(tmp_path, names, allowing()), outside.url(host="outside.example"), allowed=("127.0.0.2",))
        assert refused.value.rule == "net.internal" and inside.connections == 0 and len(outside.seen) == 1


@pytest.mark.parametrize(
    "place", ["file:///etc/passwd", "http://2130706433/", "http://0x7f000001/", "http://127.1/", "gopher://x.de/",
              "javascript:alert(1)", "http://a@b.de/", "http://b.de\\@127.0.0.1/", "http://x y.de/", "http:///"]
)  # fmt: skip
def test_a_redirect_to_what_is_no_plain_url_is_a_sentence(place: str, web: Web, tmp_path: Path) -> None:
    web.on["/"] = leads(place)
    with pytest.raises(ToolFault, match=r"127\.0\.0\.1 leads on to .*, which "):
        ask(world(tmp_path, judge=allowing(LISTED)), web.url(), root=LISTED)
    assert len(web.seen) == 1


def test_circles_and_endless_chains_of_redirects_end(web: Web, tmp_path: Path) -> None:
    here = world(tmp_path, judge=allowing(LISTED))
    web.on["/a"], web.on["/b"] = leads("/b"), leads("/a")
    with pytest.raises(ToolFault, match="circle"):
        ask(here, web.url("/a"), root=LISTED)
    assert len(web.seen) == 2
    web.seen.clear()
    for number in range(20):
        web.on[f"/{number}"] = leads(f"/{number + 1}")
    with pytest.raises(ToolFault, match=f"more than {REDIRECTS} times"):
        ask(here, web.url("/0"), root=LISTED)
    assert len(web.seen) == REDIRECTS + 1
    web.on["/15"] = says(b"end")
    assert ask(here, web.url("/10"), root=LISTED)["body"] == b"end"


@pytest.mark.parametrize(
    ("status", "method", "becomes"),
    [(301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
     (307, "POST", "POST"), (308, "PUT", "PUT"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (302, "HEAD", "HEAD")],
)  # fmt: skip
def test_the_method_of_the_next_request_is_what_browsers_make_of_it(
    status: int, method: str, becomes: str, web: Web, tmp_path: Path
) -> None:
    web.on["/a"] = leads("/b", status)
    web.on["/b"] = says(b"")
    body = b"data" if method in ("POST", "PUT") else b""
    fields = {"Content-Type": "text/plain", "X-Kept": "1"}
    verbs = []

    def judge(effect):
        verbs.append((effect.verb, effect.detail))
        return allowing(LISTED)(effect)

    ask(world(tmp_path, judge=judge), web.url("/a"), method, LISTED, fields, body)
    last = web.seen[-1]
    assert (last.method, last.path, last.headers["x-kept"]) == (becomes, "/b", "1")
    assert verbs == [("fetch" if becomes in ("GET", "HEAD") else "send", becomes)]
    assert last.body == (body if becomes == method else b"")
    assert ("content-type" in last.headers) == (becomes == method)


def test_credentials_do_not_go_to_another_origin(web: Web, tmp_path: Path) -> None:
    secrets = {"Authorization": "Bearer s3cret", "Cookie": "sid=s3cret", "X-Api-Key": "s3cret", "X-Auth": "s3cret",
               "X-Thing": "Bearer s3cret", "Session": "s3cret"}  # fmt: skip
    with Web("127.0.0.2") as other:
        web.on["/same"] = leads("/b")
        web.on["/b"] = leads(other.url("/c"), 307)
        other.on["/c"] = leads(web.url("/d"), 307)
        web.on["/d"] = says(b"")
        here = world(tmp_path, judge=allowing(LISTED))
        ask(here, web.url("/same"), root=LISTED, headers={**secrets, "X-Plain": "kept"})
        first, same, back = web.seen
        assert all(first.headers[name.lower()] == value for name, value in secrets.items())
        assert same.headers["authorization"] == "Bearer s3cret"
        for there in (other.seen[0], back):
            assert "s3cret" not in str(there.headers) and there.headers["x-plain"] == "kept"


# --- ending ---


def test_a_call_that_is_told_to_end_ends(web: Web, tmp_path: Path) -> None:
    web.on["/"] = raw(b"HTTP/1.1 200 OK\r\n\r\nsome", then=90)
    here = world(tmp_path)
    threading.Thread(target=lambda: eventually(lambda: web.seen) and here.cut(), daemon=True).start()
    begun = time.monotonic()
    with pytest.raises(ToolFault, match="was ended after"):
        ask(here, web.url(), root=LISTED, seconds=30)
    assert time.monotonic() - begun < 25


def test_a_call_whose_world_stops_everything_sends_nothing(web: Web, tmp_path: Path) -> None:
    here = world(tmp_path)
    here.stopping = lambda: True
    with pytest.raises(ToolFault, match="was ended"):
        ask(here, web.url(), root=LISTED)
    assert web.seen == []


def test_seconds_shorten_the_permit_and_never_lengthen_it(web: Web, tmp_path: Path) -> None:
    web.on["/"] = raw(b"", then=90)
    for given, allowed in ((0.4, 30.0), (30.0, 0.4)):
        holder = Holder(permit("GET", web.url(), LISTED, allowed), Call("http_request", {}, "c1"), world(tmp_path))
        begun = time.monotonic()
        with pytest.raises(ToolFault, match=r"gave no whole answer within 0\.4 s"):
            Net(holder).request("GET", web.url(), {}, b"", 100, given)
        assert 0.35 < time.monotonic() - begun < 25
