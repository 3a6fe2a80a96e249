"""`fieldhand card prepare|health`: the steps of a board's boot that need more than a script. Run by its init.

Rules:
1. prepare: edge/card/prepare.py. 0 also when /data is memory, for then the board goes on and says so; 7 when there is
   not even that. health: edge/card/health.py. 0 confirmed or nothing to confirm, 1 not.
2. What was found stands in /run/fieldhand/boot.txt, and is told here in sentences.
3. On a machine that was not started from a card both say so and change nothing.
"""

from __future__ import annotations

from edge.cli import put
from edge.faults import CardFault, Fault, UsageFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.card.prepare import Place
    from edge.cli.args import Options


def card(options: Options) -> int:
    """`fieldhand card prepare|health`."""
    if options.words == ("prepare",):
        return _prepare()
    if options.words == ("health",):
        from edge.cli.card_health import health

        return health()
    asked = f"knows no {' '.join(options.words)[:60]!r}" if options.words else "needs to know what to do"
    raise UsageFault(f"card {asked}", "card prepare, card health: a board's init runs them")


def place() -> Place:
    """Where things are on this board, by its release file. CardFault: there is none, so this is no card."""
    from edge.card import places, update
    from edge.card.prepare import Place
    from edge.tape.disk import small_file

    release = small_file(places.RELEASE).decode("utf-8", "replace")
    if not release:
        raise CardFault("this system was not made by fieldhand image build", "card prepare is for the boot of a card")
    return Place(update.board(release, "", ()).data_schema)


def _prepare() -> int:
    from edge.card import prepare, slots
    from edge.cli import noted

    where, found, why = place(), None, ""
    try:
        found, _ = slots.here(write=True)
    except Fault as fault:
        why = str(fault)
    try:
        done = prepare.prepare(found, where, prepare.System(), why)
    finally:
        if found is not None:
            found.device.close()
    for sentence in done.said:
        put(f"data: {sentence}")
    if done.made:
        put("data: the data partition was made")
    if done.mended:
        put(f"data: {done.mended}")
        noted.note(f"{where.data}/state", "alarm", {"text": done.mended})
    if done.volatile:
        put(f"data: NOTHING IS KEPT, /data is memory for this start: {done.why}")
    return 0
