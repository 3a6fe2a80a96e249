"""TLS, downgrade and the operator's proxy."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edge.faults import Refused, ToolFault
from edge.hands.net_resolve import Scripted
from edge.model import tls
from tests.support.certs import Authority
from tests.support.net_hands import allowing, ask, world
from tests.support.webserver import Socks, Web, leads, proxying, raw, says

LISTED = "internal"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("tls") / "ca")


@pytest.fixture(scope="module")
def certificates(authority: Authority) -> dict[str, tuple[str, str]]:
    return {
        "name": authority.issue("name", "DNS:secure.example"),
        "address": authority.issue("address", "IP:127.0.0.1"),
        "future": authority.issue("future", "DNS:secure.example", starts="20480101000000Z"),
        "past": authority.issue("past", "DNS:secure.example", ends="20210101000000Z"),
    }


@pytest.fixture
def trusted(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", str(authority.folder))


@pytest.fixture
def secure(certificates: dict[str, tuple[str, str]], trusted: None) -> Iterator[Web]:
    with Web(certificate=certificates["name"]) as made:
        yield made


NAMES = {"secure.example": [("127.0.0.1",)], "other.example": [("127.0.0.1",)]}


def test_the_name_of_the_url_is_checked_although_an_address_is_connected_to(secure: Web, tmp_path: Path) -> None:
    secure.on["/"] = says(b"safe" * 50_000)
    here = world(tmp_path, Scripted(NAMES))
    found = ask(here, secure.url(host="secure.example"), root=LISTED)
    assert found["body"] == b"safe" * 50_000 and secure.seen[0].headers["host"] == f"secure.example:{secure.port}"
    with pytest.raises(ToolFault, match=r"the certificate of other\.example is made out to another name"):
        ask(here, secure.url(host="other.example"), root=LISTED)
    assert len(secure.seen) == 1


def test_an_address_is_checked_against_the_certificate(
    certificates: dict[str, tuple[str, str]], trusted: None, tmp_path: Path
) -> None:
    with Web(certificate=certificates["address"]) as web:
        web.on["/"] = says(b"by address")
        assert ask(world(tmp_path), web.url(), root=LISTED)["body"] == b"by address"


def test_an_authority_that_is_not_trusted_is_a_sentence(
    certificates: dict[str, tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with Web(certificate=certificates["name"]) as web:
        with pytest.raises(ToolFault, match=r"secure\.example is signed by nobody|no certificate authorities"):
            ask(world(tmp_path, Scripted(NAMES)), web.url(host="secure.example"), root=LISTED)
        assert web.seen == []


@pytest.mark.parametrize(("which", "said"), [("future", "is not valid yet"), ("past", "has run out")])
def test_a_certificate_of_another_time_is_a_sentence(
    which: str, said: str, certificates: dict[str, tuple[str, str]], trusted: None, tmp_path: Path
) -> None:
    web = Web(certificate=certificates[which])
    with web, pytest.raises(ToolFault, match=f"{said}; this board's clock says"):
        ask(world(tmp_path, Scripted(NAMES)), web.url(host="secure.example"), root=LISTED)


def test_a_clock_that_was_not_set_is_named(
    certificates: dict[str, tuple[str, str]], trusted: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "WRITTEN", time.time() + 1e9)  # as if this program were written after what the clock says
    web = Web(certificate=certificates["future"])
    with web, pytest.raises(ToolFault, match="the clock of this board is wrong"):
        ask(world(tmp_path, Scripted(NAMES)), web.url(host="secure.example"), root=LISTED)


def test_https_to_a_plain_server_and_http_to_a_secure_one_are_sentences(secure: Web, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def answer() -> None:
            with plain.accept()[0] as sock:
                sock.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                sock.recv(65536)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        with pytest.raises(ToolFault, match=r"no TLS connection to 127\.0\.0\.1: .*write http://\)"):
            ask(world(tmp_path), f"https://127.0.0.1:{plain.getsockname()[1]}/", root=LISTED, seconds=60)
        thread.join(60)
    with pytest.raises(ToolFault, match=r"did not answer in HTTP|broke off"):
        ask(world(tmp_path), f"http://127.0.0.1:{secure.port}/", root=LISTED, seconds=60)


def test_a_handshake_that_never_comes_ends_at_the_deadline(trusted: None, tmp_path: Path) -> None:
    with Web() as web:
        begun = time.monotonic()
        with pytest.raises(ToolFault, match="within 1 s"):
            ask(world(tmp_path), f"https://127.0.0.1:{web.port}/", root=LISTED, seconds=1)
        assert time.monotonic() - begun < 30


def test_a_redirect_from_https_to_http_is_refused_and_the_other_way_followed(secure: Web, tmp_path: Path) -> None:
    here = world(tmp_path, Scripted(NAMES), allowing(LISTED))
    with Web() as plain:
        plain.on["/up"] = leads(secure.url("/safe", "secure.example"))
        secure.on["/safe"] = says(b"safe")
        secure.on["/down"] = leads(plain.url("/plain"))
        assert ask(here, plain.url("/up"), root=LISTED)["body"] == b"safe"
        with pytest.raises(Refused) as refused:
            ask(here, secure.url("/down", "secure.example"), root=LISTED)
        assert refused.value.rule == "net.downgrade" and [one.path for one in plain.seen] == ["/up"]


def test_an_authority_of_the_operators_own_is_trusted_for_tools_too(
    authority: Authority, certificates: dict[str, tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with Web(certificate=certificates["name"]) as web:
        web.on["/"] = says(b"by my own authority")
        here = world(tmp_path, Scripted(NAMES))
        here.ca_file = str(authority.file)
        assert ask(here, web.url(host="secure.example"), root=LISTED)["body"] == b"by my own authority"
        here.ca_file = str(tmp_path / "none.pem")
        with pytest.raises(ToolFault, match=r"ca_file .*none\.pem cannot be used: no such file"):
            ask(here, web.url(host="secure.example"), root=LISTED)


# --- the proxy ---


def test_proxy_variables_of_the_environment_mean_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Web() as proxy, Web() as web:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        web.on["/"] = says(b"direct")
        found = ask(world(tmp_path), web.url(), root=LISTED)
        assert (found["body"], found["via"], proxy.connections) == (b"direct", "", 0)


def test_the_operators_proxy_is_asked_looks_up_the_name_and_stands_in_the_result(tmp_path: Path) -> None:
    names = Scripted({})
    with Web() as proxy:
        url = "http://outside.example:8080/a?b=c"
        proxy.on[url.partition("?")[0]] = proxying
        found = ask(world(tmp_path, names, proxy=proxy.url()), url, "POST", headers={"X": "y"}, body=b"data")
        assert found["body"] == b"through the proxy" and found["via"] == f"127.0.0.1:{proxy.port}"
        (seen,) = proxy.seen
        assert (seen.method, seen.path, seen.body) == ("POST", url, b"data")
        assert seen.headers["host"] == "outside.example:8080" and names.asked == []


def test_https_goes_through_the_proxy_as_a_tunnel_and_the_certificate_is_checked(secure: Web, tmp_path: Path) -> None:
    secure.on["/"] = says(b"end to end")
    with Web() as proxy:
        for host in ("secure.example", "other.example"):
            proxy.on[f"{host}:{secure.port}"] = proxying
        here = world(tmp_path, Scripted({}), proxy=proxy.url())
        found = ask(here, secure.url(host="secure.example"), headers={"Authorization": "Bearer s3cret"})
        assert found["body"] == b"end to end" and found["via"] == f"127.0.0.1:{proxy.port}"
        assert proxy.seen[0].method == "CONNECT" and "s3cret" not in str(proxy.seen[0].headers)
        with pytest.raises(ToolFault, match="another name"):
            ask(here, secure.url(host="other.example"))


def test_a_proxy_that_refuses_or_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with Web() as proxy:
        proxy.on["no.example:443"] = says(b"", "403 Not for you")
        proxy.on["odd.example:443"] = raw(b"220 mail ready\r\n")
        here = world(tmp_path, Scripted({}), proxy=proxy.url())
        with pytest.raises(ToolFault, match=r"does not connect to no\.example:443: 403 Not for you"):
            ask(here, "https://no.example/")
        with pytest.raises(ToolFault, match="did not answer in HTTP"):
            ask(here, "https://odd.example/")
    with pytest.raises(ToolFault, match=f"nothing listens at 127.0.0.1:{proxy.port}"):
        ask(here, "http://any.example/")
    for wrong in (
        *("socks4://127.0.0.1:1080", "socks5://me:s3cret@h:1", "https://127.0.0.1:1", "127.0.0.1:8080"),
        *("http://me:s3cret@127.0.0.1:1/", "socks5://", "socks5://a b:1", "socks5://h:0"),
    ):
        with pytest.raises(ToolFault, match=r"the proxy .*the operator sets network\.proxy") as fault:
            ask(world(tmp_path, Scripted({}), proxy=wrong), "http://any.example/")
        assert "s3cret" not in str(fault.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "printer.local", "10.0.0.1", "169.254.169.254"])
def test_a_proxy_does_not_open_the_way_inside(host: str, tmp_path: Path) -> None:
    with Web() as proxy:
        here = world(tmp_path, Scripted({}), allowing(), proxy=proxy.url())
        for scheme in ("http", "https"):
            with pytest.raises(Refused) as refused:
                ask(here, f"{scheme}://{host}/")
            assert refused.value.rule == "net.internal"
        proxy.on["http://outside.example/"] = leads(f"http://{host}/")
        with pytest.raises(Refused) as refused:
            ask(here, "http://outside.example/")
        assert refused.value.rule == "net.internal" and len(proxy.seen) == 1


def test_a_host_that_is_listed_as_internal_is_reached_directly(tmp_path: Path) -> None:
    with Web() as proxy, Web() as web:
        web.on["/"] = says(b"near")
        found = ask(world(tmp_path, proxy=proxy.url()), web.url(), root=LISTED)
        assert (found["body"], found["via"], proxy.connections) == (b"near", "", 0)


def test_the_context_checks_certificate_and_name(trusted: None) -> None:
    from edge.hands.net_exchange import context

    made = context("secure.example")
    assert made.check_hostname and made.verify_mode is ssl.CERT_REQUIRED
    assert made.minimum_version >= ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://outside.example:8080/", b"\x05\x01\x00\x03\x0foutside.example\x1f\x90"),
        ("http://93.184.216.34/", b"\x05\x01\x00\x01]\xb8\xd8\x22\x00P"),
        ("http://[2606:2800:220:1::1]/", b"\x05\x01\x00\x04&\x06(\x00\x02 \x00\x01" + bytes(7) + b"\x01\x00P"),
    ],
)
def test_a_socks_proxy_gets_the_name_and_connects(url: str, wanted: bytes, tmp_path: Path) -> None:
    names = Scripted({})
    with Web() as web, Socks(web.port) as socks:
        web.on["/"] = says(b"through socks")
        for scheme in ("socks5", "socks5h"):
            found = ask(world(tmp_path, names, proxy=f"{scheme}://127.0.0.1:{socks.port}"), url)
            assert found["body"] == b"through socks" and found["via"] == f"socks5://127.0.0.1:{socks.port}"
        assert socks.asked == [b"\x05\x01\x00", wanted] * 2 and names.asked == []
        assert web.seen[0].path == "/"


@pytest.mark.parametrize(
    ("given", "said"),
    [({"answer": 2}, "its rules do not allow it"), ({"answer": 5}, "nothing listens there"),
     ({"answer": 99}, "it said 99"), ({"method": 2}, "it wants a password"), ({"method": 255}, "it wants a password"),
     ({"said": b"HTTP/1.1 400 Bad"}, "it does not speak SOCKS 5")],
)  # fmt: skip
def test_a_socks_proxy_that_says_no_is_a_sentence(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    with Socks(1, **given) as socks:
        here = world(tmp_path, Scripted({}), proxy=f"socks5://127.0.0.1:{socks.port}")
        with pytest.raises(ToolFault, match=rf"the proxy socks5://127\.0\.0\.1:{socks.port} does not connect to "
                           rf"any\.example:80: {said}"):  # fmt: skip
            ask(here, "http://any.example/")


def test_a_socks_proxy_that_leaves_or_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with Socks(1, said=b"\x05") as socks:
        here = world(tmp_path, Scripted({}), proxy=f"socks5://127.0.0.1:{socks.port}")
        with pytest.raises(ToolFault, match="broke off"):
            ask(here, "http://any.example/")
    with pytest.raises(ToolFault, match=f"nothing listens at 127.0.0.1:{socks.port}"):
        ask(here, "http://any.example/")
    with pytest.raises(ToolFault, match=r"nothing listens at 127\.0\.0\.1:1080"):
        ask(world(tmp_path, Scripted({}), proxy="socks5://127.0.0.1/"), "http://any.example/")
