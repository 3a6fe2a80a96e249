"""What a described world is made of, as records. Words only: edge.peripherals.sim.describe checks and makes them,
edge.peripherals.sim.world lets them live.

Units: temperatures C, humidity and soil %, light lux, water litres and litres per minute, rain mm per hour, times s.
"""

from __future__ import annotations

from edge.call import Output
from edge.peripherals.sim.parts import Part
from edge.record import Record

AIR = ("air", "humidity", "soil", "light", "outside", "cloud", "rain")  # what a sensor can be `of` in every world
ENDLESS = ("mains", "drain")  # where water may come from and go to beside tanks and the soil
FLOWS = ("pump", "valve")
KINDS = ("", *FLOWS, "fan", "heater", "lamp", "water")


class Weather(Record):
    """Days. `cloudiness` 0 to 1: how much of the time is clouded; `rain`: mm per hour while it rains.

    `mean` and `swing`: the outside temperature of a usual day and how far its warmest hour, 15:00, is above it.
    """

    seed: int = 1
    day_hours: float = 12.0
    mean: float = 20.0
    swing: float = 6.0
    cloudiness: float = 0.0
    rain: float = 0.0
    noon: float = 58000.0


class House(Record):
    """The room that the parts are in, and how it begins. `glass`: C that the full sun adds; `closed`: s, how slowly it
    follows the outside when nothing vents it."""

    glass: float = 11.0
    closed: float = 2400.0
    air: float = 33.0
    humidity: float = 49.0
    soil: float = 34.0


class Tank(Record):
    """`level`: % at the beginning. `inflow`, `outflow`: what comes and is used all the time. `catches`: litres for each
    mm of rain."""

    name: str
    volume: float = 200.0
    level: float = 50.0
    inflow: float = 0.0
    outflow: float = 0.0
    catches: float = 0.0


class Contact(Record):
    """A contact: a door or a button that somebody moves (`of` is ""), or one that closes above `above` of a quantity.

    `relay`: it shows that output's own contact, `delay` s after the coil. `vents`: s, how it airs the house when it is
    active, 0 for not.
    """

    name: str
    active: bool = False
    of: str = ""
    above: float = 0.0
    relay: str = ""
    delay: float = 0.02
    vents: float = 0.0


class Drive(Record):
    """What an output does. `rate`: litres per minute (pump, valve, from `source` to `target`), s (fan: how fast it airs
    the house), C (heater, at full level), lux (lamp), % of what the soil lacks per minute (water)."""

    output: str
    kind: str = ""
    rate: float = 0.0
    source: str = ""
    target: str = ""


class Event(Record):
    """A line of the script: at board time `at` happens what `sim set NAME WORD` does."""

    at: float
    name: str
    word: str


class Plan(Record):
    """A described world. `start`: board s. `of` gives each sensor's quantity: of AIR, a tank or a contact."""

    name: str
    start: float
    weather: Weather
    house: House
    tanks: tuple[Tank, ...]
    contacts: tuple[Contact, ...]
    parts: tuple[Part, ...]
    of: tuple[tuple[str, str], ...]
    outputs: tuple[Output, ...]
    drives: tuple[Drive, ...]
    script: tuple[Event, ...]
