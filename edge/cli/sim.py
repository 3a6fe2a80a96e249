"""The simulated board from a second terminal: `sim show`, `sim set NAME VALUE`, `sim reset`.

A running board is asked over its control socket. Without one the kept state is shown, or changed under the
folder's lock, so that the next start goes on from there. `sim reset` brings the kept state back to the hot afternoon
of the beginning; a running board is not reset, for its time and its leases never go back.
"""

from __future__ import annotations

from edge.faults import HardwareFault, OutputFault, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TextIO

    from edge.peripherals.sim.board import SimBoard

TRANSITIONS = 5
HOW = "it knows sim show, sim set NAME VALUE (sim set temperature 35, sim set humidity nak) and sim reset"


def main(words: list[str], state: str, out: TextIO, err: TextIO) -> int:
    """Run one `sim` command on the board of a state folder; 0. `--json` among the words: show as JSON.

    UsageFault, HardwareFault (no such board, no answer, the folder cannot be used), OutputFault.
    """
    json = "--json" in words
    words = [word for word in words if word != "--json"]
    if not state:
        raise HardwareFault(
            "there is no state folder, and a simulated board without one cannot be reached", "name one with --state DIR"
        )
    if words[:1] == ["show"] and len(words) == 1:
        board = look(state)
        _put(out, _as_json(board) if json else "\n".join(_lines(board)))
        return 0
    if words[:1] == ["set"] and len(words) == 3:
        for sentence in steer(state, words[1], words[2]):
            _put(err, sentence)
        return 0
    if words[:1] == ["reset"] and len(words) == 1:
        for sentence in reset(state):
            _put(err, sentence)
        return 0
    if words[:1] == ["set"] and len(words) < 3:
        missing = "the new value" if len(words) == 2 else "what to set and the new value"
        raise UsageFault(f"sim set needs {missing}", f"for example: sim set {[*words[1:], 'temperature'][0]} 35")
    asked = f"does not know {' '.join(words)[:80]!r}" if words else "needs to know what to do"
    raise UsageFault(f"sim {asked}", HOW)


def look(state: str) -> dict[str, Any]:
    """The board as plain values: running, pid, board (s), speed, sensors, outputs, notes, transitions."""
    from edge.peripherals.guard.journal import last
    from edge.peripherals.sim import control, keep

    folder = keep.folder(state)
    try:
        reply = control.ask(folder, {"do": "show"})
        found = _resting(folder) if reply is None else {**reply, "running": True}
        found["transitions"] = last(folder, TRANSITIONS)
    except HardwareFault:
        raise
    except OSError as error:
        raise keep.unusable(folder, error) from error
    return {name: found[name] for name in found if name not in ("id", "ok")}


def steer(state: str, name: str, value: str) -> list[str]:
    """Set a value or a sensor's mode; sentences that say what is so now."""
    from edge.peripherals.sim import control, keep

    folder = keep.make(state)
    reply = control.ask(folder, {"do": "set", "name": name, "value": value})
    if reply is not None:
        return [str(reply["said"])]

    def adjusted(board: SimBoard) -> tuple[SimBoard, str]:
        return board, board.adjust(name, value, board.now)

    *notes, said = _rest(folder, adjusted)
    return [*notes, f"{said}; no board is running: the next one starts with it"]


def reset(state: str) -> list[str]:
    """Bring the kept state back to the beginning; sentences. UsageFault while a board runs."""
    from edge.peripherals.sim import control, keep
    from edge.peripherals.sim.board import SimBoard
    from edge.peripherals.sim.greenhouse import clock

    folder = keep.make(state)
    reply = control.ask(folder, {"do": "show"})
    if reply is not None:
        raise UsageFault(
            f"the simulated board is running (process {reply['pid']}), and its time cannot go back",
            "end that run first; sim set NAME VALUE changes a running board",
        )
    fresh = SimBoard()
    said = f"the next board starts anew at {clock(fresh.now)}, a hot afternoon, with every sensor ok"
    return _rest(folder, lambda _: (fresh, said))


def _rest(folder: str, change: Callable[[SimBoard], tuple[SimBoard, str]]) -> list[str]:
    """Put what `change` makes of the kept board in its place, under the folder's lock: notes, then its sentence."""
    from edge.peripherals.sim import keep

    kept = keep.Keep(folder)
    try:
        if not kept.lock():
            raise keep.in_use(folder, kept.holder())
        board, notes = kept.board()
        board, said = change(board)
        kept.save(board.kept())
    except HardwareFault:
        raise
    except OSError as error:
        raise keep.unusable(folder, error) from error
    finally:
        kept.close()
    return [*notes, said]


def _resting(folder: str) -> dict[str, Any]:
    """What is kept of a board that does not run. Nothing is changed, not even a damaged state.

    `kept` is False where nothing was kept yet. Nothing is measured now, so no sensor's value has an age.
    """
    from edge.peripherals.guard.leases import Leases
    from edge.peripherals.sim.board import SimBoard, restored
    from edge.peripherals.sim.keep import Keep

    notes: list[str] = []
    values = None
    try:
        values = Keep(folder).load()
        board = SimBoard() if values is None else restored(values)
    except ValueError as error:
        board = SimBoard()
        notes.append(f"the kept state of the simulated board is damaged ({error}): the next start begins anew")
    states = Leases(board.outputs, board.now).states(board.now)
    sensors = [{**fields, "age": None} for fields in board.shown(board.now)]
    kept = {"running": False, "kept": values is not None or bool(notes), "board": board.now}
    return {**kept, "sensors": sensors, "outputs": states, "notes": notes}


def _lines(board: Mapping[str, Any]) -> list[str]:
    from edge.peripherals.sim.greenhouse import clock

    if board["running"]:
        head = f"simulated board (pid {board['pid']}), {clock(board['board'])}, {board['speed']:g} x real time"
    elif board["kept"]:
        head = f"no board is running; the kept state is of {clock(board['board'])}"
    else:
        head = f"no board is running, and nothing is kept of one: the next starts at {clock(board['board'])} with this"
    lines = [head, *board["notes"], "", *map(_sensor, board["sensors"]), ""]
    lines += [_output(name, row) for name, row in board["outputs"].items()]
    lines += ["", "last transitions:" if board["transitions"] else "no output was switched yet"]
    return lines + [_transition(fields, clock(fields["board"])) for fields in board["transitions"]]


def _sensor(fields: Mapping[str, Any]) -> str:
    mode = "" if fields["mode"] == "ok" else f" (set to {fields['mode']})"
    if fields["value"] is None:
        return f"  {fields['name']:<14} no value: {fields['error']}"
    value = f"{fields['value']:.{0 if abs(fields['value']) >= 1000 else 1}f} {fields['unit']}"
    quality = "kept value" if fields["age"] is None else f"{fields['quality']}, {fields['age']:g} s old"
    return f"  {fields['name']:<14} {value:<12} {quality}{mode}"


def _output(name: str, row: Mapping[str, Any]) -> str:
    if row["state"] and row["left"]:
        return f"  {name:<14} on, {row['left']:.0f} s left (at most {row['max_on']:g} s)"
    why = f" ({row['why']})" if row["why"] else ""
    return f"  {name:<14} {'on' if row['state'] else 'off'}{why}"


def _transition(fields: Mapping[str, Any], when: str) -> str:
    run = f" of tape {fields['run']}" if fields["run"] else ""
    call = f" (call {fields['call']}{run})" if fields["call"] else ""
    return f"  {when}  {fields['name']} {'on' if fields['state'] else 'off'}: {fields['why']}{call}"


def _as_json(board: Mapping[str, Any]) -> str:
    import json

    return json.dumps(board, indent=1)


def _put(stream: TextIO, text: str) -> None:
    """Write a line; OutputFault when it cannot be written."""
    from edge.text import plain

    if stream is None:
        raise OutputFault("the output is closed: what was asked for could not be shown")
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(plain(text).encode(encoding, "replace").decode(encoding) + "\n")
        stream.flush()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise OutputFault(f"what was asked for could not be written: {why.lower()}") from error
