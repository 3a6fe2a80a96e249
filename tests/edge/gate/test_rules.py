"""The authority table by itself: what every row promises."""

from __future__ import annotations

import pytest

from edge.gate.row import DISK, HIGH, MEDIUM, RUIN, UNLISTED, Row
from edge.gate.rules import ANYWHERE, BEFORE, RULES
from edge.gate.rules_run import EMPTY, MANY_COMMANDS, READONLY_SHELL

ROWS = (*RULES.values(), *BEFORE, *ANYWHERE, EMPTY, MANY_COMMANDS, READONLY_SHELL)
ORDER = {"deny": 0, "named": 0, "ask": 1, "allow": 2}


def test_rows_with_one_id_are_one_row() -> None:
    by_id: dict[str, Row] = {}
    for row in ROWS:
        known = by_id.setdefault(row.id, row)
        assert (known.risk, known.verdicts, known.group) == (row.risk, row.verdicts, row.group), row.id


def test_in_readonly_nothing_is_changed_sent_run_or_asked() -> None:
    for (verb, _, _), row in RULES.items():
        assert row.verdicts[0] in ("deny", "allow"), row.id
        if verb not in ("list", "read", "sense", "fetch"):
            assert row.verdicts[0] == "deny", row.id


def test_authority_only_grows_from_readonly_to_full() -> None:
    for row in ROWS:
        weights = [ORDER[verdict] for verdict in row.verdicts]
        assert weights == sorted(weights), row.id


def test_risk_says_what_supervised_does() -> None:
    """Z-73: low runs, medium asks, high is blocked; an unlisted host asks, whatever looks at it."""
    for row in ROWS:
        supervised = row.verdicts[1]
        if row.risk == "low" and set(row.verdicts) != {"deny"}:
            assert supervised == "allow", row.id
        elif row.risk == "medium":
            assert supervised == "ask", row.id
        elif row.verdicts != UNLISTED and row is not READONLY_SHELL:
            assert supervised in ("deny", "named"), row.id


def test_the_classes_are_those_of_the_design() -> None:
    assert MEDIUM == ("deny", "ask", "ask", "allow")
    assert HIGH == ("deny", "named", "ask", "allow")
    assert RUIN == ("deny", "named", "deny", "ask")
    assert DISK == ("deny", "deny", "deny", "named")


def test_what_a_profile_may_name_is_high_and_says_its_group() -> None:
    for row in ROWS:
        if "named" in row.verdicts:
            assert row.risk == "high" and row.group in ("high", "ruin", "disk"), row.id
            assert (row.group == "disk") == (row.verdicts[3] == "named"), row.id


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_every_row_says_a_sentence(row: Row) -> None:
    said = row.sentence.format(what="X")
    assert said.strip() == said and not said.endswith(".") and "{" not in said and len(said) < 160
