"""The key file of the audit log: the key of the next record, and where the log must end at least.

    fieldhand-audit 1 SEQ FILE SIZE BOOT HASH KEY CHECK

Rules:
1. Two slots, SLOT bytes apart, overwritten in place: an atomic replacement would write fourteen times as much to the
   card. What counts is the slot with the higher number among those whose check fits.
2. A slot is written only while the other one is on the card and whole: a torn write costs nothing.
3. It is written after the log was synced. So it may be behind the log, after a kill or a power cut, and is never
   ahead of one that nobody cut.
4. Once it is on the card the older slot is overwritten too: the key of an older record is kept nowhere.
5. The first key goes to `audit.first-key`, until the operator takes it away. It is what a verifier needs; whoever
   holds it can forge the whole log. Flash memory may keep what was erased: nothing here can help that.
6. The lock of this file is that of the whole log. Each record holds it, nobody longer.
"""

from __future__ import annotations

import os

from edge.faults import TapeFault
from edge.record import Record
from edge.tape import disk as disks
from edge.tape.audit_form import FIRST, digest_of
from edge.tape.disk import cannot, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.tape.disk import Disk

NAME = "audit.key"
FIRST_KEY = "audit.first-key"
SLOT = 4096
TEXT = 320
PATIENCE = 5.0  # seconds to wait for the lock


class Head(Record):
    """Up to where the log was synced: the last number, its file (1, 2, ...), the length of that file, the SHA-256 of
    its last line, the key of the next record, the boot it was written in."""

    seq: int
    file: int
    size: int
    hash: str
    key: bytes
    boot: str = "00000000"


class KeyFile:
    """The open key file of a state folder. `head` is what it last said or was told; None when it says nothing."""

    def __init__(self, disk: Disk, fd: int, path: str) -> None:
        self.path = path
        self.head: Head | None = None
        self._disk = disk
        self._fd = fd
        self._next = 0
        self._sure = False

    @classmethod
    def open(cls, disk: Disk, state: str) -> KeyFile:
        """The key file of the folder `state`, made empty when there is none. TapeFault when it cannot be opened."""
        path = state + "/" + NAME
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            return cls(disk, disk.open(path, flags, 0o600), path)
        except OSError as error:
            raise cannot(f"the key file {path} cannot be opened", error) from error

    def hold(self) -> None:
        """Take the lock. TapeFault when another process keeps it for PATIENCE seconds."""
        try:
            if self._disk.hold(self._fd, PATIENCE):
                return
        except OSError as error:
            raise cannot(f"the key file {self.path} cannot be locked", error) from error
        pid = disks.holder(self._fd)
        who = f"process {pid}" if pid else "another process"
        raise TapeFault(f"the audit log is held by {who} and does not come free", "let that one go on, or end it")

    def free(self) -> None:
        """Give the lock back."""
        self._disk.free(self._fd)

    def read(self) -> Head | None:
        """The newest whole slot. OSError."""
        slots = [parse(whole(self._disk, self._fd, TEXT, at * SLOT)) for at in (0, 1)]
        best = max((0, 1), key=lambda at: -1 if slots[at] is None else slots[at].seq)  # type: ignore[union-attr]
        self.head = slots[best]
        self._next = 1 - best
        self._sure = False
        return self.head

    def doubt(self) -> None:
        """Another process wrote here: what is not on the card is put there before the next slot."""
        self._sure = False

    def settle(self) -> None:
        """Put on the card whatever anybody wrote here. OSError."""
        self._disk.fdatasync(self._fd)

    def put(self, head: Head) -> None:
        """Write a slot. OSError."""
        if not self._sure:
            self.settle()
            self.read()
            self._sure = True
        self._write(head)
        self.head = head

    def sync(self) -> None:
        """Put what was written on the card, and overwrite the slot before it. OSError."""
        self._disk.fdatasync(self._fd)
        self._next = 1 - self._next
        if self.head is not None:
            self._write(self.head)

    def make(self, head: Head) -> None:
        """A new key: both slots, on the card. OSError."""
        for at in (0, 1):
            self._next = at
            self._write(head)
            self._disk.fsync(self._fd)
        self.head, self._sure = head, True

    def _write(self, head: Head) -> None:
        text = slot(head)
        if self._disk.pwrite(self._fd, text, self._next * SLOT) != len(text):
            raise OSError(28, "no room for the whole key")

    @property
    def gone(self) -> bool:
        """True when the file has no name any more. OSError."""
        return not self._disk.links(self._fd)

    @property
    def open_to_others(self) -> bool:
        """True when group or others may touch the file."""
        return bool(os.fstat(self._fd).st_mode & 0o077)

    def close(self) -> None:
        """Close the file, and with it give up the lock."""
        self._disk.close(self._fd)


def slot(head: Head) -> bytes:
    """The text of a slot, TEXT bytes."""
    text = b"fieldhand-audit 1 %d %d %d %s %s %s " % (
        head.seq, head.file, head.size, head.boot.encode(), head.hash.encode(), head.key.hex().encode(),
    )  # fmt: skip
    return (text + _check(text)).ljust(TEXT - 1) + b"\n"


def parse(raw: bytes) -> Head | None:
    """The head that a slot says; None when it is torn, empty or foreign."""
    words = raw.split()
    if len(raw) != TEXT or len(words) != 9 or words[:2] != [b"fieldhand-audit", b"1"]:
        return None
    if _check(b" ".join(words[:8]) + b" ") != words[8]:
        return None
    try:
        seq, file, size = (int(word) for word in words[2:5])
        return Head(seq, file, size, words[6].decode(), bytes.fromhex(words[7].decode()), words[5].decode())
    except ValueError:
        return None


def peek(state: str) -> Head | None:
    """What the key file of `state` says, for a reader: nothing is made, nobody is waited for. TapeFault."""
    path = state + "/" + NAME
    try:
        fd = disks.regular(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot(f"the key file {path} cannot be read", error) from error
    try:
        slots = [parse(os.pread(fd, TEXT, at * SLOT)) for at in (0, 1)]
    except OSError as error:
        raise cannot(f"the key file {path} cannot be read", error) from error
    finally:
        os.close(fd)
    return max((head for head in slots if head), key=lambda head: head.seq, default=None)


def fresh(seq: int, file: int, size: int, last: str, boot: str) -> Head:
    """A head with a key that nobody knows, for the record behind number `seq`."""
    return Head(seq, file, size, last or FIRST, os.urandom(32), boot)


def leave_first(disk: Disk, state: str, head: Head) -> None:
    """Lay the first key of a chain out for the operator, on the card when this returns. OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    fd = disk.open(state + "/" + FIRST_KEY, flags, 0o600)
    try:
        if not head.seq:
            disk.ftruncate(fd, 0)
        line = b"\n%d:%s\n" % (head.seq + 1, head.key.hex().encode())
        if disk.write(fd, line) != len(line):
            raise OSError(28, "no room for the first key")
        disk.fsync(fd)
    finally:
        disk.close(fd)
    disk.sync_folder(state)


def keys_of(text: str) -> tuple[tuple[int, bytes], ...]:
    """The keys in a text of rows `SEQ:HEX`, or `HEX` for the first; what is none is left out."""
    found = []
    for row in text.split():
        seq, _, key = row.rpartition(":")
        if len(key) == 64 and not key.strip("0123456789abcdefABCDEF") and (not seq or seq.isdecimal()):
            found.append((int(seq or 1), bytes.fromhex(key)))
    return tuple(found)


def _check(text: bytes) -> bytes:
    return digest_of(text)[:16].encode()
