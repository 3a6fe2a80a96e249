"""Every module of Fieldhand, and of the libraries beside it that Fieldhand names, imports under the board's Python."""

from __future__ import annotations

from pathlib import Path

from images import agent, arches, rooted, user_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from images.tree import Target

# Reads names, one a line; prints what went wrong, one sentence a line.
PROGRAM = r"""
import importlib, sys
sys.path.insert(3, sys.argv[1])
for name in sys.stdin.read().split():
    try:
        importlib.import_module(name)
    except BaseException as error:
        print("%s does not import: %s: %s" % (name, type(error).__name__, error))
print("end")
"""
STANDARD = (
    "asyncio bz2 csv ctypes decimal difflib email.message hashlib html http.client json logging lzma multiprocessing"
    " readline shelve sqlite3 ssl statistics tomllib unicodedata urllib.request zlib zoneinfo"
)


def names(tree: Path) -> list[str]:
    """The modules of edge, by their files, and the first names of the libraries."""
    library = tree / agent.LIBRARY
    found = []
    for inner in rooted.files(library, "edge"):
        parts = inner.rpartition(".pyc")[0].split("/")
        if inner.endswith(".pyc") and parts[-1] != "__main__":
            found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    beside = [path.stem for path in library.iterdir() if path.suffix == ".pyc" or (path / "__init__.pyc").is_file()]
    return [*STANDARD.split(), *sorted(found), *sorted(name for name in beside if name != "edge")]


def check(tree: Path, product: Target) -> list[str]:
    """A sentence for each module that does not import."""
    arch = arches.named(product.arch)
    words = ("-I", "-S", "-c", PROGRAM, str(tree / agent.LIBRARY))
    command = user_mode.program(tree, arch, f"usr/bin/python{product.python}", *words)
    code, out, errors = user_mode.run(command, "\n".join(names(tree)).encode())
    lines = out.decode("utf-8", "replace").splitlines()
    if code or lines[-1:] != ["end"]:
        last = "".join(errors.decode("utf-8", "replace").strip().splitlines()[-1:])
        return [f"the Python of the image ended with code {code}: {last}"]
    return lines[:-1]
