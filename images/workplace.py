"""Where a build works, and how its results come to their place: at the end, or not at all.

Rules:
1. A build works in a folder `.building-PID-*` beside its results. It goes when the build ends, however it ends; what a
   build left that was killed outright goes with the next one. With `keep` it is `kept-*`, and stays for good. Whether a
   build lives is told by the lock on its folder (flock(2)): its number means nothing in another container.
2. Results are moved by renaming when all of them are there, the manifest last: who finds it finds what it names.
   A folder is of one product and version, since it has one manifest; what an earlier build of them had more goes. Two
   builds that end at once do so one after the other.
3. A build asks for room before it begins.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from edge.faults import CardFault

NEEDED = 900_000_000
_MARK = ".building-"
LAST = ("manifest.json", "manifest.sig")
ENDS = (".update", ".img.zst", ".img.bmap")  # of what a manifest names


@contextmanager
def place(out: Path, keep: bool) -> Iterator[Path]:
    """A folder to work in; CardFault when there is no room or no right to make one."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with locked(out):
            _swept(out)
        free = shutil.disk_usage(out).free
        if free < NEEDED:
            raise CardFault(
                f"{out} has {free / 1e6:.0f} MB of room, a build wants {NEEDED / 1e6:.0f} MB",
                "free some, or name another folder with --out",
            )
    except OSError as error:
        raise CardFault(f"nothing can be built in {out}: {(error.strerror or 'unknown').lower()}") from error
    with held(out, "kept-" if keep else f"{_MARK}{os.getpid()}-") as work:
        try:
            yield work
        finally:
            if not keep:
                shutil.rmtree(work, ignore_errors=True)


@contextmanager
def held(out: Path, prefix: str) -> Iterator[Path]:
    """A new folder in `out` whose lock says that somebody lives in it. CardFault when none can be made."""
    with ExitStack() as stack:
        try:
            with locked(out):
                work = Path(tempfile.mkdtemp(prefix=prefix, dir=out))
                stack.enter_context(locked(work))
        except OSError as error:
            raise CardFault(f"nothing can be built in {out}: {(error.strerror or 'unknown').lower()}") from error
        yield work


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder is ours alone meanwhile, as far as its file system knows locks."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)  # a child that was forked meanwhile has the same lock
        os.close(handle)


def _dead(folder: Path) -> bool:
    """Whether nobody holds the lock on it; where locks are not known, whether its process is gone."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:
        pid = folder.name[len(_MARK) :].partition("-")[0]
        return not Path(f"/proc/{pid}").exists()
    finally:
        os.close(handle)


def _swept(out: Path) -> None:
    """Remove what dead builds left."""
    for path in out.glob(f"{_MARK}*"):
        pid = path.name[len(_MARK) :].partition("-")[0]
        with suppress(OSError):
            if pid.isdecimal() and not path.is_symlink() and _dead(path):
                shutil.rmtree(path, ignore_errors=True)


def published(results: Path, folder: Path) -> None:
    """Move all files of `results` into `folder`, which is on the same file system."""
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        old = {path.name for path in folder.iterdir() if path.name.endswith(ENDS)} - {*LAST}
        for gone in (*LAST, *(old - {path.name for path in results.iterdir()})):
            (folder / gone).unlink(missing_ok=True)
        for path in _ordered(sorted(results.iterdir())):
            os.replace(path, folder / path.name)


def _ordered(paths: Sequence[Path]) -> list[Path]:
    return [*(path for path in paths if path.name not in LAST), *(path for path in paths if path.name in LAST)]
