"""Programs of the machine that builds: found, run, and their errors as sentences.

Rules:
1. A program runs with an environment of its own: a search path, the locale C, the time zone UTC, for mtools that our
   FATs have no geometry of a floppy disk, and what the call adds. What the builder has set (language, umask,
   SOURCE_DATE_EPOCH, TMPDIR) cannot come into a result.
2. A program that is absent is told with the Debian package that brings it.
3. A program that fails is told with its last lines. A full disk is told as a full disk.
4. A child ends with us: an interruption kills it before it goes on upwards.
5. A child has a deadline, and is killed behind it: far longer than the longest that was seen on a loaded machine, and
   still an end for a build that nobody looks at.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from edge.faults import CardFault
from images.progress import span

# program -> the Debian package it is in
PACKAGES = {
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
    "aarch64-linux-gnu-strip": "binutils-aarch64-linux-gnu",
    "apt-get": "apt",
    "arm-linux-gnueabihf-gcc": "gcc-arm-linux-gnueabihf",
    "arm-linux-gnueabihf-strip": "binutils-arm-linux-gnueabihf",
    "debugfs": "e2fsprogs",
    "depmod": "kmod",
    "e2fsck": "e2fsprogs",
    "fdtput": "device-tree-compiler",
    "mcopy": "mtools",
    "mdir": "mtools",
    "mke2fs": "e2fsprogs",
    "mkfs.vfat": "dosfstools",
    "mkimage": "u-boot-tools",
    "mksquashfs": "squashfs-tools",
    "mmd": "mtools",
    "qemu-aarch64-static": "qemu-user-static",
    "qemu-arm-static": "qemu-user-static",
    "unsquashfs": "squashfs-tools",
    "zstd": "zstd",
}
# Where a normal user's path often does not reach.
PLACES = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

SECONDS = 3600.0


def places() -> str:
    """Where programs are looked for: PATH, then PLACES. An empty part of PATH would be the folder that we are in, which
    may be a stick of somebody else's: it is left out."""
    return os.pathsep.join([*filter(None, os.environ.get("PATH", "").split(os.pathsep)), PLACES])


def find(program: str) -> str:
    """The path of a program; CardFault with the package that brings it."""
    found = shutil.which(program, path=places())
    if found is None:
        package = PACKAGES.get(program)
        raise CardFault(
            f"{program} is not on this machine", f"apt install {package}" if package else f"install {program}"
        )
    return found


def missing(programs: Sequence[str]) -> list[str]:
    """The packages of those programs that are not here, sorted."""
    absent = [name for name in programs if not shutil.which(name, path=places())]
    return sorted({PACKAGES.get(name, name) for name in absent})


def environment(add: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child: rule 1."""
    plain = {"LC_ALL": "C", "TZ": "UTC", "HOME": "/nonexistent", "MTOOLS_SKIP_CHECK": "1"}
    return {"PATH": places(), **plain, **(add or {})}


def ended(
    command: Sequence[str | Path], settings: Mapping[str, str], data: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end with `data` as its input; the caller looks at the code. CardFault by rule 5."""
    try:
        words = [str(word) for word in command]
        return subprocess.run(
            words, input=data, capture_output=True, env=settings, cwd=cwd, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise CardFault(
            f"{Path(command[0]).name} did not end within {span(SECONDS)}, and was stopped",
            "try again when this machine and its network have less to do",
        ) from late


def run(*words: str | Path, add: Mapping[str, str] | None = None, cwd: Path | None = None, data: bytes = b"") -> bytes:
    """Run a program to its end and give what it printed; CardFault when it is absent, fails or takes too long."""
    program = str(words[0])
    done = ended([find(program), *words[1:]], environment(add), data, cwd)
    if done.returncode:
        raise CardFault(_failed(Path(program).name, done.returncode, done.stderr or done.stdout))
    return done.stdout


def _failed(program: str, code: int, told: bytes) -> str:
    lines = [line.strip() for line in told.decode("utf-8", "replace").splitlines() if line.strip()]
    if any(os.strerror(errno.ENOSPC) in line or "Disk full" in line for line in lines):
        return f"{program} ran out of disk space: {lines[-1]}"
    how = f"was killed by signal {-code}" if code < 0 else f"failed with code {code}"
    return f"{program} {how}: {' / '.join(lines[-3:]) or 'it said nothing'}"
