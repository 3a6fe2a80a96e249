"""Byte code hangs on the source, its path on the board and the Python that compiles, and on nothing else."""

from __future__ import annotations

import marshal
import os
import sys
from pathlib import Path

import pytest

from edge.faults import CardFault
from images import arches, bytecode, compiled, user_mode
from images.bytecode import Bytecode

SOURCES = {
    # No set with None: its order is by chance before Python 3.11. The Python of an image is 3.11 or later.
    "lib/a.py": "X = {'one', 'two', 3}\ndef f(y=(1, 2)):\n    return y in {'p', 'q'}\n",
    "lib/b.py": "from a import X\nNAMES = ('one', 'two', 'X', 'f')\n",
    "lib/sub/c.py": "# -*- coding: latin-1 -*-\nTEXT = 'plain'\n",
    "lib/sub/__init__.py": "",
    "lib/long.py": "\n".join(f"name_{number} = 'one two {number}'" for number in range(400)),
}


@pytest.fixture(autouse=True)
def this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler runs in this Python: the way is the same, only nothing is emulated."""
    monkeypatch.setattr(user_mode, "program", lambda _tree, _arch, _inner, *words: [sys.executable, *words])


def grown(top: Path, sources: dict[str, str] = SOURCES) -> Path:
    for name, text in sources.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


def compile_(tree: Path) -> dict[str, bytes]:
    seen: list[tuple[int, int]] = []
    count = compiled.compile_all(
        tree, arches.named("armel"), "3.11", ("lib",), lambda done, all_: seen.append((done, all_))
    )
    assert seen[-1] == (count, count)
    return {str(path.relative_to(tree)): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def test_byte_code_takes_the_place_of_the_source(tmp_path: Path) -> None:
    made = compile_(grown(tmp_path / "t"))
    assert sorted(made) == sorted(f"{name}c" for name in SOURCES)
    assert marshal.loads(made["lib/a.pyc"][16:]).co_filename == "/lib/a.py"
    assert made["lib/a.pyc"][4:8] == b"\1\0\0\0"  # by hash, unchecked (PEP 552): there is no source to compare with
    os.environ.pop("PYTHONPATH", None)
    code, out, _ = user_mode.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(tmp_path / 't/lib')!r}); import b; print(len(b.X))",
        ]
    )
    assert (code, out) == (0, b"3\n")


def test_another_folder_another_company_and_another_day_give_the_same_bytes(tmp_path: Path) -> None:
    first = compile_(grown(tmp_path / "t"))
    again = compile_(grown(tmp_path / "elsewhere" / "longer name"))
    assert first == again
    few = {name: text for name, text in SOURCES.items() if name in ("lib/a.py", "lib/long.py")}
    alone = compile_(grown(tmp_path / "few", few))
    assert alone == {name: data for name, data in first.items() if name in alone} and len(alone) == 2


def test_what_was_compiled_before_is_kept_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def files(number: int) -> int:
        tree, cache = grown(tmp_path / str(number)), tmp_path / "cache"
        compiled.compile_all(tree, arches.named("armel"), "3.11", ("lib",), lambda done, all_: None, cache)
        return sum(path.is_file() for path in cache.rglob("*"))

    monkeypatch.setattr(compiled, "Bytecode", lambda cache, _binary, *rest: Bytecode(cache, Path(__file__), *rest))
    assert files(1) == files(2) == len(SOURCES)
    monkeypatch.setattr(bytecode, "LARGEST", 0)
    assert files(3) == 0


def test_what_does_not_compile_is_named(tmp_path: Path) -> None:
    tree = grown(tmp_path / "t", {**SOURCES, "lib/wrong.py": "def f(:\n"})
    with pytest.raises(CardFault, match=r"lib/wrong\.py SyntaxError"):
        compile_(tree)


def test_a_compiler_that_ends_early_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "COMPILER", "import sys\nsys.exit('no such thing')")
    with pytest.raises(CardFault, match="code 1: no such thing"):
        compile_(grown(tmp_path / "t"))


def test_more_warnings_than_a_pipe_takes_stop_nobody(tmp_path: Path) -> None:
    # Each warning of the compiler names its file and its line; Python 3.9 has them for `is` with a literal, too.
    noisy = "\n".join(f"X{number} = (1 is {number})" for number in range(1000))
    made = compile_(grown(tmp_path / "t", {**SOURCES, "lib/noisy.py": noisy}))
    assert "lib/noisy.pyc" in made


def test_links_between_sources_become_links_between_byte_code(tmp_path: Path) -> None:
    tree = grown(tmp_path / "t")
    (tree / "lib/other.py").symlink_to("a.py")
    compile_(tree)
    assert os.readlink(tree / "lib/other.pyc") == "a.pyc" and not os.path.lexists(tree / "lib/other.py")


def test_nothing_to_compile_is_nothing_done(tmp_path: Path) -> None:
    assert compiled.compile_all(tmp_path, arches.named("armel"), "3.11", ("lib",), print) == 0
