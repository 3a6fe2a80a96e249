"""`fieldhand wire`: what is connected where, checked against what answers; it never switches anything.

Two parts: a table of what is declared with what is so now, and a list to take to the box. 0 when everything that is
declared answers, 7 when something does not.
"""

from __future__ import annotations

import os

from edge.cli import put, settle
from edge.faults import Fault, UsageFault
from edge.record import as_dict
from edge.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from edge.cli.args import Options
    from edge.cli.board import Chosen
    from edge.cli.wiring import Guard, Row
    from edge.peripherals.boards.identity import Board
    from edge.peripherals.guard.owned import GpioLine, Owned

WIDTH = 80
OTHER = "the guard that runs was started with other settings than these"
ANEW = "start it anew, as it reads them only then"
_COLUMNS = (16, 41, 3, 4, 12)  # at most: name, name and place together, pin, safe, now; then the check
_CHECK = "DOES NOT ANSWER"


def wire(options: Options) -> int:
    """`fieldhand wire [--json]`: 0 all answer, 7 something declared does not."""
    if options.words:
        raise UsageFault(f"wire takes no {options.words[0]!r}", "fieldhand wire, or fieldhand wire --json")
    from edge.cli.board import choose
    from edge.cli.doctor_nodes import here
    from edge.peripherals.boards.identity import identify

    settings = settle.settings(options, os.environ)
    state = settle.state_folder(settings.state, os.environ, reading=True)
    chosen = choose(settings)
    board = identify(here(chosen.real).data)
    rows, guard, notes = _real(chosen, state, board) if chosen.real else _simulated(settle.owned(settings), state)
    if options.json:
        import json

        put(json.dumps(_plain(rows, guard, notes, board, chosen), ensure_ascii=False, indent=1))
    else:
        put(plain("\n".join(text(rows, guard, notes, board, chosen))))  # who holds a line chose his name himself
    return 0 if all(row.answers for row in rows) else 7


def sockets(chosen: Chosen, state: str) -> tuple[str, ...]:
    """Where the guard of a real board may listen: as a service, then as an agent's child."""
    from edge.peripherals.guard import door, folder

    own = (f"{folder.path_of(state, 'lines')}/{door.NAME}",) if state else ()
    return (chosen.socket, *own)


def _real(chosen: Chosen, state: str, board: Board) -> tuple[tuple[Row, ...], Guard, list[str]]:
    from edge.cli import sensing, wiring
    from edge.peripherals.boards.survey import survey
    from edge.peripherals.gpiochip.seam import of
    from edge.peripherals.guard.wiring import warnings

    owned = chosen.owned
    assert owned is not None  # what a real board is
    seam = of(owned.chips)
    guard = wiring.ask(sockets(chosen, state), owned)
    seen = survey(seam)
    notes = [f"{sentence} ({fix})" if fix else sentence for sentence, fix in seen.faults]
    notes += [f"{OTHER} ({ANEW})"] if guard.differs else []
    notes += warnings(owned, seen.header.label if seen.header is not None else "")
    return (*wiring.rows(owned, guard, seen, seam, board), *sensing.rows(chosen)), guard, notes


def _simulated(owned: Owned, state: str) -> tuple[tuple[Row, ...], Guard, list[str]]:
    """The parts of the simulated board, from the one that runs or from what is kept."""
    from edge.cli import wiring
    from edge.peripherals.sim.worlds import sim_board
    from edge.record import replace

    board = sim_board(owned.world)
    owned = replace(owned, outputs=board.outputs, sensors=board.sensors)
    guard, notes = wiring.Guard(), []
    if state:
        from edge.cli.sim import look

        try:
            told = look(state, owned.world)
            guard, notes = wiring.heard(told, ""), [str(note) for note in told.get("notes", ())]
        except Fault as fault:
            notes = [str(fault)]
    addresses = {name: part.address for name, part in board.parts.items()}
    return wiring.parts(owned, guard, addresses), guard, notes


def text(rows: Iterable[Row], guard: Guard, notes: list[str], board: Board, chosen: Chosen) -> list[str]:
    """The table, what is wrong with its fix, and the wiring list, in at most WIDTH columns."""
    rows = list(rows)
    lines = wrapped(_head(guard, board, chosen.real))
    if chosen.owned is not None and chosen.owned.chips:
        notes = [f"a model of chips, not this board's own ({chosen.owned.chips})", *notes]
    lines += [part for note in notes for part in wrapped(note)]
    if not rows:
        declare = "[outputs.NAME], [inputs.NAME] and [sensors.NAME] of the settings declare what is wired"
        return [*lines, "", *wrapped(f"nothing is declared: {declare}")]
    widths = _widths(rows)
    lines += ["", *_cells(("name", "where", "pin", "safe", "now"), "check", widths)]
    for row in rows:
        lines += _row(row, widths)
    wrong = [row for row in rows if not row.answers]
    lines.append("")
    lines += wrapped(f"{len(wrong)} of {len(rows)} do not answer:" if wrong else _all_well(guard, chosen.real))
    for row in wrong:
        lines += wrapped(f"{row.name}: {row.said}" + (f" ({row.fix})" if row.fix else ""), "  ")
    owned = chosen.owned
    wires = {one.name: one for one in owned.lines} if owned is not None else {}
    return [*lines, "", "to take to the box:", *[part for row in _in_order(rows) for part in _wire(row, wires)]]


def _all_well(guard: Guard, real: bool) -> str:
    if guard.runs:
        return "everything answers"
    return "everything is there; outputs answer when a guard runs" if real else "nothing is wrong with what is kept"


def _head(guard: Guard, board: Board, real: bool) -> str:
    if not real:
        runs = f"it runs (process {guard.pid})" if guard.runs else "it does not run now"
        return f"the simulated board; {runs}"
    name = board.model or "a board that does not tell its model"
    if guard.runs:
        return f"{name}; the guard runs (process {guard.pid}, {guard.where})"
    return f"{name}; no guard runs" + (f": {guard.trouble}" if guard.trouble else "")


def _widths(rows: list[Row]) -> tuple[int, ...]:
    """The columns' widths: as the rows need them, within what a line holds."""
    name = min(max(4, *[len(row.name) for row in rows]), _COLUMNS[0])
    place = min(max(5, *[len(_place(row)) for row in rows]), _COLUMNS[1] - name)
    return (name, place, *_COLUMNS[2:])


def _place(row: Row) -> str:
    return row.line if not row.active or row.active == "high" else f"{row.line} active low"


def _row(row: Row, widths: tuple[int, ...]) -> list[str]:
    fits = len(row.said) <= WIDTH - sum(widths) - len(widths)
    check = row.said if row.answers and fits else "ok" if row.answers else _CHECK
    cells = (row.name, _place(row), str(row.pin or ""), row.safe, row.now[: widths[4]])
    lines = _cells(cells, check, widths)
    about = [row.label, *filter(None, (row.limits,))]
    if len(row.now) > widths[4]:
        about.append(f"it is {row.now}")
    if row.chip and row.chip not in row.line:
        about.append(f"on {row.chip}")
    if row.answers and check == "ok" and row.said:
        about.append(row.said)
    if row.feedback:
        agrees = {True: " agrees", False: " CONTRADICTS", None: ""}[row.agrees]
        about.append(f"feedback {row.feedback}{agrees}")
    if row.mode and not row.active:  # what can be played with is a part of a simulated board
        about.append(f"mode {row.mode}")
    if row.override:
        about.append(f"override {row.override}")
    about += [one.fails or f"interlock {one.text} holds" for one in row.interlock]
    return lines + wrapped("; ".join(about), "  ")


def _cells(cells: tuple[str, ...], last: str, widths: tuple[int, ...]) -> list[str]:
    """The columns; a name or a place that is too long for its own stands on a line above."""
    if any(len(cell) > width for cell, width in zip(cells[:2], widths)):
        return [*wrapped(f"{cells[0]} {cells[1]}"), *_cells(("", "", *cells[2:]), last, widths)]
    line, room = "", 0
    for cell, width in zip(cells, widths):
        room += width + 1
        line = f"{line}{cell} ".ljust(room)
    return [f"{line}{last}".rstrip()]


def _in_order(rows: list[Row]) -> list[Row]:
    """By the pin, as one goes along the header; then what has none."""
    return sorted(rows, key=lambda row: (row.pin == 0, row.pin))


def _wire(row: Row, wires: Mapping[str, GpioLine]) -> list[str]:
    """`pin 11 (GPIO17) -> irrigation pump, relay 2; output pump, active low, safe off`."""
    place = f"pin {row.pin} ({row.line})" if row.pin else " of ".join(filter(None, (row.line, row.chip)))
    arrow = "->" if row.kind == "output" else "<-"
    more = [f"{row.kind} {row.name}"]
    more += [f"active {row.active}"] if row.active else []
    more += [f"safe {row.safe}"] if row.safe else []
    bias = wires[row.name].bias if row.name in wires else ""
    more += [f"pull {bias}"] if bias else []
    return wrapped(f"{place} {arrow} {row.label}; {', '.join(more)}", "  ", "      ")


def wrapped(sentence: str, first: str = "", rest: str = "") -> list[str]:
    """A sentence in lines of at most WIDTH characters, at blanks where there are some."""
    lines: list[str] = []
    rest = rest or first
    line, empty = first, True
    for word in _pieces(sentence, WIDTH - max(len(first), len(rest))):
        if not empty and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    return lines if empty else [*lines, line]


def _pieces(sentence: str, most: int) -> Iterable[str]:
    """The words, none of them longer than `most`."""
    for word in sentence.split():
        for at in range(0, len(word), most):
            yield word[at : at + most]


def _plain(rows: Iterable[Row], guard: Guard, notes: list[str], board: Board, chosen: Chosen) -> dict[str, Any]:
    told = []
    for row in rows:
        fields = as_dict(row)
        check = fields.pop("said")
        told.append({**fields, "pin": row.pin or None, "check": check})
    return {
        "board": board.model if chosen.real else "simulated",
        "simulated": not chosen.real,
        "guard": {"runs": guard.runs, "pid": guard.pid or None, "socket": guard.where, "trouble": guard.trouble},
        "notes": notes,
        "rows": told,
        "answers": all(row["answers"] for row in told),
    }
