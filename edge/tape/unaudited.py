"""The audit where nothing can be kept: no writable state folder, or a log that has failed.

The contract of `Audit`, in memory: it refuses the same records, gives the same numbers and receipts, and says in
`notice` that nothing is kept. Whoever acts only where the audit is `durable` does not act with this one.
"""

from __future__ import annotations

import _thread
import time

from edge.faults import TapeFault
from edge.tape.audit_form import FIRST, claimed, digest_of, encode, fields_text, ratchet, receipt_of
from edge.tape.disk import boot_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

RECORDS = 1000


class Unaudited:
    """An audit log in memory, of the last `records` records. `why` it is not kept, for the operator."""

    durable = False
    failed = ""

    def __init__(
        self,
        redact: Callable[[str], str] = str,
        receipts: bool = True,
        why: str = "there is no state folder",
        records: int = RECORDS,
    ) -> None:
        from collections import deque
        from os import urandom

        self.lines: deque[bytes] = deque(maxlen=records)
        self._given: deque[str] = deque(maxlen=records)
        self._redact, self._receipts, self._why = redact, receipts, why
        self._boot = boot_id()
        self._key = urandom(32)
        self._seq, self._hash = 0, FIRST
        self._closed = False
        self._lock: Any = _thread.allocate_lock()
        self.note("key", {})

    @property
    def notice(self) -> str:
        """What the operator must know of this log, as a sentence."""
        return f"nothing is audited: {self._why}"

    @property
    def head(self) -> str:
        """As Audit.head."""
        return f"{self._seq}:{self._hash}"

    def intent(self, fields: Mapping[str, Any], sync: bool = True) -> int:
        """As Audit.intent, but nothing is ever on a card."""
        return self._append("intent", fields)[0]

    def outcome(self, fields: Mapping[str, Any], sync: bool, success: bool) -> str:
        """As Audit.outcome; the receipt is known as long as this process lives."""
        given = success and self._receipts
        mac = self._append("outcome", {**fields, "receipt": True} if given else fields)[1]
        if not given:
            return ""
        self._given.append(receipt_of(mac))
        return self._given[-1]

    def note(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> int:
        """As Audit.note."""
        return self._append(kind, fields)[0]

    def known(self, receipt: str) -> bool:
        """True for one of the last receipts."""
        return receipt.lower() in self._given

    def unknown(self, text: str) -> tuple[str, ...]:
        """As Audit.unknown."""
        return tuple(word for word in claimed(text) if not self.known(word))

    def sync(self) -> None:
        """Nothing to do, as long as it is open."""
        if self._closed:
            raise TapeFault("the audit log is closed")

    def close(self) -> None:
        """Forget everything."""
        self._closed = True
        self.lines.clear()
        self._given.clear()

    def _append(self, kind: str, fields: Mapping[str, Any]) -> tuple[int, str]:
        inner = fields_text(kind, fields, self._redact)
        with self._lock:
            self.sync()
            now = time.monotonic()
            line, mac = encode(self._seq + 1, self._boot, now, time.time(), kind, inner, self._hash, self._key)
            self.lines.append(line)
            self._seq, self._hash, self._key = self._seq + 1, digest_of(line[:-1]), ratchet(self._key)
            return self._seq, mac
