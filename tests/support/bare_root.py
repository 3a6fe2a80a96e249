"""A root that holds Python, the project and a folder to work in, and no program: no shell, no `ls`, no `git`.

`run` starts Python in it. This file is also the program that makes the root: a mount name space of its own, which ends
with it (unshare(2), mount(2), chroot(2)); only root can do that. What is bound is read-only but the work folder.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = ("/proc", "/sys", "/dev/null")
_NEW_NAMES = 0x20000  # CLONE_NEWNS
_READ_ONLY, _REMOUNT, _BIND, _ALL_BELOW, _PRIVATE = 1, 32, 4096, 16384, 1 << 18


def why_not() -> str:
    """Why no such root can be made here, "" when it can."""
    if os.geteuid() != 0:
        return "only root can make a root of its own"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import ctypes; raise SystemExit(-ctypes.CDLL(None).unshare({_NEW_NAMES}))"],
        check=False,
        timeout=60,
    )
    return "no mount name space can be made here" if done.returncode else ""


def run(work: Path, *words: str) -> Any:
    """Python with these arguments, in the folder of the project, with an empty PATH and `work` as its home."""
    return subprocess.run(
        [sys.executable, "-I", "-B", __file__, str(work), *words],
        cwd=ROOT,
        env={"PATH": "", "HOME": str(work), "FIELDHAND_SOAK": os.environ.get("FIELDHAND_SOAK", "")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        check=False,
    )


def libraries() -> set[str]:
    """The folders that shared libraries came from so far, and those of the loader."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        mapped = {os.path.dirname(line.split()[-1]) for line in file if ".so" in line}
    return {folder for folder in (*mapped, os.path.realpath("/lib64")) if os.path.isdir(folder)}


def python() -> set[str]:
    """All that this Python is made of: of the system's own, its program and its folders, for its prefix is /usr."""
    paths = sysconfig.get_paths()
    found = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    found |= {os.path.realpath(sys.executable), *(entry for entry in sys.path if entry)}
    found |= {prefix for prefix in (sys.prefix, sys.base_prefix) if prefix not in ("/", "/usr", "/usr/local")}
    if sys.base_prefix == "/usr":
        found |= {"/usr/bin/python3", *map(os.path.realpath, ("/usr/bin/python3",))}
    return {os.path.abspath(path) for path in found if os.path.exists(path)}


class _Mounts:
    """mount(2) below a new root."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._libc = ctypes.CDLL(None, use_errno=True)

    def call(self, source: str, target: str, kind: str, flags: int) -> None:
        words = [os.fsencode(word) for word in (source, target, kind)]
        if self._libc.mount(*words, ctypes.c_ulong(flags), None):
            number = ctypes.get_errno()
            raise OSError(number, f"{target}: {os.strerror(number)}")

    def bind(self, path: str, writable: bool = False) -> None:
        """Have `path` in the new root too, as it is spelled and where it leads."""
        real = os.path.realpath(path)
        target = self.root + real
        if not os.path.lexists(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.isdir(real):
                os.mkdir(target)
            else:
                os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600))
        self.call(real, target, "", _BIND | _ALL_BELOW)
        if not writable:
            self.call(real, target, "", _BIND | _REMOUNT | _READ_ONLY)
        if path != real and not os.path.lexists(self.root + path):
            os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
            os.symlink(real, self.root + path)


def enter(work: str) -> None:
    """Make the root at `work`/root and go into it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NAMES):
        raise OSError(ctypes.get_errno(), "unshare")
    root = os.path.join(work, "root")
    os.mkdir(root)
    mounts = _Mounts(root)
    mounts.call("none", "/", "", _ALL_BELOW | _PRIVATE)
    mounts.call("none", root, "tmpfs", 0)
    for link in ("/lib", "/lib64"):
        if os.path.islink(link):
            os.symlink(os.readlink(link), root + link)
    here = sorted({*python(), *libraries(), str(ROOT)})
    for path in [one for one in here if not any(one.startswith(f"{other}/") for other in here)]:
        mounts.bind(path)
    for path in SYSTEM:
        mounts.bind(path, writable=True)
    desk = os.path.join(work, "desk")
    os.makedirs(desk, exist_ok=True)
    mounts.bind(desk, writable=True)
    os.chroot(root)
    os.environ["HOME"] = desk
    os.chdir(str(ROOT))


if __name__ == "__main__":
    import socket  # noqa: F401 (with all libraries that Python's own modules bring: libraries() sees them)
    import sqlite3  # noqa: F401
    import ssl  # noqa: F401

    enter(sys.argv[1])
    os.execve(sys.executable, [sys.executable, *sys.argv[2:]], dict(os.environ))
