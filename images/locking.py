"""`image lock update`: ask the archive what is current, and write down exactly what it says.

Rules:
1. A list that could not be read ends it, unless the caller names its suite in `without`; the lock says so then. A suite
   that does not offer the architecture (security updates of armel) is no failure; the lock says that, too.
2. The date of the lock is the newest one of the release files that were read: two builds from a lock have equal dates.
3. Every package is compared with the newest version of its source that other architectures are offered.
4. All packages are fetched, for the short names of their licences; so the next build finds them in the cache.
5. A lock file is replaced as a whole, when all of its products are resolved.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from edge.faults import CardFault
from edge.record import Record, replace
from images import copyrights, debian, lock, pool, product, wheels
from images.archive import TRUST, Archive, Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from images.lock import Deb, Index
    from images.product import Product
    from images.progress import Progress

# What a lock is compared with. arm64 has been served first among the Arm architectures, amd64 first of all.
OTHERS = ("arm64", "amd64")


class Asking(Record):
    """How the archive is asked. `without` are suites (`bookworm-security`) whose lists may fail; `say` hears one line
    per step and per warning; `trust` is apt's option for whom to believe; `cache` has the folders of pool and
    copyrights; `known` fills with what other architectures are offered."""

    without: tuple[str, ...]
    say: Callable[[str], None]
    progress: Progress | None
    trust: str
    cache: Path
    known: dict[tuple[str, str], tuple[dict[str, str], list[Index]]]


def update(
    names: Sequence[str] = (),
    without: Sequence[str] = (),
    say: Callable[[str], None] = lambda line: None,
    progress: Progress | None = None,
    trust: str = TRUST,
    cache: Path = pool.CACHE.parent,
) -> list[Path]:
    """Write the lock files of these products (none: all of this checkout), and that of the wheels. The files written.

    CardFault when a list cannot be read, when apt cannot choose, when a package is not to be had."""
    asked = [product.load(name) for name in names] or _shipped()
    asking = Asking(tuple(without), say, progress, trust, cache, {})
    written = []
    for path in sorted({one.lock for one in asked}):
        group = _sharing(path, asked)
        say(f"{path.name}: {', '.join(one.name for one in group)}")
        written.append(_write(path, _lock(group, asking)))
    for folder in sorted({one.lock.parent for one in asked}):
        group = list({one.name: one for one in (*asked, *_shipped()) if one.lock.parent == folder}.values())
        say(f"{lock.WHEELS}: {len({name for one in group for name in one.wheels})} wheels and what they need")
        found = wheels.resolve(_merged(group), set.intersection(*(set(one.without) for one in group)))
        written.append(_write(folder / lock.WHEELS, lock.dumps({"format": 1}, {"wheels": found})))
    return written


def _merged(group: Iterable[Product]) -> dict[str, tuple[str, ...]]:
    """Python version -> all requirements of its products."""
    merged: dict[str, set[str]] = {}
    for one in group:
        merged.setdefault(one.python, set()).update(one.wheels)
    return {python: tuple(sorted(texts)) for python, texts in merged.items()}


def _shipped() -> list[Product]:
    return [product.load(name) for name in product.names()]


def _sharing(path: Path, asked: Sequence[Product]) -> list[Product]:
    """The products of one lock file: those asked for, and those of the checkout that use it too."""
    group = {one.name: one for one in (*_shipped(), *asked) if one.lock == path}
    kinds = {(one.suite, one.arch) for one in group.values()}
    if len(kinds) > 1:
        raise CardFault(f"{path.name} is shared by products of different suites: {', '.join(group)}", "name two locks")
    return list(group.values())


def _lock(group: Sequence[Product], asking: Asking) -> str:
    """The text of one lock file."""
    suite, arch = group[0].suite, group[0].arch
    with tempfile.TemporaryDirectory(prefix="fieldhand-apt-") as folder:
        archive = Archive(suite, arch, Path(folder), asking.trust)
        indexes = archive.update()
        judge(indexes, asking.without, asking.say)
        found = archive.resolve(sorted({name for one in group for name in (*one.roots, *one.texts)}))
    newest, others = _others(suite, arch, asking)
    debs = _kept(found, group, newest)
    head = {"format": 1, "suite": suite, "arch": arch, "epoch": max(index.date for index in indexes)}
    asking.say(f"{suite} {arch}: {len(debs)} packages, {sum(deb.size for deb in debs) // 10**6} MB")
    return lock.dumps(head, {"indexes": [*indexes, *others], "debs": _licensed(debs, asking)})


def judge(indexes: Iterable[Index], without: Sequence[str], say: Callable[[str], None]) -> None:
    """CardFault for the lists that failed and whose suite was not named; a line for what is missing all the same."""
    failed: list[str] = []
    for index in indexes:
        row = f"{index.suite} {index.component} {index.arch}: {index.state}"
        if index.state.startswith("failed") and index.suite not in without:
            failed += [] if any(index.state in told for told in failed) else [row]
        elif index.state == "not offered" or index.state.startswith("failed"):
            say(f"warning: {row}")
    if failed:
        suites = " ".join(sorted({row.split()[0] for row in failed}))
        fix = f"try again when the mirror is whole, or go on without: --without {suites}"
        raise CardFault(f"the archive is not whole: {'; '.join(failed)}", fix)


def _others(suite: str, arch: str, asking: Asking) -> tuple[dict[str, tuple[str, str]], list[Index]]:
    """Source package -> (newest version, the architecture that has it) among the others, and what was read for it."""
    newest: dict[str, tuple[str, str]] = {}
    indexes: list[Index] = []
    for other in OTHERS:
        if other == arch:
            continue
        if (suite, other) not in asking.known:
            with tempfile.TemporaryDirectory(prefix="fieldhand-apt-") as folder:
                archive = Archive(suite, other, Path(folder), asking.trust)
                read = archive.update()
                judge(read, asking.without, asking.say)
                asking.known[suite, other] = (archive.sources(), read)
        sources, read = asking.known[suite, other]
        indexes += read
        for name, version in sources.items():
            if name not in newest or debian.compare(version, newest[name][0]) > 0:
                newest[name] = (version, other)
    return newest, indexes


def security(name: str, version: str, newest: dict[str, tuple[str, str]]) -> str:
    """How a source package stands against what other architectures are offered."""
    best, arch = newest.get(name, ("", ""))
    return f"behind: {arch} has {best}" if best and debian.compare(best, version) > 0 else lock.CURRENT


def _kept(found: Sequence[Found], group: Sequence[Product], newest: dict[str, tuple[str, str]]) -> list[Deb]:
    """The packages that at least one product reaches."""
    needs = dependencies([one.stanza for one in found])
    kept: set[str] = set()
    for one in group:
        kept |= lock.reach(needs, one.roots, one.without) | set(one.texts)
    return [_deb(one, needs, kept, newest) for one in found if one.stanza["Package"] in kept]


def dependencies(stanzas: Sequence[dict[str, str]]) -> dict[str, list[str]]:
    """Package -> those of the chosen packages that satisfy its relations, by their name or by what they provide."""
    offers: dict[str, set[str]] = {}
    for stanza in stanzas:
        for names in ([[stanza["Package"]]], debian.relations(stanza.get("Provides", ""))):
            for name in names:
                offers.setdefault(name[0], set()).add(stanza["Package"])
    needs = {}
    for stanza in stanzas:
        text = ", ".join(filter(None, (stanza.get("Pre-Depends", ""), stanza.get("Depends", ""))))
        wanted = {name for names in debian.relations(text) for name in names}
        needs[stanza["Package"]] = sorted({offer for name in wanted for offer in offers.get(name, ())})
    return needs


def _deb(one: Found, needs: dict[str, list[str]], kept: set[str], newest: dict[str, tuple[str, str]]) -> Deb:
    stanza = one.stanza
    source, version = debian.source(stanza)
    return lock.Deb(
        name=stanza["Package"],
        version=stanza["Version"],
        arch=stanza["Architecture"],
        size=int(stanza["Size"]),
        sha256=stanza["SHA256"],
        source=source,
        source_version=version,
        component=one.component,
        archive=one.archive,
        path=stanza["Filename"],
        security=security(source, version, newest),
        needs=tuple(name for name in needs[stanza["Package"]] if name in kept),
        licences=(),
    )


def _licensed(debs: Sequence[Deb], asking: Asking) -> list[Deb]:
    """The same packages with the short names of their licences, out of the packages themselves."""
    files = pool.fetch_debs(debs, (), asking.progress, asking.cache / "pool")
    folder = asking.cache / "copyrights"
    found = {deb.name: copyrights.terms(files[deb.name], deb.sha256, folder) for deb in debs}
    return [replace(deb, licences=copyrights.names_in(copyrights.text_of(deb.name, found))) for deb in debs]


def _write(path: Path, text: str) -> Path:
    """Put the text in the place of the file, as a whole; the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, "utf-8")
    os.replace(temporary, path)
    return path
