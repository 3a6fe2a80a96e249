"""An update of a card: what may be taken, the inactive slot written and read back, the state flipped, and the way back.

Rules:
1. In this order, and each step only when the one before it holds: the running version is confirmed; signature; whole
   hash; product, architecture and data fit; the other slot is held; the state says that nothing falls back to it; its
   content; read back from the card; the state says it is tried next.
2. The first HEAD bytes of a slot, without which it has no file system, are zeros until all the rest is on the card and
   its hash was right. So a slot that was left half written cannot be started by anybody, whatever the state says.
3. The file is read twice: once before a byte of the slot is written, once to write it. Both times signature and hash
   are checked, and the second time its manifest has to be the one that was agreed to.
4. Data: a version reads data of its own schema and of older ones. An update that reads only older data than the board
   has is refused. One that brings a newer schema is taken, and said: once it changed the data, the version before it
   does not read them any more and starts without them (on empty volatile data, it says so), so going back is refused.
5. Interrupted anywhere the running slot starts again, and the same command does it all again.
"""

from __future__ import annotations

from edge.card import pairs
from edge.card import state as states
from edge.card.bundle import Bundle
from edge.card.layout import SECTOR
from edge.card.manifest import order, read_key
from edge.card.places import KEYS, RELEASE
from edge.faults import CardFault, HardwareFault
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from edge.card.manifest import Key, Manifest
    from edge.card.slots import Card
    from edge.card.state import State

    Read = Callable[[int], bytes]
    Tell = Callable[[str, int, int], object]  # what is done (check, write, read), bytes done, of how many

HEAD = 4096
STRIDE = 4 << 20  # bytes between two syncs: progress is what is on the card
PIECE = 1 << 20


class Board(Record):
    """What this board runs. `data_schema`: of its program; `data`: of what is in /data, the program's if not known.

    wrong: lines of key files that are no key. Nothing is signed with them, and the other keys hold all the same.
    """

    product: str
    version: str
    arch: str
    data_schema: int
    data: int
    keys: tuple[Key, ...]
    wrong: tuple[str, ...] = ()


# --- what this board is ---


def board(release: str, schema: str, keys: Iterable[tuple[str, str]]) -> Board:
    """From the texts of the release file, of /data/schema ("" when absent) and of the key files (name, text).

    A key file holds one key a line. CardFault when the release file does not say what it has to.
    """
    said = pairs.read(release)
    number = said.get("DATA_SCHEMA", "")
    absent = [name for name in ("PRODUCT", "VERSION", "ARCH", "DATA_SCHEMA") if not said.get(name)]
    if absent or not _is_number(number):
        raise CardFault(
            f"{RELEASE} does not say {', '.join(absent) or 'DATA_SCHEMA as a number'}", "flash the card anew"
        )
    data = schema.strip()
    found, wrong = _keys(keys)
    return Board(
        product=said["PRODUCT"],
        version=said["VERSION"],
        arch=said["ARCH"],
        data_schema=int(number),
        data=int(data) if _is_number(data) else int(number),
        keys=tuple(found),
        wrong=tuple(wrong),
    )


def _keys(files: Iterable[tuple[str, str]]) -> tuple[list[Key], list[str]]:
    """The keys of the files, and a sentence for each line that is none."""
    found: list[Key] = []
    wrong: list[str] = []
    for name, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            try:
                found += [read_key(line, name)] if line.strip() else []
            except CardFault as fault:
                wrong.append(f"line {number} is left out: {fault}")
    return found, wrong


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


# --- what may be taken ---


def checked(read: Read, keys: tuple[Key, ...], tell: Tell) -> tuple[Manifest, Key]:
    """The manifest of an update that is whole and signed by one of `keys`, after its last byte was read. CardFault."""
    if not keys:
        raise CardFault("this board trusts no key, so it takes no update", f"put a NAME.pub into {KEYS} of the image")
    bundle = Bundle(read, keys)
    done = 0
    for piece in bundle.pieces():
        done += len(piece)
        tell("check", done, bundle.manifest.slot.size)
    return bundle.manifest, bundle.key


def fits(manifest: Manifest, here: Board, room: int) -> None:
    """CardFault when this board cannot take the update; `room` is the size of a slot in bytes."""
    made = f"{manifest.product} {manifest.version}"
    if manifest.product != here.product or manifest.arch != here.arch:
        said = f"the update is {made} for {manifest.arch}, this board runs {here.product} for {here.arch}"
        raise CardFault(said, f"take the update of {here.product}")
    if manifest.data_schema < here.data:
        raise CardFault(
            f"{made} reads data up to schema {manifest.data_schema}, and those of this board have schema {here.data}",
            "it would start without them; take a newer version, or fieldhand data backup and flash the card",
        )
    if not HEAD < manifest.slot.size <= room or manifest.slot.size % SECTOR:
        raise CardFault(f"a slot of this card holds {room:,} bytes, and {made} has {manifest.slot.size:,}")


def doubts(manifest: Manifest, here: Board) -> str:
    """Why a person should say yes first; "" when there is no reason."""
    if order(manifest.version) == order(here.version):
        return f"version {manifest.version} is the one that runs"
    if order(manifest.version) < order(here.version):
        return f"version {manifest.version} is older than {here.version}, which runs"
    return ""


def notice(manifest: Manifest, here: Board) -> str:
    """What to know before it is taken; "" when there is nothing."""
    if manifest.data_schema <= here.data:
        return ""
    return (
        f"{manifest.version} changes the data to schema {manifest.data_schema}: after that {here.version} does not "
        "read them, so the way back is a card flashed anew and a backup from before (fieldhand data backup first)"
    )


def ready(state: State, running: str) -> None:
    """CardFault when the state of the card does not allow an update now (rule 1)."""
    if state.why == "lost":
        said = "neither copy of the boot state can be read, so there would be no way back"
        raise CardFault(said, "fieldhand update confirm writes it anew, if all is well")
    if state.slot != running:
        raise CardFault(
            f"slot {state.slot} waits for its first start, slot {running} runs",
            "reboot to start it, or take it back: fieldhand update back",
        )
    if not state.good:
        raise CardFault(
            f"the version that runs (slot {running}) is not confirmed yet, so there would be no way back",
            "it is confirmed when its health check passed; if all is well: fieldhand update confirm",
        )


# --- taking it ---


def write(card: Card, running: str, bundle: Bundle, tell: Tell) -> State:
    """Write the other slot and make it the one that is tried next; the state that was kept. CardFault, HardwareFault.

    The update was `checked` before, and `fits`.
    """
    slot = states.other(running)
    with card.held(slot, running):
        state = card.state()
        ready(state, running)
        at, room = card.place(slot)
        if bundle.manifest.slot.size > room:
            raise CardFault(f"slot {slot} is too small for this update")
        card.keep(states.writing(state))
        head = _content(card, at, bundle, tell)
        card.device.write(at, head)
        card.device.sync()
        _read_back(card, at, bundle.manifest, tell)
        card.keep(states.updated(state))
    return card.state()


def _content(card: Card, at: int, bundle: Bundle, tell: Tell) -> bytes:
    """All of a slot but its first HEAD bytes, which are zeros then (rule 2), and those bytes."""
    card.device.write(at, bytes(HEAD))
    card.device.sync()
    head, done, total = b"", 0, bundle.manifest.slot.size
    for piece in bundle.pieces():
        if not done:
            head, rest = piece[:HEAD], piece[HEAD:]
            card.device.write(at + HEAD, rest)
        else:
            card.device.write(at + done, piece)
        done += len(piece)
        if not done % STRIDE or done == total:
            card.device.sync()
            tell("write", done, total)
    return head


def _read_back(card: Card, at: int, manifest: Manifest, tell: Tell) -> None:
    """HardwareFault when the card does not hold what was written."""
    import hashlib

    made: Any = hashlib.sha256()
    done, total = 0, manifest.slot.size
    card.device.forget(at, total)
    while done < total:
        piece = card.device.read(at + done, min(PIECE, total - done))
        if not piece:
            break
        made.update(piece)
        done += len(piece)
        tell("read", done, total)
    if made.hexdigest() != manifest.slot.sha256:
        raise HardwareFault(
            f"{card.device.path} did not keep what was written to it: the slot was read back and differs",
            "the card is worn out or the supply is weak; the running version is untouched",
        )


# --- confirmed, and back ---


def confirm(card: Card, running: str) -> State:
    """The slot that runs is well: the state that was kept. Nothing is written where it was confirmed. CardFault."""
    card.alone()
    state = card.state()
    if state.why == "lost":
        state = states.State(slot=running, prev=running, good=False)
    if state.slot != running:
        raise CardFault(
            f"slot {state.slot} is to be started and slot {running} runs: there is nothing to confirm", "reboot"
        )
    made = states.confirmed(state)
    if made != state:
        card.keep(made)
    return made


def back(card: Card, running: str, data: int) -> State:
    """The slot before this one is tried next, or an update that was not started yet is taken back; the state kept.

    `data`: the schema of the board's data. CardFault when there is no way back.
    """
    card.alone()
    state = card.state()
    if state.slot != running:
        if state.prev != running:
            raise CardFault(f"slot {state.slot} is to be started and slot {running} runs", "reboot first")
        made = replace(state, slot=running, prev=running, good=True, tries=0, why="back")
    else:
        ready(state, running)
        _way_back(card, state, data)
        made = states.back(state)
    card.keep(made)
    return made


def _way_back(card: Card, state: State, data: int) -> None:
    """CardFault when the slot before this one cannot be gone back to."""
    if state.prev == state.slot:
        said = f"there is no slot to go back to: slot {states.other(state.slot)} failed or was never whole"
        raise CardFault(said, "fieldhand update FILE, with the update of the older version")
    before = card.slot(state.prev)
    if not before.version:
        raise CardFault(f"what is in slot {state.prev} cannot be read", "fieldhand update FILE writes it anew")
    if before.data_schema < data:
        raise CardFault(
            f"{before.version} in slot {state.prev} reads data up to schema {before.data_schema}, and those of this "
            f"board have schema {data}",
            "it would start without them",
        )
