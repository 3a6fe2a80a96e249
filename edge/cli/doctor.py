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
from edge.faults import ConfigFault, Fault
from edge.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.cli.args import Options
    from edge.config import Settings

DEVICES = ("gpiochip", "i2c-", "spidev", "ttyUSB", "ttyACM", "ttyAMA", "ttyS", "watchdog", "rtc")
LIBRARIES = ("httpx", "serial", "smbus2", "gpiozero", "tomllib" if sys.version_info >= (3, 11) else "tomli")


class Finding(Record):
    """state: ok, absent (not needed for the simulated board), wrong (something asked for does not work)."""

    what: str
    state: str
    sentence: str
    fix: str = ""


def doctor(options: Options) -> int:
    """Print the findings; 1 when one is wrong."""
    findings = list(_findings(options))
    if options.json:
        import json

        put(json.dumps([as_dict(finding) for finding in findings], ensure_ascii=False, indent=1))
    else:
        for finding in findings:
            fix = f" ({finding.fix})" if finding.fix else ""
            put(f"{finding.state:6} {finding.what}: {finding.sentence}{fix}")
    return 1 if any(finding.state == "wrong" for finding in findings) else 0


def _findings(options: Options) -> Iterator[Finding]:
    version = "{}.{}.{}".format(*sys.version_info[:3])
    yield Finding("python", "ok", f"{version} at {sys.executable or 'an unknown place'}, {os.uname().machine}")
    try:
        settings = settle.settings(options, os.environ)
        yield Finding("settings", "ok", _settings(options, settings))
        try:
            state = settle.state_folder(settings.state, os.environ)
            yield _state(state)
        except ConfigFault as fault:
            state = ""
            yield Finding("state", "wrong", f"{fault.sentence}; what follows was looked at without one", fault.fix)
        yield from _stop(settings)
        yield from _model(settings)
        yield from _board(state)
        yield from _wall(options, settings, state)
    except Fault as fault:
        yield Finding("settings", "wrong", fault.sentence, fault.fix)
    yield from _clock()
    yield from _devices()
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


def _board(state: str) -> Iterator[Finding]:
    from edge.peripherals.guard.client import Board

    try:
        board = Board.start(state)
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
        yield Finding("wall", "wrong", f"what it holds cannot be tried: {error.strerror or error}", "free some memory")
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
        yield Finding("clock", "wrong", f"it shows {now}, so it was never set", "set it, or let the network do it")
    else:
        yield Finding("clock", "ok", now)


def _devices() -> Iterator[Finding]:
    names = sorted(name for name in os.listdir("/dev") if name.startswith(DEVICES))
    open_ = [name for name in names if os.access(f"/dev/{name}", os.R_OK | os.W_OK)]
    if not names:
        yield Finding("devices", "absent", "no GPIO, I2C, SPI or serial node in /dev; the simulated board needs none")
        return
    shut = [name for name in names if name not in open_]
    told = f"{len(names)} node{'s' * (len(names) > 1)} ({', '.join(names[:8])}{' ...' if len(names) > 8 else ''})"
    if shut:
        yield Finding("devices", "absent", f"{told}; not open to this user: {', '.join(shut[:8])}", "join their group")
    else:
        yield Finding("devices", "ok", f"{told}; this version uses none of them yet")


def _libraries() -> Iterator[Finding]:
    from importlib.util import find_spec

    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        yield Finding("libraries", "absent", f"{', '.join(missing)}; no tool of this version needs them")
    else:
        yield Finding("libraries", "ok", ", ".join(LIBRARIES))
