"""Lock files: exactly which packages an image is made of. `images/lock/SUITE-ARCH.json` and `wheels.json`.

Rules:
1. A lock file says name, version, size and SHA-256 of every package; a build takes nothing else and asks nobody.
2. Two writings of the same lock are the same bytes: sorted, one entry a line, no date but those of the archive.
3. A file may hold more than one product needs: `of` takes what a product's packages reach by way of `needs`.
"""

from __future__ import annotations

import json

from edge.faults import CardFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any, TypeVar

    from images.product import Product

    R = TypeVar("R", "Deb", "Wheel", "Index")

WHEELS = "wheels.json"
CURRENT = "current"
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+~%:")
_AGAIN = "run: fieldhand image lock update"


class Deb(Record):
    """One Debian package. `path` is below the archive `archive` ("debian" or "debian-security"); `needs` are the names
    of the locked packages that it asks for; `security` is "current" or "behind: arm64 has VERSION"; `licences` are the
    short names of its copyright file (DEP-5), as found when the lock was written."""

    name: str
    version: str
    arch: str
    size: int
    sha256: str
    source: str
    source_version: str
    component: str
    archive: str
    path: str
    security: str
    needs: tuple[str, ...]
    licences: tuple[str, ...]

    @property
    def file(self) -> str:
        """The name of its file in the archive, which leaves the epoch out."""
        return self.path.rpartition("/")[2]


class Wheel(Record):
    """One wheel of pure Python. `pythons` are the versions it is meant for, `needs` the names of locked wheels."""

    name: str
    version: str
    file: str
    size: int
    sha256: str
    pythons: tuple[str, ...]
    needs: tuple[str, ...]
    licences: tuple[str, ...]


class Index(Record):
    """One list of packages that the lock was made from. `state` is "read", "empty", "not offered" or
    "failed: WHY"; `date` is that of the signed release file, in seconds."""

    suite: str
    component: str
    arch: str
    date: int
    state: str


class Lock(Record):
    """All that one product is made of. `texts` are packages read for their licence texts alone."""

    suite: str
    arch: str
    epoch: int
    indexes: tuple[Index, ...]
    debs: tuple[Deb, ...]
    texts: tuple[Deb, ...]
    wheels: tuple[Wheel, ...]

    def deb(self, name: str) -> Deb:
        """The package of this name; CardFault when it is not locked."""
        for deb in (*self.debs, *self.texts):
            if deb.name == name:
                return deb
        raise CardFault(f"{name} is not in the lock of {self.suite} {self.arch}", _AGAIN)

    def kernel(self) -> Deb:
        """The package with the kernel itself: `linux-image-6.1.0-50-rpi`, not the package that follows the newest."""
        for deb in self.debs:
            if deb.name.startswith("linux-image-") and deb.name[len("linux-image-")].isdigit():
                return deb
        raise CardFault(f"the lock of {self.suite} {self.arch} holds no kernel", "name one in the product: kernel")


def release(lock: Lock) -> str:
    """The kernel's release, as `uname -r` will say it and as its folders are named."""
    return lock.kernel().name[len("linux-image-") :]


def load(product: Product) -> Lock:
    """What is locked for this product: its packages, its wheels. CardFault when something is not."""
    data = _data(product.lock)
    if (data.get("suite"), data.get("arch")) != (product.suite, product.arch):
        found = f"{data.get('suite')} {data.get('arch')}"
        raise CardFault(f"{product.lock.name} is of {found}, not of {product.suite} {product.arch}", _update(product))
    place, other = product.lock, product.lock.parent / WHEELS
    debs = [_entry(Deb, entry, place) for entry in _list(data, "debs", place)]
    wheels = [_entry(Wheel, entry, other) for entry in _list(_data(other), "wheels", other)]
    wheels = [wheel for wheel in wheels if product.python in wheel.pythons]
    _once(debs, place)
    _once(wheels, other)
    foreign = [deb.name for deb in debs if deb.arch not in (product.arch, "all")]
    if foreign:
        raise CardFault(f"{place.name} is of {product.arch} and holds {foreign[0]} of another", _update(product))
    texts = set(product.texts)
    needs = {deb.name: deb.needs for deb in debs}
    _reached(product, needs, texts, ())
    kept = _reached(product, needs, product.roots, product.without)
    _closed(product, needs, kept)
    return Lock(
        suite=product.suite,
        arch=product.arch,
        epoch=_epoch(data, product.lock),
        indexes=tuple(_entry(Index, entry, place) for entry in _list(data, "indexes", place)),
        debs=tuple(deb for deb in debs if deb.name in kept - texts),
        texts=tuple(deb for deb in debs if deb.name in texts),
        wheels=_wheels_of(product, wheels),
    )


def _wheels_of(product: Product, wheels: list[Wheel]) -> tuple[Wheel, ...]:
    wanted = [plain(text) for text in product.wheels]
    needs = {wheel.name: wheel.needs for wheel in wheels}
    kept = _reached(product, needs, wanted, product.without)
    _closed(product, needs, kept)
    return tuple(wheel for wheel in wheels if wheel.name in kept)


def _once(records: Sequence[Deb | Wheel], path: Path) -> None:
    """CardFault for a name that stands there twice: which of them is meant nobody knows."""
    seen: set[str] = set()
    for record in records:
        if record.name in seen:
            raise CardFault(f"{path}: {record.name} stands there twice", _AGAIN)
        seen.add(record.name)


def _closed(product: Product, needs: Mapping[str, tuple[str, ...]], kept: Iterable[str]) -> None:
    """CardFault for what a package in use needs, when it is neither locked nor left out by the product."""
    for name in sorted(kept):
        absent = sorted({one for one in needs[name] if one not in needs and one not in product.without})
        if absent:
            raise CardFault(f"{name} needs {', '.join(absent)}, not locked for {product.name}", _update(product))


def _reached(
    product: Product, needs: Mapping[str, tuple[str, ...]], roots: Iterable[str], without: Iterable[str]
) -> set[str]:
    """The names that the roots reach; CardFault names every root that is not locked."""
    absent = [name for name in roots if name not in needs]
    if absent:
        raise CardFault(f"not locked for {product.name}: {', '.join(sorted(absent))}", _update(product))
    return reach(needs, roots, without)


def reach(needs: Mapping[str, Iterable[str]], roots: Iterable[str], without: Iterable[str]) -> set[str]:
    """What the roots reach by `needs` when nobody goes by way of `without`."""
    left, found = set(without), set()
    ahead = list(roots)
    while ahead:
        name = ahead.pop()
        if name in found or name in left or name not in needs:
            continue
        found.add(name)
        ahead.extend(needs[name])
    return found


def plain(requirement: str) -> str:
    """The name in a requirement, as an index of wheels spells it: `Smbus2>=0.6` -> `smbus2`."""
    end = 0
    while end < len(requirement) and (requirement[end].isalnum() or requirement[end] in "._-"):
        end += 1
    name = requirement[:end].lower().replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name


def _update(product: Product) -> str:
    return f"run: fieldhand image lock update {product.name}"


def _data(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError as fault:
        raise CardFault(f"there is no lock {path}", _AGAIN) from fault
    except (OSError, ValueError, RecursionError) as fault:
        raise CardFault(f"cannot read the lock {path}: {fault}", _AGAIN) from fault
    if not isinstance(data, dict):
        raise CardFault(f"{path} is no lock file", _AGAIN)
    return data


def _list(data: dict[str, Any], key: str, path: Path) -> list[Any]:
    found = data.get(key, [])
    if not isinstance(found, list):
        raise CardFault(f"{path}: {key} is no list", _AGAIN)
    return found


def _epoch(data: dict[str, Any], path: Path) -> int:
    epoch = data.get("epoch")
    # File systems and archives of an image have 32 bits for a time.
    if type(epoch) is not int or not 0 < epoch < 1 << 32:
        raise CardFault(f"{path}: epoch is {epoch!r}, not a time in seconds", _AGAIN)
    return epoch


def _entry(kind: type[R], entry: Any, path: Path) -> R:
    """A record of an entry; lists become tuples. CardFault when fields are missing, strange or of another kind."""
    if not isinstance(entry, dict):
        raise CardFault(f"{path}: {entry!r} is no entry", _AGAIN)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    try:
        made = kind(**values)
    except TypeError as fault:
        raise CardFault(f"{path}: {fault}", _AGAIN) from fault
    if not _typed(values) or not (isinstance(made, Index) or _sound(values)):
        raise CardFault(f"{path}: the entry of {values.get('name', values.get('suite'))!r} is damaged", _AGAIN)
    return made


def _typed(values: dict[str, Any]) -> bool:
    """True when numbers are numbers, lists are lists of texts, and all else is text."""
    for key, value in values.items():
        if key in ("size", "date"):
            fits = type(value) is int and 0 <= value < 1 << 53
        elif key in ("needs", "licences", "pythons"):
            fits = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
        else:
            fits = isinstance(value, str)
        if not fits:
            return False
    return True


def _sound(values: dict[str, Any]) -> bool:
    """True when a hash is a hash, a size is a size, and the file lies below the archive."""
    digest, size, file = values["sha256"], values["size"], values.get("path", values.get("file"))
    if not isinstance(digest, str) or len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        return False
    if not size or not values["name"]:
        return False
    # The last part becomes the name of a file in the cache, the whole a part of an address.
    parts = str(file).split("/")
    plain = all(part and part[0] != "." and _PLAIN.issuperset(part) for part in parts)
    return plain and (len(parts) == 1 or "path" in values)


def dumps(head: dict[str, Any], lists: dict[str, list[Any]]) -> str:
    """The text of a lock file: the head's fields, then each list of records, one record a line, sorted by name."""
    parts = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, records in lists.items():
        rows = sorted(json.dumps(fields(record), ensure_ascii=False) for record in records)
        parts.append(f' "{key}": [' + ",".join(f"\n  {row}" for row in rows) + "\n ]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def fields(record: Any) -> dict[str, Any]:
    """The fields of a record, in their order."""
    return {name: getattr(record, name) for name in type(record).__fields__}
