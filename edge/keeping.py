"""What a loop keeps: the tape of the conversation and the audit of the device, behind one door.

Rules:
1. Once the tape or the audit has failed for good, nothing more is tried with it; what changes something is then
   refused by the gate (`tape.none`), what only observes still runs. A full card is not for good.
2. What is known to be secret is taken out before anything is kept.
3. The audit has one record for each call that ended, and one before each call that changes something.
"""

from __future__ import annotations

from edge.faults import TapeFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from edge.call import Call, Decision, Observation
    from edge.tape.journal import Tape
    from edge.tape.unkept import Unkept

    class Audit(Protocol):
        """The chained record of the device, or its unkept double. `failed`: why it takes nothing more, or ""."""

        @property
        def failed(self) -> str: ...
        def intent(self, fields: Mapping[str, Any], sync: bool = True) -> int: ...
        def outcome(self, fields: Mapping[str, Any], sync: bool, success: bool) -> str: ...
        def note(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> int: ...
        def unknown(self, text: str) -> tuple[str, ...]: ...
        def sync(self) -> None: ...


class Keeper:
    """Writes both records. `redact` takes known secrets out of a text."""

    __slots__ = ("_audit", "_redact", "_tape", "failed")

    def __init__(self, tape: Tape | Unkept, audit: Audit, redact: Callable[[str], str]) -> None:
        self._tape = tape
        self._audit = audit
        self._redact = redact
        self.failed = ""  # why the tape takes nothing more

    @property
    def durable(self) -> bool:
        """True when what is kept outlives a power cut."""
        return self._tape.durable and not self.failed and not self._audit.failed

    def keep(self, kind: str, fields: Mapping[str, Any], sync: bool = False) -> None:
        """Put a record on the tape (rule 1). TapeFault when that fails."""
        if self.failed:
            return
        try:
            self._tape.append(kind, fields, sync)
        except TapeFault as fault:
            self.failed = fault.sentence
            raise

    def clean(self, text: str) -> str:
        """`text` without what is known to be secret."""
        return self._redact(text)

    def intend(self, call: Call, facts: Mapping[str, Any], sync: bool) -> None:
        """The intent of a call: on the card in both records before anything that changes something (`sync`)."""
        self.keep("intent", facts, sync)
        if sync:
            self._audit.intent({"tape": self._tape.name, **facts})

    def end(self, call: Call, status: str, found: Observation, facts: Mapping[str, Any], sync: bool) -> str:
        """The end of a call in the audit; the receipt of a success, or ""."""
        if self._audit.failed:
            return ""
        fields = {"tape": self._tape.name, **facts, "status": status, "ok": found.ok}
        if not found.ok:
            fields["text"] = found.text[:400]
        if "level" in fields:  # what was wanted of the wall becomes what held
            fields["level"] = (found.data or {}).get("wall", "nothing was started")
        return self._audit.outcome(fields, sync, status == "done" and found.ok)

    def unknown_receipts(self, text: str) -> tuple[str, ...]:
        """Receipts that `text` names and that were never given; each is recorded as an alarm."""
        found = () if "r-" not in text.lower() else self._audit.unknown(text)
        for receipt in found:
            said = {"tape": self._tape.name, "text": "an answer names a receipt that nobody gave", "receipt": receipt}
            if not self._audit.failed:
                self._audit.note("alarm", said)
        return found

    def rest(self) -> None:
        """The turn is over: what was only observed goes onto the card too."""
        if not self._audit.failed:
            self._audit.sync()


def facts(call: Call, decision: Decision, effects: tuple[str, ...], by: str, policy: str) -> dict[str, Any]:
    """What both records say of a call: what it was, what the gate said and who let it."""
    found: dict[str, Any] = {
        "call": call.id,
        "tool": call.tool,
        "args": call.args,
        "effects": effects,
        "risk": decision.risk,
        "verdict": decision.verdict,
        "rule": decision.rule,
        "by": by,
        "policy": policy,
    }
    if call.parent:
        found["parent"] = call.parent
    if decision.permit is not None and decision.permit.wall != "hands":
        found["level"] = decision.permit.wall
    return found
