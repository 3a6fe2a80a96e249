"""The source tree as the rule tests see it: which modules there are, and what each one imports.

Rules:
1. A file counts once, under the name it is imported by: tools/x.py is edge.tools.x (edge/tools is a link).
2. An import is `head` (runs when the module is loaded, also inside a class, `try` or `if` at module level) or
   `late` (inside a function). What stands under `if TYPE_CHECKING:` never runs and does not count.
3. `from a.b import c` is an import of a.b.c where that is a module of the tree, else of a.b.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
# folder -> the name its modules are imported by
FOLDERS = {"edge": "edge", "tools": "edge.tools", "peripherals": "edge.peripherals"}
LINKS = ("edge/tools", "edge/peripherals")


class Import(NamedTuple):
    """One imported module; `line` in the file; `late` when only a function does it."""

    module: str
    line: int
    late: bool


class Source(NamedTuple):
    """One file: the name it is imported by, its path from the root of the project, its text."""

    module: str
    path: str
    text: str


def python_files(*folders: str) -> list[Path]:
    """The .py files below the folders, links not followed, in order of path."""
    found = []
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            inner = path.relative_to(ROOT).as_posix()
            if not inner.startswith(tuple(link + "/" for link in LINKS)):
                found.append(path)
    return sorted(found)


def sources() -> list[Source]:
    """Every module of the runtime."""
    found = []
    for folder, prefix in FOLDERS.items():
        for path in python_files(folder):
            inner = path.relative_to(ROOT / folder).with_suffix("")
            parts = [prefix, *(part for part in inner.parts if part != "__init__")]
            found.append(Source(".".join(parts), path.relative_to(ROOT).as_posix(), path.read_text("utf-8")))
    return found


def none_of(found: list[str]) -> None:
    """Fail with every sentence on a line of its own when there is one."""
    assert not found, "\n" + "\n".join(found)


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """Every node of the text: each rule looks at the same files."""
    return tuple(ast.walk(ast.parse(text)))


def last_name(node: ast.expr) -> str:
    """`c` of `c`, `b.c` and `a().c`; "" of what has no name."""
    return getattr(node, "attr", getattr(node, "id", ""))


def is_type_checking(node: ast.AST) -> bool:
    """True for `if TYPE_CHECKING:` and `if typing.TYPE_CHECKING:`."""
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


@cache
def running_nodes(text: str) -> list[tuple[ast.AST, bool]]:
    """Every node of the text that can run, with whether it is inside a function."""
    found: list[tuple[ast.AST, bool]] = []
    waiting: list[tuple[ast.AST, bool]] = [(nodes(text)[0], False)]
    while waiting:
        node, inside = waiting.pop()
        found.append((node, inside))
        if is_type_checking(node):
            waiting += [(child, inside) for child in node.orelse]  # type: ignore[attr-defined]
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inside = True
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]
    return found


@cache
def imports(text: str, known: frozenset[str] = frozenset()) -> tuple[Import, ...]:
    """What the text imports when it runs; `known` are the modules of the tree. A relative import gives ".x"."""
    found = []
    for node, late in running_nodes(text):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, node.lineno, late) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.append(Import(inner if inner in known else base, node.lineno, late))
    return tuple(sorted(set(found), key=lambda item: (item.line, item.module)))


def forget() -> None:
    """The trees of all files are a million objects, which the garbage collector walks as long as they are kept."""
    for kept in (nodes, running_nodes, imports):
        kept.cache_clear()
