"""What a tool needs and whether it is here: nothing is imported and nothing is run to find out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from edge.hands.needs import missing


def test_nothing_is_missing_of_nothing_and_of_what_is_here() -> None:
    assert missing(()) == "" == missing(("library:json", f"program:{sys.executable}"))


def test_an_absent_package_is_named_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing(("library:no_such_package",)) == "the Python package no_such_package is not installed"
    monkeypatch.setattr(sys, "path", [])
    wanted = missing(("library:dulwich",)).rpartition("pip install ")[2].strip("'")
    assert wanted == "dulwich>=0.24,<2"
    declared = Path(__file__).parents[3].joinpath("pyproject.toml").read_text("utf-8")
    assert f'git = ["{wanted}"]' in declared, "the sentence asks for what the package declares"


def test_the_first_of_several_that_is_missing_is_told() -> None:
    assert "no_such" in missing(("library:json", "library:no_such", "program:/nowhere"))


def test_an_absent_program_is_named_and_one_that_cannot_be_run_is_none(tmp_path: Path) -> None:
    file = tmp_path / "program"
    assert missing((f"program:{file}",)) == f"there is no {file} on this system"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o644)
    assert missing((f"program:{file}",))
    file.chmod(0o755)
    assert missing((f"program:{file}",)) == ""


def test_a_package_is_found_without_being_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fh_explodes.py").write_text("raise SystemExit('it was imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert missing(("library:fh_explodes",)) == "" and "fh_explodes" not in sys.modules
