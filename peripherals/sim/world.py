"""A described world and how it goes on: air, soil, light, weather, tanks.

Rules this file keeps:
1. Pure and without chance: the same calls give the same numbers. Time is board time and never goes back.
2. Fixed steps on a grid of STEP seconds, as the greenhouse: a stretch of up to NEAR seconds gives the same numbers in
   one call or in many.
3. Bounded work: what lies further back is gone through in longer steps and further than FAR left out, so one call is at
   most 800 steps. Every step of the air is a relaxation, stable at any length, and no tank is below 0 or over full.
4. Water is kept: what a pump takes from a tank is what it brings; a full tank spills.
5. The laws of the house are those of edge.peripherals.sim.greenhouse, with heat, cloud and more ways to air it.
"""

from __future__ import annotations

from math import exp

from edge.peripherals.sim import weather as sky
from edge.peripherals.sim.plan import FLOWS, Plan
from edge.record import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

STEP = 2.0
NEAR, NEAR_STEP = 120.0, 60.0
MIDDLE, FAR_STEP = 3 * 3600.0, 1800.0
FAR = 10 * sky.DAY

DAMP, DAMP_VENTED, OUTSIDE_DAMP, RAIN_DAMP = 900.0, 300.0, 45.0, 85.0
DRYING = 1.5e-6
SOAKS = 0.00075 / 6.0  # 1/s for each litre per minute that waters the soil
HARDEST = 1.0 / 400.0  # 1/s of airing from which on the air inside is three quarters that of outside


class State(Record):
    """The world at `time` (board s, on the grid). `weather` (C), `damp` (%), `lamp` (lux): what an operator moved."""

    time: float
    air: float
    humidity: float
    soil: float
    litres: tuple[float, ...] = ()
    weather: float = 0.0
    damp: float = 0.0
    lamp: float = 0.0


def begun(plan: Plan) -> State:
    """The first moment of a described world."""
    house = plan.house
    litres = tuple([tank.volume * tank.level / 100.0 for tank in plan.tanks])
    return State(plan.start, house.air, house.humidity, house.soil, litres)


def advance(plan: Plan, state: State, until: float, levels: Mapping[str, float], airs: float) -> State:
    """The world at the last step before `until`. `levels`: name of an output -> 0 to 1 as its contact is, all the
    while; `airs`: 1/s that open doors add to the airing."""
    if until - state.time > FAR:
        skipped = (until - FAR - state.time) // FAR_STEP * FAR_STEP
        state = replace(state, time=state.time + skipped)
    for step, reserve in ((FAR_STEP, MIDDLE), (NEAR_STEP, NEAR), (STEP, 0.0)):
        count = int((until - state.time - reserve) // step)
        if count > 0:
            state = _run(plan, state, step, count, levels, airs)
    return state


def truth(plan: Plan, state: State, of: str, levels: Mapping[str, float]) -> float:
    """A quantity of plan.AIR, or the level of a tank in %."""
    if of in ("air", "humidity", "soil"):
        return float(getattr(state, of))
    for tank, litres in zip(plan.tanks, state.litres):
        if tank.name == of:
            return 100.0 * litres / tank.volume
    covered = sky.cloud(plan.weather, state.time)
    height = sky.sun(plan.weather, state.time)
    if of == "cloud":
        return 100.0 * covered
    if of == "rain":
        return sky.rain(plan.weather, covered)
    if of == "outside":
        return sky.outside(plan.weather, state.time, height, covered) + state.weather
    lamps = sum([drive.rate * levels[drive.output] for drive in plan.drives if drive.kind == "lamp"])
    return max(0.0, plan.weather.noon * height * (1.0 - sky.DIMS * covered) + lamps + state.lamp)


def moved(plan: Plan, state: State, of: str, value: float, levels: Mapping[str, float]) -> State:
    """The world with a quantity at `value`, inclined to stay there as far as it can. ValueError: nobody can move it."""
    if of in ("cloud", "rain"):
        raise ValueError("the weather of a seed cannot be moved: only the temperature outside can")
    if of == "outside":
        return replace(state, weather=state.weather + value - truth(plan, state, of, levels))
    if of == "light":
        return replace(state, lamp=state.lamp + value - truth(plan, state, of, levels))
    if of == "air":
        usual = _sky(plan, state.time, 0.0)
        return replace(state, air=value, weather=value - usual[0] - plan.house.glass * usual[1])
    if of == "humidity":
        return replace(state, humidity=value, damp=value - _damp(state.air, state.soil, 0.0))
    if of == "soil":
        return replace(state, soil=value)
    litres = [tank.volume * value / 100.0 if tank.name == of else held for tank, held in zip(plan.tanks, state.litres)]
    return replace(state, litres=tuple(litres))


def _damp(air: float, soil: float, damp: float) -> float:
    """The humidity that the closed house tends to: warm air holds more water, wet soil gives some."""
    return 62.0 + damp - 1.6 * (air - 25.0) + 0.1 * (soil - 35.0)


def _sky(plan: Plan, time: float, moved: float) -> tuple[float, float, float]:
    """The temperature outside (C), how much sun comes through (0 to 1), and the rain (mm/h)."""
    covered = sky.cloud(plan.weather, time)
    height = sky.sun(plan.weather, time)
    cool = sky.outside(plan.weather, time, height, covered) + moved
    return cool, height * (1.0 - sky.DIMS * covered), sky.rain(plan.weather, covered)


def _run(plan: Plan, state: State, step: float, count: int, levels: Mapping[str, float], airs: float) -> State:
    """`count` steps of `step` seconds. Each value goes exponentially to where it tends during the step."""
    drives = [(drive, levels[drive.output]) for drive in plan.drives if levels[drive.output] > 0.0]
    airs += sum([level / drive.rate for drive, level in drives if drive.kind == "fan"])
    heat = sum([level * drive.rate for drive, level in drives if drive.kind == "heater"])
    flows = [(drive.source, drive.target, level * drive.rate) for drive, level in drives if drive.kind in FLOWS]
    soaking = sum([level * drive.rate for drive, level in drives if drive.kind == "water"]) / 6000.0
    mixing = min(1.0, airs / HARDEST)
    rate = 1.0 / plan.house.closed + airs
    closed_part = 1.0 / plan.house.closed / rate
    keep_air, keep_damp = exp(-step * rate), exp(-step * (1.0 / DAMP + mixing / DAMP_VENTED))
    time, air, humidity, soil, litres = state.time, state.air, state.humidity, state.soil, list(state.litres)
    for _ in range(count):
        cool, sunny, rain = _sky(plan, time, state.weather)
        target = cool + closed_part * (plan.house.glass * sunny + heat)
        air = target + (air - target) * keep_air
        tends = _damp(air, soil, state.damp)
        tends += 0.75 * mixing * ((RAIN_DAMP if rain else OUTSIDE_DAMP) - tends)
        tends = min(98.0, max(5.0, tends))
        humidity = tends + (humidity - tends) * keep_damp
        watered = _water(plan, litres, flows, step / 60.0, rain)
        soil = 100.0 + (soil - 100.0) * exp(-step * soaking - watered * 60.0 * SOAKS)
        soil *= 1.0 - min(0.5, step * DRYING * (1.0 + 2.0 * sunny) * (1.0 + 0.3 * mixing))
        time += step
    return replace(state, time=time, air=air, humidity=humidity, soil=soil, litres=tuple(litres))


def _water(plan: Plan, litres: list[float], flows: list[tuple[str, str, float]], minutes: float, rain: float) -> float:
    """Move water for some minutes, in place; the litres that came to the soil. Rain and inflow first, use last."""
    names = [tank.name for tank in plan.tanks]
    for number, tank in enumerate(plan.tanks):
        gain = tank.inflow * minutes + tank.catches * rain * minutes / 60.0
        litres[number] = min(tank.volume, litres[number] + gain)
    watered = 0.0
    for source, target, rate in flows:
        amount = rate * minutes
        if source in names:
            amount = min(amount, litres[names.index(source)])
            litres[names.index(source)] -= amount
        if target in names:
            number = names.index(target)
            litres[number] = min(plan.tanks[number].volume, litres[number] + amount)
        elif target == "soil":
            watered += amount
    for number, tank in enumerate(plan.tanks):
        litres[number] = max(0.0, litres[number] - tank.outflow * minutes)
    return watered
