"""What the operator did from outside a run, in the audit log of the state folder: the emergency stop and its end.

Best effort, after the act: what cannot be recorded is said, and the act stands. It waits for the log's lock only as
long as every writer does (edge/tape/audit_key.py).
"""

from __future__ import annotations

import os

from edge.cli import say
from edge.faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def note(state: str, kind: str, fields: Mapping[str, Any]) -> bool:
    """Record what was done; False, and a sentence on stderr, when that cannot be."""
    try:
        owner = os.stat(state)
        if os.geteuid() in (0, owner.st_uid):
            _as(owner.st_uid, owner.st_gid, state, kind, fields)
            return True
        why = f"it belongs to uid {owner.st_uid}"
    except Fault as fault:
        why = str(fault)
    except OSError as error:
        why = (error.strerror or "unknown error").lower()
    say(f"fieldhand: not in the audit log: {why}")
    return False


def _as(uid: int, gid: int, state: str, kind: str, fields: Mapping[str, Any]) -> None:
    """As the owner of the folder, also for root: a file that root made there would shut the agent out of its log."""
    me, mine = os.geteuid(), os.getegid()
    if me != uid:
        os.setegid(gid)
        os.seteuid(uid)
    try:
        _write(state, kind, fields)
    finally:
        if me != uid:
            os.seteuid(me)
            os.setegid(mine)


def _write(state: str, kind: str, fields: Mapping[str, Any]) -> None:
    from edge.redact import Redactor
    from edge.tape.audit import Audit

    audit = Audit.open(state, Redactor(()).text)
    try:
        audit.note(kind, fields, True)
    finally:
        audit.close()
