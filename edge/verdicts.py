"""What a turn amounts to: calls that repeat, and refusals or failures that no later call made good. Pure.

Rules:
1. A result is the same when everything but its age and its time left is the same.
2. A refusal stands until a later call of the same class (one that observes, one that changes) was done.
3. A hardware fault stands until the same call was done.
4. The code of an answered turn: 5 for a used-up budget of calls, 6 for a refusal, 7 for hardware, else 0.
"""

from __future__ import annotations

from edge.faults import BudgetFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Call, Observation
    from edge.faults import Fault

NUDGE_AT = 3
END_AT = 5
_PASSING = frozenset(("age", "left"))


class Repeats:
    """Counts the same call with the same result, in a row."""

    def __init__(self) -> None:
        self._last: object = None
        self._count = 0

    def seen(self, call: Call, found: Observation) -> tuple[str, Fault | None]:
        """A sentence for the model (or ""), and the fault that ends the turn (or None)."""
        result: object = found.text
        if found.data is not None:
            result = {key: value for key, value in found.data.items() if key not in _PASSING}
        now = (call.tool, call.args, found.ok, result)
        self._count = self._count + 1 if now == self._last else 1
        self._last = now
        if self._count >= END_AT:
            return "", BudgetFault(f"{call.tool} brought the same result {END_AT} times in a row", "change the goal")
        if self._count >= NUDGE_AT:
            return f"[same call, same result, {self._count} times: try something else or answer]", None
        return "", None


class Troubles:
    """What went wrong in a turn and was not made good (rules 2 and 3)."""

    def __init__(self) -> None:
        self._refused: dict[bool, int] = {}
        self._hardware: list[tuple[str, object]] = []

    def outcome(self, call: Call, status: str, ok: bool, observes: bool, rule: str) -> None:
        """Take note of one outcome."""
        key = (call.tool, call.args)
        if status == "refused":
            self._refused[observes] = 5 if rule.startswith("budget.") else 6
        elif status == "hardware":
            self._hardware.append(key)
        elif status == "deadline":
            self._refused[observes] = 5
        elif ok:
            self._refused.pop(observes, None)
            self._hardware = [other for other in self._hardware if other != key]

    def code(self) -> int:
        """The exit code of a turn that ended with an answer (rule 4)."""
        if self._refused:
            return min(self._refused.values())
        return 7 if self._hardware else 0
