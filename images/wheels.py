"""The libraries of Python that the image carries: wheels without compiled parts, chosen for the board's Python.

Rules:
1. Only `py3-none-any` wheels: one file serves every processor. A package that has none is a CardFault.
2. What a library needs is asked for under the board's Python, not the builder's: the markers of its requirements are
   read here (images/markers.py), and pip is asked for one package at a time.
3. pip is the one of this Python, with the index that it is set to. A build takes a wheel by name, version and hash.
"""

from __future__ import annotations

import errno
import hashlib
import lzma
import os
import struct
import sys
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from email.parser import HeaderParser
from pathlib import Path

from edge.faults import CardFault
from edge.record import Record
from images import host, lock, markers, pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from email.message import Message

    from images.lock import Lock, Wheel
    from images.progress import Progress

_PURE = "-none-any.whl"
LARGEST = 256 << 20  # bytes that a wheel may unpack to
# What zipfile has for an archive that is damaged, encrypted, or packed in a way it does not know.
DAMAGED: tuple[type[Exception], ...] = (zipfile.BadZipFile, EOFError, KeyError, IndexError, ValueError, RuntimeError)
DAMAGED = (*DAMAGED, OverflowError, struct.error, zlib.error, lzma.LZMAError)
_UNREADABLE: tuple[type[Exception], ...] = (OSError, *DAMAGED)


class _Got(Record):
    """One wheel that pip has chosen."""

    path: Path
    metadata: Message
    needs: tuple[str, ...]


def resolve(wanted: Mapping[str, Sequence[str]], without: Collection[str] = ()) -> list[Wheel]:
    """Python version ("3.11") -> requirements, in; out come all wheels that are needed, each with its versions.

    What is in `without` is needed by nobody."""
    wheels: dict[tuple[str, str], Wheel] = {}
    with tempfile.TemporaryDirectory(prefix="fieldhand-wheels-") as folder:
        for python, requirements in sorted(wanted.items()):
            for one in _closure(python, requirements, without, Path(folder)):
                before = wheels.get((one.name, one.version))
                pythons = tuple(sorted({*one.pythons, *(before.pythons if before else ())}, key=_numbers))
                needs = tuple(sorted({*one.needs, *(before.needs if before else ())}))
                wheels[one.name, one.version] = lock.Wheel(**{**lock.fields(one), "pythons": pythons, "needs": needs})
    return [wheels[key] for key in sorted(wheels)]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _closure(python: str, requirements: Sequence[str], without: Collection[str], folder: Path) -> list[Wheel]:
    """The wheels that these requirements need under this Python. A requirement that comes later narrows the choice."""
    rules: dict[str, set[str]] = {}
    for text in requirements:
        rules.setdefault(lock.plain(text), set()).add(_rule(text))
    got: dict[str, tuple[set[str], _Got]] = {}
    while True:
        ahead = [name for name in sorted(rules) if name not in got or got[name][0] != rules[name]]
        if not ahead:
            return [_wheel(name, one, python) for name, (_, one) in sorted(got.items())]
        asked = {name: set(rules[name]) for name in ahead}
        for name, one in _ask(asked, python, folder).items():
            got[name] = (asked[name], one)
            for text in (text for text in one.needs if lock.plain(text) not in without):
                rules.setdefault(lock.plain(text), set()).add(_rule(text))


def _rule(requirement: str) -> str:
    """The version part: `h2 (<5,>=3)` and `h2<5,>=3` -> `<5,>=3`; extras are not wanted on a board."""
    rest = requirement.partition(";")[0].strip()
    rest = rest[len(lock.plain(rest)) :].strip()
    if rest.startswith("["):
        rest = rest.partition("]")[2]
    return rest.strip(" ()").replace(" ", "")


def _ask(rules: Mapping[str, set[str]], python: str, folder: Path) -> dict[str, _Got]:
    """Have pip choose and fetch these packages, each for itself."""
    into = Path(tempfile.mkdtemp(dir=folder))
    wanted = [name + ",".join(sorted(filter(None, asked))) for name, asked in rules.items()]
    words = [*_target(python), "--no-deps", "--dest", str(into), *wanted]
    _pip(words, f"choose {' '.join(wanted)} for Python {python}")
    found = {}
    for path in sorted(into.glob("*.whl")):
        metadata = read_metadata(path)
        texts = metadata.get_all("Requires-Dist") or []
        needs = tuple(text for text in texts if markers.holds(text.partition(";")[2], python))
        found[lock.plain(path.name.partition("-")[0])] = _Got(path, metadata, needs)
    return {name: found[name] for name in rules}


def _target(python: str) -> list[str]:
    """pip's options that let only pure wheels for this Python through."""
    plain = ["--implementation", "py", "--abi", "none", "--platform", "any"]
    return ["--only-binary", ":all:", "--python-version", python, *plain]


def _pip(words: Sequence[str], purpose: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input", *words]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PIP_NO_COLOR": "1"}
    try:
        done = host.ended(command, environment)
    except CardFault as late:
        raise CardFault(f"pip could not {purpose}: {late.sentence}", late.fix) from late
    if done.returncode:
        rows = [row.strip() for row in done.stderr.decode("utf-8", "replace").splitlines() if row.strip()]
        if any("No module named pip" in row for row in rows):
            raise CardFault(f"{sys.executable} has no pip", "apt install python3-pip, or use a virtual environment")
        errors = [row for row in rows if row.startswith("ERROR:")] or rows[-2:]
        raise CardFault(f"pip cannot {purpose}: {' / '.join(errors[-2:])}", "only pure wheels (py3-none-any) fit")


def read_metadata(path: Path) -> Message:
    """The METADATA of a wheel; CardFault when the file is no wheel."""
    try:
        with opened(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA") and "/" in name]
            return HeaderParser().parsestr(archive.read(names[0]).decode("utf-8"))
    except _UNREADABLE as fault:
        raise _unsound(path, fault) from fault


def _unsound(path: Path, fault: Exception) -> CardFault:
    return CardFault(f"{path.name} is no sound wheel: {fault}", "fetch it again")


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive of a wheel; what is wrong with it, also while it is read, is a CardFault with its name."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(one.file_size for one in archive.infolist()) > LARGEST:
                raise CardFault(f"{path.name} unpacks to more than {LARGEST >> 20} MiB: no library is so large")
            yield archive
    except DAMAGED as fault:
        raise _unsound(path, fault) from fault
    except OSError as fault:
        if fault.errno != errno.EINVAL:
            raise  # what is written meanwhile can fail too
        raise _unsound(path, fault) from fault  # it names a place before its begin


def _wheel(name: str, one: _Got, python: str) -> Wheel:
    if not one.path.name.endswith(_PURE):
        raise CardFault(f"{one.path.name} has compiled parts", "the image carries pure wheels only (py3-none-any)")
    data = one.path.read_bytes()
    return lock.Wheel(
        name=name,
        version=str(one.metadata["Version"]),
        file=one.path.name,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        pythons=(python,),
        needs=tuple(sorted({lock.plain(text) for text in one.needs})),
        licences=licences(one.metadata),
    )


def licences(metadata: Message) -> tuple[str, ...]:
    """What a wheel says its licence is: the expression, else the short text, else the classifiers."""
    expression = str(metadata["License-Expression"] or "").strip()
    text = str(metadata["License"] or "").strip()
    if expression:
        return (expression,)
    if text and "\n" not in text and len(text) < 60:
        return (text,)
    classified = [
        row.rpartition("::")[2].strip() for row in metadata.get_all("Classifier") or [] if "License ::" in row
    ]
    return tuple(sorted(set(classified)))


def fetch(
    locked: Lock, pools: Iterable[Path] = (), progress: Progress | None = None, cache: Path = pool.CACHE
) -> list[Path]:
    """The proved files of the locked wheels, in the order of the lock: from a pool, the cache, else by pip."""
    wanted = [pool.Wanted(wheel.name, wheel.file, wheel.size, wheel.sha256) for wheel in locked.wheels]
    found = pool.here(wanted, pools, cache)
    absent = [wheel for wheel in locked.wheels if wheel.name not in found]
    if absent:
        if progress is not None:
            progress.at(0, len(absent), "wheels")
        found.update(_take(absent, cache))
    return [found[wheel.name] for wheel in locked.wheels]


def _take(absent: Sequence[Wheel], cache: Path) -> dict[str, Path]:
    """Wheels by pip, held to their hashes, into the cache. What is of one lock has one Python in common."""
    cache.mkdir(parents=True, exist_ok=True)
    python = min(set.intersection(*(set(wheel.pythons) for wheel in absent)), key=_numbers)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        rows = Path(folder) / "wanted.txt"
        rows.write_text("".join(f"{one.name}=={one.version} --hash=sha256:{one.sha256}\n" for one in absent))
        words = [*_target(python), "--no-deps", "--require-hashes", "--dest", folder, "-r", str(rows)]
        _pip(words, f"fetch {' '.join(one.file for one in absent)} with the locked hashes")
        for one in absent:
            got = Path(folder) / one.file
            if not pool.proved(got, pool.Wanted(one.name, one.file, one.size, one.sha256)):
                raise CardFault(
                    f"pip fetched something else than {one.file}", "put the wheel into a folder: --pool DIR"
                )
            os.replace(got, cache / one.file)
    return {one.name: cache / one.file for one in absent}
