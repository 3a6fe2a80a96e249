"""`fieldhand card health`: confirm the slot that runs, if it is well; what was found stands in boot.txt.

Rules:
1. Nothing is looked at where nothing is to be confirmed: 0.
2. One check at a time: who comes while one is made (a supervisor that crashed had it made, and its successor wants the
   same) waits for its end, and then has nothing to do if it passed. The kernel ends the lock with its holder.
3. All well: the boot state is confirmed, the data's schema may rise, 0. Not: nothing is written to the state, 1: the
   supervisor starts the board again, which falls back at the end.
4. Whoever confirms while it is made (an operator, who may have begun the next update already) has decided: whatever it
   found then is told, and 0.
5. Each check is a line on stdout, the log where the supervisor started this; a log that takes none is no reason to
   start again. Why the board starts again goes to stderr too, the console: the log is gone then.
"""

from __future__ import annotations

import os

from edge.card.places import CONFIG, GUARD, RELEASE
from edge.cli import put, say
from edge.faults import Fault, OutputFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.card.health import Check
    from edge.card.prepare import Place

LOCK = "health.lock"
PATIENCE = 420.0  # seconds: a check that takes longer counts as failed (edge/supervise/process.py)


def unconfirmed() -> bool:
    """True when this board runs from a slot that still has to be confirmed. CardFault, HardwareFault."""
    from edge.card import slots

    card, running = slots.here()
    with card:
        state = card.state()
        return not state.good and state.slot == running


def health() -> int:
    """`fieldhand card health`. CardFault, HardwareFault."""
    from edge.cli.card import place

    where = place()
    held = _alone(where.run) if unconfirmed() else -1
    try:
        if held >= 0 and unconfirmed():
            return _checked(where)
    finally:
        if held >= 0:
            os.close(held)
    _log("health: this slot is confirmed, there is nothing to check")
    return 0


def _alone(run: str) -> int:
    """The lock, when no other check is made. CardFault: another one lasts longer than it may; HardwareFault."""
    from edge.card.locks import lock
    from edge.faults import CardFault, HardwareFault

    try:
        fd = os.open(f"{run}/{LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except OSError as error:
        why = (error.strerror or "unknown").lower()
        raise HardwareFault(f"{run}/{LOCK} cannot be opened: {why}", "run it as root") from error
    if not lock(fd, PATIENCE):
        os.close(fd)
        raise CardFault(f"another health check is made and did not end within {PATIENCE:.0f} s", "see logread")
    return fd


def _checked(where: Place) -> int:
    """Look, tell, and confirm if all is well."""
    from edge.card import boot
    from edge.card.health import checks
    from edge.card.prepare import rise, schema
    from edge.cli.guard_units import program
    from edge.supervise.process import asked

    found = checks(where, program(), epoch(), CONFIG, lambda: asked(GUARD) == "answered")
    _told(found, where)
    if not all(one.well for one in found):
        return int(unconfirmed())
    running = _confirmed()
    if not running:
        return 0
    try:
        if schema(where.data) < where.schema:
            rise(where)
        boot.tell({"CONFIRMED": "1"}, where.run)
    except OSError as error:  # it is confirmed: no reason to start the board again
        say(f"fieldhand: what follows it waits for the next start: {(error.strerror or 'unknown').lower()}")
    _log(f"health: slot {running} is confirmed")
    return 0


def _confirmed() -> str:
    """Confirm the slot that runs, and name it; "" when somebody decided before (rule 4). Who holds the card's state
    meanwhile is one who did, or is done in a moment; the supervisor ends a wait that lasts too long.
    """
    from time import sleep

    from edge.card import slots, update
    from edge.card.locks import TURN

    card, running = slots.here(write=True)
    with card:
        while not card.device.lock():
            if not unconfirmed():
                return ""
            sleep(TURN)
        if not unconfirmed():
            return ""
        update.confirm(card, running)
    return running


def epoch() -> int:
    """When the image was made, in seconds since 1970: EPOCH of the release file, 0 when it does not say."""
    from edge.card import pairs
    from edge.tape.disk import small_file

    told = pairs.read(small_file(RELEASE).decode("utf-8", "replace")).get("EPOCH", "")
    return int(told) if told.isdecimal() and len(told) < 16 else 0


def _log(line: str) -> None:
    try:
        put(line)
    except OutputFault:
        return  # boot.txt has it all


def _told(found: tuple[Check, ...], where: Place) -> None:
    from edge.card import boot

    for one in found:
        _log(f"health: {'ok  ' if one.well else 'NOT '} {one.what}: {one.sentence}")
    wrong = "; ".join(f"{one.what}: {one.sentence}" for one in found if not one.well)
    if wrong:
        say(f"Fieldhand: this start is not well: {wrong}")
    try:
        boot.tell({"HEALTH": "failed" if wrong else "ok", "HEALTH_WHY": wrong}, where.run)
    except OSError as error:
        say(f"fieldhand: {where.run} cannot be written: {error.strerror}")


def asked_quietly() -> bool:
    """`unconfirmed`, False with a sentence where that cannot be found out: for who must not fail over it."""
    try:
        return unconfirmed()
    except Fault as fault:
        say(f"fieldhand: whether this start is confirmed is not known: {fault}")
        return False
