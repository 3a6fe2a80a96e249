"""What must not stand in a file of the project, and what every module begins with.

The patterns are written in pieces, so that this file does not hold what it looks for.
"""

from __future__ import annotations

import ast
import re
import subprocess

import pytest

from tests.support.sources import ROOT, none_of

pytestmark = pytest.mark.once

# what -> why it is wrong
FORBIDDEN = {
    r"(?<![\w./-])/ro" r"ot/": "a path of one machine",
    r"(?<![\w./-])/wo" r"rk(/|\b)": "a path of one machine",
    r"/tmp" r"/fh\b": "a path of one machine",
    r"\.\./sha" r"red\b": "a path outside the project",
    r"\bDESI" r"GN\b|\breference/\w+\.m" r"d\b": "a document that is not in the project",
    r"\b(pypi|pythonhosted|npmjs|crates|rubygems|docker|ghcr|quay)\.(o" r"rg|io|com)\b": "the host of a registry",
    r"\bproxy\.golang\.o" r"rg\b": "the host of a registry",
    r"(?i)\b(clau" r"de|anthro" r"pic|copi" r"lot|chat" r"gpt|cod" r"ex|ai assis" r"tant)\b": "a tool, not the project",
    r"(?i)co-autho" r"red-by|generated wi" r"th": "a tool, not the project",
    r"\bTO" r"DO\b|\bFIX" r"ME\b|\bX" r"XX\b": "unfinished",
    r"NotImplemen" r"tedError": "unfinished",
    r"assert Tr" r"ue\b": "a test that cannot fail",
    r"\bxfa" r"il\b": "a test that may fail",
}


def tracked() -> dict[str, str]:
    """Path -> text of every file that is or will be part of the project; binary files and links left out."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=60).stdout.decode().split("\0")
    found = {}
    for name in sorted(set(filter(None, listed))):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if b"\0" not in data[:1024]:
                found[name] = data.decode("utf-8", "replace")
    return found


def forbidden(name: str, text: str) -> list[str]:
    """What a file holds that it must not, as sentences."""
    found = []
    for pattern, why in FORBIDDEN.items():
        for hit in re.finditer(pattern, text):
            line = text.count("\n", 0, hit.start()) + 1
            found.append(f"{name}:{line}: {hit.group()!r}: {why}")
    return found


def begins_well(text: str) -> bool:
    """True when the module is empty or imports `annotations` before anything else runs."""
    before = f"\n{text}".partition("\nfrom __future__ import annotations\n")[0]
    return all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in ast.parse(before).body)


def test_no_file_holds_what_does_not_belong() -> None:
    files = tracked()
    assert {"pyproject.toml", "edge/step.py", "tests/rules/test_words.py"} <= files.keys()
    none_of([sentence for name, text in files.items() for sentence in forbidden(name, text)])


def test_every_module_begins_with_annotations_from_the_future() -> None:
    none_of([name for name, text in tracked().items() if name.endswith(".py") and not begins_well(text)])


def test_what_does_not_belong_is_found() -> None:
    for text in (
        "see /ro" + "ot/x",
        "cd /wo" + "rk/main",
        "in /tm" + "p/fh/x",
        "../sha" + "red/rows",
        "as DESI" + "GN says",
        "https://py" + "pi.org/simple",
        "Co-Autho" + "red-By: x",
        "written by Clau" + "de",
        "# TO" + "DO later",
        "raise NotImplemen" + "tedError",
        "assert Tr" + "ue",
    ):
        assert len(forbidden("x.py", f"a\n{text}")) == 1, text
        assert forbidden("x.py", f"a\n{text}")[0].startswith("x.py:2: ")
    for text in ("the framework/work/x", '"/home/pi/wo' + 'rk"', "/proc/self/root", "$here/root/usr", "codecs"):
        assert forbidden("x.py", text) == []


def test_a_module_that_begins_otherwise_is_found() -> None:
    assert begins_well("") and begins_well('"""Words."""\n\nfrom __future__ import annotations\n')
    assert not begins_well("import os\n") and not begins_well("from __future__ import division\n")
