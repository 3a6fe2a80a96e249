"""Patterns of hosts: what they name, and what is no pattern."""

from __future__ import annotations

import pytest

from edge.faults import ConfigFault
from edge.gate.hosts import checked, listed


@pytest.mark.parametrize(
    ("pattern", "host", "port", "wanted"),
    [
        ("example.org", "example.org", 443, True),
        ("example.org", "example.org", 8443, True),
        ("example.org", "www.example.org", 443, False),
        ("example.org", "badexample.org", 443, False),
        ("example.org", "example.org.evil.net", 443, False),
        ("*.example.org", "www.example.org", 443, True),
        ("*.example.org", "a.b.example.org", 80, True),
        ("*.example.org", "example.org", 443, False),
        ("*.example.org", "badexample.org", 443, False),
        ("example.org:8443", "example.org", 8443, True),
        ("example.org:8443", "example.org", 443, False),
        ("93.184.216.34", "93.184.216.34", 80, True),
        ("[2606:2800:220:1::1]:8080", "2606:2800:220:1::1", 8080, True),
        ("[2606:2800:220:1::1]", "2606:2800:220:1::1", 443, True),
    ],
)
def test_a_pattern_names_a_host_exactly_or_what_is_below_a_domain(
    pattern: str, host: str, port: int, wanted: bool
) -> None:
    assert listed(host, port, (checked(pattern, False),)) == (checked(pattern, False) if wanted else "")


def test_case_and_the_last_dot_do_not_matter() -> None:
    assert checked(" Example.ORG. ", False) == "example.org"
    assert checked("*.Example.ORG", False) == "*.example.org"


@pytest.mark.parametrize(
    "text",
    [
        *("", "*", "*.", "*.org", "https://example.org", "example.org/path", "a b", "exa mple.org", "*example.org"),
        *("www.*.org", "user@example.org", "example.org:0", "example.org:99999", "example.org:x", "0x7f.1", "10.1"),
        *("127.0.0.1", "localhost", "raspberrypi", "router.lan", "169.254.169.254", "[::1]", "10.0.0.1:8080"),
        *("*.local", "*.10.0.0.1", "metadata.google.internal"),
    ],
)
def test_what_is_no_host_too_wide_or_internal_is_a_fault(text: str) -> None:
    with pytest.raises(ConfigFault):
        checked(text, False)


@pytest.mark.parametrize("text", ["127.0.0.1:8080", "localhost", "raspberrypi", "llm.example.org", "[::1]:8080"])
def test_internal_hosts_are_named_one_by_one(text: str) -> None:
    assert checked(text, True) == text


@pytest.mark.parametrize(
    ("text", "internal", "why"),
    [
        ("10.0.0.0/8", True, "named one by one"),
        ("10.0.0.0/8", False, "named one by one"),
        ("http://example.org", False, "holds a /"),
        ("*", False, "stands only before a domain"),
        ("www.*.org", False, "stands only before a domain"),
        ("a b", False, "it holds blanks"),
        ("*.lan", True, "wildcard is not for internal"),
    ],
)
def test_the_fault_names_what_is_wrong_with_it(text: str, internal: bool, why: str) -> None:
    with pytest.raises(ConfigFault) as caught:
        checked(text, internal)
    assert why in caught.value.sentence and "is internal" not in caught.value.sentence


@pytest.mark.parametrize("text", ["*.lan", "*.example.org", "*", "http://127.0.0.1"])
def test_no_wildcard_names_internal_hosts(text: str) -> None:
    with pytest.raises(ConfigFault):
        checked(text, True)
