"""The audit log: what was asked, allowed, refused and done on this device, provable afterwards.

Rules:
1. One log for a state folder, whatever tapes and agents share it. audit_form.py says what a record is,
   audit_key.py what the key file is, audit_store.py what happens on the card and after a crash.
2. Texts are redacted and clipped before they are recorded.
3. Only a success gets a receipt. A receipt is as durable as its record: synced, or within the next group.
4. Every way to fail is a TapeFault. Once `failed` is set nothing more is taken: whoever goes on goes on with an
   `Unaudited`, and only reads.
"""

from __future__ import annotations

import _thread

from edge.faults import TapeFault
from edge.tape.audit_form import claimed, fields_text, receipt_of
from edge.tape.audit_store import BALLAST, KEEP, ROTATE, Store
from edge.tape.disk import Disk, cannot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

RECENT = 500  # receipts in memory, and as many older ones


def unredacted(text: str) -> str:
    """For who knows no secrets."""
    return text


class Audit:
    """The open audit log of a state folder, made by `open`. Threads and processes may share it."""

    durable = True

    def __init__(self, store: Store, redact: Callable[[str], str], receipts: bool) -> None:
        self._store = store
        self._redact = redact
        self._receipts = receipts
        self._recent: set[str] = set()
        self._older: set[str] = set()
        self._lock: Any = _thread.allocate_lock()

    @classmethod
    def open(
        cls,
        state: str,
        redact: Callable[[str], str] = unredacted,
        receipts: bool = True,
        disk: Disk | None = None,
        limits: tuple[int, int, int] = (ROTATE, KEEP, BALLAST),
    ) -> Audit:
        """The log of the state folder `state` (absolute), made when there is none. TapeFault.

        `redact` takes secrets out of each text. `limits`: bytes of a file, files kept, bytes of the ballast.
        """
        store = None
        done = False
        try:
            store = Store(state, disk or Disk(), limits)
            try:
                store.key.hold()
                store.load()
            finally:
                store.key.free()
            done = True
        except OSError as error:
            raise _told(error, f"the audit log in {state} cannot be opened") from error
        finally:
            if store is not None and not done:
                store.close()
        return cls(store, redact, receipts)

    @property
    def notice(self) -> str:
        """What the operator must be told of this log: sentences, or "". Read it now and then."""
        return self._store.notice

    @property
    def failed(self) -> str:
        """Why it takes nothing more, "" as long as it does."""
        return self._store.failed

    @property
    def head(self) -> str:
        """`SEQ:DIGEST` of the last record: kept somewhere else, it proves later that nothing was rolled back."""
        return f"{self._store.place.seq}:{self._store.place.hash}"

    def intent(self, fields: Mapping[str, Any], sync: bool = True) -> int:
        """Record what is about to be done; its number. On the card when it returns, unless `sync` is False.

        TapeFault: then it must not be done.
        """
        return self._append("intent", fields, sync)[0]

    def outcome(self, fields: Mapping[str, Any], sync: bool, success: bool) -> str:
        """Record what came of it; the receipt of a success when receipts are on, else "". TapeFault."""
        if not (success and self._receipts):
            self._append("outcome", fields, sync)
            return ""
        receipt = receipt_of(self._append("outcome", {**fields, "receipt": True}, sync)[1])
        self._recent.add(receipt)
        if len(self._recent) >= RECENT:
            self._older, self._recent = self._recent, set()
        return receipt

    def note(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> int:
        """Record something else of audit_form.KINDS; its number. TapeFault."""
        return self._append(kind, fields, sync)[0]

    def known(self, receipt: str) -> bool:
        """True when this log gave that receipt: looked for in memory, then in the files. TapeFault."""
        receipt = receipt.lower()
        if receipt in self._recent or receipt in self._older:
            return True
        from edge.tape.audit_read import find

        return find(self._store.folder, receipt) is not None

    def unknown(self, text: str) -> tuple[str, ...]:
        """The receipts that `text` names and that nobody gave. TapeFault."""
        return tuple(word for word in claimed(text) if not self.known(word))

    def sync(self) -> None:
        """Put all so far on the card, and keep no key but the next one. TapeFault: then it failed for good."""
        with self._lock:
            self._still_open()
            if self._store.waiting:
                self._held(lambda: self._store.sync(True), "records of the audit log may not be on the card")

    def close(self) -> None:
        """Sync and close. Closing twice is nothing. TapeFault when the last records may be lost."""
        try:
            if not self._store.closed and not self._store.failed:
                self.sync()
        finally:
            self._store.close()

    def _append(self, kind: str, fields: Mapping[str, Any], sync: bool) -> tuple[int, str]:
        """Number and mac of the new record."""
        inner = fields_text(kind, fields, self._redact)
        store = self._store
        with self._lock:
            self._still_open()
            try:
                store.key.hold()
                return store.add(kind, inner, sync)
            except OSError as error:
                raise _told(error, "the audit log cannot be written") from error
            finally:
                store.key.free()

    def _held(self, act: Callable[[], None], what: str) -> None:
        try:
            self._store.key.hold()
            act()
        except OSError as error:
            raise _told(error, what) from error
        finally:
            self._store.key.free()

    def _still_open(self) -> None:
        if self._store.failed:
            why = f"the audit log takes nothing more since it failed: {self._store.failed}"
            raise TapeFault(why, "start again; the next start keeps what is on the card")
        if self._store.closed:
            raise TapeFault("the audit log is closed")


def _told(error: OSError, what: str) -> TapeFault:
    """The fault to raise; one that says more already stays."""
    return error if isinstance(error, TapeFault) else cannot(what, error)
