"""What a loop is made of, and how a turn ends."""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from edge.approve import Approver
    from edge.catalogue import Catalogue
    from edge.config import Budgets
    from edge.context import Context
    from edge.faults import Fault
    from edge.gate.policy import Policy
    from edge.grants import Grants
    from edge.hands.world import World
    from edge.keeping import Audit
    from edge.model import Model
    from edge.redact import Redactor
    from edge.stop import Stop
    from edge.taint import Taint
    from edge.watch import Watcher


class Ending(Record):
    """How a turn ended: exit code, the answer (may be empty), the fault that ended it."""

    code: int
    answer: str
    fault: Fault | None = None


class Parts(Record):
    """What a loop is made of. `clock` gives the wall clock as text for the turn (may be empty).

    `stopped` looks for the operator's stop at this moment. `unattended`: nobody is there to be asked.
    """

    model: Model
    world: World
    context: Context
    catalogue: Catalogue
    policy: Policy
    budgets: Budgets
    approver: Approver
    watcher: Watcher
    clock: Callable[[], str]
    audit: Audit
    redact: Redactor
    taint: Taint
    grants: Grants
    stopped: Callable[[], Stop | None]
    unattended: bool = False
