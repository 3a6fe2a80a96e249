"""One picture of a board for `sim watch`: what `look` gives -> lines that fit a terminal. Pure.

Rules this file keeps:
1. Every line is at most `width` characters of plain text and the picture at most `height` lines; what does not fit is
   counted in a line of its own. A height of 0 is endless.
2. First what decides: the head with time and speed, a stop, the outputs with what holds them; then the sensors, in as
   many columns as fit; then tanks, what the script brings next, notes; the last transitions fill the rest.
3. `news` is what of a board counts as a change: not a measured value nor the seconds of a lease, which change always.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Board = Mapping[str, Any]

CELL = 38  # characters of one sensor
GAP = 2


def lines(board: Board, width: int, height: int = 0) -> list[str]:
    """The picture."""
    found = [head(board)]
    if board.get("stopped"):
        found.append(f"STOPPED: {board['stopped']}")
    if board.get("agents"):
        found.append("agents: " + ", ".join([str(agent) for agent in board["agents"]]))
    outputs = [line for name, row in board["outputs"].items() for line in output(name, row, board)]
    found += ["", *(outputs or ["  no outputs"]), ""]
    found += columns([sensor(row) for row in board["sensors"]], width)
    rest = [*tanks(board), *coming(board), *(f"note: {note}" for note in board.get("notes", ()))]
    found += ["", *rest] if rest else []
    found += _transitions(board, height - len(found) if height else 0)
    return fit(found, width, height)


def head(board: Board) -> str:
    """Which board, its time and how fast it goes."""
    from edge.peripherals.sim.greenhouse import clock

    if board.get("kind", "sim") == "lines":
        return f"guard of real lines (pid {board['pid']})"
    name = board.get("world") or "greenhouse"
    if not board.get("running", True):
        return f"{name}: no board is running; kept as of {clock(board['board'])}"
    return f"{name}, simulated (pid {board['pid']})  {clock(board['board'])}  {board['speed']:g} x real time"


def output(name: str, row: Board, board: Board) -> list[str]:
    """One output: state, lease, who holds it and why; what is wrong or overrides it in lines below."""
    state = state_of(row["state"], row.get("level"))
    left = f"{span(row['left'])} left" if row.get("left") else ""
    owner = f"by {row['owner']}" if row.get("owner") else ""
    why = "" if row.get("why", "") in ("", "set") else f"({row['why']})"
    mode = board.get("relays", {}).get(name)
    told = " ".join(filter(None, (owner, why, f"[relay {mode}]" if mode else "")))
    found = [f"  {name:<14} {state:<8} {left:<13} {told}".rstrip()]
    found += [f"    ! fault: {row['fault']}"] if row.get("fault") else []
    return found + ([f"    ! override: {row['override']}"] if row.get("override") else [])


def sensor(row: Board) -> str:
    """One sensor: value, and whatever is not as usual."""
    if row["value"] is None:
        value = "no answer"
    elif row.get("word"):
        value = row["word"]
    else:
        value = f"{row['value']:.{0 if abs(row['value']) >= 1000 else 1}f} {row['unit']}"
    quality = "" if row["quality"] in ("ok", "fault") else f" {row['quality']}"
    age = f" {span(row['age'])} old" if row["quality"] == "stale" and row.get("age") is not None else ""
    mode = f" [{row['mode']}]" if row.get("mode", "ok") != "ok" else ""
    return f"  {row['name']:<14} {value}{quality}{age}{mode}"


def columns(cells: list[str], width: int) -> list[str]:
    """Cells beside each other, read downwards; one to a line where a longer one would be cut."""
    count = max(1, (width + GAP) // (CELL + GAP)) if all(len(cell) <= CELL for cell in cells) else 1
    depth = -(-len(cells) // count) if cells else 0
    gap = " " * GAP
    return [gap.join([f"{cell:<{CELL}}" for cell in cells[row::depth]]).rstrip() for row in range(depth)]


def fit(found: list[str], width: int, height: int) -> list[str]:
    """The lines cut to a terminal, without what steers one."""
    from edge.text import plain

    found = [plain(line).replace("\n", " ").replace("\t", " ") for line in found]
    if height and len(found) > height:
        found = [*found[: height - 1], f"... {len(found) - height + 1} lines more: a higher terminal shows them"]
    return [line if len(line) <= width else line[: width - 3] + "..." for line in found]


def news(board: Board) -> object:
    """What a change is judged by."""
    outputs = {name: {**row, "left": None} for name, row in board["outputs"].items()}
    sensors = [(row["name"], row["quality"], row.get("mode"), row.get("word")) for row in board["sensors"]]
    named = ("running", "pid", "stopped", "notes", "agents", "relays", "coming", "transitions")
    return outputs, sensors, [board.get(name) for name in named]


def state_of(state: bool | None, level: float | None = None) -> str:
    """`on`, `off`, `unknown`, and between full power and none `on 45 %`."""
    if state is None:
        return "unknown"
    share = f" {100.0 * level:.0f} %" if level is not None and 0.0 < level < 1.0 else ""
    return f"{'on' if state else 'off'}{share}"


def ago(seconds: float) -> str:
    """How long since, for people; a time after now was another boot's, whose clock began anew."""
    if seconds < 0.0:
        return "before this boot"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s ago"
    return f"{whole // 60} min ago" if whole < 5400 else f"{(whole + 1800) // 3600} h ago"


def tanks(board: Board) -> list[str]:
    """How full the tanks are, as a line."""
    cells = [f"{t['name']} {t['level']:g} % ({t['litres']:.0f} of {t['volume']:g} l)" for t in board.get("tanks", ())]
    return ["tanks: " + ", ".join(cells)] if cells else []


def coming(board: Board) -> list[str]:
    """What the script brings next, a line each."""
    from edge.peripherals.sim.greenhouse import clock

    return [f"next: {clock(event['at'])} {event['name']} {event['word']}" for event in board.get("coming", ())]


def span(seconds: float) -> str:
    """Seconds for people: `45 s`, `9:58`, `2:00:00`."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def _transitions(board: Board, room: int) -> list[str]:
    """The last transitions, the newest at the end, in at most `room` lines (0: all there are)."""
    from edge.peripherals.sim.greenhouse import clock

    found = []
    real = board.get("kind", "sim") == "lines"
    for row in board.get("transitions", ()):
        state = state_of(row["state"], row.get("level"))
        owner = f" by {row['owner']}" if row.get("owner") else ""
        when = ago(board["board"] - row["board"]) if real else clock(row["board"])
        found.append(f"  {when}  {row['name']} {state}: {row['why']}{owner}")
    if room:
        found = found[-(room - 2) :] if room > 2 else []
    return ["", "last transitions:", *found] if found else []
