"""Described worlds for tests: the greenhouse as tables, and boards of tables."""

from __future__ import annotations

from edge.peripherals.sim import worlds
from edge.peripherals.sim.describe import from_tables

# The built-in greenhouse said in tables: what it does must be what edge.peripherals.sim.greenhouse does.
GREENHOUSE = {
    "sim": {"name": "glasshouse", "start": "15:00"},
    "outputs": {
        "fan": {"drives": "fan", "rate": 400, "max_on": 3600, "words": ["fan"]},
        "pump": {"drives": "water", "rate": 4.5},
    },
    "sensors": {
        "temperature": {"model": "thermometer"},
        "soil_moisture": {"model": "soil"},
        "humidity": {"model": "hygrometer"},
        "light": {"model": "light"},
    },
}


def board_of(tables, kept=None):
    """The simulated board of tables, through its text as a process gets it."""
    return worlds.sim_board(from_tables(tables), kept)


def yard(kept=None):
    return worlds.sim_board(worlds.text("yard"), kept)


def value(board, name, after=0.0):
    """What a sensor reads some seconds after the birth of its world."""
    return board.sense(name, board.circuit.birth + after).value
