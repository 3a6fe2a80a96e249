"""What `sim show` prints of a simulated board, running or kept: what `edge.cli.sim.look` gives -> lines. Pure."""

from __future__ import annotations

from edge.cli import sim_frame as frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def lines(board: Mapping[str, Any]) -> list[str]:
    """All there is to say of the board."""
    found = [_head(board), *board["notes"], *_stop(board), "", *map(_sensor, board["sensors"]), ""]
    found += [line for name, row in board["outputs"].items() for line in _output(name, row, board)]
    more = frame.tanks(board) + frame.coming(board)
    found += ["", *more] if more else []
    found += ["", "last transitions:" if board["transitions"] else "no output was switched yet"]
    return found + [_transition(fields) for fields in board["transitions"]]


def _head(board: Mapping[str, Any]) -> str:
    from edge.peripherals.sim.greenhouse import clock

    of = f" of {board['world']}" if board.get("world") else ""
    if board["running"]:
        agents = f", agents: {', '.join(board['agents'])}" if len(board.get("agents", ())) > 1 else ""
        when = f"{clock(board['board'])}, {board['speed']:g} x real time"
        return f"simulated board{of} (pid {board['pid']}), {when}{agents}"
    if board["kept"]:
        return f"no board is running; the kept state{of} is of {clock(board['board'])}"
    return f"no board is running, and nothing is kept of one: the next{of} starts at {clock(board['board'])} with this"


def _stop(board: Mapping[str, Any]) -> list[str]:
    return [f"stopped: {board['stopped']}"] if board.get("stopped") else []


def _sensor(fields: Mapping[str, Any]) -> str:
    mode = "" if fields["mode"] == "ok" else f" (set to {fields['mode']})"
    if fields["value"] is None:
        return f"  {fields['name']:<14} no value: {fields['error']}"
    value = fields.get("word") or f"{fields['value']:.{0 if abs(fields['value']) >= 1000 else 1}f} {fields['unit']}"
    quality = "kept value" if fields["age"] is None else f"{fields['quality']}, {fields['age']:g} s old"
    return f"  {fields['name']:<14} {value:<12} {quality}{mode}"


def _output(name: str, row: Mapping[str, Any], board: Mapping[str, Any]) -> list[str]:
    state = frame.state_of(row["state"], row.get("level"))
    mode = board.get("relays", {}).get(name)
    relay = f" (its relay is set to {mode})" if mode else ""
    wrong = [f"    fault: {row['fault']}"] if row.get("fault") else []
    wrong += [f"    override: {row['override']}"] if row.get("override") else []
    if row["left"]:
        owner = f", held by {row['owner']}" if row.get("owner") else ""
        return [f"  {name:<14} {state}, {row['left']:.0f} s left (at most {row['max_on']:g} s){owner}{relay}", *wrong]
    why = f" ({row['why']})" if row["why"] else ""
    return [f"  {name:<14} {state}{why}{relay}", *wrong]


def _transition(fields: Mapping[str, Any]) -> str:
    from edge.peripherals.sim.greenhouse import clock

    run = f" of tape {fields['run']}" if fields["run"] else ""
    call = f" (call {fields['call']}{run})" if fields["call"] else ""
    state = frame.state_of(fields["state"], fields.get("level"))
    return f"  {clock(fields['board'])}  {fields['name']} {state}: {fields['why']}{call}"
