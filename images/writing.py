"""Writing an image onto an open target, and reading it back.

Rules:
1. Before the target is touched, the whole image is held against its map.
2. The first MiB (partition table, boot state) is wiped at once and written last, its first block at the very end, after
   all else was read back: a card that was cut off in between starts nowhere and is taken for none.
3. Progress is what is on the card, not what is in memory: every 16 MiB the writer waits for the card.
4. All that was written is read back from the card and compared byte for byte; a difference is told with its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from edge.faults import CardFault, Fault
from images.bmap import HEAD, Map
from images.progress import Progress
from images.source import Image, joined
from images.target import Target

_SYNC = 16 << 20
_FIRST = 4096


def check(image: Image, of: Map, progress: Progress) -> None:
    """Hold the image against its map; CardFault when it is damaged."""
    done = 0
    with progress.step("checking the image"):
        for _, piece in image.pieces(of):
            done += len(piece)
            progress.at(done, of.bytes)


def write(image: Image, of: Map, target: Target, progress: Progress) -> None:
    """Write and read back (rules 1 to 4). What goes wrong says that the target is no card now."""
    check(image, of, progress)
    try:
        target.write(0, bytes(min(HEAD, of.size)))
        target.sync()
        _body(image, of, target, progress)
        _compare(image, of, target, progress)
        _head(image, of, target)
    except KeyboardInterrupt:
        _spoil(target)
        progress.note(f"{target.name} is not finished and cannot be started from: flash it again")
        raise
    except Fault as fault:
        _spoil(target)
        fix = f"{fault.fix}; " if fault.fix else ""
        raise CardFault(fault.sentence, f"{fix}it is not finished and cannot be started from") from fault


def _spoil(target: Target) -> None:
    """Take the partition table away again, if it was written and the target still takes anything."""
    with suppress(Fault):
        target.write(0, bytes(_FIRST))
        target.sync()


def _body(image: Image, of: Map, target: Target, progress: Progress) -> None:
    done = waiting = 0
    with progress.step("writing"):
        for offset, piece in joined(_behind_head(image, of)):
            target.write(offset, piece)
            waiting += len(piece)
            if waiting >= _SYNC:
                target.sync()
                done, waiting = done + waiting, 0
                progress.at(done, of.bytes)
        target.sync()
        progress.at(done + waiting, of.bytes)


def _compare(image: Image, of: Map, target: Target, progress: Progress) -> None:
    target.fresh()
    done = 0
    with progress.step("reading back"):
        for offset, piece in joined(_behind_head(image, of)):
            _same(target, offset, piece)
            done += len(piece)
            progress.at(done, of.bytes)


def _head(image: Image, of: Map, target: Target) -> None:
    """The first MiB: all but its first block, then that one, each on the card before the next."""
    head = bytearray(min(HEAD, of.size))
    for offset, piece in image.pieces(of):
        if offset >= HEAD:
            break
        head[offset : offset + len(piece)] = piece[: HEAD - offset]
    rest = bytes(head[_FIRST:])
    target.write(_FIRST, rest)
    target.fresh()
    _same(target, _FIRST, rest)
    target.write(0, bytes(head[:_FIRST]))
    target.fresh()
    _same(target, 0, bytes(head[:_FIRST]))


def _behind_head(image: Image, of: Map) -> Iterator[tuple[int, bytes]]:
    for offset, piece in image.pieces(of):
        if offset + len(piece) > HEAD:
            cut = max(0, HEAD - offset)
            yield offset + cut, piece[cut:]


def _same(target: Target, offset: int, wanted: bytes) -> None:
    found = target.read(offset, len(wanted))
    if found == wanted:
        return
    at = first_difference(found, wanted)
    raise CardFault(
        f"{target.name} is bad: byte {offset + at} was written and is not read back",
        "try another reader, then throw the card away",
    )


def first_difference(one: bytes, two: bytes) -> int:
    """The first place at which they differ; the length of the shorter one where they do not. By halves: it is fast."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
