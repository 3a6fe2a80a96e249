"""Kernel modules: those that the boards need and what these need in turn; all others stay in the package.

Rules:
1. A name is a module, or built into this kernel, or not made for it. Only the names of MUST have to be there.
2. What a module needs is read from the module (`depends=` and `softdep=` of its section .modinfo), so that no list of
   the package has to be trusted and none has to be made first.
3. Modules lie in the tree uncompressed: the file system compresses them better, and busybox loads them as they are.
4. `depmod` writes the index; of it stays what busybox reads: modules.dep, modules.alias, modules.builtin.
"""

from __future__ import annotations

import lzma
import tempfile
from collections.abc import Iterable
from pathlib import Path

from edge.faults import CardFault
from images import debs, elf, host, module_names, rooted

FOLDER = "usr/lib/modules"
ENDS = (".ko", ".ko.xz")
_LARGEST, _MEMORY = 64 << 20, 512 << 20  # bytes
INDEX = ("modules.dep", "modules.alias", "modules.builtin")


def install(deb: Path, tree: Path, more: Iterable[str] = ()) -> list[str]:
    """Put the modules of a kernel package into the tree, indexed; their paths in it, sorted.

    `more` are names of a product beyond those of images/module_names.py; each has to be there.
    CardFault names what is missing.
    """
    with tempfile.TemporaryDirectory(dir=tree.parent) as folder:
        whole = Path(folder)
        taken = debs.unpack(deb, whole, _wanted)
        version = _version(taken, deb)
        present = {_name(inner): inner for inner in taken if inner.endswith(ENDS)}
        builtin = _builtin(whole / FOLDER / version)
        must = (*module_names.MUST, *more)
        missing = [name for name in must if _plain(name) not in present and _plain(name) not in builtin]
        if missing:
            raise CardFault(f"the kernel {version} has no {', '.join(missing)}")
        chosen = _chosen(whole, present, [*must, *module_names.every()])
        found = sorted(_take(whole, tree, present[name]) for name in chosen)
        for name in ("modules.builtin", "modules.order"):
            (tree / FOLDER / version / name).write_bytes((whole / FOLDER / version / name).read_bytes())
    _index(tree, version)
    return found


def _wanted(inner: str) -> bool:
    return inner.startswith(f"{FOLDER}/") and (inner.endswith(ENDS) or inner.endswith(("/modules.builtin", "order")))


def _version(taken: list[str], deb: Path) -> str:
    versions = {inner.split("/")[3] for inner in taken}
    if len(versions) != 1:
        raise CardFault(f"{deb.name} holds the modules of {len(versions)} kernels, one is wanted")
    return versions.pop()


def _plain(name: str) -> str:
    """Dashes and underscores are one in the names of modules (modprobe(8))."""
    return name.replace("-", "_")


def _name(inner: str) -> str:
    return _plain(inner.rpartition("/")[2].partition(".ko")[0])


def _builtin(folder: Path) -> set[str]:
    """What the kernel itself has, by name."""
    return {_name(line) for line in (folder / "modules.builtin").read_text("utf-8").split()}


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    if not path.name.endswith(".xz"):
        return data
    try:
        module = lzma.LZMADecompressor(memlimit=_MEMORY).decompress(data, _LARGEST + 1)
    except (lzma.LZMAError, EOFError) as fault:
        raise CardFault(f"the module {path.name} cannot be unpacked: {fault}") from fault
    if len(module) > _LARGEST:
        raise CardFault(f"the module {path.name} unpacks to more than {_LARGEST >> 20} MiB")
    return module


def _chosen(whole: Path, present: dict[str, str], names: Iterable[str]) -> list[str]:
    """The names and all that they need, as far as they are modules here."""
    done: dict[str, None] = {}
    rest = [_plain(name) for name in names]
    while rest:
        name = rest.pop()
        if name in present and name not in done:
            done[name] = None
            rest += needs(_content(whole / present[name]))
    return list(done)


def needs(module: bytes) -> list[str]:
    """The names of modules that one needs or asks for before or after itself, from its .modinfo."""
    found = []
    for entry in elf.section(module, ".modinfo").decode("utf-8", "replace").split("\0"):
        key, _, value = entry.partition("=")
        if key == "depends":
            found += [_plain(name) for name in value.split(",") if name]
        if key == "softdep":
            found += [_plain(name) for name in value.split() if not name.endswith(":")]
    return found


def _take(whole: Path, tree: Path, inner: str) -> str:
    bare = inner[: -len(".xz")] if inner.endswith(".xz") else inner
    path = tree / bare
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_content(whole / inner))
    path.chmod(0o644)
    return bare


def _index(tree: Path, version: str) -> None:
    """The lists that modprobe reads."""
    if not (tree / "lib").exists():
        raise CardFault("the tree has no /lib, which depmod looks below")
    host.run("depmod", "-b", tree, version)
    for path in (tree / FOLDER / version).glob("modules.*"):
        path.chmod(0o644)
        if path.name not in INDEX:
            path.unlink()


def closure(tree: Path, names: Iterable[str]) -> list[str]:
    """The modules with all that they need, as paths inside the tree, in the order in which they are loaded.

    A name that is built into the kernel is left out. CardFault for one that is neither.
    """
    versions = sorted(path.name for path in (tree / FOLDER).iterdir()) if (tree / FOLDER).is_dir() else []
    if len(versions) != 1:
        raise CardFault(f"the tree has the modules of {len(versions)} kernels, one is wanted")
    folder = f"{FOLDER}/{versions[0]}"
    needed: dict[str, list[str]] = {}
    for line in (tree / folder / "modules.dep").read_text("utf-8").splitlines():
        path, _, rest = line.partition(":")
        # depmod writes what is needed last first.
        needed[_name(path)] = [*rest.split()[::-1], path]
    builtin = _builtin(tree / folder)
    found: dict[str, None] = {}
    for name in map(_plain, names):
        if name not in needed and name not in builtin:
            raise CardFault(f"the kernel {versions[0]} of the image has no module {name}")
        for path in needed.get(name, []):
            found[f"{folder}/{path}"] = None
    return list(found)


def size(tree: Path) -> int:
    """Bytes of all modules in the tree."""
    return rooted.size(tree, FOLDER)
