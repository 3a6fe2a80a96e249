"""One row of the authority table.

Rules:
1. A row carries a verdict for each preset, in the order of PRESETS.
2. `named` is a denial that becomes an ask where the risk profile names the row: by its id, or by its `group` in
   `ask_for`. Nothing else lifts a denial.
3. `firm` rows ask even where `auto_approve` names the tool.
"""

from __future__ import annotations

from edge.record import Record

ALLOW, ASK, NAMED, DENY = "allow", "ask", "named", "deny"


class Row(Record):
    """`sentence` may name {what}; `verdicts` stand for readonly, supervised, guarded, full."""

    id: str
    risk: str
    verdicts: tuple[str, str, str, str]
    sentence: str
    group: str = "high"
    firm: bool = False


ALWAYS = (ALLOW, ALLOW, ALLOW, ALLOW)
NEVER = (DENY, DENY, DENY, DENY)
# The classes of the authority table.
MEDIUM = (DENY, ASK, ASK, ALLOW)
HIGH = (DENY, NAMED, ASK, ALLOW)
RUIN = (DENY, NAMED, DENY, ASK)
DISK = (DENY, DENY, DENY, NAMED)
# A host that the operator did not list, looked at; what asks wherever it is not refused.
UNLISTED = (DENY, ASK, ASK, ALLOW)
ASKS = (DENY, ASK, ASK, ASK)
HIGH_ASKS = (DENY, NAMED, ASK, ASK)
# A shell text's harmless part: it runs where there is a shell at all.
SHELL = (DENY, ALLOW, ALLOW, ALLOW)
