"""`fieldhand data backup FILE|-`, `restore FILE|-`, `reset`: what a board keeps, out, in, and away.

Rules:
1. On a card (/etc/fieldhand/release) it is all of /data: settings, what was provisioned, tapes and audit log, and the
   workspace. Elsewhere the settings file and the state folder, as options and environment name them.
2. A backup holds secrets: the file is 0600, and that is said. It is written under another name, synced, then renamed.
3. restore: edge/card/restore.py. On a card it takes place at the next start, before anything uses /data, so nobody has
   to be ended. Elsewhere nothing may run that uses the state folder; then it takes place at once.
4. reset asks for the board's name, or --yes. On a card the boot state says that the data partition is to be made, and
   the next start makes it; until then nothing is gone. Elsewhere the state folder is moved aside, never deleted.
5. restore and reset are in the audit log that they end, and backup is in its own. A reset is written there when it is
   done (on a card: when the next start is told to do it), so that none is there that never was.
6. A backup says the schema that its data have: that of /data/schema, which may be older than what the program writes
   until its slot is confirmed. What can be restored is what the program reads.
"""

from __future__ import annotations

import os
import sys

from edge.card.places import DATA
from edge.cli import put, say, settle
from edge.faults import CardFault, Fault, OutputFault, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO

    from edge.card.archive import Kept
    from edge.card.restore import Home
    from edge.cli.args import Options

SCHEMA = 1  # of a state folder that is on no card
USAGE = "data backup FILE, data restore FILE, data reset; FILE - is stdout and stdin"


def data(options: Options) -> int:
    """`fieldhand data backup FILE|restore FILE|reset [--yes]`."""
    words = options.words
    if words[:1] == ("backup",) and len(words) == 2:
        return _backup(options, words[1])
    if words[:1] == ("restore",) and len(words) == 2:
        return _restore(options, words[1])
    if words == ("reset",):
        return _reset(options)
    if words in (("backup",), ("restore",)):
        raise UsageFault(f"data {words[0]} needs a file", USAGE)
    asked = f"knows no {' '.join(words)[:60]!r}" if words else "needs to know what to do"
    raise UsageFault(f"data {asked}", USAGE)


# --- where it is ---


def on_card() -> bool:
    """True on a board that was started from a card."""
    from edge.card.places import RELEASE

    return os.path.exists(RELEASE)


def _state(options: Options) -> str:
    if on_card() and not options.state:
        return f"{DATA}/state"
    told = options.state or settle.settings(options, os.environ).state
    found = settle.state_folder(told, os.environ, reading=True)
    if not found:
        raise UsageFault("there is no state folder, so there are no data", "name one with --state")
    return found


def parts(options: Options) -> dict[str, str]:
    """Part -> folder or file. UsageFault: there is nothing."""
    from edge.card.archive import PARTS

    if on_card() and not options.state:
        return {name: f"{DATA}/{name}" for name in PARTS if os.path.isdir(f"{DATA}/{name}")}
    found = {"state": _state(options)}
    config = os.path.realpath(options.config or settle.find(os.environ))
    if (options.config or settle.find(os.environ)) and os.path.isfile(config):
        found["config"] = config
    return found


def _schema() -> int:
    """The newest that this program reads."""
    from edge.cli.card import place

    return place().schema if on_card() else SCHEMA


def _kept_schema(card: bool) -> int:
    """What the data are of: on a card what stands there, the program's where nothing does."""
    from edge.card.prepare import schema

    known = schema(DATA) if card else -1
    return known if known >= 0 else _schema()


# --- out ---


def _backup(options: Options, path: str) -> int:
    from edge import __version__
    from edge.card.archive import backup

    what = parts(options)
    schema = _kept_schema(on_card() and not options.state)
    about: dict[str, object] = {"schema": schema, "version": __version__}

    def write(out: BinaryIO) -> Kept:
        return backup(out, what, about, "" if path == "-" else os.path.realpath(f"{path}.new"))

    kept = _to_stdout(write) if path == "-" else _to_file(path, write)
    for sentence in kept.left_out:
        say(f"not in it: {sentence}")
    where = "stdout" if path == "-" else path
    say(f"{kept.files} files, {_amount(kept.bytes)}, are in {where}")
    say("it holds the board's secrets: keep it as you keep a key")
    _noted(what["state"], "data backup", {"files": kept.files})
    return 0


def _amount(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


def _to_file(path: str, write: Callable[[BinaryIO], Kept]) -> Kept:
    from edge.card.packing import KINDS, packing

    kind = next((kind for end, kind in KINDS.items() if path.endswith(end)), "")
    if not kind:
        raise UsageFault(f"{path[:80]!r} says not how to pack it", f"a name that ends in {', '.join(KINDS)}")
    new = f"{path}.new"
    try:
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as raw:
            os.fchmod(fd, 0o600)
            with packing(raw, kind) as out:
                kept = write(out)
            raw.flush()
            os.fsync(fd)
        os.rename(new, path)
    except OSError as error:
        _gone(new)
        raise OutputFault(f"{path} cannot be written: {(error.strerror or str(error)).lower()}") from error
    except Fault:
        _gone(new)
        raise
    return kept


def _to_stdout(write: Callable[[BinaryIO], Kept]) -> Kept:
    from edge.card.packing import packing

    if sys.stdout is None or sys.stdout.isatty():
        raise UsageFault("a backup is no text for a terminal", "fieldhand data backup - > board.tar.gz")
    try:
        with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as raw, packing(raw, "gz") as out:
            return write(out)
    except OSError as error:
        raise OutputFault(f"the backup could not be written: {(error.strerror or str(error)).lower()}") from error


def _gone(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # it was never made


# --- back ---


def _restore(options: Options, path: str) -> int:
    from edge.card.packing import Opened
    from edge.card.restore import unpack

    state = _state(options)
    card = on_card() and not options.state
    if card:
        _kept_by_card()
    else:
        _nobody(state)
    home = _home(state, card)
    with Opened(_source(path), path) as read:
        kept = unpack(read, home, _schema())
    _noted(state, "data restore", {"files": kept.files})
    if card:
        put(f"{kept.files} files are checked and on the card. They take their place at the next start: reboot")
    else:
        _placed(options, home)
        put(f"{kept.files} files are restored: {state}")
    return 0


def _home(state: str, card: bool) -> Home:
    from edge.card.restore import Home

    if card:
        return Home(DATA)
    folder, _, name = state.rpartition("/")
    return Home(folder, (("state", name),), f"{name}.", ("state", "config"), ("config",))


def _placed(options: Options, home: Home) -> None:
    """The settings file over the one that is used here, then the state folder. CardFault."""
    from edge.card.prepare import kept
    from edge.card.restore import finish

    config, target = f"{home.aside}/config", options.config or settle.find(os.environ)
    try:
        if os.path.isfile(config) and target:
            kept(os.path.realpath(target), _bytes(config), 0o600)
        elif os.path.exists(config):
            say("the settings in it were left out: there is no settings file here (--config FILE names one)")
        finish(home)
    except OSError as error:
        fix = "run it again: it goes on where it was"
        raise CardFault(f"not all of it is in its place: {(error.strerror or str(error)).lower()}", fix) from error


def _source(path: str) -> int:
    """The backup, opened. UsageFault."""
    if path == "-" and sys.stdin is None:
        raise UsageFault("stdin is closed: there is nothing to restore", "fieldhand data restore FILE")
    try:
        return os.dup(sys.stdin.fileno()) if path == "-" else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageFault(f"{path} cannot be read: {(error.strerror or 'unknown').lower()}") from error


def _bytes(path: str) -> bytes:
    """All of a small file. OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        return os.read(fd, os.fstat(fd).st_size)
    finally:
        os.close(fd)


def _kept_by_card() -> None:
    from edge.card import boot

    if boot.facts().get("VOLATILE") == "1":
        raise CardFault(
            f"{DATA} is memory for this start, so nothing can be restored to the card", "see fieldhand doctor"
        )


def _nobody(state: str) -> None:
    """Refuse while an agent or a guard uses the state folder. CardFault."""
    from edge.peripherals.guard import folder
    from edge.tape import disk

    for name in _tapes(state):
        try:
            busy = disk.held(name)
        except OSError:
            continue  # not a tape that anybody writes
        if busy:
            raise CardFault(f"an agent writes {os.path.basename(name)} in {state}", "end it first, then try again")
    for kind in folder.NAMES:
        if folder.locked(folder.path_of(state, kind)):
            raise CardFault(f"a guard uses {state}", "end its service or its agents first, then try again")


def _tapes(state: str) -> Iterator[str]:
    try:
        names = os.listdir(f"{state}/tapes")
    except OSError:
        return
    yield from (f"{state}/tapes/{name}" for name in sorted(names))


# --- away ---


def _reset(options: Options) -> int:
    state = _state(options)
    card = on_card() and not options.state
    what = f"all of {DATA} (settings, tapes, audit log, workspace)" if card else f"the state folder {state}"
    if not options.yes:
        _sure(what)
    if card:
        _anew()
        _noted(state, "data reset", {})
        put(f"The next start makes {DATA} anew: reboot. Until then nothing is gone; back it up now if it matters")
        return 0
    _nobody(state)
    aside = _free(f"{state}.before-reset")
    try:
        os.rename(state, aside)
    except OSError as error:
        raise CardFault(f"{state} cannot be moved aside: {(error.strerror or 'unknown').lower()}") from error
    _noted(aside, "data reset", {})
    put(f"{state} is {aside} now: delete it when nothing in it is needed any more")
    return 0


def _sure(what: str) -> None:
    name = os.uname().nodename
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageFault(f"a reset takes {what} away, and nobody can be asked", "--yes does it without asking")
    sys.stderr.write(f"This takes {what} away. Type the name of this board, {name}, to do it: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip() != name:
        raise UsageFault("that is not its name: nothing was changed")


def _anew() -> None:
    """Write down that the data partition is to be made. CardFault, HardwareFault."""
    from edge.card import slots
    from edge.card.state import NEW
    from edge.record import replace

    card, _ = slots.here(write=True)
    with card:
        card.alone()
        state = card.state()
        if state.why == "lost":  # which slot is whole would be said by what nobody read
            raise CardFault(
                "neither copy of the boot state can be read", "fieldhand update confirm writes it anew, if all is well"
            )
        card.keep(replace(state, data=NEW))


def _free(path: str) -> str:
    number, found = 1, path
    while os.path.lexists(found):
        number, found = number + 1, f"{path}-{number + 1}"
    return found


def _noted(state: str, act: str, fields: dict[str, Any]) -> None:
    """In the audit log of the state folder, when there is one."""
    from edge.cli.noted import note

    if os.path.exists(f"{state}/audit.key"):
        note(state, "note", {"act": act, **fields, "by": f"uid {os.getuid()}"})
