"""Which lines are the guard's: what the settings declare as outputs, whether a guard runs or not.

Rules this file keeps:
1. The settings are those the agent would read: FIELDHAND_CONFIG, else where they are looked for, and the board file
   that they name. They are read once, when the first pin is asked for.
2. Settings that cannot be read reserve everything: which lines are the guard's is then not known.
3. Lab lines are not reserved: nobody holds them until they are written.
"""

from __future__ import annotations

from edge.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from edge.call import Gpio
    from edge.peripherals.guard.owned import Owned


class Reserved(Record):
    """A line that is an output of the settings. `chip`: a label, "" for the header's. `line`: a name or an offset.

    `channel`: of the PWM chip `chip`, where it is no line; else -1.
    """

    output: str
    chip: str
    line: str = ""
    channel: int = -1


def declared(environ: Mapping[str, str]) -> tuple[Reserved, ...]:
    """What the settings of this environment reserve. ConfigFault when they cannot be read."""
    found: list[Owned] = []
    for owned, _ in _boards(environ):
        if owned not in found:
            found.append(owned)
    return tuple(_of(found))


def chip(environ: Mapping[str, str]) -> str:
    """The label of the chip with the header as the settings say it, "" when they do not. ConfigFault as above."""
    return next((gpio.chip for _, gpio in _boards(environ) if gpio is not None and gpio.chip), "")


def _boards(environ: Mapping[str, str]) -> Iterable[tuple[Owned, Gpio | None]]:
    """What the settings declare themselves, and the board they choose."""
    from edge.cli.board import choose
    from edge.cli.settle import find
    from edge.config import load

    path = find(environ)
    if not path:
        return
    settings = load(path)
    if settings.declared is not None:
        yield settings.declared.owned, settings.declared.gpio
    chosen = choose(settings)
    if chosen.owned is not None:
        yield chosen.owned, chosen.gpio


def _of(boards: Iterable[Owned]) -> Iterable[Reserved]:
    for owned in boards:
        outputs = {output.name for output in owned.outputs}
        for line in owned.lines:
            if line.name in outputs and not line.lazy:
                yield Reserved(line.name, line.chip, line.line)
        for channel in owned.channels:
            yield Reserved(channel.name, channel.chip, channel=channel.channel)
