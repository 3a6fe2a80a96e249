"""Doctor on a card: which slot runs and whether it is confirmed, what /data is, who feeds the watchdog.

Rules:
1. On a system that was not made by `fieldhand image build` there is nothing to tell, and no line.
2. What a start noted (boot.txt, supervisor.txt) is told as such; what can be looked at now is looked at now.
"""

from __future__ import annotations

import os

from edge.card import pairs
from edge.card.places import RELEASE, RUN, SUPERVISOR
from edge.cli.finding import Finding
from edge.faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from edge.card.slots import Card
    from edge.card.state import State
    from edge.cli.doctor_nodes import Place

FEW = 8  # MiB
FELL = {
    "fellback": "the slot before was taken, for the other one was started and never confirmed",
    "rotten": "the slot before was taken, for the root of the other one is not what its hash says",
    "lost": "the boot state could not be read",
}


def made(place: Place) -> bool:
    """True on a system that `fieldhand image build` made."""
    return bool(place.text(RELEASE))


def findings(place: Place) -> Iterator[Finding]:
    """The rows of a card; none elsewhere."""
    from edge.card.boot import facts

    root = place.root.rstrip("/")
    release = pairs.read(place.text(RELEASE))
    if not release:
        return
    told = facts(root + RUN)
    yield from _slots(root, release)
    yield _data(root, told)
    if told.get("HEALTH") == "failed":
        why = told.get("HEALTH_WHY", "")
        yield Finding("card: health", "wrong", f"this start is not confirmed: {why}", "the next starts fall back")
    yield _watchdog(place)


def _slots(root: str, release: dict[str, str]) -> Iterator[Finding]:
    from edge.card import slots

    made = f"{release.get('PRODUCT', 'unknown')} {release.get('VERSION', 'unknown')}"
    try:
        card, running = slots.here(root)
        with card:
            yield Finding("card", "ok", f"{made} in slot {running} of {card.device.path}")
            yield _state(card, running)
    except Fault as fault:
        yield Finding("card", "wrong", f"{made}: {fault.sentence}", fault.fix or "flash the card again")


def _state(card: Card, running: str) -> Finding:
    first, second = card.copies()
    state = card.state()
    versions = ", ".join(f"{slot} {card.slot(slot).version or 'cannot be read'}" for slot in ("a", "b"))
    said = f"{_said(state, running)}; {versions}"
    if state.why in FELL:
        return Finding("card: slots", "wrong", f"{FELL[state.why]}; {said}", "fieldhand update FILE writes it anew")
    if first is None or second is None:
        torn = "1" if first is None else "2"
        return Finding(
            "card: slots", "absent", f"{said}; copy {torn} of the boot state is torn", "the next update mends it"
        )
    return Finding("card: slots", "ok" if state.good and state.slot == running else "absent", said)


def _said(state: State, running: str) -> str:
    if state.slot != running:
        return f"slot {running} runs, slot {state.slot} is started next"
    if state.good:
        return f"slot {running} runs and is confirmed"
    return f"slot {running} runs and is not confirmed yet ({state.tries} more tries, then slot {state.prev})"


def _data(root: str, told: dict[str, str]) -> Finding:
    path = f"{root}/data"
    if told.get("DATA") != "mounted" or told.get("VOLATILE") == "1":
        why = told.get("DATA_WHY") or "the start did not prepare it"
        fix = "back up what matters, then fieldhand data reset and reboot; or use another card"
        return Finding("card: data", "wrong", f"/data is memory for this start, nothing is kept: {why}", fix)
    fix = "reboot: the next start looks it over; does it come again, use another card"
    try:
        room = os.statvfs(path)
        _touched(f"{path}/schema")
    except OSError as error:
        why = f"/data cannot be read: {(error.strerror or 'unknown').lower()}; the kernel may have given it up (dmesg)"
        return Finding("card: data", "wrong", why, fix)
    if room.f_flag & os.ST_RDONLY:
        return Finding("card: data", "wrong", "/data was made read-only by the kernel after an error (dmesg)", fix)
    free, size = room.f_bavail * room.f_frsize >> 20, room.f_blocks * room.f_frsize >> 20
    said = f"/data has {free} of {size} MiB free" + (f"; {told['DATA_SAID']}" if told.get("DATA_SAID") else "")
    if told.get("DATA_MENDED"):
        fix = (
            "compare fieldhand audit verify with what you know, restore a backup; does it come again, use another card"
        )
        return Finding("card: data", "wrong", f"at this start {told['DATA_MENDED']}", fix)
    if free < FEW:
        return Finding("card: data", "wrong", said, "free some: fieldhand data backup keeps a copy elsewhere")
    return Finding("card: data", "ok", said)


def _touched(path: str) -> None:
    """Read a byte. From Linux 6.12 to 6.14 an ext4 that met an error refuses every read, and is still mounted `rw`."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.read(handle, 1)
    finally:
        os.close(handle)


def _watchdog(place: Place) -> Finding:
    told = pairs.read(place.text(SUPERVISOR))
    what, pid = "card: watchdog", told.get("PID", "")
    if not pid.isdigit() or not os.path.exists(place.path(f"/proc/{pid}")):
        fix = "init starts it again; logread and the console say why it ends: fieldhand supervise"
        return Finding(what, "wrong", "nobody feeds it: the supervisor does not run", fix)
    agents = len(told.get("AGENTS", "").split())
    who = f"by the supervisor (process {pid}) while the guard and {agents} agents are live"
    if told.get("FED") != "1":
        return Finding(
            what, "wrong", f"it is fed no more: {told.get('WHY', '')}", "the board resets, or end what hangs"
        )
    if not told.get("WATCHDOG", "").startswith("armed"):
        fix = "take fieldhand.nowdt out of cmdline.txt on the first partition, or load this board's driver"
        return Finding(what, "absent", f"none is armed: {told.get('WATCHDOG', 'absent')}; all is judged {who}", fix)
    return Finding(what, "ok", f"{told['WATCHDOG']}, fed {who}")
