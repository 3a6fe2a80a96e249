"""A command on a terminal of its own: seen at its prompt, ended by end of file."""

from __future__ import annotations

import os
import sys

import pytest

from bench import prompt
from bench.harness import Broken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

TALKS = "import sys; print('hello'); line = input('fieldhand> ')"


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-c", code]


def test_it_is_looked_at_while_it_waits_and_ends_by_end_of_file(tmp_path: Path) -> None:
    code = "import sys\ntry: input('fieldhand> ')\nexcept EOFError: sys.exit(0)\nsys.exit(5)"

    def look(pid: int) -> float:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return float(file.read().rpartition(")")[2].split()[0] in "SRD")

    assert prompt.visit(python(code), str(tmp_path), look=look) == 1.0


def test_it_has_a_terminal_a_home_and_a_small_environment(tmp_path: Path) -> None:
    code = (
        "import os, sys; assert os.isatty(0) and os.isatty(1) and os.isatty(2)\n"
        "assert os.getcwd() == os.environ['HOME'] and 'SECRET' not in os.environ\n"
        "print('fieldhand> ', flush=True); sys.stdin.read()"
    )
    os.environ["SECRET"] = "x"
    try:
        prompt.visit(python(code), str(tmp_path))
    finally:
        del os.environ["SECRET"]


def test_one_that_never_prompts_is_broken_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(Broken, match=r"did not prompt; it said '.*broken"):
        prompt.visit(python("print('broken')"), str(tmp_path))


def test_one_that_fails_after_its_prompt_is_broken(tmp_path: Path) -> None:
    with pytest.raises(Broken, match="ended with 1 after its prompt"):
        prompt.visit(python(TALKS), str(tmp_path))  # end of file is an EOFError nobody catches
