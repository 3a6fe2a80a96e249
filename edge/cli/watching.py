"""What watches over a run: the audit, what is known to be secret, what was heard before, what an earlier run left."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from edge.config import ModelSettings
    from edge.redact import Redactor
    from edge.tape.audit import Audit
    from edge.tape.leftovers import Child
    from edge.tape.unaudited import Unaudited


def audit(state: str, redact: Redactor, receipts: bool) -> Audit | Unaudited:
    """The audit log of the device, with or without receipts; in memory where nothing can be kept."""
    if not state:
        from edge.tape.unaudited import Unaudited

        return Unaudited(redact.text, receipts)
    from edge.tape.audit import Audit

    return Audit.open(state, redact.text, receipts)


def secrets(settings: ModelSettings, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What must never leave: the key of the model's server, wherever it is from."""
    from edge.config import read_key

    key = read_key(settings, environ) if settings.spec.startswith("chat:") else ""
    return tuple({one for one in (key, environ.get(settings.key_env, "").strip()) if one})


def heard(state: str, resume: str) -> str:
    """The taint of the tape that is resumed."""
    if not resume:
        return ""
    from edge.cli import resume as past

    return past.heard(f"{state}/tapes/{resume}.jsonl")


def strays(shells: list[Child]) -> list[str]:
    """End what shells of a dead run left; sentences of what was done."""
    from edge.hands.wall import tree

    ended, left = tree.end_strays([tree.Leftover(child.pid, child.start, child.tag) for child in shells])
    said = [f"{ended - left} programs of a shell were still running and were ended"] if ended > left else []
    return [*said, f"{left} programs of a shell cannot be ended"] if left else said
