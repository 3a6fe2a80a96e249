"""What a person is asked, and who may answer in the person's place. The one at a terminal is edge/cli/ask.py.

Rules:
1. A question shows the whole call in physical words and is bound to a digest of tool, arguments, folder
   and preset: an answer counts for that call, once.
2. A question expires; no answer in time is a no that says so.
3. Nobody to ask is a no that says so. `--yes` is an answer the operator gave beforehand, at the command
   line only, and the record names it.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from edge.call import Call
else:
    Protocol = object


class Question(Record):
    """What a person is asked: physical `words`, and the gate's `sentence` on what the call touches.

    `digest` binds the answer to the call; `seconds` until it expires.
    """

    call: Call
    words: str
    sentence: str
    risk: str
    rule: str
    digest: str
    seconds: float


class Answer(Record):
    """`by` names who answered; `sentence` says why not."""

    yes: bool
    by: str
    sentence: str = ""


class Approver(Protocol):
    """Who answers questions."""

    def at_once(self, question: Question) -> Answer | None:
        """An answer that needs no waiting, or None: then `poll` is called until there is one."""

    def poll(self, seconds: float) -> Answer | None:
        """Wait at most `seconds` (<= 0.1) for the answer to the last question."""


class Nobody:
    """There is no person: every question is answered no."""

    def at_once(self, question: Question) -> Answer | None:
        return Answer(False, "nobody", "nobody could be asked; run it at a terminal, or allow it with --yes")

    def poll(self, seconds: float) -> Answer | None:
        return Answer(False, "nobody", "nobody could be asked")


class SaidYes:
    """The operator said yes beforehand with --yes."""

    def at_once(self, question: Question) -> Answer | None:
        return Answer(True, "--yes")

    def poll(self, seconds: float) -> Answer | None:
        return Answer(True, "--yes")


def digest(call: Call, cwd: str, preset: str) -> str:
    """SHA-256 over tool, arguments, folder and preset, in hexadecimal."""
    import hashlib
    import json

    exact = json.dumps([call.tool, dict(call.args), cwd, preset], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(exact.encode("ascii")).hexdigest()
