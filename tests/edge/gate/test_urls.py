"""What a URL leads to: the fixed cases, every odd spelling, redirects as text."""

from __future__ import annotations

import os
import random
import socket
import urllib.parse

import pytest

from edge.gate.urls import joined, read
from tests.support.sources import ROOT

ROUNDS = 60_000 if os.environ.get("FIELDHAND_SOAK") == "1" else 6_000
KINDS = {"yes": ("internal", "bad"), "no": ("public",), "resolve": ("name",)}


def _cases() -> list[tuple[str, str]]:
    rows = []
    for line in (ROOT / "tests/cases/ssrf.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith(("#", "url\t")):
            url, block, _ = line.split("\t")
            rows.append((url.replace("\\\\", "\\"), block))
    assert len(rows) >= 38
    return rows


@pytest.mark.parametrize(("url", "block"), _cases())
def test_every_fixed_case_gets_its_verdict(url: str, block: str) -> None:
    assert read(url).kind in KINDS[block], read(url)


def test_a_plain_url_is_taken_apart() -> None:
    found = read("HTTPS://Example.COM.:8443/a/b?x=1&y=%20#part")
    assert (found.kind, found.scheme, found.host, found.port) == ("name", "https", "example.com", 8443)
    assert found.target == "/a/b?x=1&y=%20" and found.origin == "https://example.com:8443"
    assert found.shown == "https://example.com:8443/a/b?x=1&y=%20" and found.authority == "example.com:8443"
    bare = read("http://example.com?q")
    assert (bare.target, bare.origin, bare.authority) == ("/?q", "http://example.com:80", "example.com")
    six = read("https://[2606:4700:4700:0:0::1111]/")
    assert (six.kind, six.host) == ("public", "2606:4700:4700::1111")
    assert six.origin == "https://[2606:4700:4700::1111]:443" and six.authority == "[2606:4700:4700::1111]"


@pytest.mark.parametrize(
    "host",
    [
        "abc123.de",
        "0x.org",
        "0xabc.example",
        "1.example.com",
        "123.45.example",
        "xn--mnchen-3ya.de",
        "fe80.cafe",
        "a_b.example.com",
        "localhost.example.com",
        "local.example.com",
        "internal.example.org",
        "notlocalhost.com",
        "mylan.de",
        "10.0.0.1.example.com",
        "127.0.0.1.nip.io",
        "dead.beef",
        "home.example",
        "x.ad",
    ],
)
def test_real_names_are_names(host: str) -> None:
    for text in (host, host.upper(), host + "."):
        found = read(f"http://{text}/")
        assert (found.kind, found.host) == ("name", host.lower()), found


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LocalHost.",
        "x.localhost",
        "a.b.localhost.",
        "ip6-localhost",
        "ip6-loopback",
        "raspberrypi",
        "raspberrypi.",
        "printer.local",
        "a.printer.LOCAL.",
        "db.internal",
        "nas.home",
        "router.home.arpa",
        "pi.lan",
        "localhost.localdomain",
        "wiki.intranet",
        "mail.corp",
        "x.private",
        "home.arpa",
        "metadata",
        "metadata.google.internal",
        "metadata.google.internal.",
        "METADATA.GOOG",
        "instance-data",
        "instance-data.ec2.internal",
        "metadata.tencentyun.com",
    ],
)
def test_names_that_resolve_inside_are_internal(host: str) -> None:
    found = read(f"https://{host}/x")
    assert found.kind == "internal" and found.host in found.why, found
    assert found.origin == f"https://{host.lower().rstrip('.')}:443"


@pytest.mark.parametrize(
    "host",
    [
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0X7F.1",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.010",
        "0x7f.0.0.1",
        "127.0.0.0x1",
        "127.0.0.1.1",
        "1.2.3.256",
        "0",
        "00",
        "0x",
        "1.0x",
        "4294967295",
        "4294967296",
        "256.0.0.1",
        "0b1111111.1",
        "0o177.1",
        "00.0.0.0",
        "8.8.8.08",
        "8.8.2056",
        "127.0.0.1.0x0",
        "a.b.1",
        "example.123",
    ],
)
def test_odd_spellings_of_addresses_are_refused(host: str) -> None:
    for text in (host, host + "."):
        assert read(f"http://{text}/").kind == "bad", text


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "//example.com/",
        "http:/example.com",
        "http:example.com",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "gopher://127.0.0.1:6379/",
        "http://",
        "http:///",
        "http://?x",
        "http://#x",
        "http://:80/",
        "http://a@b.com/",
        "http://a:b@b.com/",
        "http://@b.com/",
        "http://b.com@/",
        "http://b.com\\.a.de/",
        "http:\\\\b.com/",
        "http://b.com/a\\b",
        "http://b%2ecom/",
        "http://%31%32%37.0.0.1/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://b.com:0/",
        "http://b.com:65536/",
        "http://b.com:99999999999/",
        "http://b.com:/",
        "http://b.com:http/",
        "http://b.com:-1/",
        "http://b.com:+80/",
        "http://b.com: 80/",
        "http://b.com:080/",
        "http://b.com:80:80/",
        "http://b.com:8_0/",
        "http://b.com:\u0668\u0660/",
        "http://1::2/",
        "http://[::1/",
        "http://::1]/",
        "http://[::1]x/",
        "http://[::1]:/",
        "http://[]/",
        "http://[1.2.3.4]/",
        "http://[b.com]/",
        "http://[::1.2.3]/",
        "http://[::127.1]/",
        "http://[v1.x]/",
        "http://[[::1]]/",
        "http://b..com/",
        "http://.b.com/",
        "http://b.com../",
        "http://./",
        "http://-b.com/",
        "http://b-.com/",
        "http://b,com/",
        "http://b.com;a/",
        "http://b!.com/",
        "http://*.com/",
        "http://b.com^/",
        "http://münchen.de/",
        "http://127。0。0。1/",
        "http://\uff11\uff12\uff17.0.0.1/",
        "http://①②⑦.⓪.⓪.①/",
        "http://loc\u00adalhost/",
        "http://local\u200bhost/",
        "http://ⓛocalhost/",
        "http://b\u3002com/",
        " http://b.com/",
        "http://b.com/ ",
        "http://b.com/a b",
        "\thttp://b.com/",
        "ht\ntp://b.com/",
        "http://b.com/\r\nHost: x",
        "http://b\0.com/",
        "http://b.com/\x7f",
        "http://b.com/\x85",
        "http://b.com/\u2028",
        "http://b.com/\ud800",
        "http://b.com/\xa0",
        "http://b\t.com/",
        "http://" + "a" * 64 + ".com/",
        "http://" + "a." * 140 + "com/",
        "http://b.com/" + "a" * 9000,
        "http" * 5000,
    ],
)
def test_what_can_be_read_in_two_ways_or_leads_nowhere_is_bad(url: str) -> None:
    found = read(url)
    assert found.kind == "bad" and found.why and not found.origin and not found.host, found
    assert found.shown.isascii() and found.shown.isprintable() and len(found.shown) < 2100


def test_a_password_in_a_refused_url_is_not_shown() -> None:
    found = read("https://me:hunter2@example.com/x")
    assert found.kind == "bad" and "user" in found.why and found.shown == "https://...@example.com/x"
    assert "hunter2" not in read("me:hunter2@x@example.com\\").shown


def test_letters_beyond_ascii_after_the_host_go_as_percent_escapes() -> None:
    found = read("https://example.com/Käse/☀?q=ü\u202e#ß")
    assert found.target == "/K%C3%A4se/%E2%98%80?q=%C3%BC%E2%80%AE" and found.shown.isascii()


def test_the_fragment_and_the_query_do_not_reach_the_host() -> None:
    assert read("http://127.0.0.1?@example.com/").host == "127.0.0.1"
    assert read("http://127.0.0.1/@example.com/").kind == "internal"
    assert read("http://example.com/?u=http://127.0.0.1/").kind == "name"
    assert read("http://example.com#@127.0.0.1/").host == "example.com"


@pytest.mark.parametrize(
    ("location", "result"),
    [
        ("http://other.de/x", "http://other.de/x"),
        ("//other.de/x", "https://other.de/x"),
        ("/x?y", "https://h.de:444/x?y"),
        ("x", "https://h.de:444/a/x"),
        ("../x", "https://h.de:444/x"),
        ("../../../x", "https://h.de:444/x"),
        ("./x/./y/..", "https://h.de:444/a/x/"),
        ("?z", "https://h.de:444/a/b?z"),
        ("", "https://h.de:444/a/b?q"),
        ("#f", "https://h.de:444/a/b?q"),
        ("x#f", "https://h.de:444/a/x"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("javascript:x", "javascript:x"),
        ("x:y/z", "x:y/z"),
        ("/a:b", "https://h.de:444/a:b"),
        (".", "https://h.de:444/a/"),
        ("///x", "https:///x"),
        ("/\\127.0.0.1/", "https://h.de:444/\\127.0.0.1/"),
    ],
)
def test_a_redirect_is_resolved_as_the_standard_says(location: str, result: str) -> None:
    assert joined(read("https://h.de:444/a/b?q"), location) == result


def test_redirects_are_joined_as_the_standard_library_joins_them() -> None:
    rng = random.Random(41)
    base = "http://h.de/a/b/c?d=e"
    for _ in range(ROUNDS):
        parts = (rng.choice(("..", ".", "x", "y", "", "z;1")) for _ in range(rng.randrange(1, 6)))
        location = rng.choice(("", "/")) + "/".join(parts) + rng.choice(("", "?k=/../v"))
        if "//" in location or not location:
            continue
        assert joined(read(base), location) == urllib.parse.urljoin(base, location), location


def test_no_text_at_all_makes_the_reader_fall_over_or_lead_inside() -> None:
    """Whatever passes as a name or a public address, the C library reads the same way (numbers only, no look-up)."""
    rng = random.Random(42)
    pieces = [
        "http",
        "://",
        "https://",
        "127",
        "0",
        "1",
        ".",
        "0x7f",
        "[",
        "]",
        ":",
        "@",
        "/",
        "?",
        "#",
        "%",
        "\\",
        " ",
        "a",
        "example.com",
        "localhost",
        "::1",
        "。",
        "\uff11",
        "\t",
        "\0",
        "\udc80",
        "xn--a",
        "-",
        "_",
        "255",
        "10.0.0.1",
    ]
    passed = 0
    for _ in range(ROUNDS):
        text = rng.choice(("", "http://", "http://")) + "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 9)))
        found = read(text)
        assert found.kind in ("public", "name", "internal", "bad")
        assert read(found.shown).origin == found.origin if found.kind != "bad" else found.why
        if found.kind == "name":
            passed += 1
            with pytest.raises(socket.gaierror):
                socket.getaddrinfo(found.host.encode(), 80, flags=socket.AI_NUMERICHOST)
    assert passed > ROUNDS / 100
    print(f"{ROUNDS} texts, {passed} names")
