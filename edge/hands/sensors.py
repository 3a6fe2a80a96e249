"""The hand on declared sensors: one reading, from the kernel or a bus where settings say so, else from the guard."""

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
        world = self._holder.world
        source = next((one for one in world.scene.sources if one.name == grant.path), None)
        if source is None:
            return world.board().sense(grant.path)
        from edge.peripherals.sensors import engine

        sensor = next(one for one in world.scene.sensors if one.name == source.name)
        return engine.read(source, sensor, *engine.kernel())
