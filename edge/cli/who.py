"""Who answers the questions of a run."""

from __future__ import annotations

import sys

from edge.approve import Nobody, SaidYes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.approve import Approver


def approver(said_yes: bool, waits: bool, state: str, trace: bool = False) -> Approver:
    """`--yes`; else the person at the terminal and `fieldhand approvals` at the same time, whoever is first.

    Without a terminal, `fieldhand approvals` alone where `waits` (`--ask`, or approvals.wait in the settings), else
    nobody. `state`: the state folder, in which the socket is. `trace`: a question that waits is told as JSON.
    """
    if said_yes:
        return SaidYes()
    if sys.stdin is not None and sys.stderr is not None and sys.stdin.isatty() and sys.stderr.isatty():
        from edge.approvals.desk import Desk, Socket
        from edge.cli.ask import Terminal

        return Desk((Terminal(), Socket(state)))
    if waits:
        from edge.approvals.desk import Socket
        from edge.cli.ask import announce, trace_asked

        return Socket(state, trace_asked if trace else announce)
    return Nobody()
