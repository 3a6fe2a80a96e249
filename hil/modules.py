"""Two drivers that Debian's kernels are made without, built from Debian's own source for the kernel of a card.

Rules:
1. Everything is of one version: source, headers and the programs of the build are those of the card's kernel, named by
   the archive's signed lists and proved by the hashes that stand there.
2. What was built is kept in .cache/hil/modules/RELEASE and used again; nothing of the kernel's source is in this
   project, and what is built goes onto no card.
3. The compiler may be another one than the kernel was built with: what this one lacks is switched off (SETTINGS).
4. modpost, a program of the build for amd64, is run with the C library of its own suite: Debian 12 has an older one
   than what comes from Debian 13 wants.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from edge.faults import CardFault
from edge.record import Record
from images import debs, host, mirror, pool
from images.archive import Archive, Found

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "hil"
DRIVERS = {"i2c-virtio": "drivers/i2c/busses/i2c-virtio.c", "gpio-virtio": "drivers/gpio/gpio-virtio.c"}
# architecture -> what its compiler is called by, and which modpost reads its objects
CROSS = {"arm64": ("aarch64-linux-gnu-", "lsb-64"), "armhf": ("arm-linux-gnueabihf-", "lsb-32")}
SETTINGS = (
    "CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=",  # gcc 14 has it
    "CONFIG_DEBUG_INFO_BTF_MODULES=",  # needs pahole
)
_LIBRARIES = "lib/x86_64-linux-gnu"


class Kernel(Record):
    """`release` as uname -r says it; Debian's suite and architecture."""

    release: str
    suite: str
    arch: str

    @property
    def series(self) -> str:
        """6.12.118+deb13-arm64 -> 6.12: what the source is named by."""
        return ".".join(self.release.split(".")[:2])


def built(wanted: Kernel, say: Callable[[str], None] = lambda line: None, cache: Path = CACHE) -> list[Path]:
    """The modules for this kernel, from the cache or made now (minutes; 170 MB are fetched)."""
    folder = cache / "modules" / wanted.release
    found = [folder / f"{name}.ko" for name in DRIVERS]
    if not all(path.exists() for path in found):
        with _alone(cache):
            if not all(path.exists() for path in found):
                say(f"drivers for {wanted.release} are built once")
                _build(wanted, cache / "pool", folder)
    return found


@contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """Another run that wants the same waits here, and finds it done."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "building").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(wanted: Kernel, packages: Path, folder: Path) -> None:
    """Fetched, made and kept; the packages go again: the next kernel has others."""
    for program in ("make", *(f"{CROSS[wanted.arch][0]}{name}" for name in ("gcc", "strip"))):
        host.find(program)
    _make(_fetched(wanted, packages), wanted, folder)
    shutil.rmtree(packages)


def _fetched(wanted: Kernel, cache: Path) -> list[Path]:
    """Headers, source, programs of the build and their C library, by rule 1."""
    name = f"linux-headers-{wanted.release}"
    headers = _archived(wanted.suite, wanted.arch, [name], ("linux-headers-", "linux-kbuild-"))
    version = next(one.stanza["Version"] for one in headers if one.stanza["Package"] == name)
    programs = next(one for one in headers if one.stanza["Package"].startswith("linux-kbuild-"))
    headers.remove(programs)  # they are needed as this machine runs them
    names = (f"linux-source-{wanted.series}", programs.stanza["Package"])
    others = _archived(wanted.suite, "amd64", [*(f"{one}={version}" for one in names), "libc6"], (*names, "libc6"))
    return list(pool.download([_wanted(one) for one in (*headers, *others)], cache).values())


def _archived(suite: str, arch: str, names: Sequence[str], kept: tuple[str, ...]) -> list[Found]:
    """What apt takes for these packages, as far as its name begins like one of `kept`."""
    with tempfile.TemporaryDirectory(prefix="fieldhand-apt-") as folder:
        archive = Archive(suite, arch, Path(folder))
        archive.update()
        found = archive.resolve(names)
    return [one for one in found if one.stanza["Package"].startswith(kept)]


def _wanted(one: Found) -> pool.Wanted:
    path, stanza = one.stanza["Filename"], one.stanza
    address = f"{mirror.site(one.archive)}/{path}"
    return pool.Wanted(
        stanza["Package"], path.rpartition("/")[2], int(stanza["Size"]), stanza["SHA256"].lower(), address
    )


def _make(packages: Sequence[Path], wanted: Kernel, folder: Path) -> None:
    cross, _ = CROSS[wanted.arch]
    with tempfile.TemporaryDirectory(prefix="hil-modules-") as work:
        tree, code = Path(work) / "tree", Path(work) / "code"
        tree.mkdir()
        code.mkdir()
        for path in packages:
            debs.unpack(path, tree, _needed)
        _sources(tree / f"usr/src/linux-source-{wanted.series}.tar.xz", code)
        (code / "Kbuild").write_text("".join(f"obj-m += {name}.o\n" for name in DRIVERS))
        host.run("make", "-C", _settled(tree, wanted), f"M={code}", *_settings(cross), "modules")
        for name in DRIVERS:
            host.run(f"{cross}strip", "-g", code / f"{name}.ko")
        _keep([code / f"{name}.ko" for name in DRIVERS], folder)


def _settings(cross: str) -> tuple[str, ...]:
    return (f"CROSS_COMPILE={cross}", f"CC={cross}gcc", *SETTINGS)


def _needed(inner: str) -> bool:
    return inner.startswith(("usr/src/", "usr/lib/linux-kbuild-", f"usr/{_LIBRARIES}/"))


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
    (modpost,) = tree.glob("usr/lib/linux-kbuild-*/scripts/mod/modpost")
    libraries = tree / "usr" / _LIBRARIES
    program = f"{modpost}.real-{CROSS[wanted.arch][1]}"
    modpost.write_text(f'#!/bin/sh\nexec {libraries}/ld-linux-x86-64.so.2 --library-path {libraries} {program} "$@"\n')
    return headers


def _keep(modules: Sequence[Path], folder: Path) -> None:
    """Into the cache, each as a whole: another run may look at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in modules:
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(path.read_bytes())
        os.replace(file.name, folder / path.name)
