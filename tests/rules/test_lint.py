"""Lints are tests: ruff and mypy --strict say nothing.

A tool that is not installed is a skip with its reason on a laptop, and a failure where CI=true is set.
Formatting is not tested: it changes from one release of a formatter to the next.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.sources import ROOT

pytestmark = pytest.mark.once


def absent(tool: str, environ: dict[str, str]) -> str:
    """Why a tool cannot run; "" when it can. Fails where it must be there."""
    if find_spec(tool):
        return ""
    why = f"{tool} is not installed beside {sys.executable}"
    if environ.get("CI") == "true":
        pytest.fail(f"{why}, and CI=true wants it")
    return why


def lint(run: Any, tool: str, *arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    why = absent(tool, dict(os.environ))
    if why:
        run.notes.append(f"skipped: {why}")
        pytest.skip(why)
    command = [sys.executable, "-m", tool, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)


def test_ruff_says_nothing(this_run: Any) -> None:
    ran = lint(this_run, "ruff", "check", "--output-format", "concise", ".")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_mypy_says_nothing(this_run: Any) -> None:
    ran = lint(this_run, "mypy", "--strict", "-p", "edge", "-p", "images", "-p", "hil")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_ruff_can_complain(tmp_path: Path, this_run: Any) -> None:
    (tmp_path / "x.py").write_text("import os\n")
    ran = lint(this_run, "ruff", "check", "--isolated", "--no-cache", "x.py", folder=tmp_path)
    assert ran.returncode == 1 and "F401" in ran.stdout


def test_mypy_can_complain(tmp_path: Path, this_run: Any) -> None:
    (tmp_path / "x.py").write_text("def f(x):\n    return x\n")
    ran = lint(this_run, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "x.py", folder=tmp_path)
    assert ran.returncode == 1 and "no-untyped-def" in ran.stdout


def test_an_absent_tool_is_a_reason_on_a_laptop_and_a_failure_in_ci() -> None:
    assert "is not installed" in absent("no_such_linter", {})
    with pytest.raises(pytest.fail.Exception, match="CI=true"):
        absent("no_such_linter", {"CI": "true"})
