"""Chat over TLS: the right certificate, and each wrong one as a sentence."""

from __future__ import annotations

import re
import socket
import subprocess
import time

import pytest

from edge.faults import BudgetFault, ModelFault
from edge.model import tls
from edge.model.cut import Cut
from edge.model.place import place
from edge.model.wire import Wire
from tests.support.asking import Asked, Timed, chat, late, moment, request, soon
from tests.support.certs import Authority
from tests.support.chatserver import ChatServer


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls") / "ca")


@pytest.fixture(scope="module")
def cert(authority):
    return authority.issue("right", "IP:127.0.0.1,DNS:localhost")


@pytest.fixture(autouse=True)
def trusted(authority, monkeypatch):
    monkeypatch.setenv("SSL_CERT_DIR", str(authority.folder))
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)


def refused(cert, *said):
    with ChatServer([{"reply": "never"}], cert=cert) as server:
        model = chat(server)
        with pytest.raises(ModelFault) as caught:
            model.ask(request())
        assert server.requests == []
    assert model.endpoint in str(caught.value)
    for words in said:
        assert words in str(caught.value)


@pytest.mark.parametrize("stream", [True, False])
def test_a_trusted_server_answers_over_one_connection(cert, stream):
    with ChatServer([{"reply": "33 C"}], cert=cert, loop=True) as server:
        model = chat(server, key="sesame", stream=stream)
        for _ in range(4):
            assert model.ask(request()).raw["content"] == "33 C"
        assert server.connections == 1
        assert server.requests[0]["headers"]["authorization"] == "Bearer sesame"
        model.close()


def test_a_large_request_goes_through(cert):
    with ChatServer([{"reply": "ok"}], cert=cert) as server:
        model = chat(server)
        wanted = request()
        wanted.context.user("x" * 2_000_000, 0.0)
        assert model.ask(wanted).raw["content"] == "ok"
        assert len(server.requests[0]["body"]) > 2_000_000
        model.close()


def test_an_unknown_authority(tmp_path):
    other = Authority(tmp_path / "other")
    refused(other.issue("stranger", "IP:127.0.0.1"), "nobody this board trusts", "SSL_CERT_DIR")


def test_a_certificate_that_signed_itself(authority):
    other = str(authority.file).replace("trusted/ca.pem", "self")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-subj", "/CN=me", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", f"{other}.key", "-out", f"{other}.pem"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    refused((f"{other}.pem", f"{other}.key"), "nobody this board trusts")


def test_another_name(authority):
    refused(authority.issue("elsewhere", "DNS:example.com"), "made out to another name")


def test_a_certificate_that_ran_out(authority):
    old = authority.issue("old", "IP:127.0.0.1", ends="20210101000000Z")
    refused(old, "has run out", "clock says")


def test_a_certificate_of_the_future(authority):
    future = authority.issue("future", "IP:127.0.0.1", starts="20470101000000Z")
    refused(future, "is not valid yet", "clock says", "if it is later than that, set the clock")


def test_with_a_clock_that_is_wrong_the_clock_is_blamed(authority):
    cert = authority.issue("early", "IP:127.0.0.1", starts="20460101000000Z")
    with ChatServer([], cert=cert) as server:
        cut = Cut("x")
        cut.arm()
        wire = Wire(place(server.base_url, "chat/completions"), b"", cut, clock=lambda: 100_000.0)
        with pytest.raises(ModelFault, match=r"the clock of this board is wrong.*1970-01-02") as caught:
            wire.send((b"{}",), time.monotonic() + 60, 60.0)
    assert "set the clock" in str(caught.value)


def test_an_authority_of_the_operators_own_is_trusted_beside_the_systems(authority, monkeypatch, tmp_path):
    monkeypatch.setenv("SSL_CERT_FILE", str(Authority(tmp_path / "other").file))
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with ChatServer([{"reply": "x"}], cert=authority.issue("own", "IP:127.0.0.1")) as server:
        for ca_file, said in (("", "signed by nobody"), (str(authority.file), "")):
            cut = Cut("x")
            cut.arm()
            wire = Wire(place(server.base_url, "chat/completions"), b"", cut, ca_file=ca_file)
            if said:
                with pytest.raises(ModelFault, match=said):
                    wire.send((b"{}",), time.monotonic() + 60, 60.0)
            else:
                assert wire.send((b"{}",), time.monotonic() + 60, 60.0).status == 200
            wire.close()


@pytest.mark.parametrize("content", [None, "", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_an_authority_that_cannot_be_used_is_a_sentence(content, tmp_path):
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ModelFault, match=r"the authority in ca_file .*ca\.pem cannot be used: ") as caught:
        tls.context({}, "https://x", str(file))
    assert "names a file with certificates" in str(caught.value)


def test_plain_http_behind_https_and_the_reverse(cert):
    class At:
        base_url = ""

    with ChatServer([{"reply": "x"}]) as plain:
        At.base_url = plain.base_url.replace("http:", "https:")
        with pytest.raises(ModelFault, match=r"no TLS connection to 127\.0\.0\.1"):
            chat(At).ask(request())
    with ChatServer([{"reply": "x"}], cert=cert) as secure:
        At.base_url = secure.base_url.replace("https:", "http:")
        with pytest.raises(ModelFault, match=r"127\.0\.0\.1:\d+/v1/chat/completions"):
            chat(At, retries=0).ask(request())


def test_a_server_that_never_shakes_hands_is_left_at_the_deadline():
    with socket.create_server(("127.0.0.1", 0)) as listener:

        class At:
            base_url = f"https://127.0.0.1:{listener.getsockname()[1]}/v1"

        with Timed() as t, pytest.raises(BudgetFault, match=r"within 0\.4 s"):
            chat(At).ask(request(seconds=0.4))
        assert t.seconds < 0.4 + late(t.begun)
        model = chat(At)
        asked = Asked(model, request(seconds=20.0))
        time.sleep(0.2)
        begun = moment()
        model.cut()
        asked.join(60)
        assert isinstance(asked.end, ModelFault)
        assert asked.ended - begun < soon(begun)


@pytest.mark.parametrize("stream", [True, False])
def test_a_drip_over_tls_is_left_at_the_deadline_and_by_a_cut(cert, stream):
    with ChatServer([{"reply": "x" * 500, "drip": 0.02}], cert=cert, loop=True) as server:
        model = chat(server, stream=stream)
        with Timed() as t, pytest.raises(BudgetFault, match="time was up"):
            model.ask(request(seconds=0.5))
        assert t.seconds < 0.5 + late(t.begun)
        asked = Asked(model, request(seconds=20.0))
        time.sleep(0.3)
        begun = moment()
        model.cut()
        asked.join(60)
        assert re.search("cut off", str(asked.end))
        assert asked.ended - begun < soon(begun)
        model.close()


def test_a_reply_cut_in_the_middle_over_tls(cert):
    with ChatServer([{"reply": "x" * 500, "cut": 300}], cert=cert) as server, pytest.raises(ModelFault) as caught:
        chat(server, stream=False).ask(request())
    assert "broke off after 300 bytes" in str(caught.value)


def test_which_authorities_are_taken(authority, tmp_path):
    folder, empty = str(authority.folder), str(tmp_path)
    assert tls.authorities({"SSL_CERT_DIR": folder, "SSL_CERT_FILE": "/x.pem"}) == (folder, "")
    assert tls.authorities({"SSL_CERT_DIR": empty, "SSL_CERT_FILE": "/x.pem"}) == ("", "/x.pem")
    assert tls.authorities({"SSL_CERT_FILE": str(authority.file)}) == ("", str(authority.file))
    assert tls.hashed(folder)
    assert not tls.hashed(empty)
    assert not tls.hashed(empty + "/absent")


def test_without_authorities_it_says_what_to_install(tmp_path):
    with pytest.raises(ModelFault, match="install ca-certificates"):
        tls.context({"SSL_CERT_FILE": str(tmp_path / "absent.pem")}, "here:1")
    with pytest.raises(ModelFault, match="install ca-certificates"):
        tls.context({"SSL_CERT_DIR": str(tmp_path)}, "here:1")


def test_a_bundle_serves_where_there_is_no_folder(cert, authority, monkeypatch):
    monkeypatch.delenv("SSL_CERT_DIR")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    with ChatServer([{"reply": "ok"}], cert=cert) as server:
        assert chat(server).ask(request()).raw["content"] == "ok"
