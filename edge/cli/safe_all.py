"""`fieldhand safe-all`: every output safe, whoever holds it, now.

Rules:
1. Nothing is needed for it: no model, no network, no tape, no approval, no readable settings.
2. Guards that run are asked, each to make everything safe and to read back: those of the state folder and the service.
   One that does not answer leaves its outputs unknown, and that is said.
3. Where no guard holds the real outputs that are declared (by the settings, or by what a guard was told last when they
   cannot be read), this command takes the lines itself for a moment, safe in the request, reads back and lets go. What
   a line does when nobody holds it is the kernel's: mainline makes it an input again, the Raspberry Pi's leaves it.
4. After a clean end of a service (SERVICE_RESULT of systemd is `success`, systemd.exec(5)) an output that is declared
   to hold what it has when the guard ends is left so, for then a supervisor asks and no person.
5. A lab line that nobody wrote is only driven where the kernel calls it an output that nobody holds: what is wired to
   an input may drive it from the other side.
6. Exit code 0: every output was read back safe. 7: of one at least that is not known.
"""

from __future__ import annotations

import os

from edge.cli import put, say, settle
from edge.faults import Fault, HardwareFault, UsageFault
from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from edge.call import Output
    from edge.cli.args import Options
    from edge.peripherals.guard.lines import LinesPlant
    from edge.peripherals.guard.owned import Owned

SECONDS = 3.0
UNKNOWN = 7
UNWRITTEN = "nobody wrote this lab line, and no guard drives it"


class Seen(Record):
    """One output after it. `safe` None: not known; `of`: who says so."""

    output: str
    safe: bool | None
    sentence: str
    of: str


def main(options: Options) -> int:
    """`fieldhand safe-all [--socket PATH] [--json]`."""
    if options.words:
        raise UsageFault(f"safe-all takes no {options.words[0][:40]!r}", "fieldhand safe-all")
    owned, socket = _declared(options)
    state = _state(options)
    seen, held = _running(state, options.socket or socket)
    if owned is not None and owned.kind == "lines" and not held:
        seen += list(_taken(owned))
    if options.json:
        import json

        put(json.dumps([as_dict(one) for one in seen]))
    else:
        for one in seen:
            put(f"{_words(one.safe)} {one.output}: {one.sentence} ({one.of})")
        if not seen:
            put("no guard is running, and no real output is declared: there is nothing to make safe")
    return 0 if all(one.safe for one in seen) else UNKNOWN


def _words(safe: bool | None) -> str:
    return "UNKNOWN" if safe is None else "safe   " if safe else "NOT    "


def _state(options: Options) -> str:
    """The state folder: told, of the settings, or the usual one; "" when there is none."""
    told = options.state
    if not told:
        try:
            told = settle.settings(options, os.environ).state
        except Fault:
            told = ""  # what is wrong with the settings was said
    try:
        return settle.state_folder(told, os.environ, reading=True)
    except Fault as fault:
        say(f"fieldhand: {fault}")
        return ""


def _declared(options: Options) -> tuple[Owned | None, str]:
    """What is declared and where a service listens: by the settings, else by what was kept last."""
    from edge.peripherals.guard import door, folder, owned

    try:
        from edge.cli.board import choose

        chosen = choose(settle.settings(options, os.environ))
        return chosen.owned, chosen.socket
    except Exception as error:  # whatever it is: what was declared before is made safe all the same
        say(f"fieldhand: the settings cannot be used ({error}): what was declared last is taken")
    state = _state(options)
    kept = folder.kept(folder.path_of(state, "lines")) if state else None
    try:
        return (owned.read(kept.said), kept.socket) if kept else (None, door.SERVICE)
    except ValueError as error:
        say(f"fieldhand: what was declared last cannot be read: {error}")
        return None, door.SERVICE


def _running(state: str, service: str) -> tuple[list[Seen], bool]:
    """What the guards that run say after it; and whether one of them holds the real outputs, or may."""
    from edge.peripherals.guard import folder

    seen: list[Seen] = []
    held = False
    asked: set[str] = set()
    for kind in folder.NAMES if state else ():
        where = folder.path_of(state, kind)
        path = folder.asked_at(where)
        if not path and folder.locked(where):
            seen.append(Seen("outputs", None, "a guard holds them and has no socket: kill -USR1 reaches it", where))
            held = held or kind == "lines"
        if path:
            found = _asked(path, where)
            seen += found or []
            held = held or (kind == "lines" and found is not None)
            asked.add(path)
    if service and service not in asked and os.path.exists(service):
        found = _asked(service, f"the guard at {service}")
        seen += found or []
        held = held or found is not None
    return seen, held


def _asked(path: str, who: str) -> list[Seen] | None:
    """What one guard says; None when nobody listens there."""
    from edge.peripherals.guard import door

    try:
        told = door.ask(path, {"do": "safe_all"}, SECONDS)
    except HardwareFault as fault:
        return [Seen("outputs", None, str(fault), who)]
    if told is None:
        return None
    return [_row(name, row, f"guard, process {told['pid']}") for name, row in told["outputs"].items()]


def _row(name: str, row: Mapping[str, Any], of: str) -> Seen:
    from edge.peripherals.guard.protocol import WAITS

    if row["state"] is None and not row["fault"] and row.get("why") == WAITS:
        return Seen(name, True, UNWRITTEN, of)
    if row["state"] is None:
        return Seen(name, None, row["fault"] or "its state cannot be read back", of)
    on = "on" if row["state"] else "off"
    if row["left"] is not None:
        return Seen(name, False, f"{on}, {row['override'] or row['fault'] or 'it did not go safe'}", of)
    return Seen(name, not row["fault"] or None, f"{on}{', but ' + row['fault'] if row['fault'] else ''}", of)


def _taken(owned: Owned) -> Iterator[Seen]:
    """Become the guard for a moment: take the lines, safe in the request, read back, let go."""
    from edge.peripherals.gpiochip import seam
    from edge.peripherals.guard.lines import LinesPlant
    from edge.record import replace

    clean = os.environ.get("SERVICE_RESULT") == "success"
    kept = [output for output in owned.outputs if clean and output.on_exit == "hold"]
    wanted = [replace(output, on_start="safe", on_exit="safe") for output in owned.outputs if output not in kept]
    names = {output.name for output in wanted}
    lines = tuple(wired for wired in owned.lines if wired.name in names)
    channels = tuple(channel for channel in owned.channels if channel.name in names)
    yield from (Seen(output.name, True, "held as it is, as it is declared", "the settings") for output in kept)
    plant = LinesPlant(
        replace(owned, outputs=tuple(wanted), sensors=(), lines=lines, channels=channels), seam.of(owned.chips)
    )
    try:
        for output in wanted:
            if plant.left(output.name):
                _safe(plant, output)
        missing = plant.missing
        for output in wanted:
            if plant.waits(output.name):
                yield Seen(output.name, True, UNWRITTEN, "this command")
                continue
            yield _read_back(output, plant.level(output.name, 0.0), missing.get(output.name, ""))
    finally:
        plant.close()


def _safe(plant: LinesPlant, output: Output) -> None:
    """Drive it safe; why that failed is read back then."""
    try:
        plant.drive(output.name, float(output.safe), 0.0)
    except HardwareFault as fault:
        say(f"fieldhand: {fault}")


def _read_back(output: Output, level: float | None, missing: str) -> Seen:
    of = "taken by this command and let go: what a free line does is the kernel's"
    if level is None:
        return Seen(output.name, None, missing or "it cannot be read back", "this command")
    on = "on" if level else "off"
    return Seen(output.name, level == float(output.safe), on, of)
