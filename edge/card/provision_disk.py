"""What provisioning does to the card, in steps that power may end: on the data partition and on the first one.

Rules:
1. The data partition: everything is written and flushed below `provision.new`; one rename makes it `provision.ready`:
   from then on it holds. What is ready is moved file by file to its place; a start that finds it goes on with that
   before anything reads a setting (`finish`). So there is the old configuration or the new one, never half.
2. The first partition: only after that the file is renamed to its `.done` name, so that it is not taken again; then
   its secrets are overwritten where they lie (edge/card/written.py). A start that finds secrets in a `.done` file
   overwrites them again (`scrub`). A cut before the rename means: taken again, with the same result.
3. Several files are taken as one: half of them, taken again alone, would ask for something else. So what is to be
   renamed is written down before (`provision.taken`: hash and name of each), and the next start renames the rest
   (`consumed`) unless it was edited meanwhile.
4. Every step is one method of Disk, so that a test can end the world before or within any of them.
"""

from __future__ import annotations

import os

from edge.card.written import read, without_secrets
from edge.faults import CardFault, ConfigFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.card.provision_plan import Plan

NEW, READY = "provision.new", "provision.ready"
GONE = "gone"  # the list of files that go, in READY
TAKEN = "provision.taken"  # on the data partition: what is being renamed on the first one
FILE = "provision.toml"
# file -> what it is called once it was taken
DONE = {
    FILE: "provision.done.toml",
    "user-data": "user-data.done",
    "network-config": "network-config.done",
    "meta-data": "meta-data.done",
}
SAID = b"# taken by the board: see status.txt\n"


class Disk:
    """The steps. A path is absolute; a folder is flushed by `sync`."""

    def folder(self, path: str) -> None:
        if not os.path.isdir(path):
            os.mkdir(path, 0o755)

    def put(self, path: str, raw: bytes, mode: int) -> None:
        """A new file with its content on the card."""
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        self._fill(handle, raw)

    def overwrite(self, path: str, raw: bytes) -> None:
        """As many bytes as the file has, where they are: nothing is truncated, no cluster becomes free."""
        self._fill(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC), raw)

    def _fill(self, handle: int, raw: bytes) -> None:
        try:
            while raw:
                raw = raw[os.write(handle, raw) :]
            self.flush(handle)
        finally:
            os.close(handle)

    def flush(self, handle: int) -> None:
        """What was written is on the card."""
        os.fsync(handle)

    def rename(self, old: str, new: str) -> None:
        os.replace(old, new)

    def remove(self, path: str) -> None:
        """A file or an empty folder that may be gone already."""
        try:
            os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        except FileNotFoundError:
            return

    def sync(self, folder: str) -> None:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.flush(handle)
        finally:
            os.close(handle)


def commit(disk: Disk, data: str, plan: Plan) -> None:
    """Make the plan hold on the data partition. CardFault when it cannot be written: then nothing has changed."""
    finish(disk, data)
    new = f"{data}/{NEW}"
    try:
        _clear(disk, new)
        disk.folder(new)
        for name in sorted({_above(file.path) for file in plan.files}):
            _folders(disk, new, name)
        for file in plan.files:
            disk.put(f"{new}/{file.path}", file.text.encode("utf-8"), file.mode)
        disk.put(f"{new}/{GONE}", "".join([f"{path}\n" for path in plan.gone]).encode("utf-8"), 0o644)
        for folder, _, _ in os.walk(new):
            disk.sync(folder)
        disk.rename(new, f"{data}/{READY}")
        disk.sync(data)
    except OSError as fault:
        raise _cannot(data, fault) from fault
    finish(disk, data)


def finish(disk: Disk, data: str) -> bool:
    """Move what is ready to its place, as far as a cut left it. True when there was something. CardFault."""
    ready = f"{data}/{READY}"
    if not os.path.isdir(ready):
        return False
    try:
        touched = set()
        for folder, _, names in sorted(os.walk(ready)):
            inner = folder[len(ready) :].lstrip("/")
            for name in sorted(names) if inner else ():
                _folders(disk, data, inner)
                disk.rename(f"{folder}/{name}", f"{data}/{inner}/{name}")
                touched.add(f"{data}/{inner}")
        for path in _listed(f"{ready}/{GONE}"):
            disk.remove(f"{data}/{path}")
            if os.path.isdir(f"{data}/{_above(path)}"):
                touched.add(f"{data}/{_above(path)}")
        for folder in sorted(touched):
            disk.sync(folder)
        _clear(disk, ready)
        disk.sync(data)
    except OSError as fault:
        raise _cannot(data, fault) from fault
    return True


def _cannot(data: str, fault: OSError) -> CardFault:
    why = (fault.strerror or str(fault)).lower()
    return CardFault(f"what was provisioned cannot be written to {data}: {why}", "look at the card: fieldhand doctor")


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _folders(disk: Disk, top: str, inner: str) -> None:
    path = top
    for name in inner.split("/"):
        path += f"/{name}"
        disk.folder(path)


def _listed(path: str) -> list[str]:
    """The names that go; only such as a plan can hold."""
    return [name for name in _lines(path) if name.startswith(("config/", "etc/")) and ".." not in name.split("/")]


def _clear(disk: Disk, folder: str) -> None:
    """Remove a folder of our own with all that is in it; the list of what goes comes last of its files."""
    if not os.path.isdir(folder):
        return
    for inner, folders, names in os.walk(folder, topdown=False):
        for name in sorted(names, key=lambda name: name == GONE):
            disk.remove(f"{inner}/{name}")
        for name in folders:
            disk.remove(f"{inner}/{name}")
    disk.remove(folder)


def consume(disk: Disk, first: str, data: str, names: tuple[str, ...]) -> None:
    """Rename what was taken on the first partition and take its secrets out. CardFault when that fails."""
    marked = f"{data}/{TAKEN}"
    try:
        told = "".join([f"{_digest(f'{first}/{name}')} {name}\n" for name in names])
        disk.remove(f"{marked}.new")
        disk.put(f"{marked}.new", told.encode("utf-8"), 0o600)
        disk.rename(f"{marked}.new", marked)
        disk.sync(data)
    except OSError as fault:
        raise _left(fault) from fault
    consumed(disk, first, data)
    scrub(disk, first)


def consumed(disk: Disk, first: str, data: str) -> None:
    """Rename what is still to be renamed (rule 3). CardFault when that fails."""
    marked = f"{data}/{TAKEN}"
    try:
        told = [line.partition(" ")[::2] for line in _lines(marked)]
        for digest, name in told:
            if name in DONE and os.path.lexists(f"{first}/{name}") and _digest(f"{first}/{name}") == digest:
                disk.rename(f"{first}/{name}", f"{first}/{DONE[name]}")
        if told:
            disk.sync(first)
            disk.remove(marked)
            disk.sync(data)
    except OSError as fault:
        raise _left(fault) from fault


def _left(fault: OSError) -> CardFault:
    why = (fault.strerror or str(fault)).lower()
    return CardFault(
        f"what was provisioned holds, but its secrets are still on the card's first partition: {why}",
        "delete them there on a laptop",
    )


def _digest(path: str) -> str:
    import hashlib

    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _lines(path: str) -> list[str]:
    """The lines of a list of our own, none when it is not there."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def scrub(disk: Disk, first: str) -> bool:
    """Take secrets out of what was taken; True when there were any. CardFault when they cannot be overwritten."""
    found = False
    for name, done in DONE.items():
        path = f"{first}/{done}"
        try:
            with open(path, "rb") as file:
                raw = file.read()
        except FileNotFoundError:
            continue
        except OSError as fault:
            why = (fault.strerror or str(fault)).lower()
            raise CardFault(f"whether secrets are in {done} cannot be seen: {why}", "delete it on a laptop") from fault
        clean = cleaned(name, raw)
        if clean == raw:
            continue
        found = True
        try:
            disk.overwrite(path, clean)
            disk.sync(first)
        except OSError as fault:
            why = (fault.strerror or str(fault)).lower()
            raise CardFault(f"secrets in {done} cannot be overwritten: {why}", "delete it on a laptop") from fault
    return found


def cleaned(name: str, raw: bytes) -> bytes:
    """As many bytes without a secret. Of a TOML file the rest stays; of the others, and of what is no text, nothing."""
    if name == FILE:
        try:
            return without_secrets(read(raw, name))
        except ConfigFault:
            pass
    if len(raw) <= len(SAID):
        return b"\n" * len(raw)
    return SAID + b"\n" * (len(raw) - len(SAID))
