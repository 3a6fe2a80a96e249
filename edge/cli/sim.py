"""The simulated board from a second terminal: `sim show`, `sim set NAME VALUE`, `sim reset`; for `watch` see sim_watch.

A running board is asked at its socket. Without one the kept state is shown, or changed under the
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
HOW = "it knows sim show, sim set NAME VALUE (sim set temperature 35, sim set humidity nak), sim reset and sim watch"


def main(words: list[str], state: str, out: TextIO, err: TextIO, world: str | None = None) -> int:
    """Run one `sim` command on the board of a state folder; 0. `--json` among the words: show as JSON.

    `world`: the description of the board's world; None for the one that lived there last. A board that runs is asked
    whatever its world.

    UsageFault, HardwareFault (no such board, no answer, the folder cannot be used), OutputFault.
    """
    json = "--json" in words
    words = [word for word in words if word != "--json"]
    if not state:
        raise HardwareFault(
            "there is no state folder, and a simulated board without one cannot be reached", "name one with --state DIR"
        )
    if words[:1] == ["show"] and len(words) == 1:
        from edge.cli.sim_show import lines

        board = look(state, world)
        _put(out, _as_json(board) if json else "\n".join(lines(board)))
        return 0
    if words[:1] == ["set"] and len(words) == 3:
        for sentence in steer(state, words[1], words[2], world):
            _put(err, sentence)
        return 0
    if words[:1] == ["reset"] and len(words) == 1:
        for sentence in reset(state, world):
            _put(err, sentence)
        return 0
    if words[:1] == ["set"] and len(words) < 3:
        missing = "the new value" if len(words) == 2 else "what to set and the new value"
        raise UsageFault(f"sim set needs {missing}", f"for example: sim set {[*words[1:], 'temperature'][0]} 35")
    asked = f"does not know {' '.join(words)[:80]!r}" if words else "needs to know what to do"
    raise UsageFault(f"sim {asked}", HOW)


def look(state: str, world: str | None = None) -> dict[str, Any]:
    """The board as plain values: running, pid, board (s), speed, sensors, outputs, notes, transitions."""
    from edge.peripherals.guard import door
    from edge.peripherals.guard.folder import path_of, unusable
    from edge.peripherals.guard.journal import last

    folder = path_of(state)
    try:
        reply = door.ask_in(folder, {"do": "show"})
        found = _resting(folder, world) if reply is None else {**reply, "running": True}
        found["transitions"] = last(folder, TRANSITIONS)
    except HardwareFault:
        raise
    except OSError as error:
        raise unusable(folder, error) from error
    return {name: found[name] for name in found if name not in ("id", "ok")}


def steer(state: str, name: str, value: str, world: str | None = None) -> list[str]:
    """Set a value or a sensor's mode; sentences that say what is so now."""
    from edge.peripherals.guard import door
    from edge.peripherals.guard.folder import make

    folder = make(state)
    reply = door.ask_in(folder, {"do": "set", "name": name, "value": value})
    if reply is not None:
        return [str(reply["said"])]

    def adjusted(board: SimBoard) -> tuple[SimBoard, str]:
        return board, board.adjust(name, value, board.now)

    *notes, said = _rest(folder, world, adjusted)
    return [*notes, f"{said}; no board is running: the next one starts with it"]


def reset(state: str, world: str | None = None) -> list[str]:
    """Bring the kept state back to the beginning; sentences. UsageFault while a board runs."""
    from edge.peripherals.guard import door
    from edge.peripherals.guard.folder import make
    from edge.peripherals.sim.greenhouse import clock
    from edge.peripherals.sim.worlds import sim_board

    folder = make(state)
    reply = door.ask_in(folder, {"do": "show"})
    if reply is not None:
        raise UsageFault(
            f"the simulated board is running (process {reply['pid']}), and its time cannot go back",
            "end that run first; sim set NAME VALUE changes a running board",
        )

    def anew(board: SimBoard) -> tuple[SimBoard, str]:
        fresh = sim_board(_world(folder, world))
        of = f" of {fresh.circuit.name}" if fresh.circuit.name else ""
        when = clock(fresh.now) if of else f"{clock(fresh.now)}, a hot afternoon"
        return fresh, f"the next board{of} starts anew at {when}, with every sensor ok"

    return _rest(folder, world, anew)


def _world(folder: str, world: str | None) -> str:
    """The description that was told, or that of the world which lived in the folder last."""
    from edge.peripherals.sim.keep import last_world

    return last_world(folder) if world is None else world


def _rest(folder: str, world: str | None, change: Callable[[SimBoard], tuple[SimBoard, str]]) -> list[str]:
    """Put what `change` makes of the kept board in its place, under the folder's lock: notes, then its sentence."""
    from edge.peripherals.guard.folder import in_use, unusable
    from edge.peripherals.sim.keep import Keep

    kept = Keep(folder, _world(folder, world))
    try:
        if not kept.lock():
            raise in_use(folder, kept.holder())
        board, notes = kept.board()
        board, said = change(board)
        kept.save(board.kept())
    except HardwareFault:
        raise
    except OSError as error:
        raise unusable(folder, error) from error
    finally:
        kept.close()
    return [*notes, said]


def _resting(folder: str, world: str | None) -> dict[str, Any]:
    """What is kept of a board that does not run. Nothing is changed, not even a damaged state.

    `kept` is False where nothing was kept yet. Nothing is measured now, so no sensor's value has an age.
    """
    from edge.peripherals.guard.leases import Leases
    from edge.peripherals.sim.keep import Keep
    from edge.peripherals.sim.worlds import sim_board

    notes: list[str] = []
    values = None
    keep = Keep(folder, _world(folder, world))
    try:
        values = keep.load()
        board = sim_board(keep.world, values)
    except ValueError as error:
        board = sim_board(keep.world)
        notes.append(f"the kept state of the simulated board is damaged ({error}): the next start begins anew")
    states = Leases(board.outputs, board.now).states(board.now)
    sensors = [{**fields, "age": None} for fields in board.shown(board.now)]
    kept = {"running": False, "kept": values is not None or bool(notes), "board": board.now}
    return {**kept, "sensors": sensors, "outputs": states, "notes": notes, **board.told(board.now)}


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
