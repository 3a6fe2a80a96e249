from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from edge.card.asked import Reader
from edge.card.provision_settings import check

LINES = {"model.name": 2, "model.seconds": 3, "tools": 5, "tools.locale": 6, "outputs.pump": 8}


def noted(data: dict[str, Any], here: bool = False) -> list[tuple[int, str]]:
    reader = Reader("x", LINES)
    check(data, reader, here)
    return [(one.line, one.sentence) for one in reader.wrong]


def test_right_settings_are_given_back_and_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    data = {"mode": "full", "model": {"name": "offline", "seconds": 5}}
    found = check(data, Reader("x", LINES), False)
    assert found is not None and found.preset == "full" and found.model.seconds == 5
    assert data == {"mode": "full", "model": {"name": "offline", "seconds": 5}} and os.listdir(tmp_path) == []


def test_fault_after_fault_is_told_with_the_lines_of_the_reader() -> None:
    found = noted({"model": {"name": "moon", "seconds": -1}, "tools": {"locale": "xx", "nose": 1}})
    assert [line for line, _ in found] == [2, 3, 6, 5]
    assert "must be offline" in found[0][1] and "there is no key tools.nose" in found[3][1]


def test_a_key_in_an_inline_table_has_the_line_of_what_holds_it() -> None:
    found = noted({"outputs": {"pump": {"pwm": {"chip": "pwmchip0", "channel": "zero"}}}})
    assert [line for line, _ in found] == [8] and "channel" in found[0][1]


def test_names_with_dots_and_quotes_are_found_again() -> None:
    found = noted({"risk_profiles": {"a.b": {"level": "none"}, "c": {"level": "full", "nose": 1}}})
    assert len(found) == 2 and "mode" in found[0][1] and "no key nose" in found[1][1]


def test_what_names_a_table_that_was_wrong_is_not_told_beside_it() -> None:
    outputs = {"pump": {"lin": "GPIO4"}, "fan": {"line": "GPIO5", "feedback": "runs"}}
    found = noted({"outputs": outputs, "inputs": {"runs": {"line": []}}})
    assert [sentence.split(" ")[0] for _, sentence in found] == ["there", "inputs.runs.line"]


def test_it_ends_whatever_is_wrong() -> None:
    outputs = {f"o{number}": {"line": -1, "max_on": "x"} for number in range(30)}
    assert len(noted({"outputs": outputs})) == 60
