"""QEMU's user mode with a plug-in that counts the instructions of an Arm program, on a machine that is none.

Rules:
1. It is the QEMU 7.2 of Debian 12: that of later packages takes no plug-ins. It is unpacked with its libraries into
   .cache, beside whatever QEMU the machine has, and never installed.
2. The plug-in (bench/count.c) is compiled for it there, again when its source changed.
3. Both are made at first use. What is missing for it (gcc, the archive, a machine of this kind) is Absent.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench import forms
from bench.harness import Absent, Broken
from edge.faults import CardFault
from images import archive, debs, host, mirror, pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from images.arches import Arch

SUITE, PACKAGE = "bookworm", "qemu-user"
CACHE = Path(forms.ROOT, ".cache", "counter")
SOURCE = Path(__file__).with_name("count.c")
# The machine's own: a C library belongs to the loader that starts a program.
_OWN = ("libc6", "libc-bin", "gcc-12-base")
_LIBRARIES = "LD_LIBRARY_PATH"


def words(tree: Path, arch: Arch, counts: Path) -> list[str]:
    """What stands before a program of `tree` to run it and have its count appended to the file `counts`."""
    qemu, plugin = emulator(), compiled()
    (library,) = (qemu / "usr/lib").glob("*-linux-gnu")
    return [
        *("env", f"{_LIBRARIES}={library}", str(qemu / "usr/bin" / arch.qemu), "-U", _LIBRARIES),
        *("-plugin", f"{plugin},to={counts}", "-cpu", arch.cpu, "-L", str(tree)),
    ]


def told(counts: Path) -> float:
    """Millions of instructions of the one program that ended since this was asked last. Broken when it was not one."""
    lines = counts.read_text("ascii").split() if counts.exists() else []
    counts.unlink(missing_ok=True)
    if len(lines) != 1:
        raise Broken(f"the counting plug-in told of {len(lines)} programs, not of one")
    return int(lines[0]) / 1e6


def emulator() -> Path:
    """The folder with QEMU 7.2 and its libraries, as they lie in a file system."""
    tree = CACHE / "qemu"
    if not tree.is_dir():
        try:
            with tempfile.TemporaryDirectory(prefix="counter-") as folder:
                _unpack(Path(folder, "apt"), Path(folder, "tree"))
                CACHE.mkdir(parents=True, exist_ok=True)
                shutil.copytree(Path(folder, "tree"), CACHE / f"qemu.{os.getpid()}", symlinks=True)
        except CardFault as fault:
            raise Absent(f"QEMU 7.2 cannot be had: {fault.sentence}") from fault
        _placed(CACHE / f"qemu.{os.getpid()}", tree)
    return tree


def _unpack(apt: Path, tree: Path) -> None:
    """Fetch what the package asks for, proved, and unpack it."""
    apt.mkdir()
    tree.mkdir()
    kind = host.run("dpkg", "--print-architecture").decode().strip()
    found = archive.Archive(SUITE, kind, apt)
    found.update()
    wanted = [
        pool.Wanted(
            one.stanza["Package"],
            one.stanza["Filename"].rpartition("/")[2],
            int(one.stanza["Size"]),
            one.stanza["SHA256"],
            f"{mirror.site(one.archive)}/{one.stanza['Filename']}",
        )
        for one in found.resolve([PACKAGE])
        if one.stanza["Package"] not in _OWN
    ]
    for file in pool.download(wanted).values():
        debs.unpack(file, tree, lambda name: name.startswith(("usr/bin/qemu-", "usr/lib/")))


def compiled() -> Path:
    """The plug-in, newer than its source."""
    made = CACHE / "count.so"
    if not made.exists() or made.stat().st_mtime < SOURCE.stat().st_mtime:
        compiler = shutil.which("gcc")
        if compiler is None:
            raise Absent("gcc is not on this machine: the counting plug-in cannot be compiled")
        CACHE.mkdir(parents=True, exist_ok=True)
        new = CACHE / f"count.{os.getpid()}"
        _run(compiler, "-O2", "-shared", "-fPIC", "-nostdlib", "-fvisibility=hidden", "-o", str(new), str(SOURCE))
        os.replace(new, made)
    return made


def _run(*command: str) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace")[-300:].strip()
        raise Broken(f"{command[0]} ended with {done.returncode}: {said}")


def _placed(new: Path, tree: Path) -> None:
    """Give a folder its name; one that another run put there meanwhile is as good."""
    try:
        new.rename(tree)
    except OSError:
        shutil.rmtree(new)
