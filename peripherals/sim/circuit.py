"""A described world as what stands behind a simulated board: its values by the names of its sensors."""

from __future__ import annotations

from edge.peripherals.sim import world
from edge.peripherals.sim.plan import AIR, Contact, Plan
from edge.record import as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from edge.peripherals.sim.relays import Relay


class Described:
    """See edge.peripherals.sim.board.Circuit. Contacts answer at once, quantities with the last step of the world."""

    state = "world"
    tables: tuple[str, ...] = ("litres", "active")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.name = plan.name
        self.birth = plan.start
        self.parts = plan.parts
        self.outputs = plan.outputs
        self.script = plan.script
        self.world = world.begun(plan)
        self._of = dict(plan.of)
        self._contacts = {contact.name: contact for contact in plan.contacts}
        self.active = {contact.name: contact.active for contact in plan.contacts if not contact.of + contact.relay}

    @property
    def time(self) -> float:
        return self.world.time

    def advance(self, until: float, relays: Mapping[str, Relay]) -> None:
        levels = _levels(relays, until)
        open_ways = [c for c in self.plan.contacts if c.vents > 0.0 and self._closed(c, relays, until)]
        airs = sum([1.0 / contact.vents for contact in open_ways])
        self.world = world.advance(self.plan, self.world, until, levels, airs)

    def truth(self, name: str, relays: Mapping[str, Relay], now: float) -> tuple[float, float]:
        of = self._of[name]
        if of in self._contacts:
            return float(self._closed(self._contacts[of], relays, now)), now
        return world.truth(self.plan, self.world, of, _levels(relays, now)), self.world.time

    def limits(self, name: str) -> tuple[float, float]:
        part = next(part for part in self.parts if part.sensor.name == name)
        low, high = part.low, part.high
        if self._of[name] in ("humidity", "soil", "cloud") or self._of[name] not in AIR:
            return max(low, 0.0), min(high, 100.0)
        return low, high

    def put(self, name: str, value: float, relays: Mapping[str, Relay], now: float) -> None:
        """ValueError: nobody can move it, with what can be done instead."""
        of = self._of[name]
        contact = self._contacts.get(of)
        if contact is None:
            self.world = world.moved(self.plan, self.world, of, value, _levels(relays, now))
        elif contact.relay:
            raise ValueError(f"{name} is the contact of {contact.relay}: sim set {contact.relay} stuck, or a mode")
        elif contact.of:
            raise ValueError(f"{name} closes by itself above {contact.above:g} of {contact.of}: set that, or a mode")
        else:
            self.active[of] = bool(value)

    def tanks(self) -> list[dict[str, Any]]:
        """Every tank: name, level (%), litres, volume."""
        rows = []
        for tank, litres in zip(self.plan.tanks, self.world.litres):
            level = round(100.0 * litres / tank.volume, 1)
            rows.append({"name": tank.name, "level": level, "litres": round(litres, 1), "volume": tank.volume})
        return rows

    def kept(self) -> dict[str, Any]:
        state = as_dict(self.world)
        litres = dict(zip([tank.name for tank in self.plan.tanks], state.pop("litres")))
        return {**state, "litres": litres, "active": {name: float(on) for name, on in self.active.items()}}

    def restore(self, values: Mapping[str, Any]) -> None:
        """ValueError: it is of another description."""
        if set(values) != {*world.State.__fields__, "active"}:
            raise ValueError("its world is not complete")
        litres, active = values["litres"], values["active"]
        names = [tank.name for tank in self.plan.tanks]
        if set(active) != set(self.active) or set(litres) != set(names):
            raise ValueError("it is of another description of this world")
        held = tuple([min(tank.volume, max(0.0, litres[tank.name])) for tank in self.plan.tanks])
        rest = {name: value for name, value in values.items() if name not in ("litres", "active")}
        self.world = world.State(litres=held, **rest)
        self.active = {name: bool(active[name]) for name in self.active}

    def _closed(self, contact: Contact, relays: Mapping[str, Relay], now: float) -> bool:
        if contact.relay:
            return relays[contact.relay].acts(now, contact.delay) > 0.0
        if contact.of:
            return world.truth(self.plan, self.world, contact.of, _levels(relays, now)) > contact.above
        return self.active[contact.name]


def _levels(relays: Mapping[str, Relay], now: float) -> dict[str, float]:
    return {name: relay.acts(now) for name, relay in relays.items()}
