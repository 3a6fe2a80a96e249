"""Builds the single-file form: `python3 bin/single.py OUTPUT`, for the Python that runs it.

The file is a sh script with a stored zip of `.pyc` files behind it. Rules:
1. One file per Python version: compiled files of another version are not readable. The script looks for that
   version and says so when it finds none.
2. Started with -I -S: the standard library and this file, nothing else, is searched.
3. The same tree and the same Python give the same bytes: sorted names, fixed times, no path of the builder.
"""

from __future__ import annotations

import importlib.util
import io
import os
import py_compile
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STAMP = (1980, 1, 1, 0, 0, 0)

HEADER = """\
#!/bin/sh
# Fieldhand in one file for Python @VERSION@: this script, then a zip of its compiled library.
case $0 in /*) self=$0 ;; *) self=$PWD/$0 ;; esac
for python in /usr/bin/python@VERSION@ python@VERSION@ python3; do
    command -v "$python" >/dev/null && break
done
rescue='
if isinstance(error, KeyboardInterrupt):
    sys.exit(130)
if sys.implementation.cache_tag == "@TAG@":
    raise
sys.stderr.write("fieldhand: this file is for Python @VERSION@, and %s is %d.%d: take the file made for that one, or "
    "install Python @VERSION@\\n" % ((sys.executable,) + sys.version_info[:2]))
sys.exit(3)'
command -v "$python" >/dev/null && exec "$python" -I -S -c '
import sys
rescue = sys.argv[1]
sys.path.insert(3, sys.argv[2])
sys.argv[:3] = ["fieldhand"]
try:
    if sys.implementation.cache_tag != "@TAG@":
        raise ImportError
    from edge.cli import main
    sys.exit(main(sys.argv[1:]))
except (ImportError, KeyboardInterrupt) as error:
    exec(rescue)' "$rescue" "$self" "$@"
printf 'fieldhand: there is no python3 on PATH: install Python @VERSION@\\n' >&2
exit 3
"""


def header() -> bytes:
    """The script in front of the zip, for the running Python."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    tag = sys.implementation.cache_tag or ""
    return HEADER.replace("@VERSION@", version).replace("@TAG@", tag).encode()


def sources(root: str) -> list[str]:
    """Every module below `edge/`, through the links, as sorted paths relative to `root`."""
    found = []
    for folder, below, files in os.walk(os.path.join(root, "edge"), followlinks=True):
        below[:] = [name for name in below if name != "__pycache__"]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files if name.endswith(".py")]
    return sorted(found)


def compiled(root: str, path: str, folder: str) -> bytes:
    """The `.pyc` of one module; it names `path` in tracebacks and is never compared with a source file."""
    target = os.path.join(folder, "module.pyc")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(os.path.join(root, path), target, path, doraise=True, invalidation_mode=mode)
    with open(target, "rb") as made:
        return made.read()


def build(root: str = ROOT) -> bytes:
    """The whole single file. ValueError when the checkout has lost its links."""
    for link in ("edge/tools", "edge/peripherals"):
        if not os.path.isdir(os.path.join(root, link)):
            raise ValueError(f"{root}/{link} must be a link to a folder: this checkout was made without links")
    whole = io.BytesIO()
    whole.write(header())
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
        for path in sources(root):
            archive.writestr(zipfile.ZipInfo(path + "c", STAMP), compiled(root, path, folder))
    return whole.getvalue()


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
