"""Doctor on lines: which board, which chip has its header, who holds what is declared, and its guard.

Rules:
1. A look only, as `fieldhand wire`: no line is taken, no guard is started.
2. Where no line is declared (a simulated board, one of sensors alone) chips are told where there are any, and nothing
   of them can be wrong.
"""

from __future__ import annotations

import os

from edge.cli.doctor_nodes import THIS_MODEL
from edge.cli.finding import Finding, remedy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.cli.board import Chosen
    from edge.cli.wiring import Guard
    from edge.peripherals.boards.identity import Board
    from edge.peripherals.boards.survey import Survey
    from edge.peripherals.guard.owned import Owned

SHOWN = 6


def findings(board: Board, chosen: Chosen | None, state: str, seen: Survey) -> Iterator[Finding]:
    """`chosen`: None where the settings cannot be read. `seen`: the chips, see `looked`."""
    if board.model:
        yield Finding("hardware", "ok", _named(board))
    wanted = chosen is not None and chosen.lines
    if chosen is not None and chosen.owned is not None and chosen.owned.chips:
        told = f"the settings name a model of chips ({chosen.owned.chips}): no wire of this board is switched or read"
        yield Finding("gpio model", "absent", told, "take [gpio] chips out of the settings of a board in the field")
    yield from _chips(wanted, board, seen)
    if chosen is not None and chosen.real and chosen.owned is not None:
        yield from _declared(board, chosen, chosen.owned, state, seen)


def looked(chosen: Chosen | None) -> Survey:
    """The chips that the settings name, else the kernel's; what keeps from looking is among its faults."""
    from edge.faults import HardwareFault
    from edge.peripherals.boards.survey import Survey, look

    owned = chosen.owned if chosen is not None else None
    try:
        return look(owned.chips if owned is not None else "")
    except HardwareFault as fault:
        return Survey((), ((fault.sentence, fault.fix),))


def _named(board: Board) -> str:
    told = [board.model, *([f"revision {board.revision}"] if board.revision else [])]
    pins = f"header of {board.header} pins" if board.header else "a header that is not known here: lines by name"
    return ", ".join([*told, pins]) + (" on the usual carrier" if board.carrier and board.header else "")


def _chips(wanted: bool, board: Board, seen: Survey) -> Iterator[Finding]:
    """The chips by their labels, and whether the one of the header is among them."""
    for sentence, fix in seen.faults:
        yield Finding("gpio chip", "wrong" if wanted else "absent", sentence, fix)
    if not seen.chips:
        return
    told = [
        f"{chip.label or 'without a label'} at {chip.path} ({chip.count} lines{', the header' if chip.header else ''})"
        for chip in seen.chips[:SHOWN]
    ]
    told += [f"{len(seen.chips) - SHOWN} more"] if len(seen.chips) > SHOWN else []
    labels = [chip.label for chip in seen.chips]
    if board.labels and not set(board.labels) & set(labels):
        usual = "sudo apt full-upgrade, then reboot"
        fix = remedy(usual, usual, "build the image with the kernel and device tree of this board", THIS_MODEL)
        sentence = f"the header of this board is at {' or '.join(board.labels)}, and there is only {', '.join(told)}"
        yield Finding("gpio chip", "wrong" if wanted else "absent", sentence, fix)
    elif seen.header is None and len(labels) > 1:
        fix = 'say it in the settings: [gpio] chip = "LABEL"'
        yield Finding("gpio chip", "absent", f"{', '.join(told)}; which one has the header is not known", fix)
    else:
        yield Finding("gpio chip", "ok", ", ".join(told))


def _declared(board: Board, chosen: Chosen, owned: Owned, state: str, seen: Survey) -> Iterator[Finding]:
    from edge.cli import wiring
    from edge.cli.wire import ANEW, OTHER, sockets
    from edge.peripherals.guard.wiring import refusals, warnings

    guard = wiring.ask(sockets(chosen, state), owned)
    yield from guarded(guard, chosen)
    if guard.differs:
        yield Finding("guard", "wrong", OTHER, ANEW)
    for sentence in refusals(owned):
        yield Finding("wiring", "wrong", sentence, "wire it to another line, and say so in the settings")
    for sentence in warnings(owned, seen.header.label if seen.header is not None else ""):
        yield Finding("wiring", "absent", sentence, "use another line unless this is meant")
    for row in wiring.rows(owned, guard, seen, None, board):
        place = f"{row.line} of {row.chip}" if row.chip else row.line
        pin = f" (pin {row.pin})" if row.pin else ""
        held = f"held by {row.held_by}" if row.held_by else "free"
        said = row.said if held in row.said or "free" in row.said or not row.held_by else f"{held}, {row.said or 'ok'}"
        state_ = "ok" if row.answers else "wrong"
        yield Finding(f"line {row.name}", state_, f"{place}{pin}: {said or held}", row.fix)


def guarded(guard: Guard, chosen: Chosen) -> Iterator[Finding]:
    """Whether a guard runs, as what, where it can be asked and by whom."""
    if guard.trouble:
        yield Finding("guard", "wrong", guard.trouble, guard.fix)
        return
    if not guard.runs:
        unit = "/etc/systemd/system/fieldhand-guard.service"
        usual = f"fieldhand guard unit systemd | sudo tee {unit}, then sudo systemctl enable --now fieldhand-guard"
        minimal = "fieldhand guard unit busybox >> /etc/inittab, then kill -HUP 1"
        fix = remedy(usual, usual, minimal, "init starts it again within seconds; logread says why it ended")
        sentence = "none runs now: the first call that needs it starts one that ends with the agent"
        yield Finding("guard", "absent", sentence, fix)
        return
    how = "as a service" if guard.where == chosen.socket else "as the child of an agent"
    users = f", also for {', '.join(chosen.users)}" if chosen.users else ""
    yield Finding("guard", "ok", f"runs {how} (process {guard.pid}), asked at {guard.where} ({_rights(guard)}{users})")


def _rights(guard: Guard) -> str:
    """Owner and mode of the socket."""
    try:
        status = os.stat(guard.where)
    except OSError:
        return "its socket is gone"
    return f"user {status.st_uid}, {status.st_mode & 0o777:04o}"
