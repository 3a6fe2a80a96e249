"""Is the audit log what was written? Reads only.

What each thing proves:
1. The chain alone (`prev`, `seq`): a changed, removed, added, swapped or repeated line in the middle. It proves nothing
   of the end, and nothing against one who writes all lines behind the changed one anew.
2. The head (the key file of the device, or the one that was exported with the log): also that the end was not cut off
   and the last line not changed, unless whoever did it could write the head too.
3. A key taken away earlier (`SEQ:HEX`, the first is `1:...`): all that, for every record from SEQ on, against anybody
   who does not hold that key or an older one, the key of today included.
4. A log put back together with its head to an earlier state passes all that. Only a head that was noted elsewhere
   (`SEQ:DIGEST`) shows it.

The verdict: 0 sound, 1 changed, 8 only torn at its end, which power cuts and kills do.
"""

from __future__ import annotations

import os

from edge.record import Record
from edge.tape import disk as disks
from edge.tape.audit_form import FIRST, decode, digest_of, mac_of, ratchet, split
from edge.tape.audit_key import Head
from edge.tape.audit_log import lines, name_of, numbers
from edge.tape.disk import Disk, cannot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 20  # problems that are told one by one
FAR = 1_000_000  # missing records over which a key is followed at most
OLD = 50_000_000  # records that were dropped before the log begins, over which the first key is followed at most


class Report(Record):
    """What was found. code 0, 1 or 8; records from `first` to `last`, `keyed` of them by their mac; `torn` bytes."""

    code: int
    first: int
    last: int
    records: int
    keyed: int
    torn: int
    problems: tuple[str, ...]
    remarks: tuple[str, ...]


def check(
    folder: str,
    head: Head | None = None,
    keys: tuple[tuple[int, bytes], ...] = (),
    since: int = 1,
    noted: tuple[tuple[int, str], ...] = (),
) -> Report:
    """Check the log in `folder` from record `since` on. `noted` are heads kept elsewhere. TapeFault."""
    disk = Disk()
    walk = _Walk(head, keys, since, noted)
    try:
        files = numbers(folder)
        for file in files:
            fd = disks.regular(f"{folder}/{name_of(file)}")
            try:
                walk.file(name_of(file), file == files[-1])
                for _, line in lines(disk, fd, 0, disk.size(fd)):
                    walk.line(line)
            finally:
                os.close(fd)
    except OSError as error:
        raise cannot(f"the audit log in {folder} cannot be read", error) from error
    return walk.end()


class _Walk:
    """Goes over the lines once."""

    def __init__(
        self, head: Head | None, keys: tuple[tuple[int, bytes], ...], since: int, noted: tuple[tuple[int, str], ...]
    ) -> None:
        self._head = head
        own = ((head.seq + 1, head.key),) if head is not None and len(head.key) == 32 else ()
        self._keys = dict((*own, *keys))
        self._given = bool(keys)
        self._since = since
        self._marks = dict(noted)
        if head is not None and head.seq:
            self._marks.setdefault(head.seq, head.hash)
        self._key: bytes | None = None
        self._seq = self._count_all = self._key_at = self._first = self._count = self._keyed = self._torn = (
            self._wrong
        ) = 0
        self._hash = self._first_prev = FIRST
        self._dropped: dict[int, str] = {}
        self._problems: list[str] = []
        self._remarks: list[str] = []
        self._bad = ""
        self._name, self._line, self._newest = "", 0, True
        self._wall = 0.0

    def file(self, name: str, newest: bool) -> None:
        """The lines of this file come next."""
        self._name, self._line, self._newest = name, 0, newest

    def line(self, line: bytes) -> None:
        """One line, with its newline when it has one."""
        self._line += 1
        record = decode(line[:-1]) if line[-1:] == b"\n" else None
        if record is None:
            self._piece(line)
        elif self._bad and not self._follows(record) and (self._head is None or self._seq >= self._head.seq):
            # Behind a torn record nothing counts, whatever of the later ones reached the card.
            self._torn += len(line)
            if self._head is None:
                self._problem(f"record {record['seq']} stands behind what is no record")
        else:
            self._record(line[:-1], record)

    def _piece(self, line: bytes) -> None:
        """Bytes that are no record: torn when they stand at the end, and the head knows of nothing behind them."""
        self._torn += len(line)
        known = self._head is not None and self._seq < self._head.seq
        if not self._newest or known:
            self._problem(f"{len(line)} bytes are no record")
        self._bad = self._bad or f"{self._name}:{self._line}"

    def _follows(self, record: dict[str, Any]) -> bool:
        return bool(record["seq"] == self._seq + 1 and record["prev"] == self._hash)

    def _record(self, line: bytes, record: dict[str, Any]) -> None:
        seq = record["seq"]
        if self._bad:
            self._problem(f"what is no record stands before record {seq}", self._bad)
            self._bad, self._torn = "", 0
        if not self._count_all:
            self._first, self._first_prev = seq, record["prev"]
        elif seq >= self._since:
            self._judge(record)
        self._step_key(seq, record)
        if self._key is not None and seq >= self._since:
            self._check_mac(line, seq)
        self._tell(record)
        self._seq, self._hash = seq, digest_of(line)
        self._count_all += 1
        self._count += seq >= self._since
        mark = self._marks.pop(seq, None)
        if mark is not None and mark != self._hash:
            self._problem(f"record {seq} is not the one that was last written when its head was noted")

    def _judge(self, record: dict[str, Any]) -> None:
        seq = record["seq"]
        if seq <= self._seq:
            self._problem(f"record {seq} stands behind record {self._seq}: moved, repeated or forged")
        elif seq > self._seq + 1:
            self._problem(f"before record {seq} something is missing: {self._seq + 1} to {seq - 1}")
        elif record["prev"] != self._hash:
            self._problem(f"record {seq} does not follow the record {self._seq} that stands before it: one was changed")

    def _step_key(self, seq: int, record: dict[str, Any]) -> None:
        """The key of this record, as far as it follows from those at hand."""
        new = record["kind"] == "key" and seq > 1
        if new:
            self._remarks.append(f"record {seq} begins a new key: only its own record says that it follows {seq - 1}")
            self._key = None
            if self._given and seq not in self._keys:
                self._problem(f"record {seq} begins a new key, which was not given: it may be anybody's")
        if self._key is not None and seq > self._key_at:
            self._key = _later(self._key, seq - self._key_at, FAR)
        if seq in self._keys:
            if self._key is not None and seq >= self._key_at and self._key != self._keys[seq]:
                self._problem(f"the key for record {seq} does not follow from the one before")
            self._key = self._keys[seq]
        elif self._key is None and not new:
            # Where records are missing, or were dropped, the key may be that of one of them.
            at = max((at for at in self._keys if self._seq < at < seq), default=0)
            self._key = _later(self._keys[at], seq - at, FAR if self._count_all else OLD) if at else None
        self._key_at = max(self._key_at, seq)

    def _check_mac(self, line: bytes, seq: int) -> None:
        parts = split(line)
        if parts is None or self._key is None or seq < self._key_at:
            return
        self._keyed += 1
        if mac_of(self._key, parts[1], parts[0]).encode() != parts[2]:
            self._problem(f"record {seq} does not bear the mac of its key: changed, or forged")

    def _tell(self, record: dict[str, Any]) -> None:
        seq, kind = record["seq"], record["kind"]
        if kind == "begin" and type(record.get("until")) is int:
            self._dropped[record["until"] + 1] = str(record.get("hash"))
        if kind == "alarm" and seq >= self._since:
            self._remarks.append(f"record {seq} is an alarm: {record.get('text')}")
        if record["wall"] < self._wall - 1:
            self._remarks.append(f"the clock was set back before record {seq}")
        self._wall = record["wall"]

    def end(self) -> Report:
        """The verdict."""
        last_key = self._keys.get(self._seq + 1)
        if self._key is not None and self._count and last_key is not None and ratchet(self._key) != last_key:
            self._problem(f"the key for record {self._seq + 1} does not follow from the one before")
        if self._count_all and self._first != 1 and self._since <= max(1, self._first):
            if self._dropped.get(self._first) != self._first_prev:
                self._problem(f"it begins with record {self._first}, and none says that those before were dropped", "")
            else:
                self._remarks.append(f"it begins with record {self._first}: older ones were dropped to make room")
        elif self._first == 1 and self._first_prev != FIRST:
            self._problem("its first record says that another was before it", "")
        for seq in sorted(self._marks):
            if seq > self._seq:
                self._problem(f"it ends with record {self._seq}, and there was a record {seq}: its end was cut off", "")
            elif seq < self._first:
                self._remarks.append(f"record {seq}, whose head was noted, was dropped since")
            else:
                self._problem(f"record {seq}, whose head was noted, is missing", "")
        if self._wrong > len(self._problems):
            self._problems.append(f"and {self._wrong - len(self._problems)} more")
        code = 1 if self._wrong else 8 if self._torn else 0
        return Report(
            code, self._first, self._seq, self._count, self._keyed, self._torn,
            tuple(self._problems), tuple(self._remarks[-MOST:]),
        )  # fmt: skip

    def _problem(self, sentence: str, where: str | None = None) -> None:
        self._wrong += 1
        if len(self._problems) < MOST:
            place = f"{self._name}:{self._line}" if where is None else where
            self._problems.append(f"{place}: {sentence}" if place else sentence)


def _later(key: bytes, steps: int, most: int) -> bytes | None:
    """The key `steps` records later; None when that is further than anybody wrote."""
    return ratchet(key, steps) if steps <= most else None
