"""Tables of a board file -> a described world: every key checked, every name that is used declared.

Rules this file keeps:
1. `plan` is the whole grammar; what is not in a table below is a ValueError that names the key (`tanks.cistern.level`)
   and says what it takes. `from_tables` gives the text that the board's process gets, and `plan` reads that again.
2. Keys of a real board that mean nothing here (`chip`, `line`, `active`, `bias`, `debounce`, the table of `pwm`) are
   passed over: the file of a real board becomes a simulated one by what is added, and `[inputs.NAME]` are contacts.
   One that a relay names as its feedback follows that relay from then on.
3. A sensor is declared by a table of `sensors`, or by being a contact or the feedback contact of a relay.
4. `at` is a time of a day (`day 2 16:00`, `16:00` on day 1), `after` seconds from the start of the world.
"""

from __future__ import annotations

from edge.call import Output, Sensor
from edge.peripherals.guard import line
from edge.peripherals.sim import checks
from edge.peripherals.sim.parts import Part
from edge.peripherals.sim.plan import AIR, ENDLESS, FLOWS, Contact, Drive, House, Plan, Tank, Weather
from edge.peripherals.sim.script import rehearse, script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Table = Mapping[str, Any]

PASSED = ("gpio", "guard")  # tables of a real board beside outputs and inputs

# model -> what it is usually of, unit, low, high, places, address
MODELS: Mapping[str, tuple[str, str, float, float, int, str]] = {
    "thermometer": ("air", "C", -40.0, 85.0, 1, "I2C 1/0x48"),
    "hygrometer": ("humidity", "%", 0.0, 100.0, 1, "I2C 1/0x44"),
    "soil": ("soil", "%", 0.0, 100.0, 1, "I2C 1/0x49 channel 0"),
    "light": ("light", "lux", 0.0, 120000.0, 0, "I2C 1/0x23"),
    "level": ("", "%", 0.0, 100.0, 1, "I2C 1/0x4a channel 0"),
    "rain": ("rain", "mm/h", 0.0, 200.0, 1, "1-wire 26-000001"),
    "cloud": ("cloud", "%", 0.0, 100.0, 0, "I2C 1/0x29"),
}
# what an output drives -> its usual rate, see plan.Drive
RATES = {"": 0.0, "pump": 6.0, "valve": 10.0, "fan": 400.0, "heater": 12.0, "lamp": 20000.0, "water": 4.5}

_OUTPUT = tuple(name for name in Output.__fields__ if name != "name")
_CONTACT = ("label", "where", "words", "states", "state", "of", "above", "vents", *checks.WIRED)
_WEATHER = Weather.__fields__
_HOUSE = House.__fields__


def from_tables(tables: Table) -> str:
    """The description as JSON text, for Owned.world. ValueError with key and sentence."""
    plain = checks.plain(tables)
    _conditions(plan(plain))
    return line.write(plain)


def plan(tables: Any) -> Plan:
    """The checked world. ValueError with key and sentence."""
    known = ("sim", "sensors", "outputs", "inputs", "contacts", "relays", "tanks", "faults", *PASSED)
    checks.only(tables, known, "")
    sim = checks.table(tables, "sim", "")
    checks.only(sim, ("name", "start", "climate", "house"), "sim")
    rows = checks.rows(tables, "tanks")
    tanks = tuple([Tank(name, **checks.fields(row, Tank.__fields__[1:], key)) for key, name, row in rows])
    outputs, drives = _outputs(tables, [tank.name for tank in tanks])
    contacts, sensed = _contacts(tables, [tank.name for tank in tanks], outputs)
    of = {contact.name: contact.name for contact in contacts}
    made = [*_sensors(tables, of, [tank.name for tank in tanks]), *sensed]
    shows = {contact.relay: contact.name for contact in contacts if contact.relay}
    outputs = tuple([_shown(output, shows, contacts) for output in outputs])
    things = [*[tank.name for tank in tanks], *[contact.name for contact in contacts]]
    measuring = [part.sensor.name for part in made if not part.sensor.states]
    checks.apart(things, [*[output.name for output in outputs], *measuring])
    start = checks.moment(sim.get("start", "15:00"), "sim.start")
    found = Plan(
        checks.named(sim.get("name", "world"), "sim.name"),
        start,
        Weather(**checks.fields(checks.table(sim, "climate", "sim."), _WEATHER, "sim.climate")),
        House(**checks.fields(checks.table(sim, "house", "sim."), _HOUSE, "sim.house")),
        tanks,
        contacts,
        tuple(made),
        tuple(of.items()),
        outputs,
        drives,
        script(tables, start, outputs, made),
    )
    rehearse(found)
    return found


def _conditions(made: Plan) -> None:
    """The interlocks, as the guard will read them."""
    from edge.peripherals.guard.interlock import check, vocabulary

    names = vocabulary(made.outputs, [part.sensor for part in made.parts])
    for output in made.outputs:
        for condition in output.interlock:
            wrong = check(condition, names)
            if wrong:
                raise ValueError(f"outputs.{output.name}.interlock: {wrong}")


def _outputs(tables: Table, tanks: list[str]) -> tuple[tuple[Output, ...], tuple[Drive, ...]]:
    outputs, drives = [], []
    for number, (key, name, row) in enumerate(checks.rows(tables, "outputs"), 1):
        fields = checks.fields(row, (*_OUTPUT, "drives", "rate", "from", "to", *checks.WIRED), key)
        kind = fields.pop("drives", "")
        rate = fields.pop("rate", RATES[kind])
        source, target = fields.pop("from", "mains"), fields.pop("to", "soil")
        for end, place in (("from", source), ("to", target)):
            if place not in (*tanks, *ENDLESS, "soil") or (end == "from" and place == "soil"):
                raise ValueError(f"{key}.{end} is no place for water: {', '.join([*tanks, *ENDLESS, 'soil'])}")
        if kind == "fan" and rate < 10.0:
            raise ValueError(f"{key}.rate of a fan is the seconds in which it airs the house: from 10")
        drives.append(Drive(name, kind, float(rate), *((source, target) if kind in FLOWS else ("", ""))))
        shown = {"label": name.replace("_", " "), "where": f"sim relay {number}", **fields}
        outputs.append(Output(name, shown.pop("label"), shown.pop("where"), **shown))
    return tuple(outputs), tuple(drives)


def _contacts(tables: Table, tanks: list[str], outputs: tuple[Output, ...]) -> tuple[tuple[Contact, ...], list[Part]]:
    """Doors, buttons, floats (`contacts`, `inputs`) and the feedback contacts of `relays`, and their sensors."""
    contacts, made = [], []
    for group in ("contacts", "inputs"):
        for key, name, row in checks.rows(tables, group):
            fields = checks.fields(row, _CONTACT, key)
            usual = ("open", "closed") if group == "contacts" else ("off", "on")
            states = checks.pair(fields.pop("states", usual), key)
            state = fields.pop("state", states[0])
            if state not in states:
                raise ValueError(f"{key}.state is {' or '.join(states)}")
            if fields.get("of", "mains") not in (*AIR, *tanks, "mains"):
                raise ValueError(f"{key}.of names no quantity: {', '.join([*AIR, *tanks])}")
            made.append(_contact(name, fields, states))
            moves = {field: fields[field] for field in ("of", "above", "vents") if field in fields}
            contacts.append(Contact(name, state == states[1], **moves))
    for key, name, row in checks.rows(tables, "relays"):
        fields = checks.fields(row, ("feedback", "delay", "label", "where", "words"), key)
        if name not in [output.name for output in outputs]:
            raise ValueError(f"{key} is the relay of no output")
        feedback = checks.named(fields.get("feedback", f"{name}_feedback"), f"{key}.feedback")
        follows = Contact(feedback, relay=name, delay=fields.get("delay", 0.02))
        if Contact(feedback) in contacts:  # declared as on a real board, and moved by nothing else
            contacts[contacts.index(Contact(feedback))] = follows
            continue
        contacts.append(follows)
        made.append(_contact(feedback, {"label": f"contact of the relay of {name}", **fields}, ("open", "closed")))
    return tuple(contacts), made


def _contact(name: str, fields: Table, states: tuple[str, str]) -> Part:
    label = fields.get("label", name.replace("_", " "))
    sensor = Sensor(name, label, "", fields.get("where", f"sim contact {name}"), fields.get("words", ()), states)
    return Part(sensor, 0.0, 1.0, 0, f"GPIO line of {name}")


def _sensors(tables: Table, of: dict[str, str], tanks: list[str]) -> list[Part]:
    """The measuring parts; what each is of goes into `of`."""
    made = []
    for key, name, row in checks.rows(tables, "sensors"):
        takes = ("model", "of", "unit", "low", "high", "places", "label", "where", "words", "address")
        fields = checks.fields(row, takes, key)
        model = fields.get("model", "level" if fields.get("of") in tanks else "thermometer")
        if model not in MODELS:
            raise ValueError(f"{key}.model is one of {', '.join(MODELS)}")
        usual, unit, low, high, places, address = MODELS[model]
        what = fields.get("of", usual or (tanks[0] if tanks else ""))
        if what not in (*AIR, *tanks):
            raise ValueError(f"{key}.of names no quantity: {', '.join([*AIR, *tanks])}")
        low, high = float(fields.get("low", low)), float(fields.get("high", high))
        if low >= high:
            raise ValueError(f"{key}.high is not above {key}.low")
        label, where = fields.get("label", name.replace("_", " ")), fields.get("where", f"sim {model} {name}")
        sensor = Sensor(name, label, fields.get("unit", unit), where, fields.get("words", ()))
        made.append(Part(sensor, low, high, fields.get("places", places), fields.get("address", address)))
        of[name] = what
    return made


def _shown(output: Output, shows: Table, contacts: tuple[Contact, ...]) -> Output:
    """The output with its relay's feedback contact; what it names as feedback and override must be contacts."""
    from edge.record import replace

    if output.name in shows and not output.feedback:
        output = replace(output, feedback=shows[output.name])
    names = [contact.name for contact in contacts]
    for field in ("feedback", "override"):
        named = getattr(output, field)
        if named and named not in names:
            raise ValueError(f"outputs.{output.name}.{field} names no contact: {', '.join(names) or 'there is none'}")
    return output
