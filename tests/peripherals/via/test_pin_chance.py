"""Pins used by chance, from two threads, with edges coming and lines that fail: what holds whatever is done."""

from __future__ import annotations

import errno
import random
import threading
import warnings

import pytest

from tests.support.boards import eventually, rounds
from tests.support.pins import Bench, gpiozero

LINES = (5, 6, 17)
SETTINGS = (
    ("function", ("input", "output", "none")),
    ("state", (0, 1, 0.5, 2)),
    ("pull", ("up", "down", "floating", "")),
    ("bounce", (None, 0, 0.0005, -1)),
    ("edges", ("both", "rising", "falling", "none", "x")),
    ("frequency", (None, 100, 200, 300)),
)


class Hearing:
    """Edges of one pin; some handlers close or turn what called them."""

    def __init__(self, pin, chance):
        self.pin, self.chance, self.last = pin, chance, 0.0

    def edge(self, ticks, state):
        assert state in (0, 1)
        self.last = ticks
        if self.chance.random() < 0.05:
            self.pin.close()


def one(bench, chance, hearings):
    """One thing that a program may do with a pin."""
    pin = bench.factory.pin(chance.choice(LINES))
    what = chance.random()
    if what < 0.1:
        pin.close()
    elif what < 0.2:
        pin.output_with_state(chance.choice((0, 1)))
    elif what < 0.3:
        pin.input_with_pull(chance.choice(("up", "down", "floating")))
    elif what < 0.45:
        hearing = Hearing(pin, random.Random(chance.random()))
        hearings.append(hearing)
        pin.when_changed = hearing.edge if chance.random() < 0.8 else None
    elif what < 0.55:
        assert 0 <= pin.state <= 1 and pin.function in ("input", "output")
    elif what < 0.6:
        bench.model.fail(chance.choice(("SET_CONFIG", "SET_VALUES", "GET_LINE", "GET_VALUES")), errno.EIO)
    else:
        name, values = chance.choice(SETTINGS)
        setattr(pin, name, chance.choice(values))


def used(bench, seed, steps, unexpected):
    chance, hearings = random.Random(seed), []
    for _ in range(steps):
        try:
            one(bench, chance, hearings)
        except gpiozero.PinError:
            continue
        except Exception as error:
            unexpected.append(error)
            return


@pytest.mark.filterwarnings("ignore::gpiozero.GPIOZeroWarning")
def test_whatever_is_done_only_gpiozeros_errors_come_and_everything_is_let_go(monkeypatch) -> None:
    unexpected, refused = [], 0
    monkeypatch.setattr(threading, "excepthook", lambda report: unexpected.append(report.exc_value))
    for seed in range(rounds(200)):
        with warnings.catch_warnings(), Bench(chance_board(seed)) as bench:
            warnings.simplefilter("ignore")
            users = [threading.Thread(target=used, args=(bench, f"{seed}.{at}", 60, unexpected)) for at in range(2)]
            for user in users:
                user.start()
            wires = random.Random(seed)
            while any(user.is_alive() for user in users):
                bench.pull(wires.choice(LINES), wires.choice((True, False, None)))
            for user in users:
                user.join()
        refused += sum(done.error != 0 for done in bench.model.record)
        assert not unexpected, (seed, unexpected)
        eventually(lambda bench=bench: not any(held.startswith("gpiozero") for held in bench.model.holders().values()))
        assert all(done.error != errno.EBUSY for done in bench.model.record)  # nothing is asked for twice
    assert refused


def chance_board(seed):
    return ("pi3", "pi-zero", "pi5")[seed % 3]
