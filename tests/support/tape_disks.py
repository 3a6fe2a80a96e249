"""Disks for tests of the tape: one that remembers what a power cut would leave, one that fails at the N-th call.

The power model, after the simulator described with ALICE and CrashMonkey: a name is on the card when its
folder was synced after it was made; data when the file was synced after the write. What is not there yet may
be kept or dropped in any combination; of a write also half may be there, or its length with zeros for bytes.
"""

from __future__ import annotations

import errno
import itertools
import os
import random

from edge.tape.disk import Disk


class Killed(BaseException):
    """The process is gone: nothing after this call happens."""


class PowerDisk(Disk):
    """The real thing under `root`, with a log of what changed the card. `kill_at`: the call at which it dies."""

    def __init__(self, root: str, log: list[tuple] | None = None, kill_at: int = -1) -> None:
        self.root = root
        self.log = [] if log is None else log
        self.paths: dict[int, str] = {}
        self.calls = 0
        self.kill_at = kill_at

    def _note(self, *op: object) -> None:
        self.log.append(op)

    def _alive(self) -> None:
        self.calls += 1
        if 0 <= self.kill_at < self.calls:
            raise Killed

    def open(self, path: str, flags: int, mode: int = 0o777) -> int:
        self._alive()
        new = not os.path.exists(path)
        fd = os.open(path, flags, mode)
        self.paths[fd] = path
        if new:
            self._note("create", path)
        return fd

    def close(self, fd: int) -> None:
        self._alive()
        del self.paths[fd]
        os.close(fd)

    def write(self, fd: int, data: bytes) -> int:
        self._alive()
        self._note("write", self.paths[fd], os.fstat(fd).st_size, bytes(data))
        return os.write(fd, data)

    def pwrite(self, fd: int, data: bytes, offset: int) -> int:
        self._alive()
        self._note("write", self.paths[fd], offset, bytes(data))
        return os.pwrite(fd, data, offset)

    def ftruncate(self, fd: int, size: int) -> None:
        self._alive()
        self._note("truncate", self.paths[fd], size)
        os.ftruncate(fd, size)

    def fsync(self, fd: int) -> None:
        self._alive()
        path = self.paths[fd]
        self._note("names" if os.path.isdir(path) else "sync", path)

    def fdatasync(self, fd: int) -> None:
        self._alive()
        self._note("sync", self.paths[fd])

    def mkdir(self, path: str, mode: int) -> None:
        self._alive()
        self._note("mkdir", path)
        os.mkdir(path, mode)

    def unlink(self, path: str) -> None:
        self._alive()
        os.unlink(path)
        self._note("unlink", path)

    def rename(self, source: str, target: str) -> None:
        self._alive()
        self._note("rename", source, target)
        os.rename(source, target)
        self.paths = {fd: target if path == source else path for fd, path in self.paths.items()}

    def acknowledge(self, seq: int, text: str) -> None:
        self._note("acknowledged", seq, text)

    def release(self) -> None:
        """What the kernel does for a dead process."""
        for fd in self.paths:
            os.close(fd)
        self.paths.clear()


class Card:
    """What the log up to a cut may have left, as trees of {path: bytes, or None for a folder}."""

    def __init__(self, before: dict[str, bytes | None], log: list[tuple]) -> None:
        self.names = dict.fromkeys(before, True)
        self.synced: dict[str, bytes] = {path: data for path, data in before.items() if data is not None}
        self.pending: dict[str, list[tuple]] = {}
        self.now = dict(self.synced)
        self.folders = {path for path, data in before.items() if data is None}
        self.unlinked: set[str] = set()
        self.moved: dict[str, bytes | None] = {}  # what a name stood for before a rename that may not be on the card
        self.acknowledged: dict[int, str] = {}
        for op in log:
            getattr(self, "_" + op[0])(*op[1:])

    def _create(self, path: str) -> None:
        self.names[path] = False
        self.unlinked.discard(path)
        self.synced[path] = self.now[path] = b""
        self.pending[path] = []

    def _mkdir(self, path: str) -> None:
        self.names[path] = False
        self.folders.add(path)

    def _write(self, path: str, offset: int, data: bytes) -> None:
        self.now[path] = _put(self.now[path], offset, data)
        self.pending.setdefault(path, []).append(("write", offset, data))

    def _truncate(self, path: str, size: int) -> None:
        self.now[path] = self.now[path][:size]
        self.pending.setdefault(path, []).append(("truncate", size, b""))

    def _sync(self, path: str) -> None:
        self.synced[path] = self.now[path]
        self.pending[path] = []

    def _names(self, path: str) -> None:
        for name in list(self.names):
            if os.path.dirname(name) == path:
                self.names[name] = True
                self.moved.pop(name, None)
                if name in self.unlinked:
                    del self.names[name]

    def _unlink(self, path: str) -> None:
        # Until its folder is synced either outcome is looked at: the name may or may not be there.
        self.names[path] = False
        self.unlinked.add(path)

    def _rename(self, source: str, target: str) -> None:
        # What the new name stood for is there until the folder is synced, or it is not any more: one of both, whole.
        self.moved[target] = self.synced.get(target) if self.names.get(target) else None
        for table in (self.synced, self.now, self.pending):
            table[target] = table.pop(source)
        self.names.pop(source)
        self.names[target] = False
        self.unlinked.discard(target)

    def _acknowledged(self, seq: int, text: str) -> None:
        self.acknowledged[seq] = text

    def states(self, most: int, dice: random.Random):
        """At most `most` trees; all that there are when they are fewer. All kept and all dropped are among them."""
        loose = [("name", name) for name, there in self.names.items() if not there]
        choices: list[tuple[str, ...]] = [("kept", "dropped")] * len(loose)
        for path, ops in self.pending.items():
            for number, op in enumerate(ops):
                loose.append((path, number))
                choices.append(("kept", "dropped", "half", "zeros") if op[0] == "write" else ("kept", "dropped"))
        total = 1
        for choice in choices:
            total *= len(choice)
        if total <= most:
            picks = itertools.product(*choices)
        else:
            picks = [tuple(c[0] for c in choices), tuple(c[1] for c in choices)]
            picks += [tuple(dice.choice(c) for c in choices) for _ in range(most - 2)]
        for pick in picks:
            yield self._tree(dict(zip(loose, pick)))

    def _tree(self, fate: dict[tuple, str]) -> dict[str, bytes | None]:
        tree: dict[str, bytes | None] = {}
        there = {name for name, sure in self.names.items() if sure or fate[("name", name)] == "kept"}
        for name, before in self.moved.items():
            if name not in there and before is not None:
                tree[name] = before
        for name in there:
            above = os.path.dirname(name)
            reachable = all(up in there for up in _ups(above, self.names))
            if not reachable:
                continue
            if name in self.folders:
                tree[name] = None
                continue
            data = self.synced[name]
            for number, (kind, offset, new) in enumerate(self.pending.get(name, [])):
                data = _apply(data, kind, offset, new, fate[(name, number)])
            tree[name] = data
        return tree


def _ups(path: str, names: dict[str, bool]) -> list[str]:
    ups = []
    while path in names:
        ups.append(path)
        path = os.path.dirname(path)
    return ups


def _put(data: bytes, offset: int, new: bytes) -> bytes:
    return data[:offset].ljust(offset, b"\0") + new + data[offset + len(new) :]


def _apply(data: bytes, kind: str, offset: int, new: bytes, fate: str) -> bytes:
    if fate == "dropped":
        return data
    if kind == "truncate":
        return data[:offset]
    if fate == "half":
        new = new[: len(new) // 2]
    elif fate == "zeros":
        new = bytes(len(new))
    return _put(data, offset, new)


def lay_out(tree: dict[str, bytes | None], root: str, target: str) -> None:
    """Make the files of a state under `target` instead of `root`."""
    os.makedirs(target, exist_ok=True)
    for path in sorted(tree):
        place = target + path[len(root) :]
        data = tree[path]
        if data is None:
            os.makedirs(place, exist_ok=True)
        else:
            with open(place, "wb") as file:
                file.write(data)


def torn_files(folder: str) -> list[bytes]:
    """What was kept aside in a folder of tapes."""
    found = []
    for name in sorted(os.listdir(folder)):
        if ".torn-" in name:
            with open(os.path.join(folder, name), "rb") as file:
                found.append(file.read())
    return found


class QuickDisk(Disk):
    """The real thing without waiting for the card: for looking at many results."""

    def fsync(self, fd: int) -> None:
        os.fstat(fd)

    def fdatasync(self, fd: int) -> None:
        os.fstat(fd)


class FaultyDisk(QuickDisk):
    """Fails at the N-th call (from 1), once or from then on.

    how: an errno name (raised instead of the call), `after:NAME` (the call happens, then the errno is raised),
    or `short` (half of a write goes in; half of a read comes out; all else is left alone).
    """

    def __init__(self, at: int, how: str, lasting: bool = False) -> None:
        self.at, self.how, self.lasting = at, how, lasting
        self.calls = 0
        self.hit = False

    def _now(self) -> bool:
        self.calls += 1
        due = self.calls == self.at or (self.lasting and self.calls > self.at)
        self.hit = self.hit or due
        return due

    def _do(self, call, *args):
        if not self._now() or self.how == "short":
            return call(*args)
        before, _, name = self.how.rpartition(":")
        if before:
            call(*args)
        raise OSError(getattr(errno, name), os.strerror(getattr(errno, name)))

    def open(self, path: str, flags: int, mode: int = 0o777) -> int:
        if self.how.startswith("after:"):
            self._now()
            return os.open(path, flags, mode)
        return self._do(os.open, path, flags, mode)

    def close(self, fd: int) -> None:
        os.close(fd)
        self._do(lambda: None)

    def write(self, fd: int, data: bytes) -> int:
        if self.how != "short":
            return self._do(os.write, fd, data)
        return os.write(fd, data[: len(data) // 2] if self._now() else data)

    def pwrite(self, fd: int, data: bytes, offset: int) -> int:
        if self.how != "short":
            return self._do(os.pwrite, fd, data, offset)
        return os.pwrite(fd, data[: len(data) // 2] if self._now() else data, offset)

    def pread(self, fd: int, count: int, offset: int) -> bytes:
        if self.how != "short":
            return self._do(os.pread, fd, count, offset)
        return os.pread(fd, max(1, count // 2) if self._now() else count, offset)

    def fsync(self, fd: int) -> None:
        self._do(os.fstat, fd)

    def fdatasync(self, fd: int) -> None:
        self._do(os.fstat, fd)

    def ftruncate(self, fd: int, size: int) -> None:
        self._do(os.ftruncate, fd, size)

    def mkdir(self, path: str, mode: int) -> None:
        self._do(os.mkdir, path, mode)

    def unlink(self, path: str) -> None:
        self._do(os.unlink, path)

    def rename(self, source: str, target: str) -> None:
        self._do(os.rename, source, target)

    def size(self, fd: int) -> int:
        return self._do(super().size, fd)

    def links(self, fd: int) -> int:
        return self._do(super().links, fd)

    def lock(self, fd: int) -> bool:
        return self._do(super().lock, fd)

    def hold(self, fd: int, seconds: float) -> bool:
        return self._do(super().hold, fd, seconds)


class TickingDisk(QuickDisk):
    """The same with a wall clock that goes on by one second each time it is looked at."""

    now = 1_800_000_000.0

    def wall(self) -> float:  # type: ignore[override]
        self.now += 1
        return self.now
