"""`fieldhand update FILE|URL [--yes]`, `update status|confirm|back`: the program of a card with two slots.

Rules:
1. Nothing of an update is believed or written before its signature and its whole hash hold (edge/card/update.py).
2. `--yes` answers every question: an older version, the same one, and the start over at the end. Without it a person at
   the terminal is asked; with nobody there an older version is refused, and starting over is left to the operator.
3. What was done is in the audit log of the state folder, written after the act, if there is one.
4. What came from a URL only in part is kept, so that the same command goes on from there; a whole file goes at the
   end of the command, whatever came of it.
5. `root` stands before every path of the system, and `start_over` makes the board start over: a folder of files is a
   board to the tests.
"""

from __future__ import annotations

import os
import sys

from edge.card import places, slots
from edge.card import state as states
from edge.card import update as updates
from edge.cli import put, say
from edge.faults import CardFault, Fault, UsageFault
from edge.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from edge.card.manifest import Key, Manifest
    from edge.card.slots import Card
    from edge.card.state import State
    from edge.card.update import Board
    from edge.cli.args import Options

USE = "fieldhand update FILE|URL, update status, update confirm, update back"
PHASES = {
    "fetch": "fetching the update",
    "check": "checking it",
    "write": "writing the other slot",
    "read": "reading it back",
}
SIGTERM = 15
FEW = 5  # lines of key files that are told one by one


def update(options: Options, root: str = "", start_over: Callable[[], None] | None = None) -> int:
    """0 when it was done; CardFault (1) when the update or the card is not as it should be, HardwareFault (7)."""
    if len(options.words) != 1:
        raise UsageFault("update takes one file, URL or word", USE)
    word = options.words[0]
    if word == "status":
        return _status(options, root)
    again = start_over or _start_over
    if word in ("confirm", "back"):
        flipped = _flip(options, root, word)
        return _offered(options, again) if flipped else 0
    return _offered(options, again) if _take(options, root, word) else 0


# --- what is there ---


def _board(root: str) -> Board:
    """What this board is, by its release file and its keys."""
    from edge.tape.disk import small_file

    release = small_file(root + places.RELEASE)
    if not release:
        raise CardFault("this system was not started from a card of ours", slots.WHAT_FOR)
    keys = []
    for folder in (root + places.KEYS, root + places.MORE_KEYS):
        for name in _names(folder):
            keys.append((f"{folder}/{name}", small_file(f"{folder}/{name}").decode("utf-8", "replace")))
    schema = small_file(root + places.SCHEMA).decode("ascii", "replace")
    made = updates.board(release.decode("utf-8", "replace"), schema, keys)
    for sentence in made.wrong[:FEW]:
        say(f"keys: {sentence}")
    if made.wrong[FEW:]:
        say(f"keys: and {len(made.wrong) - FEW} more lines that are no key")
    return made


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".pub"))
    except OSError:
        return []


def _status(options: Options, root: str) -> int:
    here = _board(root)
    card, running = slots.here(root)
    with card:
        copies, state = card.copies(), card.state()
        held = {slot: card.slot(slot) for slot in states.SLOTS}
    if options.json:
        import json

        told: dict[str, Any] = {
            "running": running,
            "state": as_dict(state),
            "copies": [one is not None for one in copies],
        }
        told["slots"] = {slot: as_dict(one) for slot, one in held.items()}
        told["keys"] = [{"id": key.id, "name": key.name} for key in here.keys]
        put(json.dumps({**told, "version": here.version, "product": here.product, "data_schema": here.data}))
        return 0
    for slot, one in held.items():
        what = f"{one.product} {one.version}, data schema {one.data_schema}" if one.version else "cannot be read"
        put(f"slot {slot}   {what}{', runs' if slot == running else ''}{_next(slot, state, running)}")
    put(f"state    {_words(state, running)}")
    for number, copy in enumerate(copies, 1):
        if copy is None:
            put(f"         copy {number} of the boot state is torn; the next change writes it anew")
    trusted = ", ".join(f"{key.name} ({key.id})" for key in here.keys) or "none: this board takes no update"
    put(f"keys     {trusted}")
    return 0


def _next(slot: str, state: State, running: str) -> str:
    if slot == state.slot != running:
        return ", is started next"
    return ", is fallen back to" if slot == state.prev != state.slot else ""


def _words(state: State, running: str) -> str:
    """What the boot state means."""
    if state.why == "lost":
        return "no copy can be read: fieldhand update confirm writes it anew"
    if state.slot != running:
        return f"slot {state.slot} waits for its first start: reboot, or fieldhand update back"
    why = {
        "flashed": "as flashed",
        "update": "an update",
        "back": "gone back to",
        "confirmed": "its health check passed, or an operator said so",
        "fellback": "the other slot was never confirmed, so this one was taken again",
        "rotten": "the other slot could not be started, so this one was taken again",
    }[state.why]
    if state.good:
        return f"confirmed ({why})"
    more = f"{state.tries} more start{'s' * (state.tries != 1)}"
    return f"not confirmed yet ({why}), {more} before slot {state.prev} is taken"


# --- confirm and back ---


def _flip(options: Options, root: str, word: str) -> bool:
    """Confirm or go back; True when the board has to start over for it."""
    here = _board(root)
    card, running = slots.here(root, write=True)
    with card:
        before = card.state()
        made = updates.back(card, running, here.data) if word == "back" else updates.confirm(card, running)
    if word == "confirm":
        _risen(root, here)
    if made == before:
        put(f"slot {running} was confirmed already")
        return False
    _noted(options, root, word, {"slot": made.slot, "before": before.slot})
    if word == "confirm":
        put(f"slot {running} is confirmed")
        return False
    if made.slot == running:
        put(f"the update is taken back: slot {running} stays")
        return False
    put(
        f"slot {made.slot} is started next; if it is not confirmed after {made.tries} starts, slot {made.prev} is again"
    )
    return True


def _risen(root: str, here: Board) -> None:
    """The data of this board are of the confirmed version's schema from now on (edge/card/health.py, rule 4)."""
    from edge.card.prepare import Place, rise, schema

    place = Place(here.data_schema, f"{root}/data")
    if 0 <= schema(place.data) < place.schema:
        try:
            rise(place)
        except OSError as error:
            say(f"fieldhand: {place.data}/schema waits for the next start: {(error.strerror or 'unknown').lower()}")


# --- an update ---


def _take(options: Options, root: str, word: str) -> bool:
    """Fetch it if it is a URL, check it, ask, write it; True when the board has to start over for it."""
    from edge.cli.moving import Moving

    here = _board(root)
    card, running = slots.here(root, write=True)
    moving = Moving(PHASES)
    with card:
        updates.ready(card.state(), running)
        path = _fetched(word, root, moving)
        opened = _opened(path)
        try:
            manifest, key = _checked(opened, here, moving)
            updates.fits(manifest, here, card.place(states.other(running))[1])
            moving.end()
            if not _agreed(manifest, key, here, options.yes):
                put("nothing was changed")
                return False
            made = _written(card, running, opened, here, manifest, moving)
        except KeyboardInterrupt:
            moving.end()
            say(f"fieldhand: slot {running} stays as it is and is started next; the same command does it again")
            raise
        finally:
            moving.end()
            os.close(opened)
            if path != word:
                os.unlink(path)
    done = {"product": manifest.product, "from": here.version, "to": manifest.version, "slot": made.slot}
    _noted(options, root, "taken", {**done, "key": key.id, "sha256": manifest.slot.sha256})
    put(f"{manifest.product} {manifest.version} is in slot {made.slot} and is started next")
    return True


def _fetched(word: str, root: str, moving: Any) -> str:
    """The file of an update: the word itself, or what came from it."""
    if "://" not in word:
        return word
    from edge.cli.fetching import fetch

    path = fetch(word, f"{root}/data/update", lambda done, total: moving("fetch", done, total))
    moving.end()
    return path


def _opened(path: str) -> int:
    """The file, opened once: both looks are at the same one. CardFault."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise CardFault(f"{path} cannot be read: {(error.strerror or 'unknown error').lower()}", USE) from error
    if os.fstat(opened).st_mode & 0o170000 != 0o100000:
        os.close(opened)
        raise CardFault(f"{path} is no regular file", "an update is read twice, so it has to be a file")
    return opened


def _read(opened: int, size: int) -> bytes:
    try:
        return os.read(opened, size)
    except OSError as error:
        raise CardFault(f"the update cannot be read: {(error.strerror or 'unknown error').lower()}") from error


def _checked(opened: int, here: Board, moving: Any) -> tuple[Manifest, Key]:
    return updates.checked(lambda size: _read(opened, size), here.keys, moving)


def _written(card: Card, running: str, opened: int, here: Board, agreed: Manifest, moving: Any) -> State:
    from edge.card.bundle import Bundle

    os.lseek(opened, 0, os.SEEK_SET)
    bundle = Bundle(lambda size: _read(opened, size), here.keys)
    if bundle.manifest != agreed:
        raise CardFault("the update became another one after it was looked at; nothing was changed", "try again")
    return updates.write(card, running, bundle, moving)


def _agreed(manifest: Manifest, key: Key, here: Board, yes: bool) -> bool:
    """Whether a person says yes where one has to; what to know is said in any case. CardFault with nobody to ask."""
    say(f"{manifest.product} {manifest.version}, signed with {key.name} ({key.id}); {here.version} runs")
    notice, doubts = updates.notice(manifest, here), updates.doubts(manifest, here)
    if notice:
        say(f"note: {notice}")
    if not doubts or yes:
        return True
    if not _somebody():
        raise CardFault(f"{doubts}, and nobody could be asked", "--yes takes it all the same")
    return _asked(f"{doubts}. Take it all the same? [y/N] ")


# --- the end of it ---


def _offered(options: Options, again: Callable[[], None]) -> int:
    """Start over when a person said so; else say that it is to be done."""
    if options.yes or (_somebody() and _asked("Start over now? Outputs go to their safe values. [y/N] ")):
        put("starting over")
        again()
    else:
        put("reboot when it suits: the board then tries it, and falls back by itself if it is not well")
    return 0


def _start_over() -> None:
    """Tell busybox init to run its `shutdown` lines and start over: SIGTERM means that to it (busybox, init.c)."""
    from edge.tape.disk import small_file

    first = small_file("/proc/1/comm").decode("utf-8", "replace").strip()
    if first != "init":
        raise CardFault(f"process 1 is {first or 'unknown'}, which this does not tell to start over", "reboot")
    try:
        os.sync()
        os.kill(1, SIGTERM)
    except OSError as error:
        why = (error.strerror or "unknown error").lower()
        raise CardFault(f"it could not be started over: {why}", "reboot") from error


def _somebody() -> bool:
    return sys.stdin is not None and sys.stderr is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _asked(question: str) -> bool:
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _noted(options: Options, root: str, act: str, fields: dict[str, Any]) -> None:
    """In the audit log of the state folder: told, else the card's own; nothing where there is none."""
    from edge.cli.noted import note

    state = options.state or f"{root}/data/state"
    if not os.path.isdir(state):
        say("fieldhand: not in the audit log: there is no state folder")
        return
    try:
        note(os.path.realpath(state), "note", {"act": f"update {act}", **fields, "by": f"uid {os.getuid()}"})
    except Fault as fault:
        say(f"fieldhand: not in the audit log: {fault}")
