"""What a person is asked, and who may answer in the person's place. The one at a terminal is edge/cli/ask.py, the ones
elsewhere come over edge/approvals/.

Rules:
1. A question shows the whole call in physical words, what it touches and what is remarkable about it, and is bound to
   a digest of tool, arguments, folder and policy: an answer counts for that call, once.
2. A question expires; no answer in time is a no that says so.
3. Nobody to ask is a no that says so. `--yes` is an answer the operator gave beforehand, at the command
   line only, and the record names it.
4. Questions and answers live in memory alone: what was asked before a kill can never be allowed after it.
5. A person may answer with words instead: the call does not run, and the model gets the words in place of a result.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from edge.call import Call
else:
    Protocol = object

LONGEST_TEXT = 4000  # characters of an answer in words


class Question(Record):
    """What a person is asked: physical `words`, and the gate's `sentence` on what the call touches.

    `digest` binds the answer to the call; `seconds` until it expires. `effects`: all that the call touches, one a
    piece (`write file:/srv/a`). `remarks`: sentences about it, such as what will fail. `tape`: who asks.
    """

    call: Call
    words: str
    sentence: str
    risk: str
    rule: str
    digest: str
    seconds: float
    effects: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    tape: str = ""


class Answer(Record):
    """`by` names who answered; `sentence` says why not. `text`: the words a person gave in place of yes or no."""

    yes: bool
    by: str
    sentence: str = ""
    text: str = ""


class Approver(Protocol):
    """Who answers questions."""

    def at_once(self, question: Question) -> Answer | None:
        """An answer that needs no waiting, or None: then `poll` is called until there is one."""

    def poll(self, seconds: float) -> Answer | None:
        """Wait at most `seconds` (<= 0.1) for the answer to the last question. It is given once."""

    def over(self, said: str) -> None:
        """The last question needs no answer any more; `said` is why. Nothing when none is open."""

    def close(self) -> None:
        """The run is over: nobody is asked again."""


class Nobody:
    """There is no person: every question is answered no."""

    def at_once(self, question: Question) -> Answer | None:
        return Answer(
            False,
            "nobody",
            "nobody could be asked; run it at a terminal or with --ask, or allow it with --grant or --yes",
        )

    def poll(self, seconds: float) -> Answer | None:
        return Answer(False, "nobody", "nobody could be asked")

    def over(self, said: str) -> None:
        """Nothing is open."""

    def close(self) -> None:
        """Nothing is held."""


class SaidYes:
    """The operator said yes beforehand with --yes."""

    def at_once(self, question: Question) -> Answer | None:
        return Answer(True, "--yes")

    def poll(self, seconds: float) -> Answer | None:
        return Answer(True, "--yes")

    def over(self, said: str) -> None:
        """Nothing is open."""

    def close(self) -> None:
        """Nothing is held."""


def yes(by: str) -> Answer:
    """A person allowed it."""
    return Answer(True, by)


def no(by: str, text: str = "") -> Answer:
    """A person did not allow it, or said something instead."""
    text = text.strip()[:LONGEST_TEXT]
    return Answer(False, by, f"the operator answered instead: {text}" if text else "the operator said no", text)


def unanswered(seconds: float) -> Answer:
    """Nobody answered in time."""
    return Answer(False, "nobody", f"nobody answered within {seconds:.0f} s")


def digest(call: Call, cwd: str, policy: str) -> str:
    """SHA-256 over tool, arguments, folder and the policy's digest, in hexadecimal."""
    import hashlib
    import json

    exact = json.dumps([call.tool, dict(call.args), cwd, policy], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(exact.encode("ascii")).hexdigest()
