"""`fieldhand guard run` and `fieldhand guard unit systemd|busybox`: the guard as a service of its own.

Rules:
1. `run` reads the settings, checks them, keeps what they declare as `last.json` in the guard's folder, and becomes the
   guard's process (exec): no reader of settings is in the process that holds the outputs.
2. Settings that are wrong, or a fault of our own while they are read, are no reason to leave outputs alone that were
   declared before: what was kept last is made safe and held so, and every other value is refused with the sentence of
   what is wrong, until the guard is started again. Only when nothing was kept the command ends, with 3 for settings.
3. A card that takes no `last.json` is said and changes nothing.
4. `unit` prints; it installs nothing.
"""

from __future__ import annotations

import os

from edge.cli import put, say, settle
from edge.faults import ConfigFault, Fault, HardwareFault, UsageFault
from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from edge.cli.args import Options
    from edge.cli.board import Chosen

HANDED_ON = ("PATH", "LD_LIBRARY_PATH", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
SPEED = 60.0  # board seconds per second of a simulated board
LONGEST_WHY = 300


class Start(Record):
    """What a guard's process is started with. `said`: the description of what it owns; `kind`: of it."""

    state: str
    kind: str
    said: str
    socket: str
    users: tuple[int, ...] = ()
    why: str = ""


def main(options: Options) -> int:
    """`fieldhand guard run|unit KIND`."""
    words = options.words
    if words == ("run",):
        return run(options)
    if words[:1] == ("unit",) and len(words) <= 2:
        from edge.cli.guard_units import unit

        put(unit(words[1] if len(words) > 1 else "", options))
        return 0
    asked = f"knows no {' '.join(words)[:60]!r}" if words else "needs to know what to do"
    raise UsageFault(f"guard {asked}", "guard run, guard unit systemd, guard unit busybox")


def run(options: Options) -> int:
    """Become the guard. Returns only by a Fault."""
    from edge.peripherals.guard.ending import lead

    lead()  # one that died is to be back in time on a busy board, too
    start = None
    try:
        start = planned(options, os.environ)
    except Exception as error:  # whatever is wrong: what was declared before is made safe (rule 2)
        start = refusing(options, os.environ, error)
        if start is None:
            raise
    _become(start)
    raise HardwareFault("the guard's process could not take over")


def planned(options: Options, environ: Mapping[str, str]) -> Start:
    """The start that the settings want, kept as the last good one. ConfigFault, HardwareFault."""
    from edge.cli.board import choose
    from edge.peripherals.guard import folder
    from edge.peripherals.guard.owned import Owned, text

    settings = settle.settings(options, environ)
    chosen = choose(settings)
    owned = chosen.owned or Owned()
    # With sensors alone it owns nothing and stays: a service that ended would be started again and again.
    if owned.kind == "lines" and not owned.outputs and not owned.sensors and not chosen.sensors:
        fix = "declare [outputs.NAME] or [inputs.NAME]; fieldhand config init shows how"
        raise ConfigFault("the settings declare no output and no input: there is nothing to guard", fix)
    state = settle.state_folder(settings.state, environ)
    socket = os.path.abspath(options.socket or chosen.socket)
    start = Start(state, owned.kind, text(owned), socket, _uids(options, chosen))
    _parent(socket, bool(start.users))
    if state:
        try:
            where = folder.make(state, owned.kind)
            folder.keep(where, start.said, socket, start.users)
        except (OSError, HardwareFault) as error:
            why = getattr(error, "strerror", None) or str(error)
            say(f"fieldhand: what the guard owns could not be kept for a start with wrong settings: {why}")
    else:
        say("fieldhand: there is no state folder: the guard keeps no record (name one with --state)")
    return start


def refusing(options: Options, environ: Mapping[str, str], error: Exception) -> Start | None:
    """The start of a guard that makes safe what was declared last, and says why; None when nothing was kept."""
    from edge.peripherals.guard import folder, owned

    state = _state(options, environ)
    why = str(error) if isinstance(error, Fault) else f"a fault of its own: {type(error).__name__}: {error}"
    for kind in ("lines", "sim") if state else ():
        found = folder.kept(folder.path_of(state, kind))
        try:
            owned.read(found.said if found else "")
        except ValueError:
            continue
        if found is not None:
            say(f"fieldhand: {why}")
            say("fieldhand: what was declared last is made safe and held so until the guard is started with good ones")
            socket = os.path.abspath(options.socket) if options.socket else found.socket
            _parent(socket, bool(found.users))
            return Start(state, kind, found.said, socket, found.users, f"the settings are wrong: {why}"[:LONGEST_WHY])
    return None


def _state(options: Options, environ: Mapping[str, str]) -> str:
    """The state folder when the settings cannot be asked: the one that was told, else the usual one."""
    try:
        return settle.state_folder(options.state, environ)
    except Fault:
        return ""


def _uids(options: Options, chosen: Chosen) -> tuple[int, ...]:
    """Who may use the guard beside its own user and root. ConfigFault: there is no such user."""
    import pwd

    names = tuple(filter(None, options.users.split(","))) or chosen.users
    found = []
    for name in names:
        try:
            found.append(int(name) if name.isdecimal() else pwd.getpwnam(name).pw_uid)
        except KeyError as error:
            raise ConfigFault(f"there is no user {name[:40]!r} who could use the guard", "see --users") from error
    return tuple(found)


def _parent(socket: str, others: bool) -> None:
    """The folder of the socket, made when only it is missing. A guard that cannot listen says so itself."""
    where = os.path.dirname(socket)
    if not os.path.isdir(where):
        try:
            os.mkdir(where, 0o700)
            if others:
                os.chmod(where, 0o755)  # whatever umask a supervisor gave
        except OSError as error:
            say(f"fieldhand: {where} cannot be made for the guard's socket: {(error.strerror or 'unknown').lower()}")


def _become(start: Start) -> None:
    """Exec the guard's process, which keeps our id, our stderr and the supervisor's variables."""
    from edge.peripherals.guard.spawn import command

    speed = SPEED if start.kind == "sim" else 1.0
    words = command(start.state, speed, start.said, start.socket, start.users, start.why)
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    environ = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    try:
        os.execve(words[0], words, environ)
    except OSError as error:
        raise HardwareFault(f"the guard cannot be started with {words[0]}: {error.strerror}") from error
