"""Two drivers that Debian's kernels are made without, built from Debian's own source for the kernel of a card.

Rules:
1. Everything is of one version: source, headers and the programs of the build are those of the card's kernel, named by
   the archive's signed lists and proved by the hashes that stand there.
2. What was built is kept in .cache/hil/modules/RELEASE and used again; nothing of the kernel's source is in this
   project, and what is built goes onto no card.
3. The compiler may be another one than the kernel was built with: what this one lacks is switched off (SETTINGS).
4. modpost, a program of the build for amd64, is run with the C library of its own suite: Debian 12 has an older one.
"""

from __future__ import annotations

import os
import re
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from edge.faults import CardFault
from edge.record import Record
from images import debs, host, mirror, pool
from images.archive import Archive, Found

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "hil"
DRIVERS = {"i2c-virtio": "drivers/i2c/busses/i2c-virtio.c", "gpio-virtio": "drivers/gpio/gpio-virtio.c"}
CROSS = "aarch64-linux-gnu-"
SETTINGS = (
    f"CC={CROSS}gcc",  # not the version that the kernel was built with
    "CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=",  # gcc 14 has it
    "CONFIG_DEBUG_INFO_BTF_MODULES=",  # needs pahole
)
_LOADER = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"


class Kernel(Record):
    """`release` as uname -r says it, `version` of its packages, the `suite` they are of."""

    release: str
    version: str
    suite: str

    @property
    def line(self) -> str:
        """6.12.118+deb13-arm64 -> 6.12.118+deb13: what headers and programs are named by."""
        return self.release.rpartition("-")[0]

    @property
    def series(self) -> str:
        """6.12: what the source is named by."""
        return ".".join(self.release.split(".")[:2])


def kernel(image: bytes) -> Kernel:
    """What an unpacked kernel of Debian's says of itself; CardFault when it says nothing of the kind."""
    found = re.search(rb"Linux version (\S+-arm64) \(.*?\) #1 SMP\S* .*?Debian (\S+) \(", image)
    suite = (
        {b"deb12": "bookworm", b"deb13": "trixie"}.get(found[1].partition(b"+")[2].split(b"-")[0]) if found else None
    )
    if not found or not suite:
        raise CardFault("the kernel of the card does not say which of Debian's arm64 kernels it is")
    return Kernel(found[1].decode(), found[2].decode(), suite)


def built(wanted: Kernel, say: Callable[[str], None] = lambda line: None, cache: Path = CACHE) -> list[Path]:
    """The modules for this kernel, from the cache or made now (two minutes, 170 MB are fetched)."""
    folder = cache / "modules" / wanted.release
    found = [folder / f"{name}.ko" for name in DRIVERS]
    if not all(path.exists() for path in found):
        for program in ("make", f"{CROSS}gcc", f"{CROSS}strip"):
            host.find(program)
        say(f"drivers for {wanted.release} are built once")
        _make(_fetched(wanted, cache / "pool"), wanted, folder)
    return found


def _fetched(wanted: Kernel, cache: Path) -> dict[str, Path]:
    """Package -> file: rule 1."""
    ours = (f"linux-headers-{wanted.release}", f"linux-headers-{wanted.line}-common", f"linux-source-{wanted.series}")
    found = _named(wanted.suite, "arm64", ours, wanted.version)
    found += _named(wanted.suite, "amd64", (f"linux-kbuild-{wanted.line}",), wanted.version)
    found += _named(wanted.suite, "amd64", ("libc6",), "")
    return pool.download([_wanted(one) for one in found], cache)


def _named(suite: str, arch: str, names: Sequence[str], version: str) -> list[Found]:
    """What the archive has by these names, in this version where one is given."""
    with tempfile.TemporaryDirectory(prefix="fieldhand-apt-") as folder:
        archive = Archive(suite, arch, Path(folder))
        archive.update()
        found = archive.resolve([f"{name}={version}" if version else name for name in names])
    return [one for one in found if one.stanza["Package"] in names]


def _wanted(one: Found) -> pool.Wanted:
    path, stanza = one.stanza["Filename"], one.stanza
    address = f"{mirror.site(one.archive)}/{path}"
    return pool.Wanted(
        stanza["Package"], path.rpartition("/")[2], int(stanza["Size"]), stanza["SHA256"].lower(), address
    )


def _make(packages: dict[str, Path], wanted: Kernel, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="hil-modules-") as work:
        tree, code = Path(work) / "tree", Path(work) / "code"
        tree.mkdir()
        code.mkdir()
        for path in packages.values():
            debs.unpack(path, tree, _needed)
        _sources(tree / f"usr/src/linux-source-{wanted.series}.tar.xz", code)
        headers = _settled(tree, wanted)
        (code / "Kbuild").write_text("".join(f"obj-m += {name}.o\n" for name in DRIVERS))
        host.run("make", "-C", headers, f"M={code}", *SETTINGS, "modules")
        for name in DRIVERS:
            host.run(f"{CROSS}strip", "-g", code / f"{name}.ko")
        _keep([code / f"{name}.ko" for name in DRIVERS], folder)


def _needed(inner: str) -> bool:
    return inner.startswith(("usr/src/", "usr/lib/linux-kbuild-", "usr/lib/x86_64-linux-gnu/"))


def _sources(archive: Path, into: Path) -> None:
    """The files of DRIVERS out of the whole source, which is read up to the last of them."""
    left = {path: name for name, path in DRIVERS.items()}
    with tarfile.open(archive, "r|xz") as whole:
        for member in whole:
            name = left.pop(member.name.partition("/")[2], "")
            content = whole.extractfile(member) if name else None
            if content:
                (into / f"{name}.c").write_bytes(content.read())
            if not left:
                return
    raise CardFault(f"{archive.name} has no {', '.join(left)}")


def _settled(tree: Path, wanted: Kernel) -> Path:
    """The headers' folder, made to work where it was unpacked: they name their places from the root, and rule 4."""
    headers = tree / f"usr/src/linux-headers-{wanted.release}"
    makefile = headers / "Makefile"
    makefile.write_text(makefile.read_text().replace(" /usr/src/", f" {tree}/usr/src/"))
    modpost = tree / f"usr/lib/linux-kbuild-{wanted.line}/scripts/mod/modpost"
    libraries = (tree / _LOADER).parent
    modpost.write_text(f'#!/bin/sh\nexec {tree}/{_LOADER} --library-path {libraries} {modpost}.real-lsb-64 "$@"\n')
    return headers


def _keep(modules: Sequence[Path], folder: Path) -> None:
    """Into the cache, each as a whole: another run may look at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in modules:
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(path.read_bytes())
        os.replace(file.name, folder / path.name)
