"""The answers in tests/newcomer.md are there: each named file, and each name in it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.support.sources import FOLDERS, LINKS, ROOT, none_of

pytestmark = pytest.mark.once

ROW = re.compile(r"^\| (?P<question>[^|]+\?) \| `(?P<file>[^`]+)` \| `(?P<name>[^`]+)` \|$", re.M)


def defined(text: str) -> set[str]:
    """The names that a module defines at its head; those of a class as `Class.name`."""
    found = set()

    def add(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.add(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                add(node.body, f"{prefix}{node.name}.")
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            found.update(prefix + target.id for target in targets if isinstance(target, ast.Name))

    add(ast.parse(text).body, "")
    return found


def wrong(page: str, root: Path) -> list[str]:
    """Which answers of a page are wrong, as sentences."""
    found = []
    for row in ROW.finditer(page):
        path = root / row["file"]
        if not row["file"].startswith(tuple(f"{folder}/" for folder in FOLDERS)) or row["file"].startswith(LINKS):
            found.append(f"{row['question']} {row['file']} is not the name of a file of the runtime")
        elif not path.is_file():
            found.append(f"{row['question']} there is no {row['file']}")
        elif row["name"] not in defined(path.read_text("utf-8")):
            found.append(f"{row['question']} {row['file']} does not define {row['name']}")
    return found


def test_every_question_has_an_answer_that_exists() -> None:
    page = (ROOT / "tests/newcomer.md").read_text("utf-8")
    rows = list(ROW.finditer(page))
    assert len(rows) == len({row["question"] for row in rows}) == 40
    assert len(re.findall(r"^\|", page, re.M)) == 42
    none_of(wrong(page, ROOT))


def test_an_answer_that_is_not_there_is_found(tmp_path: Path) -> None:
    (tmp_path / "edge").mkdir()
    (tmp_path / "edge/x.py").write_text("A = 1\nB: int = 2\nclass C:\n    def d(self): pass\ndef e(): pass\n")
    good = "".join(f"| where? | `edge/x.py` | `{name}` |\n" for name in ("A", "B", "C", "C.d", "e"))
    assert len(list(ROW.finditer(good))) == 5 and wrong(good, tmp_path) == []
    assert "does not define d" in wrong("| where? | `edge/x.py` | `d` |", tmp_path)[0]
    assert "there is no edge/y.py" in wrong("| where? | `edge/y.py` | `A` |", tmp_path)[0]
    assert "is not the name" in wrong("| where? | `edge/tools/x.py` | `A` |", tmp_path)[0]
