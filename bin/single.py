"""Builds the single-file form: `python3 bin/single.py OUTPUT`, for the Python that runs it.

The file is a sh script, a start program, and a stored zip of `.pyc` files, one behind the other. Rules:
1. One file per Python version: compiled files of another version are not readable. The script looks for that
   version and says so when it finds none.
2. Started with -I -S: the standard library and this file, nothing else, is searched.
3. The same tree and the same Python give the same bytes: sorted names, fixed times, no path of the builder.
4. The zip is a real one, and the file stands on `sys.path`: a child (the board) needs no more than that. The process
   itself reads modules by the list in the start program, because zipimport reads the whole directory at every
   start, which costs more than the modules of the prompt do.
"""

from __future__ import annotations
import __future__

import ast
import importlib.util
import io
import marshal
import os
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STAMP = (1980, 1, 1, 0, 0, 0)
PYC_HEADER = 16

SCRIPT = """\
#!/bin/sh
# Fieldhand in one file for Python @VERSION@: this script, then a start program and a zip of its compiled library.
case $0 in /*) self=$0 ;; *) self=$PWD/$0 ;; esac
for python in /usr/bin/python@VERSION@ python@VERSION@ python3; do
    command -v "$python" >/dev/null && break
    python=
done
rescue='
sys.stderr.write("fieldhand: this file is for Python @VERSION@, and %s is %d.%d: take the one that was made for it, or "
    "install Python @VERSION@\\n" % ((sys.executable,) + sys.version_info[:2]))
sys.exit(3)'
[ "$python" ] && exec "$python" -I -S -c '
import marshal, sys
if sys.implementation.cache_tag != "@TAG@":
    exec(sys.argv[1])
file = open(sys.argv[2], "rb", 0)
file.seek(@START@)
exec(marshal.loads(file.read(@SIZE@)))' "$rescue" "$self" "$@"
printf 'fieldhand: there is no python3 on PATH: install Python @VERSION@\\n' >&2
exit 3
"""

# Runs in `-c`: `file` is open, sys.argv[2] is its path. MODULES holds ` NAME PACKAGE PLACE SIZE` for each module (1 for
# a package, else 0; place and size in the zip). It is text, and the finder a plain namespace, because a table of
# objects and a class cost more to make at every start than a module costs to load.
START = """\
from posix import pread
lib = sys.argv[2]
sys.argv[:3] = ["fieldhand"]
sys.path.insert(3, lib)

def row(name):
    begin = MODULES.find(" " + name + " ")
    return None if begin < 0 else MODULES[begin:begin + 200].split(None, 4)

def find_spec(name, path=None, target=None):
    found = row(name)
    if found is None:
        return None
    package = found[1] == "1"
    place = lib + "/" + name.replace(".", "/")
    spec = Spec(name, finder, origin=place + ("/__init__.pyc" if package else ".pyc"), is_package=package)
    spec.has_location = True
    if package:
        spec.submodule_search_locations.append(place)
    return spec

def create_module(spec):
    return None

def exec_module(module):
    found = row(module.__name__)
    exec(marshal.loads(pread(file.fileno(), int(found[3]), int(found[2]) + ZIP)), module.__dict__)

Spec = type(sys.__spec__)
finder = type(sys.implementation)(find_spec=find_spec, create_module=create_module, exec_module=exec_module)
sys.meta_path.insert(0, finder)
try:
    from edge.cli import main
    sys.exit(main(sys.argv[1:]))
except KeyboardInterrupt:
    sys.exit(130)
"""


def sources(root: str) -> list[str]:
    """Every module below `edge/`, through the links, as sorted paths relative to `root`."""
    found = []
    for folder, below, files in os.walk(os.path.join(root, "edge"), followlinks=True):
        below[:] = [name for name in below if name != "__pycache__"]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files if name.endswith(".py")]
    return sorted(found)


def compiled(root: str, path: str) -> bytes:
    """The `.pyc` of one module; it names `path` in tracebacks and is never compared with a source file.

    The import of `__future__` is left out: the compiler is told by flag, and no start has to load that module.
    """
    with open(os.path.join(root, path), "rb") as file:
        source = file.read()
    tree = ast.parse(source, path)
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    flags = 0
    for node in future:
        tree.body.remove(node)
        flags |= sum(getattr(__future__, name.name).compiler_flag for name in node.names)
    code = compile(tree, path, "exec", flags, dont_inherit=True)
    unchecked = (1).to_bytes(4, "little") + importlib.util.source_hash(source)
    return importlib.util.MAGIC_NUMBER + unchecked + marshal.dumps(code)


def packed(root: str) -> tuple[bytes, str]:
    """The zip, and where in it the code of each module lies, as START wants it told."""
    whole, modules = io.BytesIO(), ""
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
        for path in sources(root):
            code = compiled(root, path)
            archive.writestr(zipfile.ZipInfo(path + "c", STAMP), code)
            name, package = path[: -len(".py")].replace("/", "."), path.endswith("/__init__.py")
            place = whole.tell() - len(code) + PYC_HEADER
            name = name[: -len(".__init__")] if package else name
            modules += f" {name} {package:d} {place} {len(code) - PYC_HEADER}"
    return whole.getvalue(), modules + " "


def script(start: int, size: int) -> bytes:
    """The sh script for the running Python, whose start program is `size` bytes at `start`."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    values = {"VERSION": version, "TAG": sys.implementation.cache_tag or "", "START": f"{start:8}", "SIZE": f"{size:8}"}
    text = SCRIPT
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text.encode()


def build(root: str = ROOT) -> bytes:
    """The whole single file. ValueError when the checkout has lost its links."""
    for link in ("edge/tools", "edge/peripherals"):
        if not os.path.isdir(os.path.join(root, link)):
            raise ValueError(f"{root}/{link} must be a link to a folder: this checkout was made without links")
    archive, modules = packed(root)
    first = len(script(0, 0))

    def program(behind: int) -> bytes:
        head = f"MODULES = {modules!r}\nZIP = {behind}\n"
        return marshal.dumps(compile(head + START, "fieldhand", "exec", dont_inherit=True))

    # Where the zip begins stands in the program, and how long the program is decides where the zip begins.
    start = program(first + len(program(1 << 20)))
    assert len(program(first + len(start))) == len(start)
    return script(first, len(start)) + start + archive


def main(argv: list[str]) -> int:
    """Write the file and make it executable; the exit code."""
    if len(argv) != 1 or argv[0].startswith("-"):
        sys.stderr.write("usage: python3 bin/single.py OUTPUT   (for the Python that runs it)\n")
        return 2
    try:
        whole = build()
    except ValueError as error:
        sys.stderr.write(f"single: {error}\n")
        return 3
    with open(argv[0], "wb") as output:
        output.write(whole)
    os.chmod(argv[0], 0o755)
    magic = importlib.util.MAGIC_NUMBER[:2].hex()
    print(f"{argv[0]}: {len(whole):,} bytes for Python {sys.version_info[0]}.{sys.version_info[1]} (magic {magic})")
    return 0


if __name__ == "__main__":
    if sys.flags.hash_randomization:  # the order of compiled sets depends on it (rule 3)
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    sys.exit(main(sys.argv[1:]))
