"""A handler for every exception stands only where a turn or a command must end with a sentence.

That is the loop (edge/loop.py, calls.py, talk.py) and edge/cli/, and there a comment on its line, or alone on the line
before or after, says why.
"""

from __future__ import annotations

import ast

import pytest

from tests.support.sources import ROOT, last_name, nodes, none_of, python_files

pytestmark = pytest.mark.once

BROAD = ("Exception", "BaseException")
ALLOWED = ("edge/loop.py", "edge/calls.py", "edge/talk.py", "edge/cli/")
FILES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in python_files("edge", "tools", "peripherals", "images", "hil", "bench", "bin")
}


def names(node: ast.expr | None) -> list[str]:
    """The plain and dotted names of what a handler (or suppress) takes."""
    if isinstance(node, ast.Tuple):
        return [name for part in node.elts for name in names(part)]
    return [] if node is None else [ast.unparse(node).rsplit(".", 1)[-1]]


def broad_lines(text: str) -> list[int]:
    """The lines of handlers that take every exception, `suppress(Exception)` among them."""
    found = []
    for node in nodes(text):
        if isinstance(node, ast.ExceptHandler) and (node.type is None or set(names(node.type)) & set(BROAD)):
            found.append(node.lineno)
        if isinstance(node, ast.Call) and last_name(node.func) == "suppress":
            found += [node.lineno for part in node.args if set(names(part)) & set(BROAD)]
    return sorted(found)


def explained(lines: list[str], line: int) -> bool:
    """True when a comment on this line, or alone on a neighbouring one, says something."""
    around = [lines[line - 1].partition("#")[2]]
    around += [near.strip()[1:] for near in lines[max(line - 2, 0) : line + 1] if near.strip().startswith("#")]
    return any(len(words.split()) >= 4 and not words.strip().startswith("noqa") for words in around)


def wrong(path: str, text: str) -> list[str]:
    """What is wrong with the broad handlers of one file, as sentences."""
    lines = text.splitlines()
    if not path.startswith(ALLOWED):
        return [f"{path}:{line}: a handler for every exception" for line in broad_lines(text)]
    return [f"{path}:{line}: no comment says why" for line in broad_lines(text) if not explained(lines, line)]


def test_broad_handlers_stand_only_where_they_may_and_say_why() -> None:
    none_of([sentence for path, text in FILES.items() for sentence in wrong(path, text)])


def test_a_broad_handler_is_found() -> None:
    for head in ("except:", "except Exception:", "except (OSError, Exception):", "except BaseException as error:"):
        text = f"try:\n    pass\n{head}\n    pass\n"
        assert wrong("edge/step.py", text) == ["edge/step.py:3: a handler for every exception"]
        assert wrong("edge/loop.py", text) == ["edge/loop.py:3: no comment says why"]
        assert wrong("edge/loop.py", text.replace(head, f"{head}  # a tool's own fault is told")) == []
    assert wrong("tools/x.py", "with contextlib.suppress(Exception):\n    pass")
    assert wrong("edge/step.py", "try:\n    pass\nexcept OSError:\n    pass") == []
