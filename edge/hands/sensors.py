"""The hand on declared sensors: one reading, as the board process gives it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from edge.call import Reading
    from edge.hands import Holder


class Sensors:
    """Reads what the permit names."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder

    def read(self, name: str) -> Reading:
        """Value, unit, quality, age, source; HardwareFault when the sensor or the board failed."""
        grant = self._holder.grant("sense", "sensor", name)
        return self._holder.world.board().sense(grant.path)
