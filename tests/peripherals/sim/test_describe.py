from __future__ import annotations

import copy
import random

import pytest

from edge.call import Output, Sensor
from edge.config import board_file
from edge.peripherals.guard import line
from edge.peripherals.sim import worlds
from edge.peripherals.sim.describe import MODELS, from_tables, plan
from edge.peripherals.sim.plan import KINDS, House, Tank, Weather
from edge.peripherals.sim.yard import TABLES
from tests.support.boards import ROOT, rounds
from tests.support.worlds import board_of, value

# What a page of one's own may look like: every group, as a TOML reader gives it.
OWN = {
    "sim": {"name": "cellar", "start": "06:30", "climate": {"seed": 3, "mean": 8}, "house": {"air": 12}},
    "tanks": {"sump": {"volume": 80, "level": 20, "inflow": 1.5}},
    "outputs": {
        "drain_pump": {
            "drives": "pump",
            "from": "sump",
            "to": "drain",
            "rate": 20,
            "safe": "off",
            "max_on": 900,
            "interlock": "sump_level > 10",
            "risk": "high",
            "chip": "pinctrl-bcm2835",
            "line": "GPIO17",
            "active": "low",
        },
        "fan": {"drives": "fan", "pwm": {"chip": "pwmchip0", "channel": 0}, "safe": "on"},
    },
    "inputs": {"float": {"line": "GPIO5", "bias": "up", "of": "sump", "above": 80}},
    "contacts": {"hatch": {"states": ["closed", "open"], "state": "open"}},
    "relays": {"drain_pump": {}},
    "sensors": {"sump_level": {"of": "sump"}, "air_temperature": {"places": 2}},
    "gpio": {"chip": "pinctrl-bcm2835"},
    "guard": {"heartbeat": 3},
}


def test_a_feedback_contact_of_a_real_board_follows_the_relay_that_names_it():
    real = {
        "sim": {},
        "outputs": {"pump": {"line": "GPIO17", "feedback": "pump_runs"}},
        "inputs": {"pump_runs": {"line": "GPIO23", "bias": "up", "active": "low", "label": "auxiliary contact"}},
        "relays": {"pump": {"feedback": "pump_runs", "delay": 0.0}},
    }
    board = board_of(real)
    (contact,) = board.sensors
    assert (contact.label, contact.states) == ("auxiliary contact", ("off", "on"))
    board.drive("pump", 1.0, board.now + 1.0)
    assert board.sense("pump_runs", board.now + 1.0).value == 1.0
    board.drive("pump", 0.0, board.now + 1.0)
    assert board.sense("pump_runs", board.now + 1.0).value == 0.0
    for moved in ({"vents": 60}, {"of": "air", "above": 20}):
        own = {**real, "inputs": {"pump_runs": moved}}
        with pytest.raises(ValueError, match="pump_runs is declared twice"):
            plan(own)


def test_every_group_becomes_a_part_of_the_world():
    board = board_of(OWN)
    assert {sensor.name for sensor in board.sensors} == {
        *("float", "hatch", "drain_pump_feedback", "sump_level", "air_temperature")
    }
    pump, fan = board.outputs
    assert (pump.feedback, pump.interlock, pump.risk, pump.max_on) == (
        *("drain_pump_feedback", ("sump_level > 10",)),
        *("high", 900.0),
    )
    assert (fan.pwm, fan.safe, pump.pwm) == (True, True, False)
    assert board.on == {"drain_pump": False, "fan": True}
    assert (value(board, "hatch"), value(board, "float"), value(board, "sump_level")) == (1.0, 0.0, 20.0)
    assert board.circuit.birth == 6.5 * 3600.0


def test_a_float_closes_above_its_mark():
    board = board_of(OWN)
    assert value(board, "float", 31 * 60.0) == 0.0
    assert value(board, "float", 34 * 60.0) == 1.0


def test_the_text_says_the_same_again():
    text = from_tables(OWN)
    assert from_tables(line.read(text)) == text
    assert plan(line.read(text)) == plan(OWN)
    assert text.isascii() and "\n" not in text


def test_a_time_of_day_of_toml_is_taken():
    from datetime import time

    assert board_of({"sim": {"start": time(7, 30)}}).circuit.birth == 7.5 * 3600.0


def test_a_world_of_nothing_is_one():
    board = board_of({"sim": {}})
    assert (board.outputs, board.sensors) == ((), ())
    board.advance(board.now + 1000.0)


WRONG = [
    ({"simm": {}}, "simm is no key; there are sim, sensors"),
    ({"sim": 3}, r"sim is a table: \[sim\]"),
    ({"sim": {"nmae": "x"}}, "sim.nmae is no key; there are name, start"),
    ({"sim": {"name": "My World"}}, "sim.name is no name: small letters"),
    ({"sim": {"start": "noon"}}, "sim.start is a time"),
    ({"sim": {"climate": {"mean": "warm"}}}, "sim.climate.mean is a number"),
    ({"sim": {"climate": {"cloudiness": 1.5}}}, "sim.climate.cloudiness goes from 0 to 1"),
    ({"sim": {"climate": {"seed": 1.5}}}, "sim.climate.seed is a whole number"),
    ({"sim": {"house": {"air": float("nan")}}}, "sim.house.air goes from -60"),
    ({"tanks": {"a": {"volume": 0}}}, "tanks.a.volume goes from 0.1"),
    ({"tanks": {"a": 3}}, r"tanks.a is a table: \[tanks.a\]"),
    ({"tanks": {"mains": {}}}, "mains is declared twice, or is the name of a quantity"),
    ({"tanks": {"A b": {}}}, "is no name"),
    ({"outputs": {"p": {"drives": "turbine"}}}, "outputs.p.drives is one of pump, valve, fan"),
    (
        {"outputs": {"p": {"drives": "pump", "from": "well"}}},
        "outputs.p.from is no place for water: mains, drain, soil",
    ),
    ({"outputs": {"p": {"drives": "fan", "rate": 0}}}, "outputs.p.rate of a fan"),
    ({"outputs": {"p": {"safe": "maybe"}}}, "outputs.p.safe is one of off, on"),
    ({"outputs": {"p": {"on_exit": "off"}}}, "outputs.p.on_exit is one of safe, hold"),
    ({"outputs": {"p": {"max_on": 0}}}, "outputs.p.max_on goes from 0.1"),
    ({"outputs": {"p": {"max_per_hour": 2.0}}}, "outputs.p.max_per_hour is a whole number"),
    ({"outputs": {"p": {"interlock": 3}}}, "outputs.p.interlock is a list of texts"),
    ({"outputs": {"p": {"interlock": ["tankk > 5"]}}}, "outputs.p.interlock: 'tankk > 5' is no condition"),
    ({"outputs": {"p": {"label": 3}}}, "outputs.p.label is a text"),
    ({"outputs": {"p": {"override": "door"}}}, "outputs.p.override names no contact: there is none"),
    ({"outputs": {"p": {}}, "contacts": {"p": {}}}, "p is declared twice"),
    ({"contacts": {"d": {"states": ["open"]}}}, "contacts.d.states are two words"),
    ({"contacts": {"d": {"state": "ajar"}}}, "contacts.d.state is open or closed"),
    ({"contacts": {"d": {"of": "tank"}}}, "contacts.d.of names no quantity"),
    ({"contacts": {"humidity": {}}}, "humidity is declared twice, or is the name of a quantity"),
    ({"relays": {"p": {}}}, "relays.p is the relay of no output"),
    ({"sensors": {"t": {"model": "bme"}}}, "sensors.t.model is one of thermometer"),
    ({"sensors": {"t": {"of": "tank"}}}, "sensors.t.of names no quantity: air"),
    ({"sensors": {"t": {"model": "level"}}}, "sensors.t.of names no quantity"),
    ({"sensors": {"t": {"low": 90}}}, "sensors.t.high is not above sensors.t.low"),
    ({"sensors": {"t": {"places": 9}}}, "sensors.t.places goes from 0 to 6"),
    ({"faults": {}}, "faults is a list"),
    ({"faults": [3]}, "faults 1 is a table"),
    ({"sensors": {f"s{n}": {} for n in range(33)}}, "sensors has more than 32 names"),
]


@pytest.mark.parametrize(("tables", "sentence"), WRONG, ids=[sentence[:30] for _, sentence in WRONG])
def test_what_is_wrong_is_said_with_its_key(tables, sentence):
    with pytest.raises(ValueError, match=sentence):
        from_tables({"sim": {}, **tables})


def test_a_sentence_steers_no_terminal():
    with pytest.raises(ValueError) as caught:
        from_tables({"\x1b[2J": {}})
    assert str(caught.value).isprintable()


def test_mutated_tables_are_a_sentence_or_a_world_that_works():
    dice = random.Random(17)
    strange = (
        None,
        True,
        -1,
        0,
        3,
        1e300,
        float("inf"),
        "",
        "x",
        "tank",
        "pump",
        "safe",
        [],
        ["a", "b"],
        {},
        {"of": "air"},
    )
    counts = {"refused": 0, "made": 0}
    faults = [{"at": "10:00", "part": "door", "value": "open"}, {"after": 5, "part": "rain", "mode": "drift", "by": 1}]
    for _ in range(rounds(6000)):
        tables = copy.deepcopy({**(TABLES if dice.randrange(2) else OWN)})
        if tables["sim"]["name"] == "yard":
            tables["faults"] = copy.deepcopy(faults)
        place = tables
        while dice.randrange(4) and isinstance(place, dict) and place:
            inner = place[dice.choice([*place])]
            place = inner[0] if isinstance(inner, list) and inner and isinstance(inner[0], dict) else inner
            if not isinstance(place, dict):
                place = tables[dice.choice([*tables])]
        if isinstance(place, dict) and place and dice.randrange(5):
            place[dice.choice([*place])] = dice.choice(strange)
        elif isinstance(place, dict):
            place[dice.choice(("of", "level", "x", "drives"))] = dice.choice(strange)
        try:
            text = from_tables(tables)
        except ValueError as error:
            assert str(error)
            counts["refused"] += 1
            continue
        counts["made"] += 1
        board = worlds.sim_board(text)
        for output in board.outputs:
            board.drive(output.name, 1.0, board.now)
        board.shown(board.now + 5000.0)
        assert worlds.sim_board(text, line.read(line.write(board.kept()))).kept()["now"] == board.now
    print(counts)
    assert all(counts.values())


def test_the_page_about_it_shows_a_world_that_loads_and_every_key_of_it(tmp_path):
    page = (ROOT / "docs" / "simulation.md").read_text("utf-8")
    shown = page.partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "own.toml").write_text(shown, "utf-8")
    tables, _ = board_file(str(tmp_path / "own.toml"))
    board = board_of(tables)
    assert [event["word"] for event in board.told(board.now)["coming"]] == ["open", "drift=4", "ok"]
    keys = {*Weather.__fields__, *House.__fields__, *Tank.__fields__, *Output.__fields__, *Sensor.__fields__}
    as_on_a_real_board = {"risk", "label", "where", "name", "safe", "max_age", "settle", "on_start", "on_exit", "unit"}
    assert [key for key in sorted(keys - as_on_a_real_board) if key not in shown] == []
    assert all(kind in shown for kind in (*KINDS, *MODELS))
