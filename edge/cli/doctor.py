"""`fieldhand doctor`: what is present here, each line with the fix where something is missing.

Every line comes from a look at this moment. What the wall holds against a tool's child processes comes from a child
that just tried it, claim by claim.
"""

from __future__ import annotations

import os
import sys
import time

from edge.cli import put, settle
from edge.cli.assemble import CLOCK_IS_SET_AFTER
from edge.cli.board import choose, start
from edge.cli.finding import Finding, on_card, remedy
from edge.cli.located import located
from edge.faults import ConfigFault, Fault
from edge.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.cli.args import Options
    from edge.cli.board import Chosen
    from edge.config import Settings

LIBRARIES = ("httpx", "serial", "smbus2", "gpiozero", "tomllib" if sys.version_info >= (3, 11) else "tomli")
NEEDED = {"serial": "serial ports", "smbus2": "sensors at an I2C bus"}  # the others no tool of this version needs


def doctor(options: Options) -> int:
    """Print the findings; 1 when one is wrong."""
    from edge.cli import doctor_card, doctor_nodes

    findings = list(_findings(options))
    if doctor_card.made(doctor_nodes.here(False)):
        findings = [on_card(finding) for finding in findings]
    if options.json:
        import json

        put(json.dumps([as_dict(finding) for finding in findings], ensure_ascii=False, indent=1))
    else:
        for finding in findings:
            fix = f" ({finding.fix})" if finding.fix else ""
            put(line(f"{finding.state:6} {finding.what}: {finding.sentence}{fix}"))
    return 1 if any(finding.state == "wrong" for finding in findings) else 0


def line(text: str) -> str:
    """On one line, and nothing for the terminal: names of lines and of their holders are others' words."""
    from edge.text import plain

    return plain(text).replace("\n", " ")


def _findings(options: Options) -> Iterator[Finding]:
    from edge.cli import doctor_audit

    chosen: Chosen | None = None
    state = ""
    version = "{}.{}.{}".format(*sys.version_info[:3])
    yield Finding("python", "ok", f"{version} at {sys.executable or 'an unknown place'}, {os.uname().machine}")
    try:
        settings = settle.settings(options, os.environ)
        yield Finding("settings", "ok", _settings(options, settings))
        try:
            state = settle.state_folder(settings.state, os.environ)
            yield _state(state)
            yield from doctor_audit.findings(state)
        except ConfigFault as fault:
            state = ""
            yield Finding("state", "wrong", f"{fault.sentence}; what follows was looked at without one", fault.fix)
        yield from _stop(settings)
        yield from _model(settings)
        chosen = choose(settings)
        yield from _board(settings, chosen, state)
        yield from _wall(options, settings, state)
    except Fault as fault:
        told = located(fault, options, os.environ) if isinstance(fault, ConfigFault) else fault
        yield Finding("settings", "wrong", told.sentence, told.fix)
    yield from _clock()
    yield from _hardware(chosen, state)
    yield from _libraries()


def _settings(options: Options, settings: Settings) -> str:
    path = options.config or settle.find(os.environ)
    profile = f"risk profile {settings.profile}, " if settings.profile else ""
    return f"mode {settings.preset}, {profile}" + (f"from {path}" if path else "no settings file, defaults")


def _state(folder: str) -> Finding:
    if not folder:
        return Finding("state", "absent", "no folder can be written: nothing is kept", "name one with --state DIR")
    room = os.statvfs(folder)
    free = room.f_bavail * room.f_frsize >> 20
    return Finding(
        "state", "ok" if free >= 8 else "wrong", f"{folder}, {free} MiB free", "" if free >= 8 else "free it"
    )


def _stop(settings: Settings) -> Iterator[Finding]:
    """What the operator stopped: nobody should look elsewhere for why a board refuses everything."""
    from edge.stop import read

    try:
        stop = read(settle.state_folder(settings.state, os.environ, reading=True))
    except ConfigFault:
        return  # it was said before
    if stop is not None:
        part = ", ".join([f"{one.kind}{f' ({one.why})' if one.why else ''}" for one in stop.stops])
        everything = stop.everything
        said = everything or f"stopped: {part}"
        yield Finding("stop", "wrong" if everything else "absent", said, "fieldhand resume lifts it")


def _model(settings: Settings) -> Iterator[Finding]:
    from edge.call import Scene
    from edge.model import make

    model = make(settings.model, Scene("/", ""))
    where = f"at {model.endpoint} (not asked now), replies as {model.mode}" if model.endpoint else "no network needed"
    yield Finding("model", "ok", f"{model.name}, {where}")
    model.close()


def _board(settings: Settings, chosen: Chosen, state: str) -> Iterator[Finding]:
    """A simulated board is started and asked; of a real one the lines and their guard are looked at (doctor_lines)."""
    if chosen.real:
        owned = chosen.owned
        count = len(owned.outputs) + len(owned.sensors) if owned is not None else 0
        told = f"this one, {count} outputs and inputs and {len(chosen.sensors)} sensors declared"
        count += len(chosen.sensors)
        tables = "[outputs.NAME], [inputs.NAME] and [sensors.NAME]"
        usual = f"{tables} of the settings declare what is wired"
        card = f"{tables} of provision.toml on the first partition declare what is wired"
        fix = "" if count else remedy(usual, usual, usual, card)
        yield Finding("board", "ok" if count else "absent", told, fix)
        return
    try:
        board = start(settings, state, "")
    except Fault as fault:
        yield Finding("board", "wrong", fault.sentence, fault.fix)
        return
    try:
        names = ", ".join(board.states())
        yield Finding("board", "ok", f"simulated, started and answered; outputs {names}")
    finally:
        board.close()


def _wall(options: Options, settings: Settings, state: str) -> Iterator[Finding]:
    """The level, why it is no better, and each claim; wrong is what the policy requires or the level has to hold."""
    from edge.hands.wall import claims, level

    wanted = settle.policy(settings).wall(options.unattended)
    roots = tuple(os.path.realpath(root) for root in settings.roots) or _start()
    found = level.find(wanted, state=state, roots=roots)
    strong = found.name in ("landlock", "namespaces")
    whose = "a user of their own" if found.alone else "the agent's user"
    sentence = f"level {found.name}, children run as {whose}; sandbox = {wanted}"
    yield Finding("wall", "ok" if strong else "wrong" if wanted == "require" else "absent", sentence)
    for reason in found.reasons:
        yield Finding("wall", "absent", reason)
    key = f"{state}/audit.key"
    try:
        made = claims.claims(found, state, key if state and os.path.exists(key) else "")
    except OSError as error:
        fix = "try again when it is less so" if error.errno == 110 else "free some memory"
        yield Finding("wall", "wrong", f"what it holds cannot be tried: {error.strerror or error}", fix)
        return
    for one in made:
        missing = "wrong" if one.act in level.MUST.get(found.name, ()) and not one.absent else "absent"
        yield Finding(f"wall: {one.what}", "ok" if one.enforced else missing, one.sentence, one.fix)


def _start() -> tuple[str, ...]:
    """The folder of the start as the only root; none when it is gone."""
    try:
        return (os.getcwd(),)
    except OSError:
        return ()


def _clock() -> Iterator[Finding]:
    now = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    if time.time() < CLOCK_IS_SET_AFTER:
        usual = "set it, or let the network do it"
        fix = remedy(usual, usual, usual, "connect the network; [time] servers of provision.toml names who is asked")
        yield Finding("clock", "wrong", f"it shows {now}, so it was never set", fix)
    else:
        yield Finding("clock", "ok", now)


def _hardware(chosen: Chosen | None, state: str) -> Iterator[Finding]:
    """Kernel, nodes, groups, what is on at boot, chips, lines, the guard, the watchdog, sensors."""
    from edge.cli import doctor_boot, doctor_card, doctor_lines, doctor_nodes, sensing
    from edge.peripherals.boards.identity import identify

    owned = chosen.owned if chosen is not None and chosen.lines else None
    place = doctor_nodes.here(owned is not None and not owned.chips)  # a model of chips needs no node
    board = identify(place.data)
    yield from doctor_card.findings(place)
    yield from doctor_nodes.findings(place)
    yield from doctor_boot.findings(place, board.family)
    yield from doctor_lines.findings(board, chosen, state, doctor_lines.looked(chosen))
    yield from sensing.findings(chosen)
    if chosen is not None and chosen.ports:
        from edge.cli import doctor_ports
        from edge.peripherals.port.ttys import System

        yield from doctor_ports.findings(chosen.ports, place, System())


def _libraries() -> Iterator[Finding]:
    from importlib.util import find_spec

    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        needed = [f"{what} need {name}" for name, what in NEEDED.items() if name in missing]
        rest = [] if len(needed) == len(missing) else ["no tool of this version needs the others"]
        wanted = [{"serial": "pyserial"}.get(name, name) for name in missing if name in NEEDED]
        fix = f"pip install {' '.join(wanted)}" if wanted else ""
        yield Finding("libraries", "absent", "; ".join([", ".join(missing), *needed, *rest]), fix)
    else:
        yield Finding("libraries", "ok", ", ".join(LIBRARIES))
