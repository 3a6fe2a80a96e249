"""`fieldhand stop` and `fieldhand resume`: the operator's emergency stop.

Rules:
1. Nothing is needed for a stop but the state folder: no model, no network, no tape, no approval, no readable settings.
2. The stop is in force when it is in the file; then it is looked for what has obeyed, for at most WAIT seconds, and
   each board and agent is named with what is known of it. What did not confirm is never called safe.
3. A card that takes no stop is no reason to stop nobody: the processes get a SIGTERM, and it is said that a restart
   is not stopped.
4. Both are in the audit log, written after the act: what cannot be recorded is said, and changes nothing.
5. `resume` needs the rights of the folder's owner on this machine, and is refused to what an agent started.
"""

from __future__ import annotations

import os
import time

from edge import stop as stops
from edge.cli import put, say, settle
from edge.cli.noted import note
from edge.faults import Fault, HardwareFault, Refused, TapeFault, UsageFault
from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.cli.args import Options
    from edge.tape.live import Writer

WAIT = 2.0
LOOK = 0.05
SIGTERM = 15
FOREVER = "; it stays so, also over a restart, until fieldhand resume"
BY_SIGNAL = "kill -TERM PID ends an agent by its process id, outputs first"


class Seen(Record):
    """One board or agent after a stop. `safe`: it confirmed; `pid` 0 when it is not known."""

    what: str
    pid: int
    safe: bool
    sentence: str


def stop(options: Options) -> int:
    """`fieldhand stop [--all|--network|--tool NAME] [--why TEXT]`: 0 when all that runs confirmed, 1 when not."""
    kinds = _kinds(options, "stop")
    state = folder(options)
    try:
        for kind in kinds:
            stops.set_(state, stops.One(kind, options.why, time.time(), f"uid {os.getuid()}"))
    except Fault as fault:
        return _by_signal(state, fault)
    wholly = stops.ALL in kinds
    if not options.json:
        put(f"stopped: {', '.join(_named(kind) for kind in kinds)}{FOREVER} (state folder {state})")
    seen = _wait(state, wholly, _service(options))
    if options.json:
        import json

        rows = [as_dict(one) for one in seen]
        put(json.dumps({"state": state, "stopped": kinds, "seen": rows, "safe": all(one.safe for one in seen)}))
    else:
        for one in seen:
            put(f"{'ok  ' if one.safe else 'NOT '} {one.what}: {one.sentence}")
    for sentence in _elsewhere(state, {one.pid for one in seen}):
        say(sentence)
    safe = all(one.safe for one in seen)
    note(state, "stop", {"stopped": kinds, "why": options.why[: stops.WHY], "by": f"uid {os.getuid()}", "safe": safe})
    return 0 if safe else 1


def resume(options: Options) -> int:
    """`fieldhand resume [--network|--tool NAME]`: lift everything, or one kind; 0, also when nothing was stopped."""
    kinds = _kinds(options, "resume")
    state = folder(options)
    _no_tool(state)
    lifted: list[str] = []
    for kind in kinds:
        was, still = stops.lift(state, "" if kind == stops.ALL else kind)
        if was is not None:
            lifted += [one.kind for one in was.stops] or [stops.ALL] if kind == stops.ALL else [kind]
        if was is None:
            put(f"{_named(kind)} was not stopped" if kind != stops.ALL else "nothing was stopped")
        elif kind == stops.ALL:
            what = ", ".join(_named(one.kind) for one in was.stops) or "everything (the stop file was damaged)"
            put(f"lifted: {what}; outputs stay as they are until something switches them")
        else:
            put(f"lifted: {_named(kind)}")
        if still is not None and kind == kinds[-1]:
            put("still stopped: " + (", ".join(_named(one.kind) for one in still.stops) or still.everything))
    if lifted:
        note(state, "resume", {"lifted": lifted, "by": f"uid {os.getuid()}"})
    return 0


def folder(options: Options) -> str:
    """The state folder whose agents are meant. It has to be there: a stop of a folder by a slip would stop nobody."""
    told = options.state
    if not told:
        try:
            told = settle.settings(options, os.environ).state
        except Fault as fault:
            say(f"fieldhand: the settings cannot be used ({fault}): the usual state folder is taken")
    if not told:
        found = settle.state_folder("", os.environ)
        if not found:
            raise Fault("there is no state folder, and an agent without one sees no stop", BY_SIGNAL)
        return found
    found = os.path.realpath(told)
    try:
        status = os.stat(found)
    except OSError as error:
        why = (error.strerror or "unknown error").lower()
        raise UsageFault(f"there is no state folder {told}: {why}", "name that of the agent with --state") from error
    if os.geteuid() not in (0, status.st_uid):
        raise UsageFault(f"the state folder {found} belongs to uid {status.st_uid}", "stop it as that user, or as root")
    return found


def _kinds(options: Options, verb: str) -> list[str]:
    if options.words:
        raise UsageFault(f"{verb} takes no {' '.join(options.words)[:60]!r}", f"{verb} [--all|--network|--tool NAME]")
    kinds = [stops.NETWORK] if options.network else []
    if options.tool:
        kinds.append(stops.TOOL + _tool(options.tool, verb))
    return [stops.ALL] if options.all or not kinds else kinds


def _tool(name: str, verb: str) -> str:
    """The tool's own name. What is stopped may be lifted although no such tool is there any more."""
    from edge.registry import find

    try:
        return find(name).name
    except UsageFault:
        if verb == "resume":
            return name
        raise


def _named(kind: str) -> str:
    names = {stops.ALL: "everything", stops.NETWORK: "the network for tools (a model is still asked)"}
    return names.get(kind) or f"the tool {kind[len(stops.TOOL) :]}"


def _no_tool(state: str) -> None:
    """Refused when an agent of this state folder started us: what a tool runs does not lift a stop."""
    from edge.approvals.peers import ancestors
    from edge.tape.live import writers

    # This process itself is one where the operator says it at the prompt.
    agents = {writer.pid for writer in writers(state)} - {0, os.getpid()}
    if agents.intersection(ancestors(os.getpid())):
        raise Refused("an agent started this command, and only the operator lifts a stop", "stop.resume")


def _wait(state: str, wholly: bool, service: str) -> list[Seen]:
    """What boards and agents are known to do, as soon as all confirmed, and after WAIT seconds in any case."""
    until = time.monotonic() + WAIT
    boards = [] if wholly else [Seen("outputs", 0, True, "not stopped")]
    foreign: list[Seen] = []  # what was told to be safe once, and confirms nothing more
    while True:
        left = until - time.monotonic()
        if not boards or not all(one.safe for one in boards):
            boards = _boards(state, service, foreign, max(left, 0.2))
        seen = [*boards, *_agents(state, wholly)]
        if all(one.safe or one in foreign for one in seen) or time.monotonic() > until:
            return seen
        time.sleep(LOOK)


def _service(options: Options) -> str:
    """Where a guard that runs as a service listens, by the settings if they can be read."""
    from edge.cli.board import choose
    from edge.peripherals.guard import door

    try:
        return choose(settle.settings(options, os.environ)).socket
    except Fault:
        return door.SERVICE


def _boards(state: str, service: str, foreign: list[Seen], seconds: float) -> list[Seen]:
    """What the guards of the state folder, and a service that looks into it, say of their outputs now.

    A service that does not is told to be safe when nothing of it stands in `foreign`, where its answer is put.
    """
    from edge.peripherals.guard import folder

    seen = []
    asked = set()
    for kind in folder.NAMES:
        where = folder.path_of(state, kind)
        path = folder.asked_at(where)
        asked.add(path)
        pid = _locked_by(f"{where}/{folder.LOCK}")
        if path or pid >= 0:
            seen.append(_board(path, state, seconds) or _silent(max(pid, 0)))
    if service not in asked and os.path.exists(service):
        told = _board(service, state, seconds, own=False)
        if told is None and not foreign:
            foreign += _foreign(service, seconds)
        seen += [told] if told is not None else foreign
    return seen or [Seen("outputs", 0, True, "no board is running")]


def _foreign(service: str, seconds: float) -> list[Seen]:
    """A guard that does not look for this stop is told to make everything safe, which is all that can be done here.

    One that does not answer is not known to be safe (rule 2).
    """
    from edge.peripherals.guard import door

    try:
        told = door.ask(service, {"do": "safe_all"}, seconds)
    except HardwareFault as fault:
        shut = isinstance(fault.__cause__, (PermissionError, EOFError))  # it lets this user in not, so no agent of his
        return [] if shut else [Seen("outputs", 0, False, f"UNKNOWN: {fault}")]
    if told is None:
        return []
    made = "was told to make its outputs safe, and does not look into this state folder: it is NOT stopped"
    fix = "fieldhand stop --state FOLDER, with its folder, stops it"
    return [Seen("outputs", told["pid"], False, f"the guard at {service} (process {told['pid']}) {made} ({fix})")]


def _board(path: str, state: str, seconds: float, own: bool = True) -> Seen | None:
    """What the guard at a socket says; None when it does not, or is no `own` one and does not look for this stop."""
    from edge.peripherals.guard import door

    try:
        told = door.ask(path, {"do": "show", "state": state}, seconds) if path else None
    except HardwareFault:
        return None
    if told is None or not (own or told.get("watched")):
        return None
    outputs = {name: row for name, row in told["outputs"].items() if not _is_safe(row)}
    if told.get("stopped") and not outputs:
        names = ", ".join(told["outputs"])
        return Seen("outputs", told["pid"], True, f"safe, says the board (process {told['pid']}): {names}")
    on = ", ".join(_shown(name, row) for name, row in outputs.items()) or "none"
    return Seen("outputs", told["pid"], False, f"the board (process {told['pid']}) has not obeyed; on: {on}")


def _is_safe(row: Mapping[str, Any]) -> bool:
    """Whether a guard knows that an output is safe: no lease, no fault; or it is a lab line that nobody drove."""
    from edge.peripherals.guard.protocol import WAITS

    if row["fault"] or row["left"] is not None:
        return False
    return row["state"] is not None or row["why"] == WAITS


def _shown(name: str, row: Mapping[str, Any]) -> str:
    said = name if row["state"] is not None else f"{name} UNKNOWN"
    return f"{said} ({row['fault']})" if row["fault"] else said


def _silent(pid: int) -> Seen:
    fix = f"kill -CONT {pid} wakes it if it is frozen; else cut the power of what it switches"
    return Seen("outputs", pid, False, f"UNKNOWN: the board (process {pid}) did not answer; {fix}")


def _locked_by(path: str) -> int:
    """The process that holds a lock file, 0 when it is held by nobody knows whom, -1 when it is free."""
    from edge.tape.disk import held, holder, regular

    try:
        if not held(path):
            return -1
        fd = regular(path)
    except FileNotFoundError:
        return -1
    except OSError:
        return 0
    try:
        return holder(fd)
    finally:
        os.close(fd)


def _agents(state: str, wholly: bool) -> list[Seen]:
    """The agents of the state folder, by what their tapes say."""
    from edge.tape.live import writers

    try:
        return [_agent(writer, wholly, state) for writer in writers(state)]
    except TapeFault as fault:
        return [Seen("agents", 0, False, f"UNKNOWN: {fault}")]


def _agent(writer: Writer, wholly: bool, state: str) -> Seen:
    what = f"agent {writer.tape}"
    who = f"process {writer.pid}" if writer.pid else "an unknown process"
    if not wholly:
        return Seen(what, writer.pid, True, f"{who} looks for it before and in each call")
    shells = ", ".join(_shells(writer, state))
    if not writer.busy and not shells:
        return Seen(what, writer.pid, True, f"{who}: no turn is running")
    if not writer.busy:
        return Seen(what, writer.pid, False, f"{who} has not ended its shells (process {shells}); kill -KILL ends them")
    fix = f"; kill -KILL {writer.pid} ends it" if writer.pid else ""
    return Seen(what, writer.pid, False, f"{who} has not ended its turn{fix}")


def _shells(writer: Writer, state: str) -> list[str]:
    """The processes of the shells in the background that an agent has not ended yet."""
    from edge.tape.leftovers import children, started
    from edge.tape.names import path_of, tapes

    if not os.path.exists(os.path.join(state, "live", writer.tape)):
        return []
    named = children(path_of(tapes(state), writer.tape))
    return [str(one.pid) for one in named if one.tag and started(one.pid) == one.start]


def _by_signal(state: str, fault: Fault) -> int:
    """The stop of a card that takes none: SIGTERM for whoever works on the folder. Always 1."""
    from edge.peripherals.guard import folder
    from edge.tape.live import writers

    say(f"fieldhand: {fault}")
    pids = {_locked_by(f"{folder.path_of(state, kind)}/{folder.LOCK}") for kind in folder.NAMES}
    try:
        pids |= {writer.pid for writer in writers(state)}
    except TapeFault as unknown:
        say(f"fieldhand: {unknown}")
    for pid in sorted(pid for pid in pids if pid > 1):
        try:
            os.kill(pid, SIGTERM)
            put(f"process {pid} was told to end (SIGTERM): a board makes its outputs safe, an agent ends its turn")
        except OSError as error:
            put(f"process {pid} could not be told to end: {(error.strerror or 'unknown error').lower()}")
    put("the stop is NOT kept: what starts after this is not stopped")
    return 1


def _elsewhere(state: str, seen: set[int]) -> list[str]:
    """Boards of other state folders that run on this machine and were not seen: this stop is not theirs."""
    from edge.tape.disk import small_file
    from edge.tape.leftovers import CODE

    found = []
    for name in os.listdir("/proc"):
        words = small_file(f"/proc/{name}/cmdline").split(b"\0") if name.isdigit() else []
        if CODE not in words[:-2] or int(name) in seen:
            continue
        other = os.fsdecode(words[words.index(CODE) + 2])
        if not other or os.path.realpath(other) != state:
            where = f"--state {other}" if other else f"no state folder: kill -TERM {name} makes its outputs safe"
            found.append(f"another board (process {name}) is not stopped by this: it has {where}")
    return found
