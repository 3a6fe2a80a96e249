"""The audit log on the card: the end of its chain, the next line, syncing, turning to a new file.

Rules:
1. Everything here happens under the lock of the key file. Whoever finds that the log grew goes along what others
   wrote before he writes.
2. The log is synced with a record that must be, and else when GROUP records wait or SECONDS after the last sync. The
   key file follows each sync, and is put on the card itself within GROUP records or SECONDS.
3. What opening finds:
     head behind the log    a kill or a power cut: the macs of the records behind it are checked, and the chain goes on
     a torn end             moved aside; a `note` says how much
     head ahead of the log, or another last record, or a file too many
                            somebody cut or changed it: an `alarm` says so, and the chain goes on from the head, so that
                            the gap stays provable
     no head, but a log     the key is gone: an `alarm`, and a new chain (`key`) with a first key of its own
4. A full card: the ballast is given up to record it, intents are refused until there is room for it again; all else
   is still taken as long as it fits. A read-only card, a failed sync, a deleted file: `failed` says why, for good.
5. Failures are OSError; TapeFault is one. The log is then as it was, or `failed`.
"""

from __future__ import annotations

import os
from errno import ENOSPC, EROFS

from edge.faults import TapeFault
from edge.tape import disk as disks
from edge.tape.audit_form import FIRST, encode, fields_text, ratchet
from edge.tape.audit_key import Head, KeyFile, fresh, leave_first
from edge.tape.audit_log import (
    FOLDER,
    Place,
    end_of,
    forward,
    found_end,
    last_line,
    name_of,
    numbers,
    remove,
    set_aside,
    stands,
)
from edge.tape.audit_room import Ballast
from edge.tape.disk import Disk, cannot

GROUP = 20
SECONDS = 5.0
ROTATE = 8 << 20
KEEP = 8
BALLAST = 256 << 10
FULL = "make room on the card: until then nothing is done that must be recorded first"
FAR = 100_000  # numbers that are skipped at most, when a log that was meddled with is continued


class Store:
    """The open log of the state folder `state`. `limits`: bytes of a file, files kept, bytes of the ballast.

    `notice`: sentences for the operator, or "". `failed`: why nothing more is taken, or "". `place`: the end.
    """

    def __init__(self, state: str, disk: Disk, limits: tuple[int, int, int]) -> None:
        self.notice = ""
        self.failed = ""
        self.folder = f"{state}/{FOLDER}"
        self._state = state
        self._rotate, self._keep = limits[0], limits[1]
        self._disk = disk
        self._mono, self._wall, self._write, self._size = disk.mono, disk.wall, disk.write, disk.size
        self._boot = disks.boot_id()
        self._fd = -1
        self._unsynced = self._behind = 0
        self._synced = self._headed = self._mono()
        self.place = Place(0, FIRST, b"", 1, 0)
        disks.folder(disk, self.folder)
        self._ballast = Ballast(disk, self.folder + "/ballast", limits[2])
        self.key = KeyFile.open(disk, state)

    def load(self) -> None:
        """Find the end of the chain (rule 3) and be ready to write."""
        if self.key.open_to_others:
            self._say(f"the key file {self.key.path} can be read by others: chmod 600 it")
        head = self.key.read()
        if head is None:
            self._new_chain()
        else:
            # Whoever made the key may have been killed before it was on the card.
            self.key.settle()
            self._disk.sync_folder(self._state)
            disks.sync_name(self._disk, self._state)
            told = Place(head.seq, head.hash, head.key, head.file, head.size)
            place, why = stands(self._disk, self.folder, told)
            if not why:
                place = forward(self._disk, self.folder, place)
                files = numbers(self.folder)
                why = f"{name_of(files[-1])} does not belong to it" if files and files[-1] > place.file else ""
            self._settle(place, why)
        self._ballast.make()

    def add(self, kind: str, inner: str, sync: bool) -> tuple[int, str]:
        """Write a record; its number and mac. On the card when it returns, with `sync`."""
        place = self.place
        if self._size(self._fd) != place.size or place.turned:
            self._catch_up()
        if self.place.size >= self._rotate:
            self._turn()
        if kind == "intent" and not self._ballast.there and not self._ballast.make():
            raise TapeFault("the card is as good as full: the last room of the audit log is for outcomes", FULL)
        try:
            mac = self._line(kind, inner)
        except OSError as error:
            if error.errno != ENOSPC or not self._ballast.give_up():
                raise
            self._line("alarm", ',"text":"the card is full: what must be recorded first is refused"')
            if kind == "intent":
                self.sync(False)
                raise TapeFault("the audit log cannot be written: the card is full", FULL) from error
            mac = self._line(kind, inner)
        if sync or self._unsynced >= GROUP or self._mono() - self._synced >= SECONDS:
            self.sync(False)
        return self.place.seq, mac

    def sync(self, whole: bool) -> None:
        """Put the log on the card, then the key file if it is due, or `whole`. What fails fails for good."""
        try:
            self._disk.fdatasync(self._fd)
            if not self._disk.links(self._fd) or self.key.gone:
                raise OSError(2, "its file was deleted")
            mono = self._mono()
            self._behind += self._unsynced
            self._unsynced, self._synced = 0, mono
            place = self.place
            self.key.put(Head(place.seq, place.file, place.size, place.hash, place.key, self._boot))
            if whole or self._behind >= GROUP or mono - self._headed >= SECONDS:
                self.key.sync()
                self._behind, self._headed = 0, mono
        except OSError as error:
            self.failed = self.failed or error.strerror or str(error)
            raise cannot("records of the audit log may not be on the card", error) from error

    @property
    def waiting(self) -> bool:
        """True when something is not on the card yet."""
        return bool(self._unsynced or self._behind)

    @property
    def closed(self) -> bool:
        """True before `load` and after `close`."""
        return self._fd < 0

    def close(self) -> None:
        """Close the files, and with them give up the lock; nothing is synced."""
        fd, self._fd = self._fd, -1
        for close in (self.key.close, lambda: self._disk.close(fd) if fd >= 0 else None):
            try:
                close()
            except OSError:
                continue  # the descriptor is gone all the same (close(2)), and all was synced before

    def _line(self, kind: str, inner: str) -> str:
        """Write one line; its mac. When it fails the log is as it was, or the audit has failed."""
        place = self.place
        line, mac = encode(place.seq + 1, self._boot, self._mono(), self._wall(), kind, inner, place.hash, place.key)
        try:
            written = self._write(self._fd, line)
            if written != len(line):
                raise OSError(ENOSPC, f"only {written} of {len(line)} bytes went in")
        except OSError as error:
            if error.errno == EROFS:
                self.failed = error.strerror or str(error)
            self._put_back(place.size)
            raise
        self.place = place.after(line, kind == "rotate")
        self._unsynced += 1
        return mac

    def _put_back(self, size: int) -> None:
        try:
            self._disk.ftruncate(self._fd, size)
        except OSError as error:
            self.failed = self.failed or error.strerror or str(error)
            raise cannot("a half-written record cannot be taken off the audit log", error) from error

    # --- a full file ---

    def _turn(self) -> None:
        """Go on in a new file (audit_log.py, rule 1)."""
        self._line("rotate", f',"next":"{name_of(self.place.file + 1)}"')
        self.sync(True)
        self._next_file()

    def _next_file(self) -> None:
        before = self.place
        self._take(Place(before.seq, before.hash, before.key, before.file + 1, 0))
        self._begin()

    def _begin(self) -> None:
        """The first record of a new file; then what is too old goes."""
        gone = numbers(self.folder)[: -self._keep]
        inner = f',"before":"{name_of(self.place.file - 1)}"'
        if gone:
            last = name_of(gone[-1])
            seq, digest = end_of(self._disk, f"{self.folder}/{last}")
            inner += f',"dropped":"{last}","until":{seq},"hash":"{digest}"'
        self._line("begin", inner)
        self.sync(True)
        for file in gone:
            remove(self._disk, self.folder, file)

    # --- opening, and what others did ---

    def _new_chain(self) -> None:
        seq, last, file = found_end(self._disk, self.folder)
        head = fresh(seq, file, 0, last, self._boot)
        leave_first(self._disk, self._state, head)
        self.key.make(head)
        self._disk.sync_folder(self._state)
        disks.sync_name(self._disk, self._state)
        why = f"the key file was missing or unreadable: nothing proves the records up to {seq}" if seq else ""
        self._settle(Place(seq, last, head.key, file, 0), why, True)

    def _settle(self, place: Place, why: str, new: bool = False) -> None:
        """Take `place` as the end of the chain. `why`: what is wrong with the log, told in it and to the operator."""
        if why or new:
            place = self._behind_all(place)
        self._take(place)
        torn = self._size(self._fd) - place.size
        path = f"{self.folder}/{name_of(place.file)}"
        aside = set_aside(self._disk, self._fd, path, place.size) if torn > 0 else ""
        if new:
            self._line("key", f',"first":{place.seq + 1}')
        if why:
            self._say(f"the audit log does not fit its key: {why}; see fieldhand audit verify")
            self._line("alarm", fields_text("alarm", {"text": why}, str))
        if aside:
            text = f"a torn end of {torn} bytes was cut off this log and is kept in {aside}"
            self._line("note", fields_text("note", {"text": text, "bytes": torn, "file": aside}, str))
        if self.place.turned:
            self._next_file()
        elif not self.place.size and self.place.file > 1:
            self._begin()
        elif new or why or aside:
            self.sync(True)

    def _behind_all(self, place: Place) -> Place:
        """The same end of the chain, to be continued behind all that stands in whole lines in the newest file."""
        seq, _, file = found_end(self._disk, self.folder)
        fd = self._writer(file)
        try:
            size = last_line(self._disk, fd)[0]
        finally:
            self._disk.close(fd)
        # Numbers that stand there are not given again, unless somebody wrote one that is out of this world.
        ahead = seq - place.seq if place.seq < seq < place.seq + FAR else 0
        return Place(place.seq + ahead, place.hash, ratchet(place.key, ahead), file, size)

    def _catch_up(self) -> None:
        """Others wrote, or cut: go along from where this process knew the chain."""
        if self.key.gone or not self._disk.links(self._fd):
            self.failed = "its file or its key file was deleted"
            raise TapeFault("the audit log or its key file was deleted", "start again: the next start records it")
        self.key.doubt()
        if not self.place.turned and self._size(self._fd) < self.place.size:
            self._settle(self.place, f"it was cut while it was in use, before record {self.place.seq}")
            return
        place = forward(self._disk, self.folder, self.place)
        if place.file == self.place.file and not place.turned and self._size(self._fd) == place.size:
            self.place = place
            return
        head = self.key.read()
        if head is not None and head.seq > place.seq:
            self.load()
        else:
            self._settle(place, "")

    def _take(self, place: Place) -> None:
        fd = self._writer(place.file)
        old, self._fd = self._fd, fd
        self.place = place
        if old >= 0:
            self._disk.close(old)

    def _writer(self, file: int) -> int:
        """The file with this number, opened for appending, its name on the card."""
        fd = self._disk.open(f"{self.folder}/{name_of(file)}", disks.WRITER | os.O_CREAT | os.O_NONBLOCK, 0o600)
        self._disk.sync_folder(self.folder)
        disks.sync_name(self._disk, self.folder)
        return fd

    def _say(self, sentence: str) -> None:
        if sentence not in self.notice:
            self.notice = f"{self.notice}; {sentence}" if self.notice else sentence
