"""Sources -> byte code, by the target's own Python.

Rules:
1. The Python of the image compiles, under qemu-user: its version is the locked one, nothing of this machine is.
2. Byte code takes the place of the source (`x.pyc` for `x.py`): no source, no cache folder, no time stamp in the image.
3. Each file is compiled by a fork of the same fresh process. What marshal writes hangs on how often an object is
   referenced, and so on what was compiled before; after a fork nothing was.
4. Two such processes share the files, the largest first. A file that does not compile is a CardFault with its name.
5. The path in the byte code is the path on the board.
6. `-B`: while it compiles the library it imports the library, and must not leave caches with the time of the build.
   Not `-I`: it would not hear PYTHONHASHSEED, and sets would lie in another order each time. The environment is empty
   anyway, and the compiler takes the working folder off its path.
7. What was compiled before is not compiled again (images/bytecode.py), unless nothing may be taken from there.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from edge.faults import CardFault
from images import rooted, user_mode
from images.arches import Arch
from images.bytecode import Bytecode

SIDE_BY_SIDE = 2
# Runs in the target. Reads paths below the root `sys.argv[1]`, one a line, from the file `sys.argv[2]`; answers `+` or
# `-` and a sentence per file. The source `sys.argv[3]` is compiled before the first fork, so that qemu has translated
# the compiler once and not once per fork.
COMPILER = r"""
import sys
sys.path[:] = [path for path in sys.path if path]
import importlib.util, os
import _frozen_importlib_external as external
root, listed, first = sys.argv[1:]
def code(data, name):
    made = compile(data, "/" + name, "exec", dont_inherit=True)
    return external._code_to_hash_pyc(made, importlib.util.source_hash(data), False)
def one(name):
    path = root + "/" + name
    with open(path, "rb") as source:
        data = source.read()
    with open(path + "c", "wb") as out:
        out.write(code(data, name))
    os.chmod(path + "c", 0o644)
    os.unlink(path)
with open(first, "rb") as source:
    code(source.read(), "first.py")
with open(listed, encoding="utf-8") as lines:
    names = lines.read().splitlines()
for name in names:
    child = os.fork()
    if not child:
        try:
            one(name)
        except BaseException as error:
            print("-", name, type(error).__name__, error, flush=True)
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        print("+", flush=True)
"""


def sources(tree: Path, *folders: str) -> list[str]:
    """The .py files below folders of the tree, sorted."""
    return sorted(name for folder in folders for name in rooted.files(tree, folder) if name.endswith(".py"))


def compile_all(
    tree: Path,
    arch: Arch,
    python: str,
    folders: tuple[str, ...],
    told: Callable[[int, int], object],
    cache: Path | None = None,
) -> int:
    """Compile every source below folders of the tree and take the sources away; how many there were.

    `told(done, all)` hears how far it is, from two threads. `cache`: a folder with what was compiled before, or None.
    CardFault names what does not compile.
    """
    names = sources(tree, *folders)
    if not names:
        return 0
    largest = sorted(names, key=lambda name: (-(tree / name).stat().st_size, name))
    first = (tree / largest[0]).read_bytes()
    binary = tree / (rooted.resolve(tree, f"usr/bin/python{python}") or "")
    before = Bytecode(cache, binary, COMPILER, first)
    absent = {name: source for name, source in _read(tree, largest) if not _took(tree, name, source, before)}
    here = len(names) - len(absent)
    told(here, len(names))
    if absent:
        _compile(tree, arch, python, list(absent), first, lambda done: told(here + done, len(names)))
    for name, source in absent.items():
        before.keep(name, source, (tree / f"{name}c").read_bytes())
    before.tidy()
    _links(tree, folders)
    caches = [name for name in rooted.files(tree) if "/__pycache__/" in name]
    if caches:
        raise CardFault(f"the tree holds caches of byte code, {caches[0]} is one of {len(caches)}")
    return len(names)


def _read(tree: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        yield name, (tree / name).read_bytes()


def _took(tree: Path, name: str, source: bytes, before: Bytecode) -> bool:
    """Put byte code that was kept in the place of its source; False when there is none."""
    code = before.taken(name, source)
    if code is None:
        return False
    compiled = tree / f"{name}c"
    compiled.write_bytes(code)
    compiled.chmod(0o644)
    (tree / name).unlink()
    return True


def _compile(
    tree: Path, arch: Arch, python: str, names: list[str], first: bytes, told: Callable[[int], object]
) -> None:
    """Compile these, largest first, by two processes. CardFault with what does not compile."""
    counted: list[str] = []

    def heard(line: str) -> None:
        counted.append(line)
        told(len(counted))

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "first.py")
        path.write_bytes(first)
        commands = []
        for number in range(SIDE_BY_SIDE):
            listed = Path(folder, f"{number}.txt")
            listed.write_text("\n".join(names[number::SIDE_BY_SIDE]), "utf-8")
            words = ("-B", "-s", "-S", "-c", COMPILER, str(tree), str(listed), str(path))
            commands.append(user_mode.program(tree, arch, f"usr/bin/python{python}", *words))
        _side_by_side(commands, heard)
    _judge([line[2:] for line in counted if line.startswith("-")], [n for n in names if (tree / n).exists()])


def _links(tree: Path, folders: tuple[str, ...]) -> None:
    """A link from source to source becomes one from byte code to byte code."""
    for name in rooted.links(tree):
        path = tree / name
        target = os.readlink(path)
        if name.endswith(".py") and target.endswith(".py") and name.startswith(tuple(f"{top}/" for top in folders)):
            path.unlink()
            (tree / f"{name}c").symlink_to(f"{target}c")


def _judge(wrong: list[str], left: list[str]) -> None:
    if wrong:
        raise CardFault(f"not every source compiles for the image: {'; '.join(sorted(wrong)[:5])}")
    if left:
        raise CardFault(f"{len(left)} sources were not compiled, {left[0]} is one")


def _side_by_side(commands: list[list[str]], heard: Callable[[str], None]) -> None:
    """Run the commands at the same time; every line that they print is heard. CardFault with what one complained of."""
    # The children go first, or an interruption would wait for threads that follow them to their end.
    with ThreadPoolExecutor(len(commands)) as pool, ExitStack() as stack:
        # Warnings about sources can be more than a pipe takes, and nobody reads them before the end.
        errors = [stack.enter_context(tempfile.TemporaryFile()) for _ in commands]
        children = [stack.enter_context(_running(*pair)) for pair in zip(commands, errors)]
        list(pool.map(lambda child, told: _follow(child, told, heard), children, errors))


@contextmanager
def _running(command: list[str], errors: IO[bytes]) -> Iterator[subprocess.Popen[str]]:
    """The command as a child that does not outlive us."""
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
        env=user_mode.ENVIRONMENT, cwd="/",
    )  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def _follow(child: subprocess.Popen[str], errors: IO[bytes], heard: Callable[[str], None]) -> None:
    assert child.stdout is not None
    for line in child.stdout:
        heard(line.strip())
    if child.wait():
        errors.seek(0)
        last = errors.read().decode("utf-8", "replace").strip().splitlines()[-1:]
        raise CardFault(f"the compiler of the image ended with code {child.returncode}: {''.join(last)}")
