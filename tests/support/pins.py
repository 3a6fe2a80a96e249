"""gpiozero's devices over a model of GPIO chips: the factory, and the wires as seen from outside.

Whoever imports this is skipped where gpiozero is not installed.
"""

from __future__ import annotations

from importlib import import_module

import pytest

from edge.peripherals.gpiochip.model import Model

gpiozero = pytest.importorskip("gpiozero", reason="the Python package gpiozero is not installed")
FieldhandFactory = import_module("edge.peripherals.via.pinfactory").FieldhandFactory
places = import_module("edge.peripherals.via.pinchannel").places


class Bench:
    """`factory` on `model`, whose wires are told by the numbers of the header's chip. A `with` closes the factory."""

    def __init__(self, board="pi3", release="keep", **options):
        self.model = Model(board, release)
        self.factory = FieldhandFactory(self.model, **{"reserved": (), "root": "/nowhere", **options})
        self.chip = self.factory.chip.path

    def level(self, line):
        return self.model.outside(self.chip, line)

    def pull(self, line, level):
        self.model.pull(self.chip, line, level)

    def changes(self, line):
        """What the level was at the start and after each change."""
        return [level for _, level in self.model.changes(self.chip, line)]

    def calls(self, line):
        """The names of the calls that touched or held a line, in order; looking is none."""
        looks = ("GET_LINEINFO", "GET_CHIPINFO", "open")
        return [done.what for done in self.model.record if done.line == line and done.what not in looks]

    def asked(self, line):
        """The last request or configuration of a line."""
        return [done for done in self.model.record if done.line == line and done.what in ("GET_LINE", "SET_CONFIG")][-1]

    def pulses(self, line):
        """Seconds of each complete high pulse of a wire."""
        found = self.model.changes(self.chip, line)
        return [(end - begin) / 1e9 for (begin, high), (end, _) in zip(found, found[1:]) if high]

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.factory.close()
