"""The house numbers: how long modules and functions may be.

Modules are counted in lines of the file, empty ones left out; functions from `def` to their last line, with the
functions inside them, each counted for itself.
"""

from __future__ import annotations

import ast
from statistics import median

import pytest

from tests.support.sources import ROOT, nodes, none_of, python_files

pytestmark = pytest.mark.once

MODULE = 400
MODULE_MEDIAN = 200
FUNCTION = 45
FUNCTION_MEDIAN = 9

FILES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in python_files("edge", "tools", "peripherals", "images", "hil", "bench")
}


def module_lengths(files: dict[str, str]) -> dict[str, int]:
    return {path: len(text.splitlines()) for path, text in files.items() if text.strip()}


def function_lengths(files: dict[str, str]) -> dict[str, int]:
    return {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path, text in files.items()
        for node in nodes(text)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def longer(lengths: dict[str, int], bound: int) -> list[str]:
    return [f"{name}: {lines} lines, {bound} are allowed" for name, lines in lengths.items() if lines > bound]


def test_no_module_is_too_long() -> None:
    none_of(longer(module_lengths(FILES), MODULE))


def test_no_function_is_too_long() -> None:
    none_of(longer(function_lengths(FILES), FUNCTION))


def test_the_usual_module_and_function_are_short() -> None:
    assert median(module_lengths(FILES).values()) <= MODULE_MEDIAN
    assert median(function_lengths(FILES).values()) <= FUNCTION_MEDIAN


def test_what_is_too_long_is_found() -> None:
    body = "def f():\n" + "    pass\n" * FUNCTION
    assert longer(function_lengths({"x.py": body}), FUNCTION) == ["x.py:1 f: 46 lines, 45 are allowed"]
    assert longer(
        function_lengths({"x.py": "class A:\n" + body.replace("\n", "\n ").replace("def", " def", 1)}), FUNCTION
    )
    assert longer(module_lengths({"x.py": "x = 1\n" * 401}), MODULE) == ["x.py: 401 lines, 400 are allowed"]
    assert module_lengths({"x.py": "\n"}) == {}
