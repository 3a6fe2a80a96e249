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
    from edge.cli.board import choose
    from edge.cli.settle import find
    from edge.config import load

    path = find(environ)
    if not path:
        return ()
    settings = load(path)
    found = [] if settings.declared is None else [settings.declared.owned]
    chosen = choose(settings).owned
    if chosen is not None and chosen not in found:
        found.append(chosen)
    return tuple(_of(found))


def _of(boards: Iterable[Owned]) -> Iterable[Reserved]:
    for owned in boards:
        outputs = {output.name for output in owned.outputs}
        for line in owned.lines:
            if line.name in outputs and not line.lazy:
                yield Reserved(line.name, line.chip, line.line)
        for channel in owned.channels:
            yield Reserved(channel.name, channel.chip, channel=channel.channel)
