from __future__ import annotations

from typing import Any

import pytest

from edge.card import names

RIGHT: list[tuple[Any, Any, Any]] = [
    (names.hostname, "North-3", "north-3"),
    (names.hostname, "a" * 63, "a" * 63),
    (names.hostname, "3com", "3com"),
    (names.board_id, " GH:north_3.b ", "GH:north_3.b"),
    (names.zone, "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3"),
    (names.zone, "<+0330>-3:30", "<+0330>-3:30"),
    (names.zone, "EST5EDT,M3.2.0/2,M11.1.0", "EST5EDT,M3.2.0/2,M11.1.0"),
    (names.address, "192.168.1.20/24", "192.168.1.20/24"),
    (names.address, "10.0.0.1/31", "10.0.0.1/31"),
    (names.gateway, "192.168.1.1", "192.168.1.1"),
    (names.addresses, "9.9.9.9", ("9.9.9.9",)),
    (names.addresses, ["9.9.9.9", "2620:fe::fe", "9.9.9.9"], ("9.9.9.9", "2620:fe::fe")),
    (
        names.servers,
        ["NTP.Example.org.", "10.0.0.1", "0.pool.example.org"],
        ("ntp.example.org", "10.0.0.1", "0.pool.example.org"),
    ),
    (names.password, "correct horse", "correct horse"),
    (names.password, "Gr\u00fc\u00dfe\u20ac!!", "Gr\u00fc\u00dfe\u20ac!!"),
    (names.password_hash, "$6$ab$" + "x" * 86, "$6$ab$" + "x" * 86),
    (names.password_hash, "$5$rounds=10000$ab$" + "x" * 43, "$5$rounds=10000$ab$" + "x" * 43),
    (names.api_key, " sk-12345678 ", "sk-12345678"),
    (names.public_keys, ["AB" * 32 + " ops", "cd" * 32], ("ab" * 32 + " ops", "cd" * 32)),
]

WRONG: list[tuple[Any, Any, str]] = [
    *((names.hostname, name, "RFC 1123") for name in ("", "-a", "a-", "a.b", "a_b", "a" * 64, "12", "b\u00fc", "a b")),
    (names.hostname, 7, "a text in quotes"),
    (names.hostname, "a\nb", "control character"),
    *((names.board_id, name, "1 to 64") for name in ("", "a b", "x" * 65, "a/b")),
    (names.zone, "Europe/Berln", "did you mean Europe/Berlin"),
    (names.zone, "CET-1;reboot", "no zone"),
    (names.zone, "$(reboot)5", "no zone"),
    (names.address, "192.168.1.20", "/24 or the like is missing"),
    (names.address, "192.168.1.0/24", "is the network"),
    (names.address, "192.168.1.255/24", "broadcast"),
    (names.address, "192.168.1.300/24", "must be an IPv4 address"),
    (names.address, "192.168.1.2/255.255.255.0", "must be an IPv4 address"),
    (names.address, "127.0.0.1/8", "none"),
    (names.address, "224.0.0.1/4", "none"),
    (names.address, "fe80::1/64", "must be an IPv4 address"),
    (names.gateway, "fe80::1", "must be an IPv4 address"),
    (names.host_address, "1.2.3", "must be an IP address"),
    (names.addresses, 5, "a list"),
    (names.addresses, ["1.1.1.1"] * 5, "at most 4"),
    (names.servers, ["a b"], "none"),
    (names.servers, ["$(reboot)"], "none"),
    (names.servers, [5], "quotes"),
    *((names.password, word, "8 to 127") for word in ("short", "x" * 128, " blank ahead", "tab\tinside")),
    (names.password, 12345678, "quotes"),
    *(
        (names.password_hash, word, "begins with $6$")
        for word in ("$1$a$b", "x", "$6$ab$" + "x" * 43, "$6$a:b$" + "x" * 86, 5)
    ),
    *((names.api_key, word, "one word") for word in ("short", "two words here", "gr\u00fc\u00dfe-12345", "x" * 5000)),
    (names.servers, "\u0661.example.org", "must name servers"),
    (names.public_keys, "ab" * 32, "a list"),
    (names.public_keys, ["ab"], "64 hex digits"),
    (names.public_keys, ["ab" * 32] * 5, "at most 4"),
    (names.public_keys, ["ab" * 32 + " a b/c"], "1 to 64"),
]


@pytest.mark.parametrize(("check", "value", "kept"), RIGHT)
def test_what_is_allowed_is_kept_in_one_spelling(check: Any, value: Any, kept: Any) -> None:
    assert check(value) == kept


@pytest.mark.parametrize(("check", "value", "sentence"), WRONG)
def test_what_is_not_allowed_is_told_with_what_would_be(check: Any, value: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"must|no zone|is the|holds") as told:
        check(value)
    assert sentence in str(told.value)


@pytest.mark.parametrize("check", [names.password, names.password_hash, names.api_key])
def test_a_wrong_secret_is_not_shown(check: Any) -> None:
    for secret in ("hunter2\x07hunter2 \u00fc", "hunter2 " * 1000, " $6$hunter2 \u00fc"):
        with pytest.raises(ValueError, match=r"must|no zone|is the|holds") as told:
            check(secret)
        assert "hunter2" not in str(told.value)
