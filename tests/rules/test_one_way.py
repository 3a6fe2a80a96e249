"""There is one way to run a tool, and one way to start a child.

Rules:
1. A tool runs in edge/calls.py alone, behind the gate, and the hands of a call are made there alone.
2. No child is prepared by Python code after its fork (`preexec_fn`): that code can hang on a lock that another thread
   held, and the wall is built by edge/hands/wall in other ways.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.sources import ROOT, last_name, nodes, none_of, python_files

pytestmark = pytest.mark.once

PRODUCT = [*python_files("edge", "tools", "peripherals"), *python_files("bin")]
EVERYTHING = [*PRODUCT, *python_files("images", "hil", "bench", "tests"), ROOT / "bin/fieldhand"]


def prepared(path: str, text: str) -> list[str]:
    """Where a child is prepared after its fork."""
    return [
        f"{path}:{node.value.lineno}: preexec_fn"
        for node in (nodes(text) if "preexec_fn" in text else ())
        if isinstance(node, ast.keyword) and node.arg == "preexec_fn"
    ]


def runs(text: str) -> list[int]:
    """The lines that run a tool or make the hands of a call: `X.run(…, Hands(…))`, `Hands(…)`."""
    found = []
    for node in nodes(text):
        if not isinstance(node, ast.Call):
            continue
        name = last_name(node.func)
        if name == "Hands" or (name == "run" and any("hands" in ast.unparse(part).lower() for part in node.args)):
            found.append(node.lineno)
    return found


def inner(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_child_is_prepared_after_its_fork() -> None:
    files = [path for path in EVERYTHING if path.suffix == ".py"]
    none_of([sentence for path in files for sentence in prepared(inner(path), path.read_text("utf-8"))])
    assert "preexec" not in (ROOT / "bin/fieldhand").read_text("utf-8")


def test_only_the_life_of_a_call_runs_tools() -> None:
    found = {inner(path): len(runs(path.read_text("utf-8"))) for path in PRODUCT}
    assert {path: count for path, count in found.items() if count} == {"edge/calls.py": 2}


def test_what_the_rules_forbid_is_found() -> None:
    assert prepared("x.py", "subprocess.Popen(['a'], preexec_fn=os.setsid)") == ["x.py:1: preexec_fn"]
    assert runs("tool.run(args, hands)") == [1] and runs("a = Hands(permit, call, world)") == [1]
    assert runs("find(name).run({}, Hands(p, c, w))") == [1, 1]
    assert runs("found = hands.run.shell(text, 1.0)\nsubprocess.run(['ls'])") == []
