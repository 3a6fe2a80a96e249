"""Header fields: what a caller may set, what is a credential."""

from __future__ import annotations

import random

import pytest

from edge.gate.fields import LONGEST, MOST, RESERVED, is_credential, without_credentials, wrong


def test_plain_fields_can_be_sent() -> None:
    assert wrong({}) == ""
    assert wrong({"Accept": "application/json", "X-Note": "tab\tand K\xe4se", "Cookie": "a=b", "A": ""}) == ""


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_what_steers_the_connection_is_not_the_callers_in_any_case(name: str) -> None:
    for spelled in (name, name.upper(), name.title(), name.replace("-", "_")):
        assert "set by Fieldhand" in wrong({spelled: "x"})


def test_a_field_does_not_make_another_method_or_path_of_what_was_judged() -> None:
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL"):
        assert "set by Fieldhand" in wrong({name: "DELETE"})


@pytest.mark.parametrize("name", ["", " ", "a b", "a:", "a\r\nb", "a\0", "K\xe4se", "Ho\u017ft", "a\tb", "(x)", "a\n"])
def test_a_name_is_a_token(name: str) -> None:
    assert "name of a header field" in wrong({name: "x"})


@pytest.mark.parametrize("value", ["a\r\nHost: b", "a\nb", "a\rb", "\0", "a\x1b[2J", "\x7f", "\u010a", "\ud800"])
def test_a_value_cannot_begin_another_line(value: str) -> None:
    assert "control characters or letters" in wrong({"X-A": value})


def test_counts_and_lengths_are_bounded_and_doubles_refused() -> None:
    assert wrong({f"X-{number}": "" for number in range(MOST)}) == ""
    assert "at most" in wrong({f"X-{number}": "" for number in range(MOST + 1)})
    assert wrong({"X": "a" * LONGEST}) == "" and "longer" in wrong({"X": "a" * (LONGEST + 1)})
    assert "twice" in wrong({"X-A": "1", "x-a": "2"})


def test_a_value_that_is_no_text_is_told() -> None:
    for value in (5, None, True, ["a"], {"a": "b"}):
        odd: dict[str, object] = {"X-A": value}
        assert wrong(odd) == "the header field X-A must be text"  # type: ignore[arg-type]


def test_no_value_that_passes_makes_a_second_line() -> None:
    rng = random.Random(51)
    for _ in range(2000):
        value = "".join(rng.choice("ab \t\r\n\0\x0b\x0c\x85\xa0:") for _ in range(4))
        if not wrong({"X": value}):
            assert f"X: {value}\r\n".encode("latin-1").count(b"\n") == 1 and "\r" not in value


@pytest.mark.parametrize(
    "name",
    ["Authorization", "COOKIE", "Cookie2", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Auth",
     "X-Amz-Security-Token", "Private-Token", "X-Csrf-Token", "X-Session-Id", "Secret", "X-Password", "Signature",
     "WWW-Authenticate", "apikey"],
)  # fmt: skip
def test_credentials_are_known_by_their_names(name: str) -> None:
    assert is_credential(name, "x")


def test_credentials_are_known_by_how_their_values_begin() -> None:
    for value in ("Bearer abc", "basic YTpi", "Digest x", " token 1", "AWS4-HMAC-SHA256 x"):
        assert is_credential("X-Thing", value)
    kept = {"Accept": "text/html", "Content-Type": "a/b", "X-Note": "the bearer of news", "User-Agent": "basic"}
    assert without_credentials({**kept, "Cookie": "a=b", "X-A": "Bearer s"}) == kept
