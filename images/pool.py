"""Packages as files: from a folder of the user's, from the cache, else from the archive; never used unproved.

Rules:
1. Size and SHA-256 of the lock decide, wherever a file comes from; a damaged file in the cache is fetched anew, and a
   damaged one in a folder of the user's is passed over.
2. A download goes to a file of its own, is continued where it stopped, and gets its name only when it is proved.
3. What the archive no longer has is told in one fault with every name. A line that is down ends the fetch at once.
4. When all is there, nothing asks the network.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

from edge.faults import CardFault
from edge.record import Record
from images import mirror

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import BinaryIO, Callable
    from urllib.request import OpenerDirector as Opener

    from images.lock import Deb, Lock
    from images.progress import Progress

CACHE = Path(__file__).resolve().parent.parent / ".cache" / "images" / "pool"
TRIES = 5
SECONDS = 60.0
_BLOCK = 1 << 18


class Wanted(Record):
    """One file: its name, how long, which bytes. `address` is where it is to be had, "" when only pools have it."""

    name: str
    file: str
    size: int
    sha256: str
    address: str = ""


def fetch(
    lock: Lock, pools: Iterable[Path] = (), progress: Progress | None = None, cache: Path = CACHE
) -> dict[str, Path]:
    """Package name -> proved file, for all that comes into the tree. CardFault names what is not to be had."""
    return fetch_debs(lock.debs, pools, progress, cache)


def fetch_texts(
    lock: Lock, pools: Iterable[Path] = (), progress: Progress | None = None, cache: Path = CACHE
) -> dict[str, Path]:
    """The same for the packages that are read for their licence texts alone."""
    return fetch_debs(lock.texts, pools, progress, cache)


def fetch_debs(
    debs: Sequence[Deb], pools: Iterable[Path] = (), progress: Progress | None = None, cache: Path = CACHE
) -> dict[str, Path]:
    """Name -> proved file of these packages."""
    found = here([Wanted(deb.name, deb.file, deb.size, deb.sha256) for deb in debs], pools, cache)
    absent = [deb for deb in debs if deb.name not in found]
    if absent:
        sites = {archive: mirror.site(archive) for archive in {deb.archive for deb in absent}}
        wanted = [
            Wanted(deb.name, deb.file, deb.size, deb.sha256, f"{sites[deb.archive]}/{deb.path}") for deb in absent
        ]
        found.update(download(wanted, cache, progress))
    return {deb.name: found[deb.name] for deb in debs}


def here(wanted: Sequence[Wanted], pools: Iterable[Path], cache: Path = CACHE) -> dict[str, Path]:
    """Those of the files that a pool or the cache has, proved. A pool that is no folder is a CardFault."""
    found: dict[str, Path] = {}
    for pool in pools:
        sizes = _by_size(pool)
        for item in wanted:
            fits = [path for path in sizes.get(item.size, ()) if item.name not in found and proved(path, item)]
            if fits:
                found[item.name] = fits[0]
    for item in wanted:
        if item.name not in found and proved(cache / item.file, item):
            found[item.name] = cache / item.file
    return found


def _by_size(pool: Path) -> dict[int, list[Path]]:
    """Size -> packages of a folder and those below it, in the order of their names."""
    if not pool.is_dir():
        raise CardFault(f"the pool {pool} is not a folder", "name a folder with .deb and .whl files: --pool DIR")
    sizes: dict[int, list[Path]] = {}
    for path in sorted(pool.rglob("*")):
        if path.suffix in (".deb", ".whl") and path.is_file():
            sizes.setdefault(path.stat().st_size, []).append(path)
    return sizes


def proved(path: Path, item: Wanted) -> bool:
    """True when this file has the size and the hash that were locked. A file that is not there is not proved."""
    try:
        if path.stat().st_size != item.size:
            return False
        with path.open("rb") as file:
            return _digest(file) == item.sha256
    except OSError:
        return False


def _digest(file: BinaryIO) -> str:
    total = hashlib.sha256()
    for block in iter(lambda: file.read(_BLOCK), b""):
        total.update(block)
    return total.hexdigest()


class _Gone(Exception):
    """The archive answers that it has no such file."""


def download(
    wanted: Sequence[Wanted],
    cache: Path = CACHE,
    progress: Progress | None = None,
    tries: int = TRIES,
    pause: Callable[[float], None] = time.sleep,
) -> dict[str, Path]:
    """Name -> file in the cache. One CardFault for all that the archive no longer has, or at once when it is silent."""
    found: dict[str, Path] = {}
    gone: list[Wanted] = []
    total = sum(item.size for item in wanted)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(mirror.proxies()))
    before = 0
    for item in wanted:

        def tell(done: int, before: int = before) -> None:
            if progress is not None:
                progress.at(before + done, total)

        try:
            found[item.name] = _one(item, cache, opener, tell, tries, pause)
        except _Gone:
            gone.append(item)
        before += item.size
    if gone:
        raise _dropped(gone)
    return found


def _dropped(gone: Sequence[Wanted]) -> CardFault:
    files = ", ".join(item.file for item in gone)
    have = "has" if len(gone) == 1 else "have"
    fix = (
        "the archive keeps only what is current: put the files into a folder and name it with --pool DIR "
        "(snapshot.debian.org keeps them), or lock what is current now: fieldhand image lock update"
    )
    return CardFault(f"{len(gone)} of the locked packages {have} left the archive: {files}", fix)


def _one(
    item: Wanted,
    cache: Path,
    opener: Opener,
    tell: Callable[[int], None],
    tries: int,
    pause: Callable[[float], None],
) -> Path:
    """One file, fetched and proved. Another build that fetches the same waits here, and finds it done."""
    target = cache / item.file
    with _beside(target) as part:
        fcntl.flock(part, fcntl.LOCK_EX)
        if proved(target, item):
            return target
        why = ""
        for attempt in range(tries):
            if attempt:
                pause(min(8.0, 0.5 * 2**attempt))
            why = _attempt(item, part, opener, tell)
            if not why:
                os.fsync(part.fileno())
                os.replace(part.name, target)
                return target
    raise CardFault(
        f"cannot fetch {item.file}: {why}", "try again later, name another mirror (DEBIAN_MIRROR) or use --pool DIR"
    )


def _beside(target: Path) -> BinaryIO:
    """The file that a download goes to; CardFault where this user may write nothing."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return target.with_name(f"{target.name}.part").open("a+b")
    except OSError as fault:
        why = (fault.strerror or "unknown").lower()
        fix = "fetch it as the owner of the checkout, or name a folder that has it: --pool DIR"
        raise CardFault(f"{target.name} has to be fetched and cannot be kept in {target.parent}: {why}", fix) from fault


def _attempt(item: Wanted, part: BinaryIO, opener: Opener, tell: Callable[[int], None]) -> str:
    """Continue the download; "" when the file is whole and proved, else what went wrong. _Gone at 404 and 410."""
    have = part.seek(0, os.SEEK_END)
    if have > item.size:
        part.truncate(0)
        have = 0
    try:
        if have < item.size:
            _receive(item, part, have, opener, tell)
    except urllib.error.HTTPError as fault:
        if fault.code in (404, 410):
            raise _Gone from fault
        if fault.code == 416:
            part.truncate(0)
        return f"the mirror answers {fault.code} {fault.reason}"
    except (OSError, http.client.HTTPException) as fault:
        if isinstance(fault, http.client.InvalidURL):
            raise _no_address(item, fault) from fault
        if getattr(fault, "errno", None) == errno.ENOSPC:
            raise  # no mirror's fault, and no later try helps
        return _cause(fault)
    except ValueError as fault:
        raise _no_address(item, fault) from fault
    return _whole(item, part)


def _no_address(item: Wanted, fault: Exception) -> CardFault:
    return CardFault(f"{item.address!r} is no address: {fault}", "DEBIAN_MIRROR begins with http:// or https://")


def _cause(fault: Exception) -> str:
    reason = getattr(fault, "reason", None)
    return str(reason or fault) or type(fault).__name__


def _receive(item: Wanted, part: BinaryIO, have: int, opener: Opener, tell: Callable[[int], None]) -> None:
    """Append what the mirror sends; from the beginning when it does not continue."""
    request = urllib.request.Request(item.address, headers={"Range": f"bytes={have}-"} if have else {})
    with opener.open(request, timeout=SECONDS) as reply:
        if have and reply.status != 206:
            part.truncate(0)
            have = 0
        while have <= item.size:
            block = reply.read(_BLOCK)
            if not block:
                break
            part.write(block)
            have += len(block)
            tell(min(have, item.size))
    part.flush()


def _whole(item: Wanted, part: BinaryIO) -> str:
    """ "" when the bytes are those of the lock; other bytes of full length are thrown away."""
    part.flush()
    size = part.seek(0, os.SEEK_END)
    if size < item.size:
        return f"the connection ended after {size} of {item.size} bytes"
    part.seek(0)
    if size == item.size and _digest(part) == item.sha256:
        return ""
    part.truncate(0)
    return "what the mirror sent is not what was locked"
