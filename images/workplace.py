"""Where a build works, and how its results come to their place: at the end, or not at all.

Rules:
1. A build works in a folder `.building-PID-*` beside its results. It goes when the build ends, however it ends; what a
   build left that was killed outright goes with the next one. With `keep` it is `kept-*`, and stays for good.
2. Results are moved by renaming when all of them are there, the manifest last: who finds it finds what it names.
   Files of other versions stay where they are.
3. A build asks for room before it begins.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from edge.faults import CardFault

NEEDED = 900_000_000
_MARK = ".building-"
LAST = ("manifest.json", "manifest.sig")


@contextmanager
def place(out: Path, keep: bool) -> Iterator[Path]:
    """A folder to work in; CardFault when there is no room or no right to make one."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        _swept(out)
        free = shutil.disk_usage(out).free
        if free < NEEDED:
            raise CardFault(
                f"{out} has {free / 1e6:.0f} MB of room, a build wants {NEEDED / 1e6:.0f} MB",
                "free some, or name another folder with --out",
            )
        work = Path(tempfile.mkdtemp(prefix="kept-" if keep else f"{_MARK}{os.getpid()}-", dir=out))
    except OSError as error:
        raise CardFault(f"nothing can be built in {out}: {(error.strerror or 'unknown').lower()}") from error
    try:
        yield work
    finally:
        if not keep:
            shutil.rmtree(work, ignore_errors=True)


def _swept(out: Path) -> None:
    """Remove what dead builds left."""
    for path in out.glob(f"{_MARK}*"):
        pid = path.name[len(_MARK) :].partition("-")[0]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            shutil.rmtree(path, ignore_errors=True)


def published(results: Path, folder: Path) -> None:
    """Move all files of `results` into `folder`, which is on the same file system."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in LAST:
        (folder / name).unlink(missing_ok=True)
    for path in _ordered(sorted(results.iterdir())):
        os.replace(path, folder / path.name)


def _ordered(paths: Sequence[Path]) -> list[Path]:
    return [*(path for path in paths if path.name not in LAST), *(path for path in paths if path.name in LAST)]
