"""The greenhouse as what stands behind the default simulated board: its values by the names of its sensors."""

from __future__ import annotations

from edge.peripherals.sim import greenhouse
from edge.peripherals.sim.declare import OUTPUTS, PARTS
from edge.peripherals.sim.greenhouse import BIRTH, Climate
from edge.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.peripherals.sim.plan import Event
    from edge.peripherals.sim.relays import Relay

# sensor -> (lowest, highest) value an operator may set; narrower than what the part can show.
RANGES = {
    "temperature": (-20.0, 60.0),
    "soil_moisture": (0.0, 100.0),
    "humidity": (5.0, 98.0),
    "light": (0.0, 120000.0),
}
_SETS = {"temperature": greenhouse.warmed, "humidity": greenhouse.damped, "light": greenhouse.lit}


class Greenhouse:
    """See edge.peripherals.sim.board.Circuit."""

    name = ""
    state = "climate"
    tables: tuple[str, ...] = ()
    birth = BIRTH
    parts = PARTS
    outputs = OUTPUTS
    script: tuple[Event, ...] = ()

    def __init__(self, climate: Climate | None = None) -> None:
        self.climate = climate or Climate()

    @property
    def time(self) -> float:
        return self.climate.time

    def advance(self, until: float, relays: Mapping[str, Relay]) -> None:
        fan, pump = (relays[name].acts(until) > 0.0 for name in ("fan", "pump"))
        self.climate = greenhouse.advance(self.climate, until, fan, pump)

    def truth(self, name: str, relays: Mapping[str, Relay], now: float) -> tuple[float, float]:
        climate = self.climate
        if name == "light":
            return greenhouse.light(climate), climate.time
        value = {"temperature": climate.air, "humidity": climate.humidity, "soil_moisture": climate.soil}[name]
        return value, climate.time

    def limits(self, name: str) -> tuple[float, float]:
        return RANGES[name]

    def put(self, name: str, value: float, relays: Mapping[str, Relay], now: float) -> None:
        self.climate = _SETS.get(name, greenhouse.watered)(self.climate, value)

    def tanks(self) -> list[dict[str, Any]]:
        return []

    def kept(self) -> dict[str, Any]:
        return as_dict(self.climate)

    def restore(self, values: Mapping[str, Any]) -> None:
        if set(values) != set(Climate.__fields__):
            raise ValueError("its climate is not complete")
        self.climate = Climate(**values)
