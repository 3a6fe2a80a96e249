"""The relay behind a simulated output: what its line is held at, what its contact does, and how it can fail.

Modes: `ok`; `stuck`, the contact stays as it is, closed (welded) or open; `dead`, the coil is gone and the contact
open; `nak`, the driver takes no value (HardwareFault) and cannot be read back.
"""

from __future__ import annotations

from edge.record import Record, replace

MODES = ("ok", "stuck", "dead", "nak")


class Relay(Record):
    """`level`: 0 to 1, what the line is held at since `since` (board s), `before` that something else.

    `held`: the contact of a stuck one.
    """

    level: float = 0.0
    since: float = 0.0
    before: float = 0.0
    mode: str = "ok"
    held: float = 0.0

    def acts(self, now: float, delay: float = 0.0) -> float:
        """What the contact passes on, 0 to 1, `delay` seconds after the line."""
        if self.mode == "stuck":
            return self.held
        if self.mode == "dead":
            return 0.0
        return self.level if now >= self.since + delay else self.before


def driven(relay: Relay, level: float, now: float) -> Relay:
    """The relay with its line at another level; nothing changes when it is the same."""
    return relay if level == relay.level else replace(relay, level=level, since=now, before=relay.level)


def turned(relay: Relay, mode: str, now: float) -> Relay:
    """The relay in another mode."""
    return replace(relay, mode=mode, held=relay.acts(now))
