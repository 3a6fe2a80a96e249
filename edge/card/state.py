"""Which slot a card starts from: the boot state, as bytes and as a table of what may follow what. Pure.

Rules:
1. A copy is 512 bytes in the form of U-Boot's environment (include/env_internal.h, without the flags of a redundant
   one): CRC32 of all the rest, little endian, then `name=value\\0` for each name in the order of the alphabet, one more
   zero, zeros to the end. U-Boot reads it with `env import -c` and writes it with `env export -c -s 0x200`.
2. Who reads takes copy 1 if it is whole, else copy 2, else slot a, without a count and with data that is there: a lost
   state never makes anybody format a data partition.
3. Who writes writes copy 2, flushes, then copy 1, flushes (edge/card/slots.py). So a cut leaves the old state or
   the new one: copy 1 as it was, or copy 1 torn beside a whole new copy 2, or both new.
4. `good`: this slot passed its health check and is started without counting. Not good: `tries` starts are left, each
   takes one before the kernel runs; at none left the start is from `prev`, which is taken as good.
5. `prev` is where a start may fall back to. It equals `slot` where there is nothing to fall back to: while the other
   slot is written, and after it failed.
"""

from __future__ import annotations

from edge.card.layout import STATE_BYTES
from edge.record import Record, replace

SLOTS = ("a", "b")
TRIES = 3
MOST_TRIES = 9
# lost: neither copy could be read (rule 2); it never stands on a card.
REASONS = ("flashed", "update", "back", "confirmed", "fellback", "rotten", "lost")
NEW, MADE = "new", "made"


class State(Record):
    """What a start goes by. `data`: new (the data partition is still to be made) or made; `why` one of REASONS."""

    slot: str = "a"
    prev: str = "a"
    good: bool = True
    tries: int = 0
    data: str = MADE
    why: str = "lost"

    def check(self) -> None:
        """ValueError for what no card may hold."""
        if self.slot not in SLOTS or self.prev not in SLOTS:
            raise ValueError(f"slots are a and b, not {self.slot!r} and {self.prev!r}")
        if not 0 <= self.tries <= MOST_TRIES:
            raise ValueError(f"tries are 0 to {MOST_TRIES}, not {self.tries}")
        if self.data not in (NEW, MADE) or self.why not in REASONS:
            raise ValueError(f"data {self.data!r} or why {self.why!r} is not known")


def pack(state: State) -> bytes:
    """One copy, STATE_BYTES long."""
    from binascii import crc32

    named = {
        "data": state.data,
        "good": "1" if state.good else "0",
        "prev": state.prev,
        "slot": state.slot,
        "tries": str(state.tries),
        "why": state.why,
    }
    text = "".join(f"{name}={value}\0" for name, value in named.items()) + "\0"
    body = text.encode("ascii").ljust(STATE_BYTES - 4, b"\0")
    return crc32(body).to_bytes(4, "little") + body


def read(block: bytes) -> State | None:
    """The state of one copy; None when it is torn or says what no state can be. Names it does not know are no fault."""
    from binascii import crc32

    body = block[4:]
    if len(block) != STATE_BYTES or crc32(body).to_bytes(4, "little") != block[:4]:
        return None
    named = dict(part.partition("=")[::2] for part in body.split(b"\0\0", 1)[0].decode("latin-1").split("\0"))
    try:
        return State(
            slot=named["slot"],
            prev=named["prev"],
            good={"0": False, "1": True}[named["good"]],
            tries=_digit(named["tries"]),
            data=named.get("data", MADE),
            why=named.get("why", "lost"),
        )
    except (KeyError, ValueError):
        return None


def _digit(text: str) -> int:
    """ValueError for anything but one ASCII digit."""
    if len(text) != 1 or text not in "0123456789":
        raise ValueError(text)
    return int(text)


def chosen(first: bytes, second: bytes) -> State:
    """The state by both copies, copy 1 before copy 2 (rule 2)."""
    return read(first) or read(second) or State()


def other(slot: str) -> str:
    """The slot that is not this one."""
    return "b" if slot == "a" else "a"


# --- what follows what ---


def flashed() -> State:
    """A card as it is flashed: both slots are the same, so the other one is as good to fall back to."""
    return State(slot="a", prev="b", good=False, tries=TRIES, data=NEW, why="flashed")


def writing(state: State) -> State:
    """Before the first byte of the other slot changes: nothing may fall back to it from now on (rule 5)."""
    return replace(state, prev=state.slot)


def updated(state: State) -> State:
    """The other slot is written and read back: it is tried next."""
    return replace(state, slot=other(state.slot), prev=state.slot, good=False, tries=TRIES, why="update")


def back(state: State) -> State:
    """The operator wants the slot before this one: it is tried like an update."""
    return replace(state, slot=state.prev, prev=state.slot, good=False, tries=TRIES, why="back")


def booting(state: State) -> State:
    """What a start writes before the kernel runs, and goes by (rule 4)."""
    if state.good:
        return state
    if state.tries:
        return replace(state, tries=state.tries - 1)
    return replace(state, slot=state.prev, good=True, why="fellback")


def confirmed(state: State) -> State:
    """The slot that runs passed its health check. What was confirmed stays as it is, with its reason."""
    return state if state.good else replace(state, good=True, tries=0, why="confirmed")


def rotten(state: State) -> State:
    """The root of this slot is not what its hash says. The other one is taken, and this one not fallen back to.

    Where there is no other (rule 5) the slot stays: whoever starts has to say so and not to start over for ever.
    """
    return replace(state, slot=state.prev, good=True, tries=0, why="rotten")
