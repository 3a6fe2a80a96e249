"""Base URLs, and where a key may go."""

from __future__ import annotations

import pytest

from edge.faults import ConfigFault
from edge.model.place import guard_key, near, place


@pytest.mark.parametrize(
    ("url", "endpoint", "secure"),
    [
        ("http://127.0.0.1:8080/v1", "127.0.0.1:8080/v1/chat/completions", False),
        ("HTTP://127.0.0.1:8080/v1/", "127.0.0.1:8080/v1/chat/completions", False),
        ("https://llm.example.com", "llm.example.com:443/chat/completions", True),
        ("https://llm.example.com/api/v1/chat/completions", "llm.example.com:443/api/v1/chat/completions", True),
        ("http://[::1]:9/v1", "[::1]:9/v1/chat/completions", False),
        ("http://[fe80::1]/v1", "[fe80::1]:80/v1/chat/completions", False),
        ("  http://gpu/v1 ", "gpu:80/v1/chat/completions", False),
    ],
)
def test_places(url, endpoint, secure):
    to = place(url, "chat/completions")
    assert (to.endpoint, to.secure) == (endpoint, secure)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "needs the address"),
        ("127.0.0.1:8080/v1", "begin with http"),
        ("ftp://x/v1", "begin with http"),
        ("http://", "no host"),
        ("http://:80/v1", "no host"),
        ("http://x:/v1", "no host, or its port"),
        ("http://x:0/v1", "port"),
        ("http://x:99999/v1", "port"),
        ("http://x:8a/v1", "port"),
        ("http://x:123456789012/v1", "port"),
        ("http://[::1/v1x]y:3", "port"),
        ("http://[::1]8/v1", "port"),
        ("http://[::1]:/v1", "port"),
        ("http://u:secret@x/v1", "user or password"),
        ("http://x/v1?key=1", "neither"),
        ("http://x/v1#a", "neither"),
        ("http://x/v 1", "blanks"),
        ("http://x/v1\r\nX-Evil: 1", "blanks"),
        ("http://b\u00fccher/v1", "beyond ASCII"),
    ],
)
def test_what_is_no_place_is_a_sentence(url, said):
    with pytest.raises(ConfigFault, match=said) as caught:
        place(url, "chat/completions")
    assert caught.value.key == "model.base_url"
    assert "secret" not in str(caught.value)


NEAR = """127.0.0.1 10.1.2.3 192.168.0.9 172.16.0.1 172.31.9.9 169.254.1.1 ::1 fd00::5 fe80::1 localhost gpu-box
    gpu.local gpu.lan x.home.arpa a.internal GPU.LOCAL."""
FAR = """8.8.8.8 172.32.0.1 192.169.0.1 11.0.0.1 example.com 10.example.com 2001:db8::1 local.example.com
    127.0.0.1.example.com"""


@pytest.mark.parametrize("host", NEAR.split())
def test_near(host):
    assert near(host)


@pytest.mark.parametrize("host", FAR.split())
def test_far(host):
    assert not near(host)


def test_a_key_goes_in_the_clear_to_near_places_only():
    guard_key(place("http://127.0.0.1:1/v1", "x"), "sesame")
    guard_key(place("https://example.com/v1", "x"), "sesame")
    guard_key(place("http://example.com/v1", "x"), "")
    with pytest.raises(ConfigFault, match=r"unencrypted to example\.com:80") as caught:
        guard_key(place("http://example.com/v1", "x"), "sesame")
    assert "sesame" not in str(caught.value)
