"""What sounds like a secret is in no line, wherever it was written."""

from __future__ import annotations

import pytest

from edge.card import hidden

SECRET = "hunter2Hunter2x"


@pytest.mark.parametrize(
    "table",
    [
        {"model": {"key_file": SECRET}},
        {"model": {"api-keys": [SECRET]}},
        {"model": {"key": {"value": SECRET}}},
        {"login": {"pasword": SECRET}},
        {"Passphrase": SECRET},
        {"tools": {"deep": [{"API_TOKEN": SECRET}]}},
        {"wifi": {"psk": SECRET}},
    ],
)
def test_the_value_of_a_name_that_tells_is_hidden(table: dict[str, object]) -> None:
    assert hidden.values(table) == (SECRET,)


def test_what_everybody_may_know_is_not_hidden() -> None:
    table = {"board": {"hostname": "n3", "keys": ["ab" * 32]}, "budgets": {"max_tokens": 5}, "model": {"name": "x"}}
    assert hidden.values(table) == ()


@pytest.mark.parametrize("length", [3, 7, 39, 60, 300])
def test_a_value_is_hidden_whole_or_clipped(length: int) -> None:
    secret = ("q'7\\" * 100)[:length]
    told = hidden.clean([f"must be a path, not {secret[:60]!r} (or {secret!r})", "q stays"], [secret])
    assert "q'7" not in told[0] and "q\\'7" not in told[0]
    assert told[0].startswith("must be a path, not ") and "[redacted]" in told[0] and told[1] == "q stays"
